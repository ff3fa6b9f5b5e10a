/// What libburn-compiler does for programs that do not wait for their compile: it runs them op by op at once, and
/// compiles them in a thread of its own. These functions follow those of burn/compiler_api.h in the same table.
#ifndef BURN_COMPILER_EVALUATION_H
#define BURN_COMPILER_EVALUATION_H

#include <burn/abi.h>
#include <burn/compiler_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A serialized graph made ready to run op by op.
typedef struct burn_evaluation burn_evaluation;

/// The whole table of the compiler. Its `struct_size` is sizeof this struct at least.
typedef struct burn_compiler_table {
  burn_compiler_api api;

  /// Makes a serialized graph ready to run at once, op by op, while it is compiled: in milliseconds, for code that is
  /// several times as slow. Unsupported where it calls kernels of the host.
  burn_status *(*prepare_evaluation)(burn_bytes graph, burn_evaluation **evaluation);
  /// Runs it in the threads of `rt` (null: in the calling one), on arguments as `interpret_graph` takes them. Results
  /// are within the bounds that compiled code has of the interpreter's, and the same for any number of threads. Any
  /// threads may run one evaluation at the same time.
  burn_status *(*evaluate)(const burn_evaluation *evaluation, const burn_rt *rt, const burn_array *arguments,
                           size_t argument_count, burn_array_list *results);
  /// Accepts null.
  void (*free_evaluation)(burn_evaluation *evaluation);

  /// Calls `job(arg, 0)` in a thread of the compiler, behind what was handed over before, one after the other. Returns
  /// 0, and calls nothing, where there is no such thread: the process is about to end, or the system grants none. At
  /// the end of the process what runs, or is the next to, is waited for, and the rest is called with `cancelled` set. A
  /// fork waits for what runs, and the child goes on with what has not begun. The job must not throw.
  int (*run_in_background)(void (*job)(void *arg, int cancelled), void *arg);

  /// Where in its source the op of a location id stands, as a check of a plan or an error names it: "file:line:column",
  /// or empty where the source has no lines. The text has no final NUL.
  burn_status *(*locate_mlir)(const burn_mlir_source *source, uint32_t location_id, burn_blob *text);
} burn_compiler_table;

#ifdef __cplusplus
}
#endif

#endif // BURN_COMPILER_EVALUATION_H
