// Where the elements stand that are not zero: blocks of a fixed length count theirs, then write them from the place on
// that the counts of the blocks before give.
#include "passes/Codegen/KernelLoops.h"
#include "passes/Codegen/SingleKernels.h"

#include "dialects/Burn/ScalarPayloads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

constexpr int64_t kBlockLength = 4096;

class NonzeroBuilder {
public:
  NonzeroBuilder(OpBuilder &atModule, ir::FusedOp fused, ir::NonzeroOp op, StringRef name)
      : atModule(atModule), fused(fused), op(op), name(name), loc(op.getLoc()), context(op.getContext()), b(context),
        type(cast<RankedTensorType>(op.getInput().getType())), elements(type.getNumElements()),
        blocks(ceilDivide(elements, kBlockLength)), rows(op.getMaxCount()) {
    code.scratchBytes = std::max<int64_t>(blocks, 1) * 8;
    llvm::append_range(index, delinearize(getAffineDimExpr(0, context), type.getShape()));
  }

  FailureOr<KernelCode> build() {
    buildCounts();
    buildOffsets();
    if (isYielded(op.getIndices())) {
      buildFill();
      buildRows();
    }
    if (failed)
      return failure();
    return code;
  }

private:
  Value constant(int64_t value) { return indexConstant(b, loc, value); }
  Value number(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }

  bool isYielded(Value result) { return static_cast<bool>(bufferOf(result, fused->getResults())); }
  /// Of `buffers`, one for each value that the cluster yields, that of a result of the op; null if it has none.
  Value bufferOf(Value result, ValueRange buffers) {
    ValueRange yielded = fused.getBody().front().getTerminator()->getOperands();
    for (auto [value, buffer] : llvm::zip_equal(yielded, buffers))
      if (value == result)
        return buffer;
    return {};
  }

  void buildPhase(const Twine &suffix, int64_t tasks, llvm::function_ref<void()> emit) {
    func::FuncOp func = createPhase(atModule, fused, (name + suffix).str(), code.scratchBytes, false);
    arguments.emplace(func, fused, true, false);
    b = OpBuilder::atBlockEnd(&func.getBody().front());
    counts = memref::ViewOp::create(b, loc, MemRefType::get({std::max<int64_t>(blocks, 1)}, b.getI64Type()),
                                    arguments->scratch, constant(0), ValueRange{});
    emitter.emplace(b, loc, fused.getBody().front(), arguments->operands, ArrayRef<int64_t>{elements});
    code.phases.push_back({func, tasks});
    emit();
    func::ReturnOp::create(b, loc);
  }

  /// Walks the elements of the task's blocks. `start` gives the carried number of a block, `step` the next one, `done`
  /// takes the last.
  void forBlocks(llvm::function_ref<Value(Value block)> start,
                 llvm::function_ref<Value(Value carried, Value position, Value isNonzero)> step,
                 llvm::function_ref<void(Value block, Value carried)> done) {
    scf::ForOp blockLoop = openLoop(b, loc, arguments->begin, arguments->end, constant(1));
    Value block = blockLoop.getInductionVar();
    Value from = arith::MulIOp::create(b, loc, block, constant(kBlockLength));
    Value to =
        arith::MinUIOp::create(b, loc, arith::AddIOp::create(b, loc, from, constant(kBlockLength)), constant(elements));
    emitter->openScope({}, blockLoop);
    scf::ForOp loop = openLoop(b, loc, from, to, constant(1), {start(block)});
    emitter->openScope({{0u, loop.getInductionVar()}}, loop);
    Value next = step(loop.getRegionIterArg(0), loop.getInductionVar(), isNonzero());
    emitter->closeScope(loop);
    closeLoop(b, loop, {next});
    done(block, loop.getResult(0));
    emitter->closeScope(blockLoop);
    closeLoop(b, blockLoop);
  }

  Value isNonzero() {
    Value element = emitter->emit(op.getInput(), index);
    if (!element) {
      failed = true;
      return arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
    }
    ir::ScalarOps ops(b, loc, type.getElementType());
    return ops.getKind().isBool() ? element : ops.compare(ir::CompareDirection::NE, element, ops.constant(0, element));
  }

  void buildCounts() {
    buildPhase("_count", blocks, [&] {
      forBlocks([&](Value) { return number(0); },
                [&](Value count, Value, Value isNonzero) -> Value {
                  Value one = arith::ExtUIOp::create(b, loc, b.getI64Type(), isNonzero);
                  return arith::AddIOp::create(b, loc, count, one);
                },
                [&](Value block, Value count) { memref::StoreOp::create(b, loc, count, counts, block); });
    });
  }

  /// The count of a block becomes the number of the rows before it.
  void buildOffsets() {
    buildPhase("_offsets", 1, [&] {
      scf::ForOp task = openLoop(b, loc, arguments->begin, arguments->end, constant(1));
      scf::ForOp loop = openLoop(b, loc, constant(0), constant(blocks), constant(1), {number(0)});
      Value before = loop.getRegionIterArg(0), block = loop.getInductionVar();
      Value count = memref::LoadOp::create(b, loc, counts, block);
      memref::StoreOp::create(b, loc, before, counts, block);
      closeLoop(b, loop, {Value(arith::AddIOp::create(b, loc, before, count))});
      if (Value buffer = bufferOf(op.getCount(), arguments->results))
        memref::StoreOp::create(b, loc, loop.getResult(0), buffer, constant(0));
      closeLoop(b, task);
    });
  }

  void buildFill() {
    const int64_t size = rows * type.getRank();
    buildPhase("_fill", ceilDivide(size, kBlockLength), [&] {
      Value buffer = bufferOf(op.getIndices(), arguments->results);
      Value each = constant(kBlockLength);
      Value from = arith::MulIOp::create(b, loc, arguments->begin, each);
      Value to = arith::MinUIOp::create(b, loc, arith::MulIOp::create(b, loc, arguments->end, each), constant(size));
      scf::ForOp loop = openLoop(b, loc, from, to, constant(1));
      memref::StoreOp::create(b, loc, number(-1), buffer, loop.getInductionVar());
      closeLoop(b, loop);
    });
  }

  void buildRows() {
    buildPhase("", rows * type.getRank() == 0 ? 0 : blocks, [&] {
      Value buffer = bufferOf(op.getIndices(), arguments->results);
      forBlocks([&](Value block) -> Value { return memref::LoadOp::create(b, loc, counts, block); },
                [&](Value row, Value position, Value isNonzero) -> Value {
                  Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, row, number(rows));
                  auto choice = scf::IfOp::create(b, loc, arith::AndIOp::create(b, loc, isNonzero, fits),
                                                  /*withElseRegion=*/false);
                  {
                    OpBuilder::InsertionGuard guard(b);
                    b.setInsertionPoint(choice.thenBlock()->getTerminator());
                    Value line = arith::IndexCastOp::create(b, loc, b.getIndexType(), row);
                    Value place = arith::MulIOp::create(b, loc, line, constant(type.getRank()));
                    for (auto [k, part] : llvm::enumerate(delinearize(b, loc, position, type.getShape())))
                      memref::StoreOp::create(b, loc, arith::IndexCastOp::create(b, loc, b.getI64Type(), part), buffer,
                                              Value(arith::AddIOp::create(b, loc, place, constant(k))));
                  }
                  Value one = arith::ExtUIOp::create(b, loc, b.getI64Type(), isNonzero);
                  return arith::AddIOp::create(b, loc, row, one);
                },
                [](Value, Value) {});
    });
  }

  OpBuilder &atModule;
  ir::FusedOp fused;
  ir::NonzeroOp op;
  StringRef name;
  Location loc;
  MLIRContext *context;
  OpBuilder b;
  RankedTensorType type;
  int64_t elements, blocks, rows;
  bool failed = false;
  ElementIndex index;
  Value counts;
  std::optional<PhaseArguments> arguments;
  std::optional<ElementEmitter> emitter;
  KernelCode code;
};

} // namespace

FailureOr<KernelCode> compiler::buildNonzeroKernel(OpBuilder &atModule, ir::FusedOp fused, ir::NonzeroOp op,
                                                   StringRef name, const CpuTargetInfo &) {
  return NonzeroBuilder(atModule, fused, op, name).build();
}
