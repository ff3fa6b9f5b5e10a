// Compiles the clusters of a function and runs them beside the interpreter.
#pragma once

#include "test/unit/compiler/Interpret.h"
#include "test/unit/compiler/LoadedModule.h"

#include "dialects/Burn/Interpreter/Bounds.h"
#include "passes/Codegen/Kernel.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

#include <map>
#include <random>
#include <utility>

namespace burn::test {

/// A context in which clusters are parsed and compiled.
inline std::unique_ptr<mlir::MLIRContext> makeKernelContext() {
  auto context = compiler::test::makeCpuContext();
  context->loadDialect<ir::BurnDialect>();
  return context;
}

inline ir::HostTensor emptyTensor(mlir::Type type) { return ir::HostTensor(*ir::toTypeDesc(type)); }

/// Memory that betrays a write beyond its end.
struct GuardedBuffer {
  static constexpr size_t guard = 256;
  std::vector<std::byte> bytes;

  explicit GuardedBuffer(std::span<const std::byte> content) : bytes(content.size() + 2 * guard, std::byte{0xA5}) {
    std::copy(content.begin(), content.end(), bytes.begin() + guard);
  }
  void *data() { return bytes.data() + guard; }
  bool intact() const {
    for (size_t i = 0; i != guard; ++i)
      if (bytes[i] != std::byte{0xA5} || bytes[bytes.size() - 1 - i] != std::byte{0xA5})
        return false;
    return true;
  }
};

template <size_t... Is>
void callPhase(void *function, int64_t begin, int64_t end, void **pointers, std::index_sequence<Is...>) {
  reinterpret_cast<void (*)(int64_t, int64_t, decltype((void)Is, (void *)nullptr)...)>(function)(begin, end,
                                                                                                 pointers[Is]...);
}

template <size_t N> void callPhaseOf(void *function, int64_t begin, int64_t end, std::vector<void *> &pointers) {
  if constexpr (N < 16) {
    if (pointers.size() == N)
      callPhase(function, begin, end, pointers.data(), std::make_index_sequence<N>());
    else
      callPhaseOf<N + 1>(function, begin, end, pointers);
  } else {
    FAIL("too many buffers");
  }
}

/// A cluster as machine code.
class CompiledCluster {
public:
  CompiledCluster(ir::FusedOp fused, const compiler::CpuTarget &target) : fused(fused) {
    using namespace compiler;
    mlir::OwningOpRef<mlir::ModuleOp> module(mlir::ModuleOp::create(fused.getLoc()));
    mlir::OpBuilder atModule = mlir::OpBuilder::atBlockEnd(module->getBody());
    auto info = describeTarget(target);
    REQUIRE(!!info);
    mlir::FailureOr<KernelCode> built = mlir::failure();
    switch (fused.getKind()) {
    case ir::ClusterKind::Row:
      built = buildRowKernel(atModule, fused, "kernel", *info);
      break;
    case ir::ClusterKind::Single:
      built = buildSingleKernel(atModule, fused, "kernel", *info);
      break;
    case ir::ClusterKind::Contraction:
      built = buildContractionKernel(atModule, fused, "kernel", *info);
      break;
    default:
      built = buildElementwiseKernel(atModule, fused, "kernel", *info);
    }
    if (mlir::failed(built))
      return;
    code = *built;
    for (KernelPhase &phase : code.phases) {
      phase.func.setPublic();
      names.push_back(phase.func.getName().str());
    }
    if (mlir::failed(mlir::verify(*module)))
      return;
    loaded = std::make_unique<compiler::test::LoadedModule>(*module, target);
    INFO(loaded->error);
    CHECK(loaded->error == "");
    ok = loaded->error.empty();
  }

  /// Runs all phases, the tasks of each one by one from the last to the first.
  std::vector<ir::HostTensor> run(const std::vector<const ir::HostTensor *> &operands, int *failedCheck = nullptr) {
    std::vector<GuardedBuffer> buffers;
    for (const ir::HostTensor *operand : operands)
      buffers.emplace_back(operand->bytes);
    std::vector<ir::HostTensor> results;
    for (mlir::Type type : fused->getResultTypes()) {
      results.push_back(emptyTensor(type));
      buffers.emplace_back(results.back().bytes);
    }
    std::vector<std::byte> scratch(code.scratchBytes);
    if (code.scratchBytes)
      buffers.emplace_back(scratch);
    int32_t error = 0;
    if (!code.checks.empty())
      buffers.emplace_back(std::as_bytes(std::span(&error, 1)));
    std::vector<void *> pointers;
    for (GuardedBuffer &buffer : buffers)
      pointers.push_back(buffer.data());
    for (size_t i = 0; i != names.size(); ++i) {
      void *function = reinterpret_cast<void *>(loaded->find<void()>(names[i].c_str()));
      REQUIRE(function);
      for (int64_t task = code.phases[i].tasks; task-- != 0;)
        callPhaseOf<1>(function, task, task + 1, pointers);
    }
    for (const GuardedBuffer &buffer : buffers)
      CHECK(buffer.intact());
    for (size_t i = 0; i != results.size(); ++i)
      std::memcpy(results[i].bytes.data(), pointers[operands.size() + i], results[i].bytes.size());
    if (failedCheck)
      *failedCheck = code.checks.empty() ? 0 : *static_cast<int32_t *>(pointers.back());
    return results;
  }

  bool ok = false;
  compiler::KernelCode code;

private:
  ir::FusedOp fused;
  std::vector<std::string> names;
  std::unique_ptr<compiler::test::LoadedModule> loaded;
};

/// Wraps one op of a cluster in a cluster of its own, and returns that.
inline ir::FusedOp isolate(mlir::OpBuilder &b, mlir::Operation *op) {
  auto fused = ir::FusedOp::create(b, op->getLoc(), op->getResultTypes(), ir::ClusterKind::Single, op->getOperands());
  mlir::Block *block = b.createBlock(&fused.getBody());
  mlir::IRMapping mapping;
  for (mlir::Value operand : op->getOperands())
    if (!mapping.contains(operand))
      mapping.map(operand, block->addArgument(operand.getType(), op->getLoc()));
    else
      block->addArgument(operand.getType(), op->getLoc());
  mlir::Operation *copy = b.clone(*op, mapping);
  ir::YieldOp::create(b, op->getLoc(), copy->getResults());
  b.setInsertionPointAfter(fused);
  return fused;
}

/// Random elements: floats around 0, small integers, booleans.
inline ir::HostTensor randomTensor(mlir::Type type, unsigned seed, int64_t largest = 100) {
  ir::HostTensor tensor = emptyTensor(type);
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  visitDType(tensor.type.dtype, [&]<typename T>(T) {
    for (T &element : tensor.data<T>())
      if constexpr (std::is_same_v<T, bool>)
        element = random() % 2;
      else if constexpr (std::is_integral_v<T>)
        element =
            static_cast<T>(static_cast<int64_t>(random() % (largest + 1)) - (std::is_signed_v<T> ? largest / 2 : 0));
      else
        element = static_cast<T>(static_cast<float>(normal(random)));
  });
  return tensor;
}

/// The operands that a cluster is checked on.
struct ClusterCheck {
  /// Largest random integer of the operands.
  int64_t largest = 100;
  /// Given operands, by position, in place of random ones.
  std::map<unsigned, ir::HostTensor> operands;
};

inline std::vector<compiler::CpuTarget> kernelTargets() {
  using namespace compiler::test;
  if (hostHasAvx512())
    return {avx512Target(), avx2Target()};
  return {avx2Target()};
}

/// Compiles the cluster in `text` (a burn.fused over %a, %b, ... of `types`), each of its ops alone
/// as well, and checks for every target: an op alone is within its bound of the interpreter, and the
/// cluster gives the bits that its ops give one after the other.
inline void checkCluster(const std::string &arguments, const std::string &cluster, const ClusterCheck &check = {}) {
  INFO(cluster);
  auto context = makeKernelContext();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(" + arguments + ") {\n" + cluster + "\nreturn\n}\n", context.get());
  REQUIRE(module);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  auto fused = *function.getOps<ir::FusedOp>().begin();
  std::vector<ir::HostTensor> operands;
  for (auto [i, type] : llvm::enumerate(fused.getOperandTypes())) {
    auto given = check.operands.find(i);
    operands.push_back(given != check.operands.end() ? given->second : randomTensor(type, i + 1, check.largest));
  }
  std::vector<ir::HostTensor> firstResults;
  for (const compiler::CpuTarget &target : kernelTargets()) {
    INFO(target.cpu);
    mlir::OpBuilder b(context.get());
    b.setInsertionPoint(function.getBody().front().getTerminator());
    // One op after the other.
    llvm::DenseMap<mlir::Value, ir::HostTensor> values;
    for (auto [argument, operand] : llvm::zip(fused.getBody().getArguments(), operands))
      values[argument] = operand;
    for (mlir::Operation &op : fused.getBody().front().without_terminator()) {
      INFO(op.getName().getStringRef().str());
      ir::FusedOp alone = isolate(b, &op);
      std::vector<const ir::HostTensor *> inputs;
      for (mlir::Value operand : op.getOperands())
        inputs.push_back(&values.find(operand)->second);
      {
        CompiledCluster compiled(alone, target);
        REQUIRE(compiled.ok);
        std::vector<ir::HostTensor> results = compiled.run(inputs);
        if (auto constant = mlir::dyn_cast<ir::ConstantOp>(op)) {
          ir::Comparison comparison = ir::compareExact(*ir::toHostTensor(constant.getValue()), results[0]);
          INFO(comparison.message);
          CHECK(bool(comparison));
        } else if (!mlir::isa<ir::UndefOp>(op)) {
          std::vector<int64_t> words;
          llvm::append_range(words, ir::toAttrWords(&op));
          std::vector<core::TypeDesc> types;
          for (mlir::Type type : op.getResultTypes())
            types.push_back(*ir::toTypeDesc(type));
          std::vector<ir::HostTensor> expected;
          auto status = ir::evaluate(ir::opInfo(&op)->code, inputs, words, types, ir::Precision::Own, expected);
          INFO(status.message());
          REQUIRE(status.ok());
          for (size_t i = 0; i != results.size(); ++i) {
            ir::Comparison comparison =
                ir::compareWithinBound(ir::opInfo(&op)->code, inputs, words, i, expected[i], results[i]);
            INFO(comparison.message);
            CHECK(bool(comparison));
          }
        }
        for (auto [value, result] : llvm::zip(op.getResults(), results))
          values[value] = result;
      }
      alone.erase();
    }
    // All at once.
    CompiledCluster compiled(fused, target);
    REQUIRE(compiled.ok);
    std::vector<const ir::HostTensor *> inputs;
    for (const ir::HostTensor &operand : operands)
      inputs.push_back(&operand);
    std::vector<ir::HostTensor> results = compiled.run(inputs);
    auto yielded = fused.getBody().front().getTerminator()->getOperands();
    for (size_t i = 0; i != results.size(); ++i) {
      ir::Comparison comparison = ir::compareExact(values.find(yielded[i])->second, results[i]);
      INFO("fused against unfused: " << comparison.message);
      CHECK(bool(comparison));
      if (!firstResults.empty())
        CHECK(bool(ir::compareExact(firstResults[i], results[i])));
    }
    if (firstResults.empty())
      firstResults = results;
  }
}

} // namespace burn::test
