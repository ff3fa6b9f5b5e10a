// Every op of the registry as compiled code against the interpreter: elementwise ops over all element types and special
// values, the others as they stand in the round-trip tests. No list of ops is kept here, so none is forgotten.
#include "test/unit/compiler/KernelRun.h"

#include "dialects/Burn/Interpreter/Evaluation.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;

namespace {

// Numbers at which ops change their behaviour, and random ones between.
HostTensor edges(const core::TypeDesc &type, uint64_t seed) {
  HostTensor tensor(type);
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 4);
  visitDType(type.dtype, [&]<typename T>(T) {
    std::vector<T> special;
    if constexpr (std::is_same_v<T, bool>)
      special = {false, true};
    else if constexpr (std::is_integral_v<T>)
      special = {0, 1, 2, 3, static_cast<T>(-1), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    else
      for (double value : std::initializer_list<double>{0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, INFINITY, -INFINITY,
                                                        double(NAN), 1e-40, -1e-40, 3e38, -3e38, 300.0, 1e10})
        special.push_back(T(value));
    for (int64_t i = 0; i < type.numel(); ++i)
      if (random() % 2)
        tensor.data<T>()[i] = special[random() % special.size()];
      else if constexpr (std::is_integral_v<T>)
        tensor.data<T>()[i] = static_cast<T>(random());
      else
        tensor.data<T>()[i] = T(normal(random));
  });
  return tensor;
}

constexpr DType allTypes[] = {DType::F64, DType::F32, DType::F16, DType::BF16, DType::Bool, DType::I8, DType::I16,
                              DType::I32, DType::I64, DType::U8,  DType::U16,  DType::U32,  DType::U64};

// One op on operands of given types.
struct Instance {
  const core::OpInfo *info;
  std::vector<int64_t> words;
  std::vector<core::TypeDesc> results;
};
using Signature = std::vector<DType>;

// Every elementwise op on every combination of element types that its rule takes, by operand types.
std::map<Signature, std::vector<Instance>> elementwiseInstances(mlir::MLIRContext *context, const Shape &shape,
                                                                std::span<const DType> types) {
  std::map<Signature, std::vector<Instance>> instances;
  for (const core::OpInfo &info : core::allOps()) {
    mlir::OperationName name("burn." + std::string(info.name), context);
    if (!name.hasInterface<ElementwiseOpInterface>())
      continue;
    for (DType dtype : types) {
      Signature signature(info.leastOperands, dtype);
      if (info.code == core::OpCode::Select)
        signature[0] = DType::Bool;
      std::vector<core::TypeDesc> operands;
      for (DType operand : signature)
        operands.push_back({operand, shape});
      auto add = [&](std::vector<int64_t> words, std::vector<core::TypeDesc> results) {
        if (core::inferTypes(info.code, operands, words, results))
          instances[signature].push_back({&info, std::move(words), std::move(results)});
      };
      if (info.code == core::OpCode::Compare)
        for (int64_t direction = 0; direction < 6; ++direction)
          add({direction}, {});
      else if (info.code == core::OpCode::Gelu)
        for (int64_t formula : {0, 1})
          add({formula}, {});
      else if (info.code == core::OpCode::Convert || info.code == core::OpCode::Bitcast)
        for (DType target : types)
          add({}, {{target, shape}});
      else if (info.code == core::OpCode::ReducePrecision)
        for (DType target : types)
          add({static_cast<int64_t>(target)}, {});
      else if (info.code == core::OpCode::Rem)
        for (int64_t rounding : {0, 1})
          add({rounding}, {});
      else if (info.code == core::OpCode::Polygamma)
        for (int64_t order : {1, 2, 7})
          add({order}, {});
      else if (info.code == core::OpCode::Powi)
        for (int64_t exponent : std::initializer_list<int64_t>{-3, -2, -1, 0, 1, 2, 3, 7, 20, (1 << 26) + 1})
          add({exponent}, {});
      else
        add({}, {});
    }
  }
  return instances;
}

// Compiles instances of one signature as one cluster and compares each result.
void checkInstances(mlir::MLIRContext *context, const Signature &signature, std::span<const Instance> instances,
                    const Shape &shape, const compiler::CpuTarget &target) {
  mlir::OpBuilder b(context);
  const mlir::Location loc = b.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(loc));
  llvm::SmallVector<mlir::Type> operandTypes, resultTypes;
  for (DType dtype : signature)
    operandTypes.push_back(toTensorType(context, {dtype, shape}));
  for (const Instance &instance : instances)
    resultTypes.push_back(toTensorType(context, instance.results[0]));
  b.setInsertionPointToEnd(module->getBody());
  auto function = mlir::func::FuncOp::create(b, loc, "main", b.getFunctionType(operandTypes, {}));
  b.setInsertionPointToEnd(function.addEntryBlock());
  auto fused = FusedOp::create(b, loc, resultTypes, ClusterKind::Elementwise, function.getArguments());
  mlir::func::ReturnOp::create(b, loc);
  mlir::Block *block = b.createBlock(&fused.getBody());
  for (mlir::Type type : operandTypes)
    block->addArgument(type, loc);
  llvm::SmallVector<mlir::Value> yielded;
  for (const Instance &instance : instances) {
    mlir::OperationState state(loc, "burn." + std::string(instance.info->name));
    state.addOperands(block->getArguments());
    state.addTypes(toTensorType(context, instance.results[0]));
    state.addAttributes(*toAttributes(context, *instance.info, instance.words));
    yielded.push_back(b.create(state)->getResult(0));
  }
  YieldOp::create(b, loc, yielded);
  REQUIRE(mlir::succeeded(mlir::verify(*module)));

  CompiledCluster compiled(fused, target);
  REQUIRE(compiled.ok);
  std::vector<HostTensor> operands;
  for (DType dtype : signature)
    operands.push_back(edges({dtype, shape}, operands.size() + 1));
  std::vector<const HostTensor *> inputs;
  for (const HostTensor &operand : operands)
    inputs.push_back(&operand);
  const std::vector<HostTensor> results = compiled.run(inputs);
  for (size_t i = 0; i < instances.size(); ++i) {
    std::vector<HostTensor> expected;
    REQUIRE(
        evaluate(instances[i].info->code, inputs, instances[i].words, instances[i].results, Precision::Own, expected));
    const Comparison comparison =
        compareWithinBound(instances[i].info->code, inputs, instances[i].words, 0, expected[0], results[i]);
    INFO("burn." << instances[i].info->name << " on " << operands[0].type.str() << " to " << expected[0].type.str()
                 << ": " << comparison.message);
    std::string at;
    if (comparison.element >= 0)
      for (const HostTensor &operand : operands)
        at += std::to_string(meaning::load<double>(operand)[comparison.element]) + " ";
    INFO("operands " << at);
    CHECK(comparison);
  }
}

void sweep(const Shape &shape, std::span<const DType> types, const compiler::CpuTarget &target) {
  INFO(target.cpu << ", shape " << shape.str());
  auto context = makeKernelContext();
  for (const auto &[signature, instances] : elementwiseInstances(context.get(), shape, types))
    for (size_t begin = 0; begin < instances.size(); begin += 12) // a kernel takes 15 buffers here
      checkInstances(context.get(), signature,
                     std::span(instances).subspan(begin, std::min<size_t>(12, instances.size() - begin)), shape,
                     target);
}

} // namespace

TEST_CASE("sweep: elementwise ops on every element type, compiled = interpreter") {
  sweep(Shape{331}, allTypes, kernelTargets().back());
}

TEST_CASE("sweep: elementwise ops on shapes without, with one and with many elements") {
  const DType types[] = {DType::F32, DType::I32, DType::Bool};
  for (const Shape &shape : {Shape{}, Shape{0}, Shape{3, 0, 2}, Shape{1}, Shape{7, 5}, Shape{4099}})
    sweep(shape, types, kernelTargets().front());
  for (const Shape &shape : {Shape{}, Shape{3, 0, 2}})
    sweep(shape, allTypes, kernelTargets().back());
}

TEST_CASE("sweep: every op with a kernel, compiled = interpreter") {
  auto context = makeKernelContext();
  std::set<std::string> seen;
  llvm::SmallVector<mlir::Operation *> ops;
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  for (const char *name : {"ops.mlir", "ops-breadth.mlir"}) {
    std::ifstream file(std::string(BURN_SOURCE_DIR) + "/test/dialects/burn/" + name);
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text.str(), context.get()));
    REQUIRE(modules.back());
    modules.back()->walk([&](mlir::Operation *op) {
      if (opInfo(op) && !op->getParentOfType<FusedOp>())
        ops.push_back(op);
    });
  }
  for (mlir::Operation *op : ops) {
    const core::OpInfo &info = *opInfo(op);
    seen.insert(std::string(info.name));
    // Composites are decomposed, markers removed, before code is generated.
    if (!info.inGraph || mlir::isa<CompositeOpInterface, GradOp, StopGradientOp, UndefOp>(op))
      continue;
    INFO("burn." << info.name);
    mlir::OpBuilder b(op);
    FusedOp fused = isolate(b, op);
    if (mlir::isa<DotGeneralOp, ConvOp>(op))
      fused.setKind(ClusterKind::Contraction);
    std::vector<HostTensor> operands;
    for (mlir::Value operand : op->getOperands()) {
      // One tensor per value: an op may take one twice.
      const auto first = llvm::find(op->getOperands(), operand) - op->operand_begin();
      operands.push_back(randomTensor(operand.getType(), static_cast<unsigned>(first) + 1));
      if (mlir::isa<GatherOp, ScatterOp>(op) && operands.back().type.dtype == DType::I64)
        for (int64_t &index : operands.back().data<int64_t>())
          index = std::abs(index) % 10;
    }
    std::vector<const HostTensor *> inputs;
    for (const HostTensor &operand : operands)
      inputs.push_back(&operand);
    std::vector<core::TypeDesc> types;
    for (mlir::Type type : op->getResultTypes())
      types.push_back(*toTypeDesc(type));
    const auto words = toAttrWords(op);
    std::vector<HostTensor> expected;
    REQUIRE(evaluate(info.code, inputs, words, types, Precision::Own, expected));
    for (const compiler::CpuTarget &target : kernelTargets()) {
      CompiledCluster compiled(fused, target);
      REQUIRE(compiled.ok);
      const std::vector<HostTensor> results = compiled.run(inputs);
      for (unsigned i = 0; i < results.size(); ++i) {
        const Comparison comparison = compareWithinBound(info.code, inputs, words, i, expected[i], results[i]);
        INFO("result " << i << ": " << comparison.message);
        CHECK(comparison);
      }
    }
  }
  // No code of their own.
  const std::set<core::OpCode> markers = {core::OpCode::Name, core::OpCode::Barrier, core::OpCode::Assert,
                                          core::OpCode::Print};
  for (const core::OpInfo &info : core::allOps())
    if (info.inGraph && info.regions == 0 && !markers.contains(info.code)) {
      INFO("burn." << info.name);
      CHECK(seen.count(std::string(info.name)));
    }
}
