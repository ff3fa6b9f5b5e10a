#include "frontend/Control/RegionRecording.h"
#include "frontend/Tensor/Support.h"

#include <burn/control.h>

#include <memory>

namespace burn {

using namespace trace;
using core::TypeDesc;

namespace {

/// A value of one element as a boolean scalar.
Tensor asPredicate(std::string_view name, const Tensor &value) {
  if (!value.defined() || value.numel() != 1)
    raiseInvalid(std::string(name) + ": expects a predicate of one element" +
                 (value.defined() ? ", got the shape " + value.shape().str() : ""));
  return value.reshape({}).to(DType::Bool);
}

void checkCarried(std::string_view name, const std::vector<TypeDesc> &init, const std::vector<TypeDesc> &next) {
  if (init != next)
    raiseInvalid(std::string(name) + ": the body turns values of types " + str(init) + " into " + str(next) +
                 "; it must keep number, types and shapes");
}

/// A bound of a loop as an i64 scalar.
Ref bound(Recorder &recorder, const Operand &operand) {
  if (!operand.isTensor())
    return recorder.scalar(DType::I64, operand.scalar());
  return recorder.reshape(recorder.convert(recorder.use(operand.tensor()), DType::I64), Shape{});
}

void checkBound(std::string_view name, const Operand &operand) {
  const bool integer = operand.isTensor() ? operand.tensor().defined() && isInt(operand.tensor().dtype()) &&
                                                operand.tensor().numel() == 1
                                          : operand.scalar().kind == Scalar::Kind::Int;
  if (!integer)
    raiseInvalid(std::string(name) + ": expects integers of one element as bounds and step");
}

/// `all` with one part of dimension 0 replaced, that at the one index `at`, which is known to be valid.
Tensor collect(const Tensor &all, const Tensor &at, const Tensor &part) {
  Recorder recorder("scan", {&all, &at, &part});
  Shape update{1};
  int64_t window[Shape::maxRank];
  for (int64_t size : part.shape()) {
    window[update.rank() - 1] = update.rank();
    update.push(size);
  }
  const int64_t dims[] = {0};
  const core::ScatterAttrs attrs{std::span<const int64_t>(window, update.rank() - 1),
                                 dims,
                                 {},
                                 {},
                                 dims,
                                 1,
                                 core::ScatterCombiner::Assign,
                                 core::IndexMode::AssumeValid};
  return recorder.finish(
      recorder.emit(attrs, {recorder.use(all), recorder.use(at), recorder.reshape(recorder.use(part), update)}));
}

void checkInit(const char *name, TensorSpan init, const Where &where) {
  const LocationScope scope(where);
  if (init.empty())
    raiseInvalid(std::string(name) + ": expects at least one tensor");
  checkDefined(name, init);
}

/// Records the loop over a body that is recorded already. Carried values of the body beyond `init` start with zeros.
TensorList emitFor(const char *name, const Operand &lower, const Operand &upper, const Operand &step,
                   RegionRecording &body, const TensorList &init) {
  for (const Operand *operand : {&lower, &upper, &step})
    checkBound(name, *operand);
  RegionOp op({&body});
  std::vector<const Tensor *> operands = pointers({init, op.tensors()});
  for (const Operand *operand : {&lower, &upper, &step})
    if (operand->isTensor())
      operands.push_back(&operand->tensor());
  Recorder recorder(name, operands);
  std::vector<Ref> values{bound(recorder, lower), bound(recorder, upper), bound(recorder, step)};
  append(values, used(recorder, init));
  const std::vector<TypeDesc> results = body.resultTypes();
  for (size_t i = init.size(); i < results.size(); ++i)
    values.push_back(recorder.filled(results[i].dtype, 0, internShape(results[i].shape)));
  append(values, op.captured(recorder));
  const int64_t segments[] = {1, 1, 1, static_cast<int64_t>(results.size()), static_cast<int64_t>(op.capturedCount())};
  return op.emit(recorder, core::ForAttrs{segments}, values, results);
}

} // namespace

TensorList cond(const Tensor &predicate, const std::function<TensorList()> &on_true,
                const std::function<TensorList()> &on_false, Where where) {
  const DeviceScope device(predicate);
  const auto onTrue = record("cond", where, [&](RegionRecording &) { return on_true(); });
  const auto onFalse = record("cond", where, [&](RegionRecording &) { return on_false(); });
  const LocationScope scope(where);
  const std::vector<TypeDesc> results = onTrue->resultTypes();
  if (results != onFalse->resultTypes())
    raiseInvalid("cond: the branches give values of different types, " + str(results) + " and " +
                 str(onFalse->resultTypes()));
  if (results.empty())
    raiseInvalid("cond: expects branches that give at least one tensor");
  const Tensor chosen = asPredicate("cond", predicate);
  RegionOp op({onTrue.get(), onFalse.get()});
  Recorder recorder("cond", pointers({{&chosen, 1}, op.tensors()}));
  std::vector<Ref> operands{recorder.use(chosen)};
  append(operands, op.captured(recorder));
  return op.emit(recorder, core::IfAttrs{}, operands, results);
}

Tensor cond(const Tensor &predicate, const std::function<Tensor()> &on_true, const std::function<Tensor()> &on_false,
            Where where) {
  return cond(predicate, [&] { return TensorList{on_true()}; }, [&] { return TensorList{on_false()}; }, where)[0];
}

TensorList while_loop(const std::function<Tensor(TensorSpan)> &condition,
                      const std::function<TensorList(TensorSpan)> &body, const TensorList &init, Where where) {
  checkInit("while_loop", init, where);
  const DeviceScope device(init);
  const auto test = record("while_loop", where, [&](RegionRecording &region) {
    const TensorList values = region.argumentsLike(init);
    const Tensor holds = condition(values);
    const LocationScope scope(where);
    return TensorList{asPredicate("while_loop", holds)};
  });
  const auto step = record("while_loop", where, [&](RegionRecording &region) {
    const TensorList values = region.argumentsLike(init);
    return body(values);
  });
  const LocationScope scope(where);
  checkCarried("while_loop", typesOf(init), step->resultTypes());
  RegionOp op({test.get(), step.get()});
  Recorder recorder("while_loop", pointers({init, op.tensors()}));
  std::vector<Ref> operands = used(recorder, init);
  append(operands, op.captured(recorder));
  const int64_t segments[] = {static_cast<int64_t>(init.size()), static_cast<int64_t>(op.capturedCount())};
  return op.emit(recorder, core::WhileAttrs{segments}, operands, step->resultTypes());
}

Tensor while_loop(const std::function<Tensor(const Tensor &)> &condition,
                  const std::function<Tensor(const Tensor &)> &body, const Tensor &init, Where where) {
  return while_loop([&](TensorSpan values) { return condition(values[0]); },
                    [&](TensorSpan values) { return TensorList{body(values[0])}; }, TensorList{init}, where)[0];
}

TensorList for_loop(const Operand &lower, const Operand &upper, const Operand &step,
                    const std::function<TensorList(const Tensor &, TensorSpan)> &body, const TensorList &init,
                    Where where) {
  checkInit("for_loop", init, where);
  const DeviceScope device(init);
  const auto region = record("for_loop", where, [&](RegionRecording &recording) {
    const Tensor index = recording.argument(DType::I64, Shape{});
    const TensorList values = recording.argumentsLike(init);
    return body(index, values);
  });
  const LocationScope scope(where);
  checkCarried("for_loop", typesOf(init), region->resultTypes());
  return emitFor("for_loop", lower, upper, step, *region, init);
}

Tensor for_loop(const Operand &lower, const Operand &upper, const Operand &step,
                const std::function<Tensor(const Tensor &, const Tensor &)> &body, const Tensor &init, Where where) {
  return for_loop(
      lower, upper, step, [&](const Tensor &i, TensorSpan values) { return TensorList{body(i, values[0])}; },
      TensorList{init}, where)[0];
}

TensorList fori_loop(const Operand &lower, const Operand &upper,
                     const std::function<TensorList(const Tensor &, TensorSpan)> &body, const TensorList &init,
                     Where where) {
  return for_loop(lower, upper, Operand(1, where), body, init, where);
}

Tensor fori_loop(const Operand &lower, const Operand &upper,
                 const std::function<Tensor(const Tensor &, const Tensor &)> &body, const Tensor &init, Where where) {
  return for_loop(lower, upper, Operand(1, where), body, init, where);
}

ScanStep scan(const std::function<ScanStep(TensorSpan, TensorSpan)> &body, const TensorList &init,
              const TensorList &inputs, Where where) {
  checkInit("scan", init, where);
  checkInit("scan", inputs, where);
  const DeviceScope device(init);
  int64_t length = -1;
  {
    const LocationScope scope(where);
    for (const Tensor &input : inputs) {
      if (input.shape().rank() == 0 || (length >= 0 && input.size(0) != length))
        raiseInvalid("scan: expects inputs of the same size along dimension 0");
      length = input.size(0);
    }
  }
  // The collected outputs are carried too: each iteration puts its part where it belongs.
  size_t carried = 0;
  const auto region = record("scan", where, [&](RegionRecording &recording) {
    const Tensor index = recording.argument(DType::I64, Shape{});
    const TensorList values = recording.argumentsLike(init);
    TensorList slices;
    Tensor at;
    {
      const LocationScope scope(where);
      at = index.reshape({1}, where);
      for (const Tensor &input : inputs) {
        Shape one;
        for (unsigned dim = 1; dim < input.shape().rank(); ++dim)
          one.push(input.size(dim));
        // Without slices the body is recorded, but never runs.
        slices.push_back(length == 0 ? zeros(one, input.dtype(), where)
                                     : input.index_select(0, at, where).reshape(one, where));
      }
    }
    ScanStep step = body(values, slices);
    const LocationScope scope(where);
    checkDefined("scan", step.carry);
    checkDefined("scan", step.outputs);
    checkCarried("scan", typesOf(init), typesOf(step.carry));
    carried = step.carry.size();
    for (const Tensor &output : step.outputs) {
      if (output.shape().rank() == Shape::maxRank)
        raiseInvalid("scan: an output of " + std::to_string(Shape::maxRank) + " dimensions cannot be stacked");
      Shape whole{length};
      for (int64_t size : output.shape())
        whole.push(size);
      const Tensor collected = recording.argument(output.dtype(), whole);
      step.carry.push_back(length == 0 ? collected : collect(collected, at, output));
    }
    return step.carry;
  });
  const LocationScope scope(where);
  TensorList values = emitFor("scan", Operand(0, where), Operand(length, where), Operand(1, where), *region, init);
  ScanStep result;
  result.carry.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(carried));
  result.outputs.assign(values.begin() + static_cast<std::ptrdiff_t>(carried), values.end());
  return result;
}

TensorList checkpoint(const std::function<TensorList(TensorSpan)> &body, const TensorList &inputs,
                      CheckpointPolicy policy, Where where) {
  checkInit("checkpoint", inputs, where);
  const DeviceScope device(inputs);
  const auto region =
      record("checkpoint", where, [&](RegionRecording &recording) { return body(recording.argumentsLike(inputs)); });
  const LocationScope scope(where);
  const std::vector<TypeDesc> results = region->resultTypes();
  if (results.empty())
    raiseInvalid("checkpoint: expects a function that gives at least one tensor");
  RegionOp op({region.get()});
  Recorder recorder("checkpoint", pointers({inputs, op.tensors()}));
  std::vector<Ref> operands = used(recorder, inputs);
  append(operands, op.captured(recorder));
  static_assert(static_cast<int>(CheckpointPolicy::SaveNamed) == static_cast<int>(core::CheckpointPolicy::SaveNamed));
  return op.emit(recorder, core::CheckpointAttrs{static_cast<core::CheckpointPolicy>(policy)}, operands, results);
}

Tensor checkpoint(const std::function<Tensor(const Tensor &)> &body, const Tensor &input, CheckpointPolicy policy,
                  Where where) {
  return checkpoint([&](TensorSpan inputs) { return TensorList{body(inputs[0])}; }, TensorList{input}, policy,
                    where)[0];
}

Tensor checkpoint_name(const Tensor &tensor, std::string_view name, Where where) {
  const LocationScope scope(where);
  Recorder recorder("checkpoint_name", {&tensor});
  return recorder.finish(recorder.emit(core::NameAttrs{name}, {recorder.use(tensor)}));
}

Tensor assert_all(const Tensor &condition, const Tensor &value, std::string_view message, Where where) {
  const LocationScope scope(where);
  checkDefined("assert_all", TensorList{condition, value});
  const Tensor holds = all(condition);
  Recorder recorder("assert_all", {&holds, &value});
  return recorder.finish(recorder.emit(core::AssertAttrs{message}, {recorder.use(holds), recorder.use(value)}));
}

Tensor debug_print(const Tensor &value, std::string_view label, Where where) {
  const LocationScope scope(where);
  Recorder recorder("debug_print", {&value});
  return recorder.finish(recorder.emit(core::PrintAttrs{label}, {recorder.use(value)}));
}

TensorList barrier(const TensorList &tensors, Where where) {
  checkInit("barrier", tensors, where);
  const LocationScope scope(where);
  Recorder recorder("barrier", pointers({tensors}));
  const Ref first = recorder.emit(core::BarrierAttrs{}, used(recorder, tensors));
  TensorList results;
  for (uint32_t i = 0; i < tensors.size(); ++i)
    results.push_back(recorder.tensor(Recorder::result(first, i)));
  recorder.finish();
  return results;
}

} // namespace burn
