#include "dialects/Burn/Interpreter/Interpreter.h"

#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/HostBytes.h"
#include "dialects/Burn/Interpreter/RegionEvaluation.h"

#include "runtime/Core/HostMemory.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace burn;
using namespace burn::ir;
using core::ErrorCode;
using core::Status;

namespace {

// Runs the ops of blocks; values live from their op to their last use.
class Run {
public:
  explicit Run(const InterpreterOptions &options, unsigned depth = 0) : options(options), depth(depth) {}

  core::Expected<SharedTensors> block(Block &block, const SharedTensors &arguments) {
    for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
      define(argument, value);
    for (Operation &op : block.without_terminator())
      if (Status status = run(op); !status)
        return status;
    SharedTensors results;
    for (Value value : block.getTerminator()->getOperands())
      results.push_back(values.at(value));
    for (Value value : block.getTerminator()->getOperands())
      release(value);
    return results;
  }

private:
  Status fail(Operation &op, ErrorCode code, const std::string &message) {
    if (options.failedOp && !*options.failedOp)
      *options.failedOp = &op;
    return Status::error(code, op.getName().getStringRef().str() + ": " + message);
  }

  void define(Value value, SharedTensor tensor) {
    const int64_t uses = std::distance(value.use_begin(), value.use_end());
    if (uses == 0)
      return;
    values[value] = std::move(tensor);
    usesLeft[value] = uses;
  }

  void release(Value value) {
    auto left = usesLeft.find(value);
    if (left != usesLeft.end() && --left->second == 0) {
      usesLeft.erase(left);
      values.erase(value);
    }
  }

  core::Expected<SharedTensors> call(CallOp op, const SharedTensors &arguments, bool &failedInside) {
    // A function that calls itself would not end: there is no way to decide against the call but burn.if.
    constexpr unsigned deepest = 64;
    if (depth == deepest)
      return Status::error(ErrorCode::Unsupported, "calls are nested more than " + std::to_string(deepest) + " deep");
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, op.getCalleeAttr());
    if (!callee || !llvm::hasSingleElement(callee.getBody()))
      return Status::error(ErrorCode::NotFound, "there is no function '" + op.getCallee().str() + "' of one block");
    auto returned = Run(options, depth + 1).block(callee.getBody().front(), arguments);
    failedInside = !returned;
    return returned;
  }

  Status evaluateInto(Operation &op, std::span<const HostTensor *const> operands, SharedTensors &results) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      core::Expected<HostTensor> value = toHostTensor(constant.getValue());
      if (!value)
        return fail(op, value.status().code(), value.status().message());
      results.push_back(std::make_shared<HostTensor>(convertHeld(*value, value->type.dtype, options.precision)));
      return Status::ok();
    }
    if (isa<RegionOpInterface, CallOp>(op)) {
      SharedTensors arguments;
      for (Value operand : op.getOperands())
        arguments.push_back(values.at(operand));
      bool failedInside = false;
      const auto run = [&](Region &region, SharedTensors inner) {
        auto yielded = block(region.front(), inner);
        failedInside |= !yielded;
        return yielded;
      };
      auto called = dyn_cast<CallOp>(op);
      auto given = called ? call(called, arguments, failedInside) : evaluateRegions(&op, arguments, run);
      if (!given)
        return failedInside ? given.status() : fail(op, given.status().code(), given.status().message());
      results = std::move(*given);
      return Status::ok();
    }
    const core::OpInfo *info = opInfo(&op);
    if (!info)
      return fail(op, ErrorCode::Unsupported, "the interpreter runs burn ops only");
    llvm::SmallVector<core::TypeDesc> types;
    for (Type type : op.getResultTypes()) {
      std::optional<core::TypeDesc> desc = toTypeDesc(type);
      if (!desc)
        return fail(op, ErrorCode::Unsupported, "expects results of static shape");
      types.push_back(*desc);
    }
    std::vector<HostTensor> computed;
    if (Status status = evaluate(info->code, operands, toAttrWords(&op), types, options.precision, computed); !status)
      return fail(op, status.code(), status.message());
    if (auto print = dyn_cast<PrintOp>(op); print && options.print)
      options.print(print.getLabel(), computed.front());
    for (HostTensor &tensor : computed)
      results.push_back(std::make_shared<HostTensor>(std::move(tensor)));
    return Status::ok();
  }

  Status run(Operation &op) {
    std::vector<const HostTensor *> operands, seen;
    for (Value operand : op.getOperands())
      operands.push_back(values.at(operand).get());
    SharedTensors results;
    if (Status status = evaluateInto(op, operands, results); !status)
      return status;
    if (options.observer) {
      for (const SharedTensor &result : results)
        seen.push_back(result.get());
      if (Status status = options.observer(&op, operands, seen); !status) {
        if (options.failedOp && !*options.failedOp)
          *options.failedOp = &op;
        return status;
      }
    }
    for (Value operand : op.getOperands())
      release(operand);
    for (auto [value, result] : llvm::zip_equal(op.getResults(), results))
      define(value, result);
    return Status::ok();
  }

  const InterpreterOptions &options;
  const unsigned depth; // of calls
  llvm::DenseMap<Value, SharedTensor> values;
  llvm::DenseMap<Value, int64_t> usesLeft;
};

} // namespace

HostTensor ir::convertHeld(const HostTensor &tensor, DType ownType, Precision precision) {
  const core::TypeDesc held = heldType({ownType, tensor.type.shape}, precision);
  const bool isComplex = precision == Precision::ComplexStep && isFloat(ownType);
  if (tensor.type == held && tensor.isComplex == isComplex)
    return tensor;
  HostTensor result(held, isComplex);
  if (tensor.isComplex && isComplex)
    meaning::store(result, meaning::load<meaning::Complex>(tensor));
  else
    meaning::store(result, meaning::load<double>(tensor));
  return result;
}

core::Expected<std::vector<HostTensor>> ir::interpret(func::FuncOp function, std::span<const HostTensor> arguments,
                                                      const InterpreterOptions &options) {
  const std::string name = "function '" + function.getName().str() + "'";
  if (!llvm::hasSingleElement(function.getBody()))
    return Status::error(ErrorCode::Unsupported, name + " has no body of one block");
  Operation *undifferentiated = nullptr;
  function.walk([&](GradOp grad) {
    undifferentiated = grad;
    return WalkResult::interrupt();
  });
  if (undifferentiated) {
    if (options.failedOp)
      *options.failedOp = undifferentiated;
    return Status::error(ErrorCode::Unsupported, name + " holds burn.grad: it must be differentiated before it is run");
  }
  if (arguments.size() != function.getNumArguments())
    return Status::invalid(name + " takes " + std::to_string(function.getNumArguments()) + " arguments, got " +
                           std::to_string(arguments.size()));
  SharedTensors held;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    std::optional<core::TypeDesc> want = toTypeDesc(type);
    if (!want)
      return Status::error(ErrorCode::Unsupported, name + " has an argument that is no tensor of static shape");
    const HostTensor &given = arguments[i];
    if (given.type != *want && given.type != heldType(*want, options.precision))
      return Status::invalid("argument " + std::to_string(i) + " of " + name + " is " + want->str() + ", got " +
                             given.type.str());
    const bool isComplex = options.precision == Precision::ComplexStep;
    const __int128 bytes = hostBytes(heldType(*want, options.precision), isComplex) +
                           __int128(want->numel()) * static_cast<__int128>(sizeof(meaning::Complex));
    if (Status status = core::checkHostMemory(bytes); !status)
      return Status::error(status.code(), "argument " + std::to_string(i) + " of " + name + ": " + status.message());
    held.push_back(std::make_shared<HostTensor>(convertHeld(given, want->dtype, options.precision)));
  }
  auto results = Run(options).block(function.getBody().front(), held);
  if (!results)
    return results.status();
  std::vector<HostTensor> owned;
  for (const SharedTensor &result : *results)
    owned.push_back(*result);
  return owned;
}

core::Expected<HostTensor> ir::toHostTensor(ElementsAttr elements) {
  std::optional<core::TypeDesc> type = toTypeDesc(elements.getType());
  if (!type)
    return Status::error(ErrorCode::Unsupported, "constant of a type that is none of burn's");
  if (Status status = core::checkHostMemory(hostBytes(*type)); !status)
    return status;
  HostTensor result(*type);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != result.bytes.size())
      return Status::error(ErrorCode::DataLoss, "constant whose resource is missing or of a wrong size");
    if (!result.bytes.empty())
      std::memcpy(result.bytes.data(), blob->getData().data(), result.bytes.size());
    return result;
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return Status::error(ErrorCode::Unsupported, "constant that is neither dense nor a resource");
  if (type->dtype == DType::Bool) {
    for (auto [target, value] : llvm::zip_equal(result.data<bool>(), dense.getValues<bool>()))
      target = value;
    return result;
  }
  ArrayRef<char> raw = dense.getRawData();
  const size_t width = result.elementSize();
  if (dense.isSplat()) {
    for (size_t offset = 0; offset < result.bytes.size(); offset += width)
      std::memcpy(result.bytes.data() + offset, raw.data(), width);
  } else if (!raw.empty()) {
    std::memcpy(result.bytes.data(), raw.data(), result.bytes.size());
  }
  return result;
}

DenseElementsAttr ir::toElementsAttr(MLIRContext *context, const HostTensor &tensor) {
  RankedTensorType type = toTensorType(context, tensor.type);
  if (tensor.type.dtype == DType::Bool)
    return DenseElementsAttr::get(type, ArrayRef(tensor.data<bool>().data(), tensor.numel()));
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef(reinterpret_cast<const char *>(tensor.bytes.data()), tensor.bytes.size()));
}
