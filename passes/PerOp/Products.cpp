// Products of tensors and convolutions: both are products of matrices whose elements are gathered, block by block.
#include "passes/PerOp/Kernels.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>

#if defined(__x86_64__) && defined(__has_attribute)
#if __has_attribute(target_clones)
// The compiler is built for the least processor that it runs on; the inner loop is not.
#define BURN_FOR_EACH_LEVEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif
#endif
#ifndef BURN_FOR_EACH_LEVEL
#define BURN_FOR_EACH_LEVEL
#endif

namespace burn::compiler::perop {
namespace {

using core::OpCode;
using Dims = std::span<const int64_t>;

// A tile of the result is 6 rows by a vector of 64 bytes; a block of terms by columns of the right matrix stays in the
// second-level cache while all rows go over it.
constexpr int64_t kRows = 6;
template <typename C> constexpr int64_t kLanes = 64 / sizeof(C);
constexpr int64_t kTerms = 256, kColumns = 64, kRowBlock = 192;

// A matrix product may contract: its bounds hold with one rounding less as well.
#pragma clang fp contract(fast)

// sums[row][lane] += left[term][row] * right[term][lane] over all terms; rows of `sums` are `pitch` apart.
#define BURN_MULTIPLY_TILE(NAME, C)                                                                                    \
  BURN_FOR_EACH_LEVEL void NAME(const C *left, const C *right, int64_t terms, C *sums, int64_t pitch) {                \
    typedef C Vector __attribute__((vector_size(64)));                                                                 \
    Vector held[kRows];                                                                                                \
    for (int64_t row = 0; row < kRows; ++row)                                                                          \
      std::memcpy(&held[row], sums + row * pitch, sizeof(Vector));                                                     \
    for (int64_t term = 0; term < terms; ++term, left += kRows, right += kLanes<C>) {                                  \
      Vector lanes;                                                                                                    \
      std::memcpy(&lanes, right, sizeof lanes);                                                                        \
      for (int64_t row = 0; row < kRows; ++row)                                                                        \
        held[row] += left[row] * lanes;                                                                                \
    }                                                                                                                  \
    for (int64_t row = 0; row < kRows; ++row)                                                                          \
      std::memcpy(sums + row * pitch, &held[row], sizeof(Vector));                                                     \
  }
BURN_MULTIPLY_TILE(multiplyTileF32, float)
BURN_MULTIPLY_TILE(multiplyTileF64, double)
#undef BURN_MULTIPLY_TILE

inline void multiplyTile(const float *left, const float *right, int64_t terms, float *sums, int64_t pitch) {
  multiplyTileF32(left, right, terms, sums, pitch);
}
inline void multiplyTile(const double *left, const double *right, int64_t terms, double *sums, int64_t pitch) {
  multiplyTileF64(left, right, terms, sums, pitch);
}

/// One product of matrices for each entry of `batches`.
struct Product {
  struct Batch {
    int64_t left, right, result;
  };
  std::vector<Batch> batches;
  Offsets leftRows, leftTerms;
  Offsets rightTerms, rightColumns;
  /// Of convolutions: the place of the input element for each tap and place, -1 in the padding. Terms are then taps of
  /// each feature, and columns are places of each image.
  Offsets sources;
  int64_t taps = 0, places = 0;
  Offsets resultRows, resultColumns;
};

template <typename C> struct Free {
  void operator()(C *data) const { std::free(data); }
};
template <typename C> using Block = std::unique_ptr<C[], Free<C>>;

template <typename C> Block<C> makeBlock(int64_t count) {
  const size_t bytes = (std::max<int64_t>(count, 1) * sizeof(C) + 63) / 64 * 64;
  return Block<C>(static_cast<C *>(std::aligned_alloc(64, bytes)));
}

template <typename C, typename T> C wide(T x) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return static_cast<float>(x);
  else
    return x;
}

// Rows [first, first + count) of the left matrix, in panels of kRows, each with all terms of a row's panel together.
template <typename C, typename T>
void packLeft(const Product &product, const T *left, int64_t first, int64_t count, int64_t term, int64_t terms,
              C *packed) {
  for (int64_t panel = 0; panel < count; panel += kRows)
    for (int64_t k = 0; k < terms; ++k)
      for (int64_t row = 0; row < kRows; ++row)
        *packed++ = panel + row < count
                        ? wide<C>(left[product.leftRows[first + panel + row] + product.leftTerms[term + k]])
                        : C(0);
}

// Columns [first, first + count) of the right matrix, in panels of a vector.
template <typename C, typename T>
void packRight(const Product &product, const T *right, int64_t first, int64_t count, int64_t term, int64_t terms,
               C *packed) {
  constexpr int64_t lanes = kLanes<C>;
  for (int64_t panel = 0; panel < count; panel += lanes) {
    const int64_t used = std::min(lanes, count - panel);
    const int64_t *columns = product.rightColumns.data() + first + panel;
    const bool together = columns[used - 1] - columns[0] == used - 1;
    int64_t placeOf[lanes] = {};
    if (product.taps)
      for (int64_t lane = 0; lane < used; ++lane)
        placeOf[lane] = (first + panel + lane) % product.places;
    for (int64_t k = term; k < term + terms; ++k, packed += lanes) {
      const T *row = right + product.rightTerms[k];
      if (product.taps) {
        const int64_t *sources = product.sources.data() + k % product.taps * product.places;
        for (int64_t lane = 0; lane < used; ++lane) {
          const int64_t source = sources[placeOf[lane]];
          packed[lane] = source < 0 ? C(0) : wide<C>(row[columns[lane] + source]);
        }
      } else if (together) {
        for (int64_t lane = 0; lane < used; ++lane)
          packed[lane] = wide<C>(row[columns[0] + lane]);
      } else {
        for (int64_t lane = 0; lane < used; ++lane)
          packed[lane] = wide<C>(row[columns[lane]]);
      }
      for (int64_t lane = used; lane < lanes; ++lane)
        packed[lane] = C(0);
    }
  }
}

template <typename C, typename T>
bool multiply(const Product &product, const T *left, const T *right, T *out, const Threads &threads) {
  constexpr int64_t lanes = kLanes<C>;
  const int64_t rows = static_cast<int64_t>(product.leftRows.size());
  const int64_t columns = static_cast<int64_t>(product.rightColumns.size());
  const int64_t terms = static_cast<int64_t>(product.leftTerms.size());
  const int64_t rowBlocks = (rows + kRowBlock - 1) / kRowBlock, columnBlocks = (columns + kColumns - 1) / kColumns;
  const int64_t tasks = static_cast<int64_t>(product.batches.size()) * rowBlocks * columnBlocks;
  threads.run(tasks, [&](int64_t begin, int64_t end) {
    Block<C> packedLeft = makeBlock<C>((kRowBlock + kRows) * kTerms), packedRight = makeBlock<C>(kColumns * kTerms),
             sums = makeBlock<C>((kRowBlock + kRows) * kColumns);
    for (int64_t task = begin; task < end; ++task) {
      const Product::Batch &batch = product.batches[task / (rowBlocks * columnBlocks)];
      const int64_t firstRow = task / columnBlocks % rowBlocks * kRowBlock,
                    firstColumn = task % columnBlocks * kColumns;
      const int64_t rowCount = std::min(kRowBlock, rows - firstRow),
                    columnCount = std::min(kColumns, columns - firstColumn);
      std::fill_n(sums.get(), (kRowBlock + kRows) * kColumns, C(0));
      for (int64_t term = 0; term < terms; term += kTerms) {
        const int64_t count = std::min(kTerms, terms - term);
        packLeft<C>(product, left + batch.left, firstRow, rowCount, term, count, packedLeft.get());
        packRight<C>(product, right + batch.right, firstColumn, columnCount, term, count, packedRight.get());
        for (int64_t column = 0; column < columnCount; column += lanes)
          for (int64_t row = 0; row < rowCount; row += kRows)
            multiplyTile(packedLeft.get() + row * count, packedRight.get() + column * count, count,
                         sums.get() + row * kColumns + column, kColumns);
      }
      for (int64_t row = 0; row < rowCount; ++row) {
        T *target = out + batch.result + product.resultRows[firstRow + row];
        const C *line = sums.get() + row * kColumns;
        for (int64_t column = 0; column < columnCount; ++column)
          target[product.resultColumns[firstColumn + column]] = static_cast<T>(line[column]);
      }
    }
  });
  return true;
}

bool multiply(const Product &product, const Tensor &left, const Tensor &right, const Tensor &result,
              const Threads &threads) {
  switch (result.type.dtype) {
  case DType::F64:
    return multiply<double>(product, left.as<double>(), right.as<double>(), result.as<double>(), threads);
  case DType::F32:
    return multiply<float>(product, left.as<float>(), right.as<float>(), result.as<float>(), threads);
  case DType::F16:
    return multiply<float>(product, left.as<f16>(), right.as<f16>(), result.as<f16>(), threads);
  case DType::BF16:
    return multiply<float>(product, left.as<bf16>(), right.as<bf16>(), result.as<bf16>(), threads);
  default:
    return false;
  }
}

std::vector<int64_t> freeDims(const Shape &shape, Dims batch, Dims contract) {
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < shape.rank(); ++i)
    if (std::ranges::find(batch, i) == batch.end() && std::ranges::find(contract, i) == contract.end())
      dims.push_back(i);
  return dims;
}

bool dotGeneral(std::span<const Tensor> operands, const core::DotGeneralAttrs &attrs, const Tensor &result,
                const Threads &threads) {
  const Shape &lhs = operands[0].type.shape, &rhs = operands[1].type.shape;
  Product product;
  product.leftRows = offsetsOver(lhs, freeDims(lhs, attrs.lhs_batch, attrs.lhs_contract));
  product.leftTerms = offsetsOver(lhs, attrs.lhs_contract);
  product.rightTerms = offsetsOver(rhs, attrs.rhs_contract);
  product.rightColumns = offsetsOver(rhs, freeDims(rhs, attrs.rhs_batch, attrs.rhs_contract));
  const int64_t rows = static_cast<int64_t>(product.leftRows.size());
  const int64_t columns = static_cast<int64_t>(product.rightColumns.size());
  for (int64_t row = 0; row < rows; ++row)
    product.resultRows.push_back(row * columns);
  for (int64_t column = 0; column < columns; ++column)
    product.resultColumns.push_back(column);
  const Offsets lhsBatch = offsetsOver(lhs, attrs.lhs_batch), rhsBatch = offsetsOver(rhs, attrs.rhs_batch);
  for (size_t i = 0; i < lhsBatch.size(); ++i)
    product.batches.push_back({lhsBatch[i], rhsBatch[i], static_cast<int64_t>(i) * rows * columns});
  return multiply(product, operands[0], operands[1], result, threads);
}

// The kernel is the left matrix, output features by taps of each feature, and the input the right one, the same by
// places of each image.
bool convolution(std::span<const Tensor> operands, const core::ConvAttrs &attrs, const Tensor &result,
                 const Threads &threads) {
  const Shape &lhs = operands[0].type.shape, &rhs = operands[1].type.shape, &out = result.type.shape;
  if (lhs.numel() == 0 || rhs.numel() == 0)
    return false;
  const unsigned spatial = lhs.rank() - 2;
  const Index lhsStrides = stridesOf(lhs), rhsStrides = stridesOf(rhs), outStrides = stridesOf(out);
  const Offsets tapOffsets = offsetsOver(rhs, attrs.rhs_dims.subspan(2));
  const Offsets placeOffsets = offsetsOver(out, attrs.out_dims.subspan(2));
  const int64_t taps = static_cast<int64_t>(tapOffsets.size()), places = static_cast<int64_t>(placeOffsets.size());

  Product product;
  product.taps = taps;
  product.places = places;
  product.sources.reserve(taps * places);
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t place = 0; place < places; ++place) {
      int64_t offset = 0, restTap = tap, restPlace = place;
      for (unsigned i = spatial; i-- > 0 && offset >= 0;) {
        const int64_t dim = attrs.lhs_dims[2 + i], window = rhs[attrs.rhs_dims[2 + i]],
                      size = out[attrs.out_dims[2 + i]];
        const int64_t at =
            restPlace % size * attrs.strides[i] + restTap % window * attrs.rhs_dilation[i] - attrs.pad_low[i];
        const bool inside = at >= 0 && at % attrs.lhs_dilation[i] == 0 && at / attrs.lhs_dilation[i] < lhs[dim];
        offset = inside ? offset + at / attrs.lhs_dilation[i] * lhsStrides[dim] : -1;
        restTap /= window;
        restPlace /= size;
      }
      product.sources.push_back(offset);
    }

  const int64_t features = rhs[attrs.rhs_dims[1]], images = out[attrs.out_dims[0]];
  const int64_t groups = std::max(attrs.feature_groups, attrs.batch_groups), rows = out[attrs.out_dims[1]] / groups;
  for (int64_t row = 0; row < rows; ++row) {
    product.leftRows.push_back(row * rhsStrides[attrs.rhs_dims[0]]);
    product.resultRows.push_back(row * outStrides[attrs.out_dims[1]]);
  }
  for (int64_t feature = 0; feature < features; ++feature)
    for (int64_t tap = 0; tap < taps; ++tap) {
      product.leftTerms.push_back(feature * rhsStrides[attrs.rhs_dims[1]] + tapOffsets[tap]);
      product.rightTerms.push_back(feature * lhsStrides[attrs.lhs_dims[1]]);
    }
  for (int64_t image = 0; image < images; ++image)
    for (int64_t place = 0; place < places; ++place) {
      product.rightColumns.push_back(image * lhsStrides[attrs.lhs_dims[0]]);
      product.resultColumns.push_back(image * outStrides[attrs.out_dims[0]] + placeOffsets[place]);
    }
  for (int64_t group = 0; group < groups; ++group)
    product.batches.push_back({group * rows * rhsStrides[attrs.rhs_dims[0]],
                               (attrs.feature_groups > 1 ? group * features * lhsStrides[attrs.lhs_dims[1]] : 0) +
                                   (attrs.batch_groups > 1 ? group * images * lhsStrides[attrs.lhs_dims[0]] : 0),
                               group * rows * outStrides[attrs.out_dims[1]]});
  return multiply(product, operands[1], operands[0], result, threads);
}

} // namespace

bool computeProduct(OpCode op, std::span<const Tensor> operands, std::span<const int64_t> words, const Tensor &result,
                    const Threads &threads) {
  const DType dtype = result.type.dtype;
  if (operands[0].type.dtype != dtype || operands[1].type.dtype != dtype)
    return false;
  if (op == OpCode::DotGeneral)
    if (const auto attrs = core::DotGeneralAttrs::decode(words))
      return dotGeneral(operands, *attrs, result, threads);
  if (op == OpCode::Conv)
    if (const auto attrs = core::ConvAttrs::decode(words))
      return convolution(operands, *attrs, result, threads);
  return false;
}

} // namespace burn::compiler::perop
