#include "frontend/Autograd/History.h"
#include "frontend/Tensor/Support.h"

#include <burn/autograd.h>

#include <algorithm>
#include <vector>

namespace burn {

using namespace trace;

bool is_grad_enabled() { return gradMode(); }

GradModeGuard::GradModeGuard(bool enabled) : before_(gradMode()) { gradMode() = enabled; }
GradModeGuard::~GradModeGuard() { gradMode() = before_; }

namespace {

// Lists of one gradient call, kept so that a steady state allocates nothing.
struct Scratch {
  std::vector<uint8_t> seen, reads;
  std::vector<uint32_t> visited, stack;
  std::vector<Ref> leaves, operands;
  std::vector<ImplRef> tensors;
  std::vector<Tensor> gradients;

  static Scratch &cleared() {
    thread_local Scratch scratch;
    scratch.clear();
    return scratch;
  }
  void clear() {
    seen.clear();
    reads.clear();
    visited.clear();
    stack.clear();
    leaves.clear();
    operands.clear();
    tensors.clear();
    gradients.clear();
  }
};

// The graph below some outputs, in the segment of the calling thread, as far as gradients flow.
class GradientGraph {
public:
  GradientGraph(Recorder &recorder, Scratch &scratch)
      : recorder_(recorder), trace_(recorder.trace()), seen_(scratch.seen), reads_(scratch.reads),
        visited_(scratch.visited), stack_(scratch.stack), leaves_(scratch.leaves) {}

  /// The value of a tensor with all that it depends on recorded in this segment: what an earlier run computed is
  /// recorded again.
  Ref joined(const Tensor &tensor) {
    TensorImpl *impl = implOf(tensor);
    if (recorder_.isRecorded(impl))
      return readsHistory(impl->node) ? copied(impl->node) : Ref(Ref::Node, impl->node);
    if (hasLiveHistory(*impl))
      return History::replay(trace_, impl->rare->history, impl->rare->historyNode);
    if (!impl->has(TensorImpl::UserLeaf))
      raiseReleased();
    return recorder_.use(impl);
  }

  /// The value that stands for a tensor to differentiate by, once the outputs are joined.
  Ref variable(const Tensor &tensor) {
    TensorImpl *impl = implOf(tensor);
    const bool recorded = recorder_.isRecorded(impl);
    if (recorded || impl->history()) {
      const std::pair<const History *, uint32_t> key(recorded ? nullptr : impl->history(),
                                                     recorded ? impl->node : impl->rare->historyNode);
      if (const auto copy = trace_.replayed.find(key); copy != trace_.replayed.end())
        return copy->second;
    }
    return recorder_.use(impl);
  }

  /// Walks from a value to the leaves that require gradients.
  void visit(Ref value) {
    if (value.isLeaf()) {
      const TensorImpl &leaf = *trace_.leaves[value.index()];
      if (!leaf.has(TensorImpl::RequiresGrad))
        return;
      if (!leaf.has(TensorImpl::UserLeaf))
        raiseReleased();
      addLeaf(value);
      return;
    }
    if (!value.isNode())
      return;
    stack_.assign(1, value.index());
    seen_.resize(trace_.size(), 0);
    while (!stack_.empty()) {
      const uint32_t node = stack_.back();
      stack_.pop_back();
      if (seen_[node] || !(trace_.flags[node] & NodeRequiresGrad))
        continue;
      seen_[node] = 1;
      if (trace_.flags[node] & NodeUserLeaf) {
        addLeaf({Ref::Node, node});
        continue;
      }
      if (trace_.flags[node] & NodeReleased)
        raiseReleased();
      visited_.push_back(node);
      meetsControl_ |= isControl(trace_.nodes[node].op);
      for (uint32_t bits : trace_.operandsOf(node)) {
        const Ref operand = Ref::fromBits(bits);
        if (operand.isNode())
          stack_.push_back(operand.index());
        else
          visit(operand); // a leaf or a number: no further walk
      }
    }
  }

  /// The leaves found, in order of their numbers.
  std::span<const Ref> leaves() {
    std::sort(leaves_.begin(), leaves_.end(), [](Ref a, Ref b) { return a.bits() < b.bits(); });
    return leaves_;
  }

  /// Raises an error, at its line, where gradients by `variables` would flow through a branch or a loop and then
  /// through ops of common losses alone. The compiler would say so of the whole program, everything else in it
  /// included; of what stands behind other ops, whose rules it alone knows, it still does.
  void refuseControl(std::span<const Ref> outputs, std::span<const Ref> variables) {
    if (!meetsControl_)
      return;
    const auto isVariable = [&](Ref ref) { return std::ranges::find(variables, ref) != variables.end(); };
    std::vector<uint8_t> varied(trace_.size()), reached(trace_.size());
    for (uint32_t node = 0; node < trace_.size(); ++node) {
      varied[node] = isVariable({Ref::Node, node});
      for (uint32_t bits : trace_.operandsOf(node)) {
        const Ref operand = Ref::fromBits(bits);
        varied[node] |= operand.isNode() ? varied[operand.index()] : isVariable(operand);
      }
    }
    for (Ref output : outputs)
      if (output.isNode())
        reached[output.index()] = 1;
    for (uint32_t node = trace_.size(); node-- > 0;) {
      if (!reached[node] || !varied[node] || isVariable({Ref::Node, node}) || !(trace_.flags[node] & NodeRequiresGrad))
        continue;
      const uint16_t op = trace_.nodes[node].op;
      if (isControl(op))
        raiseAt(trace_.placeOf(node, 0), ErrorCode::InvalidArgument,
                "'burn." + std::string(core::findOp(static_cast<OpCode>(op))->name) +
                    "' op has no derivative, but a gradient flows through it");
      if (passesGradients(op))
        for (uint32_t bits : trace_.operandsOf(node))
          if (const Ref operand = Ref::fromBits(bits); operand.isNode())
            reached[operand.index()] = 1;
    }
  }

  /// Marks what was walked through: there is no way through it any more.
  void release() {
    for (uint32_t node : visited_)
      trace_.flags[node] |= NodeReleased;
    for (const auto &[from, copy] : trace_.replayed) {
      if (!copy.isNode() || copy.index() >= seen_.size() || !seen_[copy.index()])
        continue;
      if (!from.first)
        trace_.flags[from.second] |= trace_.flags[from.second] & NodeUserLeaf ? 0 : NodeReleased;
      else
        const_cast<History *>(from.first)->release(from.second);
    }
  }

private:
  static bool isControl(uint16_t op) {
    return op == uint16_t(OpCode::If) || op == uint16_t(OpCode::For) || op == uint16_t(OpCode::While);
  }

  // Whether a gradient of the result is one of every operand, whatever the attributes. An op that is not among these is
  // left to the compiler.
  static bool passesGradients(uint16_t op) {
    if (op == kExtraResult)
      return true;
    for (OpCode each :
         {OpCode::Add, OpCode::Sub, OpCode::Mul, OpCode::Div, OpCode::Neg, OpCode::Exp, OpCode::Log, OpCode::Tanh,
          OpCode::Reduce, OpCode::Reshape, OpCode::Broadcast, OpCode::Transpose, OpCode::DotGeneral})
      if (op == uint16_t(each))
        return true;
    return false;
  }

  [[noreturn]] static void raiseReleased() {
    raiseInvalid("backward: the graph below was released by an earlier backward; call that with retain_graph = true, "
                 "or detach() what should not be differentiated again");
  }

  void addLeaf(Ref value) {
    if (std::find(leaves_.begin(), leaves_.end(), value) == leaves_.end())
      leaves_.push_back(value);
  }

  // Whether gradients that flow into a node would reach a tensor that an earlier run computed.
  bool readsHistory(uint32_t root) {
    if (std::ranges::none_of(trace_.leaves, [](const ImplRef &leaf) { return hasLiveHistory(*leaf); }))
      return false;
    findReaders();
    return reads_[root];
  }

  void findReaders() {
    reads_.assign(trace_.size(), 0);
    for (uint32_t node = 0; node < trace_.size(); ++node) {
      if (!(trace_.flags[node] & NodeRequiresGrad) || trace_.flags[node] & NodeUserLeaf)
        continue;
      for (uint32_t bits : trace_.operandsOf(node)) {
        const Ref operand = Ref::fromBits(bits);
        reads_[node] |= operand.isNode() ? reads_[operand.index()]
                                         : operand.isLeaf() && hasLiveHistory(*trace_.leaves[operand.index()]);
      }
    }
  }

  // A copy of the nodes that read such tensors, with those recorded again.
  Ref copied(uint32_t root) {
    if (const auto known = trace_.replayed.find({nullptr, root}); known != trace_.replayed.end())
      return known->second;
    std::vector<uint8_t> needed(root + 1, 0);
    needed[root] = 1;
    for (uint32_t node = root + 1; node-- > 0;) {
      if (!needed[node])
        continue;
      for (uint32_t bits : trace_.operandsOf(node))
        if (const Ref operand = Ref::fromBits(bits); operand.isNode() && reads_[operand.index()])
          needed[operand.index()] = 1;
    }
    const auto mapped = [&](Ref operand) -> Ref {
      if (operand.isNode() && reads_[operand.index()])
        return trace_.replayed.at({nullptr, operand.index()});
      if (operand.isLeaf()) {
        const ImplRef leaf = trace_.leaves[operand.index()];
        if (hasLiveHistory(*leaf))
          return History::replay(trace_, leaf->rare->history, leaf->rare->historyNode);
      }
      return operand;
    };
    for (uint32_t node = 0; node <= root; ++node)
      if (needed[node] && trace_.nodes[node].op != kExtraResult && !trace_.replayed.contains({nullptr, node}))
        copyNode(trace_, node, trace_, mapped, [&](uint32_t old, Ref made) { trace_.replayed[{nullptr, old}] = made; });
    return trace_.replayed.at({nullptr, root});
  }

  Recorder &recorder_;
  Trace &trace_;
  std::vector<uint8_t> &seen_, &reads_;
  std::vector<uint32_t> &visited_, &stack_;
  std::vector<Ref> &leaves_;
  bool meetsControl_ = false;
};

void checkOutput(const Recorder &recorder, const Tensor &output, bool hasGradient) {
  if (!output.requires_grad())
    recorder.fail("the output does not require gradients: it depends on no tensor with requires_grad_(), or was made "
                  "under NoGradGuard");
  if (!hasGradient && output.numel() != 1)
    recorder.fail("an output of shape " + output.shape().str() + " needs a gradient to start from");
}

// The cotangent of an output: the given one, else 1.
Ref cotangent(Recorder &recorder, Ref output, const Tensor *gradient) {
  if (!gradient)
    return recorder.filled(recorder.dtype(output), 1, recorder.shape(output));
  const ShapeEntry *shape = recorder.shape(output);
  if (gradient->shape() != shape->shape)
    recorder.fail("expects a gradient of the output's shape " + shape->shape.str() + ", got " +
                  gradient->shape().str());
  return recorder.convert(recorder.use(*gradient), recorder.dtype(output));
}

} // namespace

// Makes the sum of a leaf's gradient and a further one a single step between threads that share the leaf. Not
// gradientLock(), since adding may run a program, which drops tensors.
static std::mutex &accumulationLock() {
  static std::mutex lock;
  return lock;
}

void Tensor::backward(const Tensor &gradient, bool retain_graph, Where where) const {
  const LocationScope scope(where);
  Scratch &scratch = Scratch::cleared();
  std::vector<ImplRef> &leaves = scratch.tensors;
  std::vector<Tensor> &gradients = scratch.gradients;
  {
    const Tensor *operands[] = {this, &gradient};
    Recorder recorder("backward", std::span<const Tensor *const>(operands, gradient.defined() ? 2 : 1));
    checkOutput(recorder, *this, gradient.defined());
    GradientGraph graph(recorder, scratch);
    const Ref output = graph.joined(*this);
    graph.visit(output);
    const std::span<const Ref> variables = graph.leaves();
    if (variables.empty())
      recorder.fail("no tensor below the output requires gradients any more");
    graph.refuseControl({&output, 1}, variables);
    scratch.operands.push_back(output);
    // A scalar output has the cotangent 1 by the meaning of the op.
    const bool given = gradient.defined() || shape().rank() != 0;
    if (given)
      scratch.operands.push_back(cotangent(recorder, output, gradient.defined() ? &gradient : nullptr));
    scratch.operands.insert(scratch.operands.end(), variables.begin(), variables.end());
    const int64_t segments[] = {1, given, static_cast<int64_t>(variables.size())};
    const Ref first = recorder.emitGradient(scratch.operands, segments, NodeBlocked);
    for (size_t i = 0; i < variables.size(); ++i) {
      const Ref variable = variables[i];
      leaves.push_back(variable.isLeaf() ? recorder.trace().leaves[variable.index()]
                                         : ImplRef(implOf(recorder.tensor(variable))));
      // The gradient would go to the old value, which the user's handle left.
      if (leaves.back()->has(TensorImpl::Replaced))
        recorder.fail("a leaf of shape " + leaves.back()->shape->shape.str() +
                      " that the output depends on was changed in place after it was used; call backward before the "
                      "change, or use a detach()ed copy");
      gradients.push_back(recorder.tensor(Recorder::result(first, static_cast<uint32_t>(i))));
    }
    if (!retain_graph)
      graph.release();
    recorder.finish();
  }
  const NoGradGuard guard;
  const std::lock_guard accumulating(accumulationLock());
  for (size_t i = 0; i < leaves.size(); ++i) {
    Tensor leaf = handleOf(leaves[i].get());
    const Tensor before = leaf.grad();
    leaf.set_grad(before.defined() ? burn::add(Operand(before, where), Operand(gradients[i], where)) : gradients[i],
                  where);
  }
  scratch.clear();
}

std::vector<Tensor> grad(std::span<const Tensor> outputs, std::span<const Tensor> wrt,
                         std::span<const Tensor> grad_outputs, Where where) {
  const LocationScope scope(where);
  if (outputs.empty() || wrt.empty())
    raiseInvalid("grad: expects at least one output and one tensor to differentiate by");
  if (!grad_outputs.empty() && grad_outputs.size() != outputs.size())
    raiseInvalid("grad: expects a gradient for each of " + std::to_string(outputs.size()) + " outputs, got " +
                 std::to_string(grad_outputs.size()));
  std::vector<const Tensor *> operands;
  for (const auto &list : {outputs, wrt, grad_outputs})
    for (const Tensor &tensor : list)
      operands.push_back(&tensor);
  Recorder recorder("grad", operands);
  GradientGraph graph(recorder, Scratch::cleared());
  std::vector<Ref> values, all;
  for (size_t i = 0; i < outputs.size(); ++i) {
    checkOutput(recorder, outputs[i], !grad_outputs.empty());
    values.push_back(graph.joined(outputs[i]));
    graph.visit(values.back());
  }
  const bool implied = outputs.size() == 1 && grad_outputs.empty() && outputs[0].shape().rank() == 0;
  all = values;
  for (size_t i = 0; !implied && i < outputs.size(); ++i)
    all.push_back(cotangent(recorder, values[i], grad_outputs.empty() ? nullptr : &grad_outputs[i]));
  for (const Tensor &variable : wrt) {
    if (!variable.requires_grad())
      recorder.fail("a tensor to differentiate by does not require gradients; call requires_grad_() before it is used");
    all.push_back(graph.variable(variable));
  }
  graph.refuseControl(values, std::span(all).last(wrt.size()));
  const int64_t segments[] = {static_cast<int64_t>(values.size()), implied ? 0 : static_cast<int64_t>(values.size()),
                              static_cast<int64_t>(wrt.size())};
  const Ref first = recorder.emitGradient(all, segments, is_grad_enabled() ? NodeRequiresGrad : NodeBlocked);
  std::vector<Tensor> results;
  for (size_t i = 0; i < wrt.size(); ++i)
    results.push_back(recorder.tensor(Recorder::result(first, static_cast<uint32_t>(i))));
  recorder.finish();
  return results;
}

bool Tensor::requires_grad() const { return defined() && implOf(*this)->has(TensorImpl::RequiresGrad); }

bool Tensor::is_leaf() const { return !requires_grad() || implOf(*this)->has(TensorImpl::UserLeaf); }

Tensor &Tensor::requires_grad_(bool value, Where where) {
  const LocationScope scope(where);
  if (!defined())
    raiseInvalid("requires_grad_: the tensor is not defined");
  if (!isFloat(dtype()))
    raiseInvalid("requires_grad_: only floats have gradients, the tensor is " + std::string(name(dtype())) +
                 shape().str());
  TensorImpl *impl = implOf(*this);
  if (value == impl->has(TensorImpl::RequiresGrad))
    return *this;
  if (value && impl->has(TensorImpl::Frozen))
    raiseInvalid("requires_grad_: the tensor is frozen, so no training step can write it");
  if (!value && !impl->has(TensorImpl::UserLeaf))
    raiseInvalid("requires_grad_: the tensor was computed from tensors that require gradients; detach() gives one "
                 "that does not");
  Recorder recorder("requires_grad_", {this});
  if (!recorder.isRecorded(impl) && impl->segment.load(std::memory_order_relaxed))
    recorder.fail("the tensor belongs to the program around the function that is recorded; detach() it first");
  if (recorder.isRecorded(impl)) {
    Trace &trace = recorder.trace();
    uint32_t node = impl->node;
    if (value && trace.flags[node] & NodeBlocked) {
      // From now on this tensor is a value of its own, through which no gradient flows into what it was made from.
      const Ref own = recorder.emit(OpCode::StopGradient, {Ref(Ref::Node, node)});
      trace.outputs[own.index()] = std::move(trace.outputs[node]);
      node = impl->node = own.index();
    }
    constexpr uint8_t leaf = NodeRequiresGrad | NodeUserLeaf;
    trace.flags[node] = static_cast<uint8_t>(value ? trace.flags[node] | leaf : trace.flags[node] & ~leaf);
  }
  if (value)
    impl->set(TensorImpl::RequiresGrad | TensorImpl::UserLeaf);
  else
    impl->clear(TensorImpl::RequiresGrad | TensorImpl::UserLeaf);
  return *this;
}

Tensor Tensor::grad() const {
  if (!defined())
    return {};
  std::lock_guard guard(gradientLock());
  TensorImpl *grad = implOf(*this)->grad;
  return grad ? handleOf(grad) : Tensor();
}

void Tensor::set_grad(const Tensor &grad, Where where) {
  const LocationScope scope(where);
  if (!defined())
    raiseInvalid("set_grad: the tensor is not defined");
  if (grad.defined() && (grad.shape() != shape() || grad.dtype() != dtype()))
    raiseInvalid("set_grad: expects a gradient of type " + std::string(name(dtype())) + shape().str() + ", got " +
                 std::string(name(grad.dtype())) + grad.shape().str());
  TensorImpl *next = implOf(grad);
  if (next)
    next->references.fetch_add(1, std::memory_order_relaxed);
  Tensor before; // dropped after the lock
  std::lock_guard guard(gradientLock());
  before = Tensor(static_cast<detail::TensorBase *>(implOf(*this)->grad));
  implOf(*this)->grad = next;
}

void Tensor::zero_grad() {
  if (!defined())
    return;
  Tensor before;
  std::lock_guard guard(gradientLock());
  before = Tensor(static_cast<detail::TensorBase *>(std::exchange(implOf(*this)->grad, nullptr)));
}

Tensor Tensor::detach(Where where) const {
  const LocationScope scope(where);
  Recorder recorder("detach", {this});
  // Recorded here, or by the program around the region that is recorded here.
  if (implOf(*this)->segment.load(std::memory_order_relaxed))
    return recorder.finish(recorder.emit(OpCode::StopGradient, {recorder.use(*this)}));
  return requires_grad() ? makeComputed(implOf(*this)->buffer, dtype(), shape()) : *this;
}

} // namespace burn
