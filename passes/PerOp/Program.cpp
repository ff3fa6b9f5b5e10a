#include "passes/PerOp/Program.h"

#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/Interpreter.h"
#include "dialects/Burn/Interpreter/RegionEvaluation.h"
#include "passes/Graph/Import.h"
#include "passes/PerOp/Kernels.h"
#include "passes/Pipelines/Compile.h"
#include "runtime/Core/ArrayText.h"
#include "runtime/Core/HostMemory.h"

#include "llvm/ADT/SetVector.h"

#include <algorithm>
#include <atomic>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using namespace burn::compiler::perop;
using core::ErrorCode;
using core::Expected;
using core::OpCode;
using core::Status;

namespace {

using ValueId = unsigned;

// Elements of a group that are computed together, small enough for all of its values to stay in the first-level cache.
constexpr int64_t kChunk = 2048;

/// One value of a group: read in some order from a tensor, or computed from others.
struct Member {
  ValueId value = 0;
  core::TypeDesc type;
  bool isResult = false; // kept in a tensor; else in scratch memory of a chunk
  // A view...
  std::optional<StridedView> view;
  ValueId source = 0;
  // ...or an op. Operands are members of the group where not negative, else tensors, as ~value.
  Operation *op = nullptr;
  OpCode code = OpCode::Invalid;
  std::vector<int64_t> words;
  std::vector<int> operands;
  ElementKernel kernel = nullptr;
};

/// What a block does: a group of elementwise ops over one shape, or one other op.
struct Step {
  std::vector<Member> members; // of a group
  // Of another op.
  Operation *op = nullptr;
  OpCode code = OpCode::Invalid;
  std::vector<int64_t> words;
  std::vector<ValueId> operands, results;
  std::vector<core::TypeDesc> types;
  std::vector<ValueId> ends; // values that nobody needs behind this step

  int64_t numel() const { return members.front().type.numel(); }
};

/// A region, ready to run.
struct BlockPlan {
  std::vector<ValueId> arguments, results;
  std::vector<std::pair<ValueId, Tensor>> constants;
  std::vector<Step> steps;
  size_t values = 0;
};

using BlockPlans = DenseMap<Block *, std::unique_ptr<BlockPlan>>;

Tensor takeHost(ir::HostTensor tensor) {
  auto owner = std::make_shared<ir::HostTensor>(std::move(tensor));
  Tensor result{owner->type, {}};
  result.data = std::shared_ptr<std::byte>(owner, owner->bytes.data());
  return result;
}

ir::HostTensor toHost(const core::TypeDesc &type, const void *data) {
  ir::HostTensor tensor(type);
  if (!tensor.bytes.empty())
    std::memcpy(tensor.bytes.data(), data, tensor.bytes.size());
  return tensor;
}

/// The same of a whole tensor, or OutOfMemory.
Expected<ir::SharedTensor> toShared(const Tensor &tensor) {
  if (Status status = core::checkHostMemory(tensor.type.byteSize()); !status)
    return status;
  return ir::SharedTensor(std::make_shared<ir::HostTensor>(toHost(tensor.type, tensor.data.get())));
}

Status located(Operation *op, const Status &status) {
  std::vector<uint32_t> ids;
  collectLocationIds(op->getLoc(), ids);
  return Status::error(status.code(), op->getName().getStringRef().str() + ": " + status.message(), std::move(ids));
}

/// Turns the ops of a block into steps.
class Planner {
public:
  Planner(Block &block, BlockPlans &plans) : block_(block), plans_(plans) {}

  Status plan() {
    auto made = std::make_unique<BlockPlan>();
    plan_ = made.get();
    for (BlockArgument argument : block_.getArguments())
      plan_->arguments.push_back(define(argument));
    for (Operation &op : block_.without_terminator())
      if (Status status = add(op); !status)
        return status;
    close();
    for (Value value : block_.getTerminator()->getOperands())
      plan_->results.push_back(tensorOf(value));
    findEnds();
    plan_->values = next_;
    plans_[&block_] = std::move(made);
    return Status::ok();
  }

private:
  /// A value that is read from another one in some order, and in a tensor of its own only where it has to be.
  struct View {
    ValueId source;
    StridedView view;
    core::TypeDesc type;
  };

  ValueId define(Value value) { return ids_[value] = next_++; }

  Expected<core::TypeDesc> typeOf(Value value) {
    const std::optional<core::TypeDesc> type = ir::toTypeDesc(value.getType());
    if (!type)
      return Status::error(ErrorCode::Unsupported, "expects values of static shape");
    return *type;
  }

  Status add(Operation &op) {
    for (Region &region : op.getRegions())
      if (!region.empty())
        if (Status status = Planner(region.front(), plans_).plan(); !status)
          return status;
    const core::OpInfo *info = ir::opInfo(&op);
    if (!info)
      return located(&op, Status::error(ErrorCode::Unsupported, "is no op of the burn dialect"));
    if (info->code == OpCode::CustomKernel)
      return located(&op, Status::error(ErrorCode::Unsupported, "runs in compiled programs alone"));
    SmallVector<core::TypeDesc> types;
    for (Value result : op.getResults()) {
      Expected<core::TypeDesc> type = typeOf(result);
      if (!type)
        return located(&op, type.status());
      types.push_back(*type);
    }
    if (auto constant = dyn_cast<ir::ConstantOp>(op))
      return addConstant(constant, types[0]);
    SmallVector<int64_t> words = ir::toAttrWords(&op);
    if (op.getNumOperands() == 1 && op.getNumResults() == 1) {
      Expected<core::TypeDesc> operand = typeOf(op.getOperand(0));
      if (operand)
        if (auto view = StridedView::ofOp(info->code, words, *operand, types[0])) {
          views_.try_emplace(op.getResult(0), View{tensorOf(op.getOperand(0)), *view, types[0]});
          return Status::ok();
        }
    }
    if (isElementwise(op, types))
      addElementwise(op, info->code, words, types[0]);
    else
      addStep(op, info->code, words, types);
    return Status::ok();
  }

  Status addConstant(ir::ConstantOp constant, const core::TypeDesc &type) {
    const auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (dense && dense.isSplat() && type.numel() > 1) {
      auto element =
          ir::toHostTensor(DenseElementsAttr(dense).resizeSplat(RankedTensorType::get({}, dense.getElementType())));
      if (!element)
        return located(constant, element.status());
      const ValueId id = next_++;
      plan_->constants.push_back({id, takeHost(std::move(*element))});
      const std::array<int64_t, Shape::maxRank> zeros{};
      views_.try_emplace(constant.getResult(), View{id, StridedView(type.shape, 0, zeros), type});
      return Status::ok();
    }
    auto value = ir::toHostTensor(constant.getValue());
    if (!value)
      return located(constant, value.status());
    plan_->constants.push_back({define(constant.getResult()), takeHost(std::move(*value))});
    return Status::ok();
  }

  bool isElementwise(Operation &op, ArrayRef<core::TypeDesc> types) {
    if (types.size() != 1 || op.getNumOperands() == 0 || op.getNumRegions() || !isa<ir::ElementwiseOpInterface>(op))
      return false;
    return llvm::all_of(op.getOperands(), [&](Value operand) {
      const Expected<core::TypeDesc> type = typeOf(operand);
      return type && type->shape == types[0].shape;
    });
  }

  bool isInGroup(Value value) const { return members_.count(value); }

  // The member of the open group that a value is, or ~id of its tensor.
  int operandOf(Value value) {
    if (const auto found = members_.find(value); found != members_.end())
      return found->second;
    const auto view = views_.find(value);
    if (view == views_.end() || ids_.count(value))
      return ~static_cast<int>(tensorOf(value));
    Member member;
    member.type = view->second.type;
    member.view = view->second.view;
    member.source = view->second.source;
    return addMember(value, std::move(member));
  }

  int addMember(Value value, Member member) {
    const int place = static_cast<int>(group_.members.size());
    member.value = next_++;
    members_[value] = place;
    group_.members.push_back(std::move(member));
    return place;
  }

  // Whether a step may run before the open group: it needs nothing of it.
  bool isIndependent(Operation &op) const {
    return llvm::none_of(op.getOperands(), [&](Value operand) { return isInGroup(operand); });
  }

  void addElementwise(Operation &op, OpCode code, ArrayRef<int64_t> words, const core::TypeDesc &type) {
    Step outer;
    DenseMap<Value, int> outerMembers;
    bool isAside = false;
    if (!group_.members.empty() && group_.members.front().type.shape != type.shape) {
      // Arithmetic on something much smaller does not end a group.
      if (isIndependent(op) && type.numel() * 16 <= group_.numel()) {
        std::swap(outer, group_);
        std::swap(outerMembers, members_);
        isAside = true;
      } else {
        close();
      }
    }
    Member member;
    member.type = type;
    member.op = &op;
    member.code = code;
    member.words.assign(words.begin(), words.end());
    SmallVector<core::TypeDesc> types;
    for (Value operand : op.getOperands()) {
      member.operands.push_back(operandOf(operand));
      types.push_back(*ir::toTypeDesc(operand.getType()));
    }
    member.kernel = findElementKernel(code, types, type);
    addMember(op.getResult(0), std::move(member));
    if (isAside) {
      close();
      std::swap(outer, group_);
      std::swap(outerMembers, members_);
    }
  }

  void addStep(Operation &op, OpCode code, ArrayRef<int64_t> words, ArrayRef<core::TypeDesc> types) {
    if (!isIndependent(op))
      close();
    Step step;
    step.op = &op;
    step.code = code;
    step.words.assign(words.begin(), words.end());
    step.types.assign(types.begin(), types.end());
    for (Value operand : op.getOperands())
      step.operands.push_back(tensorOf(operand));
    for (Value result : op.getResults())
      step.results.push_back(define(result));
    plan_->steps.push_back(std::move(step));
  }

  // Ends the open group. Its values that are used behind it become tensors.
  void close() {
    if (group_.members.empty())
      return;
    for (auto [value, place] : members_) {
      Member &member = group_.members[place];
      if (member.view)
        continue; // read again where it is needed again
      member.isResult = llvm::any_of(value.getUses(), [&](OpOperand &use) {
        const auto user =
            use.getOwner()->getNumResults() ? members_.find(use.getOwner()->getResult(0)) : members_.end();
        return user == members_.end() || group_.members[user->second].op != use.getOwner();
      });
      if (member.isResult)
        ids_[value] = member.value;
    }
    plan_->steps.push_back(std::move(group_));
    group_ = {};
    members_.clear();
  }

  // The tensor of a value; a view is read into one.
  ValueId tensorOf(Value value) {
    if (const auto known = ids_.find(value); known != ids_.end())
      return known->second;
    if (isInGroup(value) && !views_.count(value)) {
      close();
      return ids_.at(value);
    }
    const View &view = views_.find(value)->second;
    Step step;
    Member member;
    member.value = define(value);
    member.type = view.type;
    member.isResult = true;
    member.view = view.view;
    member.source = view.source;
    const ValueId id = member.value;
    step.members.push_back(std::move(member));
    plan_->steps.push_back(std::move(step));
    return id;
  }

  void findEnds() {
    std::vector<int> last(next_, -1);
    for (auto [i, step] : llvm::enumerate(plan_->steps)) {
      const auto use = [&, at = static_cast<int>(i)](ValueId id) { last[id] = at; };
      llvm::for_each(step.operands, use);
      llvm::for_each(step.results, use);
      for (const Member &member : step.members) {
        if (member.isResult)
          use(member.value);
        if (member.view)
          use(member.source);
        for (int operand : member.operands)
          if (operand < 0)
            use(~operand);
      }
    }
    for (ValueId id : plan_->results)
      last[id] = -1;
    for (const auto &[id, tensor] : plan_->constants)
      last[id] = -1;
    for (ValueId id = 0; id < next_; ++id)
      if (last[id] >= 0)
        plan_->steps[last[id]].ends.push_back(id);
  }

  Block &block_;
  BlockPlans &plans_;
  BlockPlan *plan_ = nullptr;
  ValueId next_ = 0;
  DenseMap<Value, ValueId> ids_; // of tensors
  DenseMap<Value, View> views_;  // those in no tensor yet, and others
  Step group_;                   // the open one
  DenseMap<Value, int> members_; // of it
};

/// Runs blocks.
class Run {
public:
  Run(const BlockPlans &plans, BlockPool &pool, const burn_rt *rt) : plans_(plans), pool_(pool), threads_(rt) {}

  Expected<std::vector<Tensor>> block(Block &block, std::span<const Tensor> arguments) {
    const BlockPlan &plan = *plans_.find(&block)->second;
    std::vector<Tensor> values(plan.values);
    for (size_t i = 0; i < arguments.size(); ++i)
      values[plan.arguments[i]] = arguments[i];
    for (const auto &[id, tensor] : plan.constants)
      values[id] = tensor;
    for (const Step &step : plan.steps) {
      const Status status = step.members.empty() ? runOp(step, values) : runGroup(step, values);
      if (!status)
        return status;
      for (ValueId id : step.ends)
        values[id] = {};
    }
    std::vector<Tensor> results;
    for (ValueId id : plan.results)
      results.push_back(values[id]);
    return results;
  }

private:
  Expected<Tensor> allocate(const core::TypeDesc &type) {
    Expected<std::shared_ptr<std::byte>> memory = pool_.allocate(type.byteSize());
    if (!memory)
      return memory.status();
    return Tensor{type, std::move(*memory)};
  }

  Status runGroup(const Step &group, std::vector<Tensor> &values) {
    const int64_t count = group.numel();
    int64_t scratchBytes = 0;
    for (const Member &member : group.members) {
      if (!member.isResult) {
        scratchBytes += kChunk * 8;
        continue;
      }
      Expected<Tensor> tensor = allocate(member.type);
      if (!tensor)
        return tensor.status();
      values[member.value] = std::move(*tensor);
    }
    std::mutex mutex;
    Status failure;
    threads_.run((count + kChunk - 1) / kChunk, [&](int64_t first, int64_t last) {
      const std::unique_ptr<std::byte[]> scratch(new std::byte[scratchBytes + 64]);
      std::vector<std::byte *> at(group.members.size());
      for (int64_t begin = first * kChunk; begin < std::min(count, last * kChunk); begin += kChunk)
        if (Status status = runChunk(group, values, begin, std::min(kChunk, count - begin), scratch.get(), at);
            !status) {
          std::lock_guard lock(mutex);
          failure = status;
          return;
        }
    });
    return failure;
  }

  static Status runChunk(const Step &group, const std::vector<Tensor> &values, int64_t begin, int64_t count,
                         std::byte *scratch, std::vector<std::byte *> &at) {
    for (size_t i = 0; i < group.members.size(); ++i) {
      const Member &member = group.members[i];
      if (member.isResult) {
        at[i] = values[member.value].data.get() + begin * byteWidth(member.type.dtype);
      } else {
        at[i] = scratch;
        scratch += kChunk * 8;
      }
      if (member.view) {
        member.view->read(values[member.source].data.get(), byteWidth(member.type.dtype), begin, count, at[i]);
        continue;
      }
      SmallVector<const void *, 4> operands;
      SmallVector<DType, 4> dtypes;
      for (int operand : member.operands) {
        const DType dtype = operand < 0 ? values[~operand].type.dtype : group.members[operand].type.dtype;
        dtypes.push_back(dtype);
        operands.push_back(operand < 0 ? values[~operand].data.get() + begin * byteWidth(dtype) : at[operand]);
      }
      if (member.kernel)
        member.kernel(operands.data(), at[i], count, member.words);
      else if (Status status = evaluateChunk(member, operands, dtypes, count, at[i]); !status)
        return located(member.op, status);
    }
    return Status::ok();
  }

  // By the op's meaning.
  static Status evaluateChunk(const Member &member, ArrayRef<const void *> operands, ArrayRef<DType> dtypes,
                              int64_t count, void *target) {
    std::vector<ir::HostTensor> tensors, results;
    for (auto [operand, dtype] : llvm::zip_equal(operands, dtypes))
      tensors.push_back(toHost({dtype, Shape{count}}, operand));
    std::vector<const ir::HostTensor *> pointers;
    for (const ir::HostTensor &tensor : tensors)
      pointers.push_back(&tensor);
    const core::TypeDesc type{member.type.dtype, Shape{count}};
    Status status = ir::evaluate(member.code, pointers, member.words, {&type, 1}, ir::Precision::Own, results);
    if (status)
      std::memcpy(target, results[0].bytes.data(), results[0].bytes.size());
    return status;
  }

  Status runOp(const Step &step, std::vector<Tensor> &values) {
    std::vector<Tensor> operands;
    for (ValueId id : step.operands)
      operands.push_back(values[id]);
    if (step.code == OpCode::Reshape) {
      values[step.results[0]] = {step.types[0], operands[0].data};
      return Status::ok();
    }
    const bool hasLoop = step.code == OpCode::DotGeneral || step.code == OpCode::Conv || step.code == OpCode::Reduce ||
                         step.code == OpCode::ReduceWindow || step.code == OpCode::ArgReduceWindow;
    if (hasLoop) {
      std::vector<Tensor> results;
      for (const core::TypeDesc &type : step.types) {
        Expected<Tensor> tensor = allocate(type);
        if (!tensor)
          return tensor.status();
        results.push_back(std::move(*tensor));
      }
      const bool done = step.code == OpCode::Reduce ? computeReduction(operands, step.words, results[0], threads_)
                        : step.code == OpCode::DotGeneral || step.code == OpCode::Conv
                            ? computeProduct(step.code, operands, step.words, results[0], threads_)
                            : computeWindows(step.code, operands, step.words, results, threads_);
      if (done) {
        for (auto [id, result] : llvm::zip_equal(step.results, results))
          values[id] = std::move(result);
        return Status::ok();
      }
    }
    ir::SharedTensors given;
    for (const Tensor &operand : operands) {
      Expected<ir::SharedTensor> tensor = toShared(operand);
      if (!tensor)
        return located(step.op, tensor.status());
      given.push_back(std::move(*tensor));
    }
    if (step.op->getNumRegions())
      return runRegions(step, given, values);
    std::vector<const ir::HostTensor *> pointers;
    for (const ir::SharedTensor &tensor : given)
      pointers.push_back(tensor.get());
    std::vector<ir::HostTensor> results;
    if (Status status = ir::evaluate(step.code, pointers, step.words, step.types, ir::Precision::Own, results); !status)
      return located(step.op, status);
    if (auto print = dyn_cast<ir::PrintOp>(step.op))
      core::printArray(print.getLabel(), results[0].type, results[0].bytes.data());
    for (auto [id, result] : llvm::zip_equal(step.results, results))
      values[id] = takeHost(std::move(result));
    return Status::ok();
  }

  Status runRegions(const Step &step, const ir::SharedTensors &operands, std::vector<Tensor> &values) {
    bool failedInside = false;
    const auto run = [&](Region &region, ir::SharedTensors inner) -> Expected<ir::SharedTensors> {
      std::vector<Tensor> arguments;
      for (const ir::SharedTensor &tensor : inner)
        arguments.push_back({tensor->type, {tensor, const_cast<std::byte *>(tensor->bytes.data())}});
      Expected<std::vector<Tensor>> results = block(region.front(), arguments);
      if (!results) {
        failedInside = true;
        return results.status();
      }
      ir::SharedTensors shared;
      for (const Tensor &result : *results) {
        Expected<ir::SharedTensor> tensor = toShared(result);
        if (!tensor)
          return tensor.status();
        shared.push_back(std::move(*tensor));
      }
      return shared;
    };
    Expected<ir::SharedTensors> results = ir::evaluateRegions(step.op, operands, run);
    if (!results)
      return failedInside ? results.status() : located(step.op, results.status());
    for (auto [id, tensor] : llvm::zip_equal(step.results, *results))
      values[id] = {tensor->type, {tensor, const_cast<std::byte *>(tensor->bytes.data())}};
    return Status::ok();
  }

  const BlockPlans &plans_;
  BlockPool &pool_;
  const Threads threads_;
};

class ModuleProgram : public Program {
public:
  Status load(std::span<const std::byte> bytes) {
    Expected<core::Graph> graph = core::parseGraph(bytes);
    if (!graph)
      return graph.status();
    context_ = makeContext();
    Expected<OwningOpRef<ModuleOp>> module = importGraph(*context_, *graph);
    if (!module)
      return module.status();
    module_ = std::move(*module);
    return load(*module_);
  }

  Status load(ModuleOp module) {
    if (Status status = makePrimitive(module); !status)
      return status;
    body_ = &(*module.getOps<func::FuncOp>().begin()).getBody().front();
    return Planner(*body_, plans_).plan();
  }

  Expected<std::vector<Tensor>> run(std::span<const Tensor> arguments, const burn_rt *rt) const override {
    const BlockPlan &plan = *plans_.find(body_)->second;
    if (arguments.size() != plan.arguments.size())
      return Status::invalid("the program takes " + std::to_string(plan.arguments.size()) + " arguments, got " +
                             std::to_string(arguments.size()));
    for (auto [i, argument] : llvm::enumerate(body_->getArguments()))
      if (ir::toTypeDesc(argument.getType()) != arguments[i].type)
        return Status::invalid("argument " + std::to_string(i) + " is of another type than the program's, " +
                               arguments[i].type.str());
    // Memory is taken again within a run, and given back behind it: a program that is compiled by then needs none.
    const auto pool = std::make_shared<BlockPool>();
    return Run(plans_, *pool, rt).block(*body_, arguments);
  }

private:
  std::unique_ptr<MLIRContext> context_; // of graphs
  OwningOpRef<ModuleOp> module_;
  Block *body_ = nullptr;
  BlockPlans plans_;
};

template <typename Source> Expected<std::unique_ptr<Program>> makeProgram(Source source) {
  auto program = std::make_unique<ModuleProgram>();
  if (Status status = program->load(source); !status)
    return status;
  return std::unique_ptr<Program>(std::move(program));
}

} // namespace

Expected<std::unique_ptr<Program>> Program::make(std::span<const std::byte> graph) { return makeProgram(graph); }
Expected<std::unique_ptr<Program>> Program::make(ModuleOp module) { return makeProgram(module); }
