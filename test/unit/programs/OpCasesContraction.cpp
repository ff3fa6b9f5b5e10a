#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::OpCode;

namespace {

struct Dot {
  Shape lhs, rhs;
  Dims lhsBatch, rhsBatch, lhsContract, rhsContract;
};

const Dot kDots[] = {
    {Shape{5, 7}, Shape{7, 3}, {}, {}, {1}, {0}},
    {Shape{7, 5}, Shape{3, 7}, {}, {}, {0}, {1}},
    {Shape{3, 4, 9}, Shape{3, 9, 5}, {0}, {0}, {2}, {1}},
};

const Dot kMoreDots[] = {
    {Shape{}, Shape{}, {}, {}, {}, {}},
    {Shape{17}, Shape{17}, {}, {}, {0}, {0}},
    {Shape{17}, Shape{5}, {}, {}, {}, {}},
    {Shape{1, 1}, Shape{1, 1}, {}, {}, {1}, {0}},
    {Shape{0, 7}, Shape{7, 3}, {}, {}, {1}, {0}},
    {Shape{5, 0}, Shape{0, 3}, {}, {}, {1}, {0}}, // a sum of nothing
    {Shape{5, 7}, Shape{7, 0}, {}, {}, {1}, {0}},
    {Shape{1, 300}, Shape{300, 1}, {}, {}, {1}, {0}},
    {Shape{1, 67}, Shape{67, 131}, {}, {}, {1}, {0}},
    {Shape{131, 67}, Shape{67, 1}, {}, {}, {1}, {0}},
    {Shape{64, 31}, Shape{31, 64}, {}, {}, {1}, {0}},
    {Shape{13, 257}, Shape{257, 17}, {}, {}, {1}, {0}},
    {Shape{129, 511}, Shape{511, 65}, {}, {}, {1}, {0}},
    {Shape{64, 784}, Shape{128, 784}, {}, {}, {1}, {1}},
    {Shape{64, 128}, Shape{64, 784}, {}, {}, {0}, {0}},
    {Shape{4, 3, 9}, Shape{9, 5, 3}, {1}, {2}, {2}, {0}}, // batch in the middle
    {Shape{2, 3, 4, 5}, Shape{3, 5, 2, 6}, {0, 1}, {2, 0}, {3}, {1}},
    {Shape{4, 5, 6}, Shape{6, 5, 7}, {}, {}, {1, 2}, {1, 0}}, // two contracted dims
    {Shape{4, 5}, Shape{4, 5}, {0, 1}, {0, 1}, {}, {}},
    {Shape{3, 40, 20}, Shape{3, 20, 300}, {0}, {0}, {2}, {1}}, // tasks of columns, in several batches
    {Shape{0, 4, 5}, Shape{0, 5, 6}, {0}, {0}, {2}, {1}},
};

void addDot(OpCases &cases) {
  const auto add = [&](DType dtype, const Dot &d, Fill fill) {
    cases.add(core::DotGeneralAttrs{d.lhsBatch, d.rhsBatch, d.lhsContract, d.rhsContract},
              {cases.input(dtype, d.lhs, fill), cases.input(dtype, d.rhs, fill)});
  };
  for (DType dtype : kNumbers)
    for (const Dot &d : kDots)
      add(dtype, d, Fill::Tame);
  for (const Dot &d : kMoreDots)
    for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::I8})
      add(dtype, d, Fill::Tame);
  add(DType::F64, {Shape{33, 67}, Shape{67, 35}, {}, {}, {1}, {0}}, Fill::Tame);
  for (DType dtype : {DType::F32, DType::F16, DType::BF16})
    add(dtype, {Shape{33, 67}, Shape{67, 35}, {}, {}, {1}, {0}}, Fill::Spoilt);
  for (DType dtype : kIntegers)
    add(dtype, {Shape{33, 67}, Shape{67, 35}, {}, {}, {1}, {0}}, Fill::Wild); // wraps
}

struct Conv {
  Shape lhs, rhs;
  Dims strides = {}, low = {}, high = {}, lhsDilation = {}, rhsDilation = {};
  int64_t featureGroups = 1, batchGroups = 1;
  Dims lhsDims = {}, rhsDims = {}, outDims = {}; // empty: batch, feature, spatial
};

const Conv kConvs[] = {
    {.lhs = Shape{2, 3, 11}, .rhs = Shape{4, 3, 3}},
    {.lhs = Shape{2, 3, 9, 8}, .rhs = Shape{5, 3, 3, 2}, .strides = {2, 1}, .low = {1, 0}, .high = {0, 2}},
};

const Conv kMoreConvs[] = {
    {.lhs = Shape{3, 5}, .rhs = Shape{7, 5}}, // no spatial dims
    {.lhs = Shape{1, 1, 1}, .rhs = Shape{1, 1, 1}},
    {.lhs = Shape{0, 3, 5}, .rhs = Shape{4, 3, 3}},
    {.lhs = Shape{2, 0, 5}, .rhs = Shape{4, 0, 3}}, // no input features
    {.lhs = Shape{2, 3, 5}, .rhs = Shape{0, 3, 3}},
    {.lhs = Shape{2, 3, 5}, .rhs = Shape{4, 3, 7}}, // no window fits
    {.lhs = Shape{2, 3, 5}, .rhs = Shape{4, 3, 7}, .low = {3}, .high = {3}},
    {.lhs = Shape{2, 3, 9}, .rhs = Shape{4, 3, 3}, .low = {-2}, .high = {-1}},
    {.lhs = Shape{2, 3, 6}, .rhs = Shape{4, 3, 3}, .strides = {2}, .low = {2}, .high = {3}, .lhsDilation = {3}},
    {.lhs = Shape{2, 3, 12}, .rhs = Shape{4, 3, 3}, .strides = {3}, .rhsDilation = {4}},
    {.lhs = Shape{2, 6, 9, 9}, .rhs = Shape{4, 3, 3, 3}, .featureGroups = 2},
    {.lhs = Shape{2, 8, 9, 9}, .rhs = Shape{8, 1, 3, 3}, .low = {1, 1}, .high = {1, 1}, .featureGroups = 8},
    {.lhs = Shape{6, 3, 9, 9}, .rhs = Shape{4, 3, 3, 3}, .batchGroups = 2},
    {.lhs = Shape{4, 1, 28, 28}, .rhs = Shape{64, 1, 3, 3}},
    {.lhs = Shape{2, 64, 13, 13}, .rhs = Shape{64, 64, 3, 3}},
    // As the gradient of a kernel: batch and features change places, the window is as large as the input.
    {.lhs = Shape{4, 3, 12, 12},
     .rhs = Shape{4, 5, 10, 10},
     .lhsDims = {1, 0, 2, 3},
     .rhsDims = {1, 0, 2, 3},
     .outDims = {1, 0, 2, 3}},
    // Features last, as NHWC and HWIO.
    {.lhs = Shape{2, 9, 8, 3},
     .rhs = Shape{3, 2, 3, 5},
     .lhsDims = {0, 3, 1, 2},
     .rhsDims = {3, 2, 0, 1},
     .outDims = {0, 3, 1, 2}},
    {.lhs = Shape{2, 2, 5, 6, 4}, .rhs = Shape{3, 2, 2, 3, 2}, .strides = {1, 2, 1}},
    {.lhs = Shape{6, 4}, .rhs = Shape{6, 2}, .featureGroups = 2}, // no spatial dims, groups
    {.lhs = Shape{6, 4}, .rhs = Shape{6, 4}, .batchGroups = 3},
    {.lhs = Shape{1, 4, 3, 4, 5},
     .rhs = Shape{6, 2, 2, 3, 2},
     .strides = {1, 2, 1},
     .low = {2, -1, 0},
     .high = {1, 3, 2},
     .lhsDilation = {2, 1, 3},
     .rhsDilation = {1, 2, 2},
     .featureGroups = 2},
    {.lhs = Shape{4, 3, 3, 4, 3}, .rhs = Shape{6, 3, 2, 2, 2}, .low = {1, 0, 1}, .high = {0, 1, 1}, .batchGroups = 2},
    {.lhs = Shape{2, 2, 3, 2, 3, 2},
     .rhs = Shape{3, 2, 2, 2, 2, 1},
     .low = {1, 0, 1, 0},
     .high = {0, 1, 0, 0},
     .rhsDilation = {1, 1, 2, 1}},
    {.lhs = Shape{1, 2, 3, 2, 3, 2, 3},
     .rhs = Shape{2, 2, 2, 1, 2, 2, 2},
     .strides = {1, 1, 2, 1, 1},
     .low = {0, 0, 1, 1, 0},
     .high = {1, 0, 0, 0, 1},
     .lhsDilation = {1, 2, 1, 2, 1}},
    {.lhs = Shape{2, 3, 0, 5}, .rhs = Shape{4, 3, 2, 3}, .low = {2, 0}, .high = {1, 0}}, // padding alone
    {.lhs = Shape{2, 3, 5}, .rhs = Shape{4, 3, 0}},                                      // an empty window
};

// As the gradient of an input under strides: large enough to be cut into convolutions of an input without gaps.
const Conv kDilatedConvs[] = {
    {.lhs = Shape{2, 8, 9, 7}, .rhs = Shape{8, 8, 3, 3}, .low = {2, 1}, .high = {1, 2}, .lhsDilation = {2, 3}},
    {.lhs = Shape{2, 16, 9, 7}, .rhs = Shape{16, 16, 1, 1}, .high = {1, 1}, .lhsDilation = {2, 2}},
    {.lhs = Shape{6, 9, 8, 8},
     .rhs = Shape{5, 3, 8, 6},
     .strides = {1, 2},
     .low = {4, -1},
     .high = {3, 2},
     .lhsDilation = {4, 1},
     .rhsDilation = {1, 2},
     .lhsDims = {0, 3, 1, 2},
     .rhsDims = {3, 2, 0, 1},
     .outDims = {0, 3, 1, 2}},
};

// Images with their channels last, whose kernels read them where they stand.
Conv channelsLast(Conv conv) {
  const bool isLine = conv.lhs.rank() == 3;
  conv.lhsDims = conv.outDims = isLine ? Dims{0, 2, 1} : Dims{0, 3, 1, 2};
  conv.rhsDims = isLine ? Dims{2, 1, 0} : Dims{3, 2, 0, 1};
  return conv;
}
// As gradients of their kernels: the batch is added up over, and channels are its neighbours.
Conv kernelGradient(Conv conv) {
  conv.lhsDims = conv.rhsDims = conv.lhs.rank() == 3 ? Dims{2, 0, 1} : Dims{3, 0, 1, 2};
  conv.outDims = conv.lhs.rank() == 3 ? Dims{1, 2, 0} : Dims{2, 3, 0, 1};
  return conv;
}

const Conv kDirectConvs[] = {
    channelsLast({.lhs = Shape{2, 9, 8, 16}, .rhs = Shape{3, 3, 16, 24}, .low = {1, 1}, .high = {1, 1}}),
    channelsLast(
        {.lhs = Shape{3, 7, 13, 5}, .rhs = Shape{3, 2, 5, 19}, .strides = {2, 1}, .low = {1, 0}, .high = {0, 2}}),
    channelsLast({.lhs = Shape{1, 6, 7, 70}, .rhs = Shape{3, 3, 70, 133}, .low = {1, 1}, .high = {1, 1}}),
    channelsLast({.lhs = Shape{2, 17, 8}, .rhs = Shape{3, 8, 20}, .low = {1}, .high = {2}}),
    channelsLast({.lhs = Shape{5, 1, 28, 1}, .rhs = Shape{1, 3, 1, 32}}),
    channelsLast({.lhs = Shape{2, 11, 12, 8},
                  .rhs = Shape{3, 2, 8, 16},
                  .strides = {1, 2},
                  .low = {-1, 3},
                  .high = {2, -2},
                  .rhsDilation = {2, 3}}),
    channelsLast({.lhs = Shape{2, 30, 31, 3}, .rhs = Shape{11, 11, 3, 32}, .strides = {4, 4}}),
    channelsLast(
        {.lhs = Shape{2, 9, 10, 37}, .rhs = Shape{3, 3, 1, 37}, .low = {1, 1}, .high = {1, 1}, .featureGroups = 37}),
    channelsLast({.lhs = Shape{2, 9, 10, 64}, .rhs = Shape{5, 2, 1, 64}, .strides = {2, 1}, .featureGroups = 64}),
    channelsLast(
        {.lhs = Shape{2, 9, 8, 32}, .rhs = Shape{3, 3, 8, 48}, .low = {1, 0}, .high = {1, 0}, .featureGroups = 4}),
    // Small images of several to a tile, whose taps in the padding are left out; in blocks of channels; dilated.
    channelsLast({.lhs = Shape{8, 5, 6, 16}, .rhs = Shape{3, 3, 16, 24}, .low = {2, 2}, .high = {2, 2}}),
    channelsLast({.lhs = Shape{4, 10, 9, 160}, .rhs = Shape{3, 4, 160, 72}, .low = {2, 3}, .high = {1, 3}}),
    channelsLast({.lhs = Shape{10, 4, 5, 7},
                  .rhs = Shape{5, 3, 7, 9},
                  .strides = {1, 2},
                  .low = {4, 1},
                  .high = {3, 2},
                  .lhsDilation = {2, 1}}),
    channelsLast(
        {.lhs = Shape{6, 3, 3, 20}, .rhs = Shape{3, 3, 10, 8}, .low = {5, 1}, .high = {1, 5}, .featureGroups = 2}),
    // Dilated, as gradients of images under strides.
    channelsLast(
        {.lhs = Shape{2, 9, 7, 16}, .rhs = Shape{3, 3, 16, 24}, .low = {2, 1}, .high = {1, 2}, .lhsDilation = {2, 2}}),
    channelsLast(
        {.lhs = Shape{2, 5, 7, 8}, .rhs = Shape{4, 5, 8, 9}, .low = {3, 2}, .high = {1, 3}, .lhsDilation = {3, 1}}),
    channelsLast({.lhs = Shape{2, 5, 7, 40}, .rhs = Shape{1, 1, 40, 8}, .high = {1, 1}, .lhsDilation = {2, 2}}),
    channelsLast({.lhs = Shape{2, 5, 7, 33},
                  .rhs = Shape{3, 3, 1, 33},
                  .low = {1, 1},
                  .high = {2, 2},
                  .lhsDilation = {2, 2},
                  .featureGroups = 33}),
    kernelGradient({.lhs = Shape{3, 9, 10, 40}, .rhs = Shape{3, 9, 10, 70}, .low = {1, 1}, .high = {1, 1}}),
    kernelGradient({.lhs = Shape{3, 21, 19, 3}, .rhs = Shape{3, 9, 8, 24}, .rhsDilation = {2, 2}}),
    kernelGradient({.lhs = Shape{2, 14, 20}, .rhs = Shape{2, 14, 8}, .low = {2}, .high = {2}}),
    kernelGradient(
        {.lhs = Shape{2, 9, 8, 32}, .rhs = Shape{2, 9, 8, 48}, .low = {1, 1}, .high = {1, 1}, .batchGroups = 2}),
    kernelGradient(
        {.lhs = Shape{2, 9, 10, 37}, .rhs = Shape{2, 9, 10, 37}, .low = {1, 1}, .high = {1, 1}, .batchGroups = 37}),
    kernelGradient({.lhs = Shape{2, 15, 17, 300},
                    .rhs = Shape{2, 7, 6, 300},
                    .high = {1, 1},
                    .rhsDilation = {2, 2},
                    .batchGroups = 300}),
};

void addConv(OpCases &cases) {
  const auto add = [&](DType dtype, const Conv &c, Fill fill) {
    const size_t spatial = c.lhs.rank() - 2;
    const auto orElse = [&](const Dims &dims, int64_t value) { return dims.empty() ? Dims(spatial, value) : dims; };
    Dims order;
    for (unsigned i = 0; i < c.lhs.rank(); ++i)
      order.push_back(i);
    cases.add(core::ConvAttrs{.lhs_dims = c.lhsDims.empty() ? order : c.lhsDims,
                              .rhs_dims = c.rhsDims.empty() ? order : c.rhsDims,
                              .out_dims = c.outDims.empty() ? order : c.outDims,
                              .strides = orElse(c.strides, 1),
                              .pad_low = orElse(c.low, 0),
                              .pad_high = orElse(c.high, 0),
                              .lhs_dilation = orElse(c.lhsDilation, 1),
                              .rhs_dilation = orElse(c.rhsDilation, 1),
                              .feature_groups = c.featureGroups,
                              .batch_groups = c.batchGroups},
              {cases.input(dtype, c.lhs, fill), cases.input(dtype, c.rhs, fill)});
  };
  for (DType dtype : kNumbers)
    for (const Conv &c : kConvs)
      add(dtype, c, Fill::Tame);
  for (const Conv &c : kMoreConvs)
    for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::U8})
      add(dtype, c, Fill::Tame);
  for (DType dtype : {DType::F32, DType::F16, DType::BF16})
    add(dtype, kConvs[1], Fill::Spoilt);
  add(DType::F64, kMoreConvs[10], Fill::Tame);
  for (const Conv &c : kDirectConvs) {
    for (DType dtype : {DType::F32, DType::BF16, DType::U8})
      add(dtype, c, Fill::Tame);
    add(DType::F32, c, Fill::Spoilt);
  }
  add(DType::F64, kDirectConvs[0], Fill::Tame);
  add(DType::F64, kDirectConvs[18], Fill::Tame);
  for (const Conv &c : kDilatedConvs) {
    for (DType dtype : {DType::F32, DType::F16, DType::U8})
      add(dtype, c, Fill::Tame);
    add(DType::F32, c, Fill::Spoilt);
  }
}

} // namespace

void test::addContractionCases(CaseTable &table) {
  table[OpCode::DotGeneral] = addDot;
  table[OpCode::Conv] = addConv;
}
