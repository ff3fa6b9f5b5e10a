// Shared by the files that give ops their meaning; not for others.
//
// Elements are computed in one of five C++ types: double for every float (each operation on
// narrower floats, done in double and rounded once on storing, is correctly rounded), Complex,
// int64_t, uint64_t (integers wrap on storing) and bool.
#pragma once

#include "dialects/Burn/Interpreter/Evaluate.h"

#include <array>
#include <type_traits>

namespace burn::ir::meaning {

using core::Status;
using core::TypeDesc;
using Complex = std::complex<double>;

/// Elements of a tensor in a type to compute with. Booleans take a byte, since a packed vector has
/// no references.
template <typename C> using Elements = std::vector<std::conditional_t<std::is_same_v<C, bool>, uint8_t, C>>;

/// One op under evaluation.
struct Evaluation {
  std::span<const HostTensor *const> operands;
  std::span<const int64_t> words;
  std::span<const TypeDesc> types; // of the results, as held
  Precision precision;
  std::vector<HostTensor> &results; // one slot per result, of the right size

  const HostTensor &operand(size_t i) const { return *operands[i]; }
  HostTensor &result(size_t i = 0) { return results[i]; }
};

/// Calls `fn` with a value of the C++ type in which elements of the tensor are computed.
template <typename Fn> decltype(auto) visitCompute(const HostTensor &tensor, Fn &&fn) {
  if (tensor.isComplex)
    return fn(Complex());
  const DType dtype = tensor.type.dtype;
  if (isFloat(dtype))
    return fn(double());
  if (dtype == DType::Bool)
    return fn(bool());
  if (isSignedInt(dtype))
    return fn(int64_t());
  return fn(uint64_t());
}

/// The elements as `C`, which is the compute type of the tensor (or double for a real operand of a
/// complex evaluation).
template <typename C> Elements<C> load(const HostTensor &tensor) {
  Elements<C> values(tensor.numel());
  if (tensor.isComplex) {
    std::span<const Complex> source = tensor.data<Complex>();
    for (size_t i = 0; i < values.size(); ++i)
      if constexpr (std::is_same_v<C, Complex>)
        values[i] = source[i];
      else
        values[i] = static_cast<C>(source[i].real());
    return values;
  }
  visitDType(tensor.type.dtype, [&]<typename T>(T) {
    const T *source = reinterpret_cast<const T *>(tensor.bytes.data());
    for (size_t i = 0; i < values.size(); ++i)
      if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
        values[i] = static_cast<C>(static_cast<float>(source[i]));
      else
        values[i] = static_cast<C>(source[i]);
  });
  return values;
}

/// Stores one element, rounded or wrapped to the tensor's type.
template <typename C> void storeAt(HostTensor &tensor, int64_t i, C value) {
  if constexpr (std::is_same_v<C, Complex>) {
    assert(tensor.isComplex);
    tensor.data<Complex>()[i] = value;
  } else {
    if (tensor.isComplex) {
      tensor.data<Complex>()[i] = Complex(static_cast<double>(value));
      return;
    }
    visitDType(tensor.type.dtype, [&]<typename T>(T) { tensor.data<T>()[i] = static_cast<T>(value); });
  }
}

/// Stores all elements.
template <typename Values> void store(HostTensor &tensor, const Values &values) {
  using C = typename Values::value_type;
  if constexpr (!std::is_same_v<C, Complex>) {
    if (!tensor.isComplex) {
      visitDType(tensor.type.dtype, [&]<typename T>(T) {
        T *target = reinterpret_cast<T *>(tensor.bytes.data());
        for (size_t i = 0; i < values.size(); ++i)
          target[i] = static_cast<T>(values[i]);
      });
      return;
    }
  }
  for (size_t i = 0; i < values.size(); ++i)
    storeAt(tensor, static_cast<int64_t>(i), values[i]);
}

using Index = std::array<int64_t, Shape::maxRank>;

/// Row-major strides in elements.
inline Index stridesOf(const Shape &shape) {
  Index strides{};
  int64_t stride = 1;
  for (int i = static_cast<int>(shape.rank()) - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

/// Calls `fn(index)` for every index of the shape in row-major order.
template <typename Fn> void forEachIndex(const Shape &shape, Fn &&fn) {
  const int64_t count = shape.numel();
  Index index{};
  for (int64_t n = 0; n < count; ++n) {
    fn(static_cast<const Index &>(index));
    for (int d = static_cast<int>(shape.rank()) - 1; d >= 0; --d) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

/// Calls `fn(offset)` for every index of the shape in row-major order, `offset` being `base` plus the
/// index times `strides`.
template <typename Fn> void forEachOffset(const Shape &shape, int64_t base, const Index &strides, Fn &&fn) {
  const int64_t count = shape.numel();
  Index index{};
  int64_t offset = base;
  for (int64_t n = 0; n < count; ++n) {
    fn(offset);
    for (int d = static_cast<int>(shape.rank()) - 1; d >= 0; --d) {
      offset += strides[d];
      if (++index[d] < shape[d])
        break;
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

inline int64_t dot(const Index &index, const Index &strides, unsigned rank) {
  int64_t sum = 0;
  for (unsigned i = 0; i < rank; ++i)
    sum += index[i] * strides[i];
  return sum;
}

inline bool contains(std::span<const int64_t> dims, int64_t dim) {
  for (int64_t d : dims)
    if (d == dim)
      return true;
  return false;
}

using Function = Status (*)(Evaluation &);

/// Decodes the attributes that `fn` takes and calls it.
template <auto fn> struct Decoding;
template <typename Attrs, Status (*fn)(Evaluation &, const Attrs &)> struct Decoding<fn> {
  static Status call(Evaluation &evaluation) {
    core::Expected<Attrs> attrs = Attrs::decode(evaluation.words);
    if (!attrs)
      return attrs.status();
    return fn(evaluation, *attrs);
  }
};

// The meaning of an op by its code, or null where the family has no such op.
Function findElementwise(core::OpCode op);
Function findElementary(core::OpCode op);
Function findNumber(core::OpCode op);
Function findShape(core::OpCode op);
Function findIndexing(core::OpCode op);
Function findOrder(core::OpCode op);
Function findReduction(core::OpCode op);
Function findScan(core::OpCode op);
Function findContraction(core::OpCode op);
Function findWindow(core::OpCode op);
Function findRandom(core::OpCode op);
Function findNeural(core::OpCode op);
Function findControl(core::OpCode op);

} // namespace burn::ir::meaning
