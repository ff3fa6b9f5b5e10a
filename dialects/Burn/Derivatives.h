// What reverse-mode rules are written with (BurnDerivatives*.cpp); not for others.
#pragma once

#include "dialects/Burn/Burn.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace burn::ir::vjp {

using mlir::ImplicitLocOpBuilder;
using mlir::Value;
using Dims = llvm::ArrayRef<int64_t>;
using DimVector = llvm::SmallVector<int64_t>;

inline mlir::RankedTensorType typeOf(Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
inline Dims shapeOf(Value value) { return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape(); }

/// A constant of the type of `like` with one number everywhere, rounded to the element type.
Value splat(ImplicitLocOpBuilder &b, mlir::RankedTensorType type, double number);
inline Value splat(ImplicitLocOpBuilder &b, Value like, double number) { return splat(b, typeOf(like), number); }
inline Value zeros(ImplicitLocOpBuilder &b, Value like) { return splat(b, like, 0.0); }

/// A rank-0 constant of the element type of `like`.
Value scalar(ImplicitLocOpBuilder &b, Value like, double number);

inline Value neg(ImplicitLocOpBuilder &b, Value x) { return NegOp::create(b, x); }
inline Value add(ImplicitLocOpBuilder &b, Value x, Value y) { return AddOp::create(b, x, y); }
inline Value sub(ImplicitLocOpBuilder &b, Value x, Value y) { return SubOp::create(b, x, y); }
inline Value mul(ImplicitLocOpBuilder &b, Value x, Value y) { return MulOp::create(b, x, y); }
inline Value div(ImplicitLocOpBuilder &b, Value x, Value y) { return DivOp::create(b, x, y); }
inline Value select(ImplicitLocOpBuilder &b, Value predicate, Value onTrue, Value onFalse) {
  return SelectOp::create(b, predicate, onTrue, onFalse);
}
inline Value compare(ImplicitLocOpBuilder &b, CompareDirection direction, Value x, Value y) {
  return CompareOp::create(b, direction, x, y);
}
/// x times a number.
inline Value scale(ImplicitLocOpBuilder &b, Value x, double number) { return mul(b, x, splat(b, x, number)); }

/// Sum of two cotangents, either of which may be the symbolic zero.
inline Value plus(ImplicitLocOpBuilder &b, Value x, Value y) { return x && y ? add(b, x, y) : x ? x : y; }

/// The sum over dimensions, which disappear.
Value sumOver(ImplicitLocOpBuilder &b, Value x, Dims dims);

/// `x` repeated to `shape`; `dims[i]` is the place of dimension i. Returns `x` where nothing changes.
Value broadcast(ImplicitLocOpBuilder &b, Value x, Dims shape, Dims dims);

/// `x` of a shape that lacks the ascending `dims` of `shape`, repeated along those.
Value broadcastAlong(ImplicitLocOpBuilder &b, Value x, Dims shape, Dims dims);

/// Row-major reshape and permutation; each returns `x` where nothing changes.
Value reshape(ImplicitLocOpBuilder &b, Value x, Dims shape);
Value transpose(ImplicitLocOpBuilder &b, Value x, Dims perm);

/// A slice with unit strides along one dimension.
Value sliceDim(ImplicitLocOpBuilder &b, Value x, int64_t dim, int64_t start, int64_t size);

/// Indices along one dimension of `shape`, as i64.
Value iota(ImplicitLocOpBuilder &b, Dims shape, int64_t dim);

/// The cotangent of the input of a slice (a pad with zeros), of shape `shape`.
Value unslice(ImplicitLocOpBuilder &b, Value ct, Dims shape, Dims starts, Dims strides);

/// The cotangent of the input of a pad, of shape `shape`.
Value unpad(ImplicitLocOpBuilder &b, Value ct, Dims shape, Dims low, Dims high, Dims interior);

/// 0, 1, ... rank-1 without `dims`.
DimVector otherDims(int64_t rank, Dims dims);
DimVector range(int64_t begin, int64_t end);
DimVector inversePermutation(Dims perm);

/// Moves `dims` behind the other dimensions and joins them to one, and back.
struct JoinedDims {
  JoinedDims(Dims shape, Dims dims);
  Value join(ImplicitLocOpBuilder &b, Value x) const;
  Value split(ImplicitLocOpBuilder &b, Value joined) const;

  DimVector perm, permuted, joined; // shapes after transpose and after reshape
};

/// Along the last dimension of `x`: the product of all elements but the one at hand, in a way that
/// holds with zeros among them and has derivatives of any order.
Value productOfOthers(ImplicitLocOpBuilder &b, Value x);

} // namespace burn::ir::vjp
