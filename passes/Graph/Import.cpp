#include "passes/Graph/Import.h"

#include "dialects/Burn/Burn.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

// Stands for a file name; the line is the id.
constexpr llvm::StringLiteral kGraphFile = "<graph>";

class Importer {
public:
  Importer(MLIRContext &context, const core::Graph &graph) : context(context), builder(&context), graph(graph) {}

  core::Expected<OwningOpRef<ModuleOp>> run() {
    Location unknown = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(unknown);
    builder.setInsertionPointToEnd(module->getBody());
    SmallVector<Type> argTypes;
    for (const core::GraphArg &arg : graph.args) {
      if (!arg.constant)
        argTypes.push_back(ir::toTensorType(&context, arg.type));
      types.push_back(arg.type);
    }
    auto function = func::FuncOp::create(builder, unknown, "main", builder.getFunctionType(argTypes, {}));
    addArgAttributes(function);
    Block *body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    unsigned next = 0;
    for (const core::GraphArg &arg : graph.args)
      values.push_back(arg.constant ? constant(arg) : body->getArgument(next++));
    for (const core::GraphOp &op : graph.ops)
      if (core::Status status = importOp(op); !status)
        return status;

    SmallVector<Value> results;
    for (uint32_t number : graph.results) {
      if (!isVisible(number))
        return core::Status::invalid("the graph returns value " + std::to_string(number) + ", which it lacks");
      results.push_back(values[number]);
    }
    func::ReturnOp::create(builder, unknown, results);
    function.setFunctionType(builder.getFunctionType(argTypes, TypeRange(ValueRange(results))));
    return module;
  }

private:
  void addArgAttributes(func::FuncOp function) {
    unsigned i = 0;
    for (const core::GraphArg &arg : graph.args) {
      if (arg.constant)
        continue;
      auto mark = [&](bool holds, StringRef name) {
        if (holds)
          function.setArgAttr(i, name, builder.getUnitAttr());
      };
      mark(arg.kind == core::ArgKind::Scalar, kScalarAttr);
      mark(arg.donated, kDonatedAttr);
      mark(arg.frozen, kFrozenAttr);
      if (!arg.name.empty())
        function.setArgAttr(i, kNameAttr, builder.getStringAttr(arg.name));
      ++i;
    }
  }

  Value constant(const core::GraphArg &arg) {
    auto type = cast<RankedTensorType>(ir::toTensorType(&context, arg.type));
    const llvm::APInt bits(bitWidth(arg.type.dtype), *arg.constant, /*isSigned=*/false, /*implicitTrunc=*/true);
    DenseElementsAttr value;
    if (auto floatType = dyn_cast<FloatType>(type.getElementType()))
      value = DenseElementsAttr::get(type, APFloat(floatType.getFloatSemantics(), bits));
    else
      value = DenseElementsAttr::get(type, bits.zextOrTrunc(type.getElementTypeBitWidth()));
    return ir::ConstantOp::create(builder, builder.getUnknownLoc(), type, value);
  }

  // Whether a value may be used where we are: values of a region are seen in it alone, and it sees no others.
  bool isVisible(uint32_t number) const { return number >= firstVisible && number < values.size() && values[number]; }

  core::Status importOp(const core::GraphOp &op) {
    const uint32_t id = nextId++;
    const core::OpInfo *info = core::findOp(op.code);
    auto failure = [&](core::ErrorCode code, const std::string &message) {
      std::string name = info ? "burn." + std::string(info->name) : "op code " + std::to_string(int(op.code));
      return core::Status::error(code, name + ": " + message, {id});
    };
    if (!info || !info->inGraph)
      return failure(core::ErrorCode::InvalidArgument, "may not stand in a graph");
    if (op.regions.size() > static_cast<size_t>(info->regions))
      return failure(core::ErrorCode::InvalidArgument, "has " + std::to_string(op.regions.size()) +
                                                           " regions, expected " + std::to_string(info->regions));

    SmallVector<Value> operands;
    std::vector<core::TypeDesc> operandTypes;
    for (uint32_t number : op.operands) {
      if (!isVisible(number))
        return failure(core::ErrorCode::InvalidArgument, "uses a value that is not defined before it");
      operands.push_back(values[number]);
      operandTypes.push_back(types[number]);
    }
    // The verifier would find the same, but could not say it as a status.
    std::vector<core::TypeDesc> results = op.results;
    if (core::Status status = core::inferTypes(op.code, operandTypes, op.attrs, results); !status)
      return failure(status.code(), status.message());
    if (results != op.results)
      return failure(core::ErrorCode::InvalidArgument, "the graph states other result types than the op has");
    FailureOr<SmallVector<NamedAttribute>> attributes = ir::toAttributes(&context, *info, op.attrs);
    if (failed(attributes))
      return failure(core::ErrorCode::InvalidArgument, "malformed attributes");

    OperationState state(graphLocation(context, id), "burn." + std::string(info->name));
    state.addOperands(operands);
    state.addAttributes(*attributes);
    for (const core::TypeDesc &type : results)
      state.addTypes(ir::toTensorType(&context, type));
    for (int i = 0; i < info->regions; ++i)
      state.addRegion();
    Operation *created = builder.create(state);
    for (auto [source, region] : llvm::zip(op.regions, created->getRegions()))
      if (core::Status status = importRegion(source, region, created->getLoc()); !status)
        return status;
    if (info->regions)
      if (core::Status status = verifyRegions(created); !status)
        return failure(status.code(), status.message());
    values.append(created->result_begin(), created->result_end());
    types.insert(types.end(), results.begin(), results.end());
    return core::Status::ok();
  }

  core::Status importRegion(const core::GraphRegion &source, Region &region, Location location) {
    OpBuilder::InsertionGuard guard(builder);
    const auto begin = static_cast<uint32_t>(values.size());
    const uint32_t outer = std::exchange(firstVisible, begin);
    Block *block = builder.createBlock(&region);
    for (const core::TypeDesc &type : source.args) {
      values.push_back(block->addArgument(ir::toTensorType(&context, type), location));
      types.push_back(type);
    }
    for (const core::GraphOp &op : source.ops)
      if (core::Status status = importOp(op); !status)
        return status;
    SmallVector<Value> results;
    for (uint32_t number : source.results) {
      if (!isVisible(number))
        return core::Status::error(core::ErrorCode::InvalidArgument, "a region yields a value that it lacks");
      results.push_back(values[number]);
    }
    ir::YieldOp::create(builder, location, results);
    std::fill(values.begin() + begin, values.end(), Value());
    firstVisible = outer;
    return core::Status::ok();
  }

  // What an op with regions must obey beyond its rule, by its verifier.
  core::Status verifyRegions(Operation *op) {
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message += (message.empty() ? "" : "; ") + diagnostic.str();
      return success();
    });
    return succeeded(verify(op)) ? core::Status::ok() : core::Status::invalid(message);
  }

  MLIRContext &context;
  OpBuilder builder;
  const core::Graph &graph;
  SmallVector<Value> values; // null where a region has ended
  std::vector<core::TypeDesc> types;
  uint32_t firstVisible = 0;
  uint32_t nextId = 0; // of locations
};

} // namespace

core::Expected<OwningOpRef<ModuleOp>> compiler::importGraph(MLIRContext &context, const core::Graph &graph) {
  return Importer(context, graph).run();
}

Location compiler::graphLocation(MLIRContext &context, uint32_t id) {
  return FileLineColLoc::get(&context, kGraphFile, id, 0);
}

FileLineColLoc compiler::sourceLine(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part); file && file.getFilename() != kGraphFile) {
      found = file;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

void compiler::collectLocationIds(Location location, std::vector<uint32_t> &ids) {
  location->walk([&](Location part) {
    if (auto file = dyn_cast<FileLineColLoc>(part))
      if (file.getFilename() == kGraphFile && !llvm::is_contained(ids, file.getLine()))
        ids.push_back(file.getLine());
    return WalkResult::advance();
  });
}
