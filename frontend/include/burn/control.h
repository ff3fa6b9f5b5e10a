/// Branches and loops whose course is decided while the program runs.
///
/// Host `if` and `for` record what they execute. The functions below record their arguments as parts of the program
/// instead: each function is called once, when the program is recorded, and its ops run as often as the values decide,
/// without a new compilation. Tensors from outside that such a function uses become inputs of the part by themselves; a
/// tensor inside has no value that could be read. A random op inside of a loop draws the same numbers in every
/// iteration. Gradients through control flow are not supported yet: an error at the line of the call says so.
#pragma once

#include <burn/tensor.h>

#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace burn {

/// Tensors in and out of the recorded parts.
using TensorList = std::vector<Tensor>;
using TensorSpan = std::span<const Tensor>;

/// `on_true()` where the predicate holds, else `on_false()`; the other one does not run. The predicate has one element;
/// a number holds where it is not 0. Both functions give the same numbers of tensors, of the same types and shapes.
BURN_API TensorList cond(const Tensor &predicate, const std::function<TensorList()> &on_true,
                         const std::function<TensorList()> &on_false, Where where = Where::current());
BURN_API Tensor cond(const Tensor &predicate, const std::function<Tensor()> &on_true,
                     const std::function<Tensor()> &on_false, Where where = Where::current());

/// Starting from `init`, `body` as long as `condition` holds of the values. `body` keeps their number, types and
/// shapes.
BURN_API TensorList while_loop(const std::function<Tensor(TensorSpan)> &condition,
                               const std::function<TensorList(TensorSpan)> &body, const TensorList &init,
                               Where where = Where::current());
BURN_API Tensor while_loop(const std::function<Tensor(const Tensor &)> &condition,
                           const std::function<Tensor(const Tensor &)> &body, const Tensor &init,
                           Where where = Where::current());

/// Starting from `init`, `body(i, values)` for i = lower, lower + step, ... below `upper`. Bounds are integers, of the
/// host or tensors of one element; other bounds compile nothing. `i` is an i64 scalar. A step that is not positive is
/// an error when the program runs.
BURN_API TensorList for_loop(const Operand &lower, const Operand &upper, const Operand &step,
                             const std::function<TensorList(const Tensor &, TensorSpan)> &body, const TensorList &init,
                             Where where = Where::current());
BURN_API Tensor for_loop(const Operand &lower, const Operand &upper, const Operand &step,
                         const std::function<Tensor(const Tensor &, const Tensor &)> &body, const Tensor &init,
                         Where where = Where::current());

/// `for_loop` in steps of 1.
BURN_API TensorList fori_loop(const Operand &lower, const Operand &upper,
                              const std::function<TensorList(const Tensor &, TensorSpan)> &body, const TensorList &init,
                              Where where = Where::current());
BURN_API Tensor fori_loop(const Operand &lower, const Operand &upper,
                          const std::function<Tensor(const Tensor &, const Tensor &)> &body, const Tensor &init,
                          Where where = Where::current());

/// What an iteration of a scan gives: the values for the next one, and values to collect.
struct ScanStep {
  TensorList carry, outputs;
};

/// Calls `body(carry, x)` for the slices x of `inputs` along dimension 0, in order, starting from the carry `init`.
/// Returns the last carry, and the outputs of all iterations stacked along a new dimension 0. All inputs have the same
/// size there.
BURN_API ScanStep scan(const std::function<ScanStep(TensorSpan, TensorSpan)> &body, const TensorList &init,
                       const TensorList &inputs, Where where = Where::current());

/// What the gradient of a checkpoint may keep of the values inside.
enum class CheckpointPolicy : uint8_t {
  SaveNothing,
  SaveContractions, // results of matrix products, convolutions and attention
  SaveNamed,        // values of `checkpoint_name`
};

/// `body(inputs)`, of which the gradient keeps nothing but the inputs: it calls the body's ops a second time. Less
/// memory for more time. The policy says what is kept all the same, and so not computed again: values in branches and
/// loops of the body, and those behind an assert or a print of its own, are not.
BURN_API TensorList checkpoint(const std::function<TensorList(TensorSpan)> &body, const TensorList &inputs,
                               CheckpointPolicy policy = CheckpointPolicy::SaveNothing, Where where = Where::current());
BURN_API Tensor checkpoint(const std::function<Tensor(const Tensor &)> &body, const Tensor &input,
                           CheckpointPolicy policy = CheckpointPolicy::SaveNothing, Where where = Where::current());

/// The tensor, under a name for checkpoint policies and for people who read the IR.
BURN_API Tensor checkpoint_name(const Tensor &tensor, std::string_view name, Where where = Where::current());

/// `value`, where all elements of the condition hold (a number holds where it is not 0); else computing it fails with
/// the message, at this line. Works in branches and loops too. The check runs where the result is used: use it in place
/// of `value`. Gradients pass. A GPU fails later: where the result, or what is computed from it, is read, or at
/// burn::sync().
BURN_API Tensor assert_all(const Tensor &condition, const Tensor &value, std::string_view message,
                           Where where = Where::current());

/// `value`, which is printed under a label to the standard output each time that the result is computed: in a loop, in
/// each iteration. To print a tensor at once, write it to a stream. Gradients pass. A program on a GPU that prints
/// waits for it.
BURN_API Tensor debug_print(const Tensor &value, std::string_view label, Where where = Where::current());

/// The tensors, behind a barrier: no optimization looks across, and all of them are computed before one is used.
BURN_API TensorList barrier(const TensorList &tensors, Where where = Where::current());

} // namespace burn
