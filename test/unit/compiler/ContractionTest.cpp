// Contractions against plain loops over the definition, with values whose sums are exact in every type: any wrong
// element, order of dimensions, or element counted twice shows as a difference.
#include "test/unit/compiler/ContractionKernels.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace burn::compiler;
using namespace burn::compiler::test;

namespace {

std::vector<CpuTarget> targets() {
  std::vector<CpuTarget> all = {avx2Target()};
  if (hostHasAvx512())
    all.push_back(avx512Target());
  return all;
}

/// Small integers, so that products and sums are exact even in f32.
template <typename T> std::vector<T> smallIntegers(int64_t count, uint32_t seed) {
  std::vector<T> values(count + 1);
  for (T &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = T(int(seed >> 24) % 17 - 8);
  }
  return values;
}

template <typename T> mlir::Type typeOf(mlir::MLIRContext *context) {
  if constexpr (std::is_same_v<T, float>)
    return mlir::Float32Type::get(context);
  else if constexpr (std::is_same_v<T, double>)
    return mlir::Float64Type::get(context);
  else
    return mlir::IntegerType::get(context, sizeof(T) * 8);
}

struct DotCase {
  std::vector<int64_t> lhsShape, rhsShape, lhsBatch, rhsBatch, lhsContract, rhsContract;
  DotGeometry geometry() const { return {lhsShape, rhsShape, lhsBatch, rhsBatch, lhsContract, rhsContract}; }

  template <typename T> std::vector<T> evaluate(const std::vector<T> &lhs, const std::vector<T> &rhs) const {
    std::vector<int64_t> lhsFree, rhsFree, outShape, sumShape;
    for (int64_t dim : lhsBatch)
      outShape.push_back(lhsShape[dim]);
    auto free = [](auto &shape, auto &batch, auto &contract) {
      std::vector<int64_t> dims;
      for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim)
        if (!llvm::is_contained(batch, dim) && !llvm::is_contained(contract, dim))
          dims.push_back(dim);
      return dims;
    };
    lhsFree = free(lhsShape, lhsBatch, lhsContract);
    rhsFree = free(rhsShape, rhsBatch, rhsContract);
    for (int64_t dim : lhsFree)
      outShape.push_back(lhsShape[dim]);
    for (int64_t dim : rhsFree)
      outShape.push_back(rhsShape[dim]);
    for (int64_t dim : lhsContract)
      sumShape.push_back(lhsShape[dim]);
    std::vector<T> out;
    for (int64_t o = 0; o < elements(outShape); ++o) {
      std::vector<int64_t> at = unflatten(o, outShape), l(lhsShape.size()), r(rhsShape.size());
      size_t next = 0;
      for (size_t i = 0; i < lhsBatch.size(); ++i, ++next)
        l[lhsBatch[i]] = r[rhsBatch[i]] = at[next];
      for (int64_t dim : lhsFree)
        l[dim] = at[next++];
      for (int64_t dim : rhsFree)
        r[dim] = at[next++];
      T sum = 0;
      for (int64_t k = 0; k < elements(sumShape); ++k) {
        std::vector<int64_t> step = unflatten(k, sumShape);
        for (size_t i = 0; i < step.size(); ++i)
          l[lhsContract[i]] = r[rhsContract[i]] = step[i];
        sum += lhs[flatten(l, lhsShape)] * rhs[flatten(r, rhsShape)];
      }
      out.push_back(sum);
    }
    return out;
  }
};

struct ConvCase {
  std::vector<int64_t> lhsShape, rhsShape, lhsDims, rhsDims, outDims;
  std::vector<int64_t> strides, padLow, padHigh, lhsDilation, rhsDilation;
  int64_t featureGroups = 1, batchGroups = 1;

  std::vector<int64_t> outShape() const {
    std::vector<int64_t> shape(lhsShape.size());
    shape[outDims[0]] = lhsShape[lhsDims[0]] / batchGroups;
    shape[outDims[1]] = rhsShape[rhsDims[0]];
    for (size_t i = 0; i < strides.size(); ++i) {
      int64_t in = (lhsShape[lhsDims[2 + i]] - 1) * lhsDilation[i] + 1 + padLow[i] + padHigh[i];
      int64_t window = (rhsShape[rhsDims[2 + i]] - 1) * rhsDilation[i] + 1;
      shape[outDims[2 + i]] = (in - window) / strides[i] + 1;
    }
    return shape;
  }

  template <typename T> std::vector<T> evaluate(const std::vector<T> &lhs, const std::vector<T> &rhs) const {
    std::vector<int64_t> shape = outShape(), taps;
    int64_t inFeatures = rhsShape[rhsDims[1]];
    int64_t groupFeatures = rhsShape[rhsDims[0]] / (featureGroups * batchGroups);
    for (size_t i = 0; i < strides.size(); ++i)
      taps.push_back(rhsShape[rhsDims[2 + i]]);
    std::vector<T> out;
    for (int64_t o = 0; o < elements(shape); ++o) {
      std::vector<int64_t> at = unflatten(o, shape), l(lhsShape.size()), r(rhsShape.size());
      int64_t feature = at[outDims[1]], group = feature / groupFeatures;
      T sum = 0;
      for (int64_t c = 0; c < inFeatures; ++c)
        for (int64_t k = 0; k < elements(taps); ++k) {
          std::vector<int64_t> tap = unflatten(k, taps);
          bool exists = true;
          l[lhsDims[0]] = at[outDims[0]] + (batchGroups > 1 ? group * shape[outDims[0]] : 0);
          l[lhsDims[1]] = c + (featureGroups > 1 ? group * inFeatures : 0);
          r[rhsDims[0]] = feature;
          r[rhsDims[1]] = c;
          for (size_t i = 0; i < strides.size(); ++i) {
            int64_t x = at[outDims[2 + i]] * strides[i] + tap[i] * rhsDilation[i] - padLow[i];
            exists &= x >= 0 && x % lhsDilation[i] == 0 && x / lhsDilation[i] < lhsShape[lhsDims[2 + i]];
            l[lhsDims[2 + i]] = x / lhsDilation[i];
            r[rhsDims[2 + i]] = tap[i];
          }
          if (exists)
            sum += lhs[flatten(l, lhsShape)] * rhs[flatten(r, rhsShape)];
        }
      out.push_back(sum);
    }
    return out;
  }

  Contraction contraction(const std::vector<int64_t> &shape) const {
    return makeConvContraction({lhsShape, rhsShape, shape, lhsDims, rhsDims, outDims, strides, padLow, lhsDilation,
                                rhsDilation, featureGroups, batchGroups});
  }
};

template <typename T>
void check(const Contraction &contraction, const ContractionTiling &tiling, const CpuTarget &target,
           const std::vector<T> &lhs, const std::vector<T> &rhs, const std::vector<T> &expected) {
  llvm::StringRef why;
  INFO(target.cpu << " tile " << tiling.tileRows << "x" << tiling.tileLanes << " block " << tiling.blockSteps
                  << " task " << tiling.taskRows << "x" << tiling.taskLanes << " pack " << tiling.packRows
                  << tiling.packLanes << " exchange " << tiling.exchange);
  bool legal = isTilingLegal(contraction, tiling, why);
  INFO(why.str());
  REQUIRE(legal);
  ContractionKernel kernel(contraction, tiling, target, typeOf<T>);
  REQUIRE(kernel.error == "");
  for (int64_t chunk : {int64_t(1) << 30, int64_t(1)}) {
    std::vector<T> out(expected.size() + 64, T(77));
    REQUIRE(kernel.run(lhs.data(), rhs.data(), out.data(), static_cast<T *>(nullptr), chunk));
    size_t wrong = 0;
    for (size_t i = 0; i < out.size(); ++i) {
      T right = i < expected.size() ? expected[i] : T(77);
      if (out[i] != right && wrong++ < 3)
        UNSCOPED_INFO("element " << i << " is " << out[i] << ", not " << right);
    }
    CHECK(wrong == 0);
  }
}

/// The chosen tiling, and variations of it that the choice did not take.
std::vector<ContractionTiling> tilings(const Contraction &contraction, int64_t bytes, const CpuTarget &target) {
  ContractionTiling chosen = chooseContractionTiling(contraction, bytes, infoOf(target));
  std::vector<ContractionTiling> all = {chosen};
  auto add = [&](auto change) {
    ContractionTiling tiling = chosen;
    change(tiling);
    llvm::StringRef why;
    if (!llvm::is_contained(all, tiling) && isTilingLegal(contraction, tiling, why))
      all.push_back(tiling);
  };
  add([](ContractionTiling &t) { t.packRows = t.packLanes = true; });
  add([](ContractionTiling &t) { t.packRows = t.packLanes = false; });
  add([](ContractionTiling &t) {
    t.tileRows = 3;
    t.tileLanes = 2 * t.vectorLanes;
    t.taskRows = 9;
    t.taskLanes = 4 * t.vectorLanes;
    t.packRows = t.packLanes = t.exchange = true;
    t.blockSteps = 13;
  });
  add([](ContractionTiling &t) {
    t.tileRows = 4;
    t.tileLanes = t.vectorLanes;
    t.taskRows = 18 * t.tileRows;
    t.taskLanes = 9 * t.tileLanes;
    t.packRows = t.packLanes = true;
    t.blockSteps = 1 << 20;
  });
  // Panels so wide that one is packed at a time, by the first tile of rows, for one task or for several.
  for (int64_t steps : {13, 1 << 20})
    add([&](ContractionTiling &t) {
      t.tileRows = 2;
      t.tileLanes = 64;
      t.taskRows = 6;
      t.taskLanes = 64;
      t.packLanes = true;
      t.blockSteps = steps;
    });
  add([](ContractionTiling &t) {
    t.exchange = !t.exchange;
    t.packRows = t.packLanes = true;
    t.tileRows = 4;
    t.tileLanes = t.vectorLanes;
    t.taskRows = 12;
    t.taskLanes = 1 << 20;
  });
  return all;
}

template <typename T> void checkDot(const DotCase &dot) {
  std::vector<T> lhs = smallIntegers<T>(elements(dot.lhsShape), 1), rhs = smallIntegers<T>(elements(dot.rhsShape), 2);
  std::vector<T> expected = dot.evaluate(lhs, rhs);
  Contraction contraction = makeDotContraction(dot.geometry());
  REQUIRE(contraction.outElements == int64_t(expected.size()));
  for (const CpuTarget &target : targets())
    for (const ContractionTiling &tiling : tilings(contraction, sizeof(T), target))
      check<T>(contraction, tiling, target, lhs, rhs, expected);
}

template <typename T> void checkConv(const ConvCase &conv) {
  std::vector<T> lhs = smallIntegers<T>(elements(conv.lhsShape), 3), rhs = smallIntegers<T>(elements(conv.rhsShape), 4);
  std::vector<T> expected = conv.evaluate(lhs, rhs);
  std::vector<int64_t> shape = conv.outShape();
  Contraction contraction = conv.contraction(shape);
  REQUIRE(contraction.outElements == int64_t(expected.size()));
  for (const CpuTarget &target : targets())
    for (const ContractionTiling &tiling : tilings(contraction, sizeof(T), target))
      check<T>(contraction, tiling, target, lhs, rhs, expected);
}

} // namespace

TEST_CASE("matrix products of odd and even sizes in all four layouts") {
  int64_t sizes[][3] = {{1, 1, 1},    {1, 17, 5},   {7, 1, 9},     {3, 5, 1},     {6, 64, 33},
                        {13, 70, 40}, {64, 10, 31}, {50, 129, 67}, {100, 300, 20}};
  for (auto [m, n, k] : sizes)
    for (bool lhsTransposed : {false, true})
      for (bool rhsTransposed : {false, true}) {
        DotCase dot;
        dot.lhsShape = lhsTransposed ? std::vector{k, m} : std::vector{m, k};
        dot.rhsShape = rhsTransposed ? std::vector{n, k} : std::vector{k, n};
        dot.lhsContract = {lhsTransposed ? 0 : 1};
        dot.rhsContract = {rhsTransposed ? 1 : 0};
        INFO(m << "x" << n << "x" << k << " " << lhsTransposed << rhsTransposed);
        checkDot<float>(dot);
      }
}

TEST_CASE("products of few rows with a wide right-hand side, and of a matrix with a vector") {
  // Larger than what is read in place: blocks of few steps, packed on one target and not on the other.
  checkDot<float>({{9, 200}, {200, 700}, {}, {}, {1}, {0}});
  // Lanes and steps beyond the last whole block that is turned in registers.
  checkDot<float>({{77, 45}, {45, 1}, {}, {}, {1}, {0}});
  checkDot<double>({{2, 77, 45}, {2, 45}, {0}, {0}, {2}, {1}});
  checkDot<int32_t>({{77, 3, 45}, {45, 3}, {}, {}, {2, 1}, {0, 1}});
}

TEST_CASE("products in other element types") {
  DotCase dot = {{9, 37}, {37, 21}, {}, {}, {1}, {0}};
  checkDot<double>(dot);
  checkDot<int32_t>(dot);
  checkDot<int64_t>(dot);
  DotCase transposed = {{37, 9}, {21, 37}, {}, {}, {0}, {1}};
  checkDot<double>(transposed);
  checkDot<int32_t>(transposed);
  checkDot<int64_t>(transposed);
}

TEST_CASE("products with batches, several free and several contracted dimensions") {
  checkDot<float>({{5, 7, 11}, {5, 11, 19}, {0}, {0}, {2}, {1}});
  // Batch last on one side, and free dimensions on both sides of it.
  checkDot<float>({{3, 7, 5, 4}, {6, 5, 3, 9}, {2}, {1}, {0}, {2}});
  checkDot<float>({{4, 3, 8, 5}, {5, 18, 3, 2}, {}, {}, {1, 3}, {2, 0}});
  // No free dimension on a side, and none at all.
  checkDot<float>({{23}, {23, 31}, {}, {}, {0}, {0}});
  checkDot<float>({{23, 40}, {40}, {}, {}, {1}, {0}});
  checkDot<float>({{40}, {40}, {}, {}, {0}, {0}});
  checkDot<float>({{6, 40}, {6, 40}, {0}, {0}, {1}, {1}});
  // Outer product.
  checkDot<float>({{13}, {19}, {}, {}, {}, {}});
}

TEST_CASE("products without elements to add or to write") {
  checkDot<float>({{4, 0}, {0, 6}, {}, {}, {1}, {0}});
  checkDot<float>({{0, 4}, {4, 6}, {}, {}, {1}, {0}});
  checkDot<float>({{2, 4}, {4, 0}, {}, {}, {1}, {0}});
}

namespace {

ConvCase conv2d(std::vector<int64_t> lhs, std::vector<int64_t> rhs) {
  ConvCase conv;
  conv.lhsShape = lhs;
  conv.rhsShape = rhs;
  conv.lhsDims = conv.rhsDims = conv.outDims = {0, 1, 2, 3};
  conv.strides = conv.lhsDilation = conv.rhsDilation = {1, 1};
  conv.padLow = conv.padHigh = {0, 0};
  return conv;
}

} // namespace

TEST_CASE("valid, padded, strided and dilated convolutions") {
  ConvCase conv = conv2d({3, 4, 9, 11}, {7, 4, 3, 3});
  checkConv<float>(conv);
  conv.padLow = {1, 2};
  conv.padHigh = {1, 0};
  checkConv<float>(conv);
  checkConv<double>(conv);
  conv.strides = {2, 1};
  checkConv<float>(conv);
  conv.strides = {1, 2};
  checkConv<float>(conv);
  conv.rhsDilation = {1, 2};
  checkConv<float>(conv);
  conv.rhsDilation = {2, 1};
  conv.strides = {2, 3};
  checkConv<float>(conv);
  conv.padLow = {-1, 2};
  conv.padHigh = {3, -2};
  checkConv<float>(conv);
  conv = conv2d({2, 1, 12, 12}, {5, 1, 3, 3});
  conv.padLow = {-2, -1};
  conv.padHigh = {-1, -1};
  checkConv<float>(conv);
  checkConv<int32_t>(conv);
}

TEST_CASE("convolutions over a dilated input, as gradients of strided ones are") {
  ConvCase conv = conv2d({2, 3, 5, 6}, {4, 3, 3, 3});
  conv.lhsDilation = {2, 1};
  conv.padLow = {2, 2};
  conv.padHigh = {1, 2};
  checkConv<float>(conv);
  conv.lhsDilation = {1, 2};
  checkConv<float>(conv);
  conv.lhsDilation = {3, 2};
  conv.padLow = {-1, 2};
  checkConv<float>(conv);
  conv.strides = {2, 1};
  conv.rhsDilation = {1, 2};
  checkConv<float>(conv);
}

TEST_CASE("convolutions as data and weight gradients write them") {
  // Data gradient: kernel features exchanged, full padding.
  ConvCase data = conv2d({3, 6, 7, 9}, {6, 5, 3, 3});
  data.rhsDims = {1, 0, 2, 3};
  data.padLow = data.padHigh = {2, 2};
  checkConv<float>(data);
  // Weight gradient: batch and feature exchanged everywhere.
  ConvCase weight = conv2d({3, 6, 9, 9}, {3, 5, 7, 7});
  weight.lhsDims = {1, 0, 2, 3};
  weight.rhsDims = {1, 0, 2, 3};
  weight.outDims = {1, 0, 2, 3};
  checkConv<float>(weight);
  weight.padLow = weight.padHigh = {1, 1};
  checkConv<float>(weight);
  // Of a strided convolution: the kernel is dilated.
  weight.rhsShape = {3, 5, 4, 4};
  weight.rhsDilation = {2, 2};
  checkConv<float>(weight);
}

TEST_CASE("convolutions in groups and other layouts") {
  ConvCase grouped = conv2d({2, 6, 8, 9}, {9, 2, 3, 3});
  grouped.featureGroups = 3;
  grouped.padLow = grouped.padHigh = {1, 1};
  checkConv<float>(grouped);
  ConvCase depthwise = conv2d({2, 5, 10, 9}, {5, 1, 3, 3});
  depthwise.featureGroups = 5;
  checkConv<float>(depthwise);
  ConvCase batches = conv2d({6, 4, 8, 9}, {9, 4, 3, 3});
  batches.batchGroups = 3;
  checkConv<float>(batches);
  // Channels last, kernel spatial first.
  ConvCase last = conv2d({2, 8, 9, 4}, {3, 3, 4, 20});
  last.lhsDims = last.outDims = {0, 3, 1, 2};
  last.rhsDims = {3, 2, 0, 1};
  checkConv<float>(last);
  last.padLow = last.padHigh = {1, 1};
  checkConv<float>(last);
  // Batch innermost, features between the spatial dimensions.
  ConvCase odd = conv2d({8, 4, 9, 3}, {4, 3, 5, 3});
  odd.lhsDims = {3, 1, 0, 2};
  odd.rhsDims = {2, 0, 1, 3};
  odd.outDims = {3, 1, 0, 2};
  odd.padLow = {1, 0};
  checkConv<float>(odd);
  ConvCase pointwise = conv2d({2, 7, 5, 6}, {9, 7, 1, 1});
  checkConv<float>(pointwise);
}

TEST_CASE("convolutions of other ranks, and over nothing") {
  ConvCase line;
  line.lhsShape = {2, 3, 40};
  line.rhsShape = {5, 3, 4};
  line.lhsDims = line.rhsDims = line.outDims = {0, 1, 2};
  line.strides = {3};
  line.padLow = {2};
  line.padHigh = {1};
  line.lhsDilation = line.rhsDilation = {1};
  checkConv<float>(line);
  ConvCase cube;
  cube.lhsShape = {2, 2, 4, 5, 6};
  cube.rhsShape = {3, 2, 2, 3, 2};
  cube.lhsDims = cube.rhsDims = cube.outDims = {0, 1, 2, 3, 4};
  cube.strides = {1, 2, 1};
  cube.padLow = {1, 0, 1};
  cube.padHigh = {0, 1, 1};
  cube.lhsDilation = {1, 1, 2};
  cube.rhsDilation = {1, 1, 1};
  checkConv<float>(cube);
  ConvCase none = conv2d({2, 0, 5, 5}, {3, 0, 3, 3});
  checkConv<float>(none);
}

TEST_CASE("sums run in order, one rounding a step, whatever the tiling") {
  DotCase dot = {{19, 300}, {300, 37}, {}, {}, {1}, {0}};
  std::vector<float> lhs(19 * 300), rhs(300 * 37), expected;
  uint32_t seed = 9;
  for (std::vector<float> *values : {&lhs, &rhs})
    for (float &value : *values) {
      seed = seed * 1664525u + 1013904223u;
      value = float(int32_t(seed)) * 0x1p-31f;
    }
  for (int m = 0; m < 19; ++m)
    for (int n = 0; n < 37; ++n) {
      float sum = 0;
      for (int k = 0; k < 300; ++k)
        sum = std::fma(lhs[m * 300 + k], rhs[k * 37 + n], sum);
      expected.push_back(sum);
    }
  Contraction contraction = makeDotContraction(dot.geometry());
  for (const CpuTarget &target : targets())
    for (const ContractionTiling &tiling : tilings(contraction, 4, target))
      check<float>(contraction, tiling, target, lhs, rhs, expected);
}

TEST_CASE("an epilogue sees every element once, with its place") {
  // out = sum + bias[channel] + scale[position], bias and scale in one tensor.
  ConvCase conv = conv2d({3, 4, 7, 8}, {10, 4, 3, 3});
  std::vector<int64_t> shape = conv.outShape();
  std::vector<float> lhs = smallIntegers<float>(elements(conv.lhsShape), 5),
                     rhs = smallIntegers<float>(elements(conv.rhsShape), 6), extra = smallIntegers<float>(64, 7);
  std::vector<float> expected = conv.evaluate(lhs, rhs);
  for (size_t i = 0; i < expected.size(); ++i) {
    std::vector<int64_t> at = unflatten(i, shape);
    expected[i] += extra[at[1]] + extra[at[3]] + extra[at[2] + 3 * at[0]];
  }
  auto epilogue = [&](const Contraction &contraction) {
    return [&contraction](mlir::OpBuilder &b, mlir::Location loc, const OutputVector &vector, mlir::Value extra,
                          mlir::Value out) {
      mlir::Value value = vector.value;
      for (std::vector<int64_t> strides : {std::vector<int64_t>{0, 1, 0, 0}, {0, 0, 0, 1}, {3, 0, 1, 0}})
        value = mlir::arith::AddFOp::create(b, loc, value, loadForOutput(b, loc, contraction, vector, extra, strides));
      storeOutput(b, loc, vector, value, out);
    };
  };
  Contraction contraction = conv.contraction(shape);
  for (const CpuTarget &target : targets())
    for (const ContractionTiling &tiling : tilings(contraction, 4, target)) {
      ContractionKernel kernel(contraction, tiling, target, typeOf<float>, 65, epilogue(contraction));
      REQUIRE(kernel.error == "");
      std::vector<float> out(expected.size());
      REQUIRE(kernel.run(lhs.data(), rhs.data(), out.data(), extra.data(), 2));
      CHECK(out == expected);
    }
}
