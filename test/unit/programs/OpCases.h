// Single ops to compile: for each op, the types, shapes and values at which it is compared with the interpreter.
#pragma once

#include "tools/burn-fuzz/ProgramBuilder.h"
#include "tools/burn-fuzz/Values.h"

#include <functional>
#include <map>

namespace burn::test {

using namespace fuzz;

/// Ops that do not depend on each other, in one program, and its arguments.
class OpCases {
public:
  explicit OpCases(mlir::MLIRContext &context) : builder(context) {}

  mlir::Value input(const ir::HostTensor &value);
  mlir::Value input(const core::TypeDesc &type, Fill fill) { return input(randomTensor(type, fill, random)); }
  mlir::Value input(DType dtype, const Shape &shape, Fill fill = Fill::Tame) {
    return input(core::TypeDesc{dtype, shape}, fill);
  }
  mlir::Value indices(DType dtype, const Shape &shape, int64_t low, int64_t high) {
    return input(randomIntegers({dtype, shape}, low, high, random));
  }

  /// Adds an op; the test fails where its rule refuses it.
  mlir::Operation *add(core::OpCode code, llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<int64_t> words = {},
                       const core::TypeDesc *type = nullptr);
  template <typename Attrs>
  mlir::Operation *add(const Attrs &attrs, llvm::ArrayRef<mlir::Value> operands, const core::TypeDesc *type = nullptr) {
    llvm::SmallVector<int64_t> words;
    attrs.encode(words);
    return add(Attrs::op, operands, words, type);
  }

  Random random{2022};
  Tensors arguments;
  ProgramBuilder builder;
  std::vector<mlir::Value> results;
};

/// Adds the cases of an op.
using CaseTable = std::map<core::OpCode, std::function<void(OpCases &)>>;

// One function a family of ops.
void addElementwiseCases(CaseTable &table);
void addShapeCases(CaseTable &table);
void addIndexingCases(CaseTable &table);
void addReductionCases(CaseTable &table);
void addOrderCases(CaseTable &table);
void addScanCases(CaseTable &table);
void addContractionCases(CaseTable &table);
void addNeuralCases(CaseTable &table);
void addCompositeCases(CaseTable &table);

inline constexpr DType kFloats[] = {DType::F32, DType::F64, DType::F16, DType::BF16};
inline constexpr DType kIntegers[] = {DType::I32, DType::I64, DType::U8,  DType::U32,
                                      DType::U64, DType::I8,  DType::I16, DType::U16};
inline constexpr DType kNumbers[] = {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I64,
                                     DType::U8,  DType::U32, DType::U64, DType::I8,   DType::I16, DType::U16};
inline constexpr DType kBits[] = {DType::Bool, DType::I32, DType::I64, DType::U8, DType::U32,
                                  DType::U64,  DType::I8,  DType::I16, DType::U16};
/// All types that values are moved in.
inline constexpr DType kMoved[] = {DType::F32, DType::F64, DType::F16, DType::BF16, DType::Bool, DType::I32, DType::I64,
                                   DType::U8,  DType::U32, DType::U64, DType::I8,   DType::I16,  DType::U16};

} // namespace burn::test
