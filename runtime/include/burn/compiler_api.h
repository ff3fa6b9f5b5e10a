/// The interface of libburn-compiler, in plain C.
///
/// libburn loads the compiler when the kernel cache has no plan for a graph, and talks to it through this table
/// alone. No exception, no C++ type and no ownership crosses it: inputs are borrowed for the call, outputs are freed
/// by the function of the table that names them. Every function may be called from any thread.
#ifndef BURN_COMPILER_API_H
#define BURN_COMPILER_API_H

#include <burn/abi.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Version of this header. A compiler asked for a version that it does not know returns null.
#define BURN_COMPILER_ABI 1u

/// The one symbol that libburn-compiler exports.
#define BURN_COMPILER_SYMBOL "burn_compiler_get_api"

/// Borrowed bytes.
typedef struct burn_bytes {
  const void *data;
  size_t size;
} burn_bytes;

/// Bytes owned by the compiler until `free_blob`. Zeroed when a function fails.
typedef struct burn_blob {
  const void *data;
  size_t size;
  /// Opaque to the caller.
  void *owner;
} burn_blob;

/// What went wrong, in kind: the numbers of burn/error_code.h.
typedef enum burn_status_code {
  BURN_STATUS_OK = 0,
  /// The input breaks a rule: malformed IR, wrong types, unknown op.
  BURN_STATUS_INVALID_ARGUMENT = 1,
  /// The module has no such function.
  BURN_STATUS_NOT_FOUND = 2,
  /// A file could not be read or written (dump folder).
  BURN_STATUS_IO = 3,
  /// Truncated or corrupt bytes.
  BURN_STATUS_DATA_LOSS = 4,
  BURN_STATUS_OUT_OF_MEMORY = 5,
  /// The input is legal, this target or version cannot compile it.
  BURN_STATUS_UNSUPPORTED = 6,
  BURN_STATUS_UNAVAILABLE = 7,
  /// A defect of the compiler, found by one of its own checks.
  BURN_STATUS_INTERNAL = 8,
  /// An index check failed while interpreting.
  BURN_STATUS_OUT_OF_RANGE = 9
} burn_status_code;

/// A failure. Functions return null for success, else a status to free with `free_status`.
typedef struct burn_status {
  burn_status_code code;
  /// The whole message, UTF-8, one diagnostic a line, without a final newline.
  const char *text;
  /// Location ids of the serialized graph that the message is about, the most specific first.
  const uint32_t *location_ids;
  size_t location_count;
} burn_status;

typedef enum burn_device_kind {
  BURN_DEVICE_CPU = 0,
  /// A GPU behind Vulkan. `features` describes it (runtime/Core/GpuTarget.h), `cpu` and `triple` are ignored, and the
  /// object is a serialized GpuPlan (runtime/Core/GpuPlan.h).
  BURN_DEVICE_VULKAN = 1
} burn_device_kind;

/// Bits of `burn_compile_options::debug`.
enum {
  /// Write the IR of each stage to `dump_dir`.
  BURN_DEBUG_IR = 1u << 0,
  /// Write the assembly to `dump_dir`.
  BURN_DEBUG_ASM = 1u << 1,
  /// Keep symbol and line tables in the object, for debuggers and profilers.
  BURN_DEBUG_SYMBOLS = 1u << 2
};

/// Where the ways to make kernels come from.
typedef enum burn_tuning_mode {
  /// The compiler takes the way that its estimate likes best.
  BURN_TUNING_OFF = 0,
  /// Winners of measurements that were made before.
  BURN_TUNING_CACHED = 1,
  /// Winners; a kernel that has none is measured in the few ways that the estimate likes best.
  BURN_TUNING_ON = 2,
  /// Winners among all ways that the estimate does not rule out, which may take minutes a kernel.
  BURN_TUNING_FULL = 3
} burn_tuning_mode;

/// What choosing the ways to make kernels needs of the caller, and how much was done. The ways of a kernel give the
/// same bits; they are run on scratch data, and one whose results differ from those of the usual way cannot win. Where
/// results need not be deterministic, some may add up in another order, and cannot win before they are checked.
typedef struct burn_tuning {
  /// sizeof this struct in the caller. Later versions only append.
  uint32_t struct_size;
  /// burn_tuning_mode.
  uint32_t mode;
  /// Handed back to the functions below, which are called by the thread that compiles.
  void *context;
  /// What measured code is run with. Null, and no mode but CACHED is of use.
  const burn_rt *functions;
  /// Threads that loops of these functions run on; 0 is as 1.
  uint32_t threads;
  /// The record of a winner that was stored under a key, valid until the next call; of size 0 where there is none.
  burn_bytes (*find)(void *context, burn_bytes key);
  /// Keeps the record of a winner under a key, with a report for people.
  void (*store)(void *context, burn_bytes key, burn_bytes winner, burn_bytes report);
  /// Keeps other processes from measuring where `locked` is 1, until it is 0.
  void (*lock)(void *context, int locked);

  /* ---- counted by the compiler ---- */

  uint64_t kernels_measured;
  uint64_t ways_measured;
  /// Ways whose results had other bits, or were wrong.
  uint64_t ways_rejected;
  /// Winners that were found.
  uint64_t winners_used;
  /// Winners that were found and do not fit the kernel or this process, as where a library is missing.
  uint64_t winners_unfit;
  /// Time that measuring took, with the compiling of what is measured.
  uint64_t measured_ns;
} burn_tuning;

/// How to compile. Fill `struct_size` with sizeof; later versions only append fields, and a field beyond the
/// caller's size reads as zero. Everything above the line is part of the plan key, nothing below it changes code.
typedef struct burn_compile_options {
  uint32_t struct_size;
  /// burn_device_kind.
  uint32_t device;
  /// LLVM target triple; null: that of this compiler.
  const char *triple;
  /// LLVM CPU name, e.g. "x86-64-v3". The compiler never looks at the host.
  const char *cpu;
  /// LLVM feature list, e.g. "+avx2,+fma". May be empty.
  const char *features;
  /// 1: fuse ops into kernels; 0: one kernel an op. Results are the same bit for bit.
  uint8_t fusion;
  /// 1: the same bits on every run, for any number of threads.
  uint8_t deterministic;
  /// 1: allow contraction and reassociation in floating point.
  uint8_t fast_math;
  /// 1: cut kernels into pieces for more than a few threads. Results are the same bit for bit.
  uint8_t many_threads;
  uint8_t reserved[4];

  /* ---- not part of the key ---- */

  /// BURN_DEBUG_ bits.
  uint32_t debug;
  /// Threads the compiler may use; 0 and 1: the calling thread alone.
  uint32_t threads;
  /// Existing folder for dumps; null or empty: none.
  const char *dump_dir;
  /// Prefix of dumped files, and name of the plan in messages; null: "plan".
  const char *name;
  /// For `print_graph` and `print_mlir`: the stage to stop after, or null or empty for the imported program.
  const char *stage;
  /// Null: as with mode OFF. Bits are the same in all modes; speed is not, so a caller that keeps plans keeps those of
  /// different modes apart.
  burn_tuning *tuning;
} burn_compile_options;

/// What a compile returns.
typedef struct burn_compiled {
  /// A position-independent ELF shared object that defines BURN_RUN_SYMBOL; for a GPU its shaders and steps.
  burn_blob object;
  /// The serialized launch and memory plan (runtime/Core/Executable.h).
  burn_blob plan;
} burn_compiled;

/// A dense row-major array.
typedef struct burn_array {
  /// burn::DType.
  uint8_t dtype;
  uint32_t rank;
  const int64_t *dims;
  void *data;
  uint64_t bytes;
} burn_array;

/// Arrays owned by the compiler until `free_arrays`. Zeroed when a function fails.
typedef struct burn_array_list {
  burn_array *arrays;
  size_t count;
  /// Opaque to the caller.
  void *owner;
} burn_array_list;

/// In which arithmetic the interpreter evaluates floating-point ops.
typedef enum burn_interpret_precision {
  /// Each op in its own type, rounding after every op.
  BURN_INTERPRET_OWN_TYPE = 0,
  /// f16, bf16 and f32 ops in f64; results are rounded to their type at the end.
  BURN_INTERPRET_F64 = 1,
  /// As BURN_INTERPRET_F64, and results of those types are returned as f64.
  BURN_INTERPRET_F64_RESULTS = 2
} burn_interpret_precision;

/// MLIR source, as text or as bytecode; told apart by the bytecode's magic number.
typedef struct burn_mlir_source {
  burn_bytes source;
  /// Name of the file for diagnostics; null: "<input>".
  const char *filename;
  /// Function to take; null or empty: "main", or the only public function.
  const char *entry;
} burn_mlir_source;

/// The functions of the compiler.
typedef struct burn_compiler_api {
  /// sizeof this struct in the compiler. Later versions only append.
  uint32_t struct_size;
  /// BURN_COMPILER_ABI of the compiler.
  uint32_t abi_version;
  /// Identifies the build of the compiler; libburn compares it with the one it was built beside.
  const char *build_id;
  /// LLVM version the compiler was built with, e.g. "22.1.8".
  const char *llvm_version;

  /// Compiles a serialized graph (runtime/Core/Graph.h).
  burn_status *(*compile_graph)(burn_bytes graph, const burn_compile_options *options, burn_compiled *result);
  /// Compiles a function of an MLIR module in the burn dialect.
  burn_status *(*compile_mlir)(const burn_mlir_source *source, const burn_compile_options *options,
                               burn_compiled *result);

  /// Evaluates a serialized graph with the reference interpreter. `arguments` are those of the graph in order,
  /// scalar slots included as arrays of rank 0. A `burn.grad` is differentiated first.
  burn_status *(*interpret_graph)(burn_bytes graph, burn_interpret_precision precision, const burn_array *arguments,
                                  size_t argument_count, burn_array_list *results);
  /// Evaluates a function of an MLIR module with the reference interpreter.
  burn_status *(*interpret_mlir)(const burn_mlir_source *source, burn_interpret_precision precision,
                                 const burn_array *arguments, size_t argument_count, burn_array_list *results);

  /// Prints the IR of a serialized graph after `options->stage`. The text ends with a newline, without a final NUL.
  burn_status *(*print_graph)(burn_bytes graph, const burn_compile_options *options, burn_blob *text);
  /// Prints the IR of a function of an MLIR module after `options->stage`.
  burn_status *(*print_mlir)(const burn_mlir_source *source, const burn_compile_options *options, burn_blob *text);

  /// The canonical bytecode of the function, without locations and names: the key of MLIR input.
  burn_status *(*canonical_mlir)(const burn_mlir_source *source, burn_blob *bytecode);

  /// Each accepts null, and what a failed function left zeroed.
  void (*free_blob)(burn_blob *blob);
  void (*free_arrays)(burn_array_list *list);
  void (*free_status)(burn_status *status);
} burn_compiler_api;

/// Returns the table for version `abi` of this header, or null where this compiler does not know that version.
/// The table lives as long as the process.
const burn_compiler_api *burn_compiler_get_api(uint32_t abi);

typedef const burn_compiler_api *(*burn_compiler_get_api_fn)(uint32_t abi);

#ifdef __cplusplus
}
#endif

#endif // BURN_COMPILER_API_H
