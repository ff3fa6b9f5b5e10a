// Loops of reductions and of reductions over windows.
#include "passes/PerOp/Kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace burn::compiler::perop {
namespace {

using core::OpCode;
using core::ReduceKind;

// Sums and products are formed in double and rounded once.
struct Sum {
  static constexpr double start = 0;
  static double of(double a, double b) { return a + b; }
};
struct Prod {
  static constexpr double start = 1;
  static double of(double a, double b) { return a * b; }
};
struct Max {
  static constexpr double start = -std::numeric_limits<double>::infinity();
  static double of(double a, double b) {
    return a != a ? a : b != b ? b : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
  }
};
struct Min {
  static constexpr double start = std::numeric_limits<double>::infinity();
  static double of(double a, double b) {
    return a != a ? a : b != b ? b : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
  }
};

template <typename T> double wide(T x) {
  if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
    return static_cast<float>(x);
  else
    return x;
}

/// Where the elements of a reduction stand: `line` neighbouring ones, which are reduced or kept, at each sum of an
/// offset of the results and one of the terms.
struct Plan {
  std::vector<int64_t> kept, terms;
  int64_t line = 1;
  bool reducesLine = true;
};

// Lines of results that are computed at a time.
constexpr int64_t kBlock = 512;
constexpr int64_t kTaskElements = 16384;

template <typename Op, typename T> void reduce(const Plan &plan, const T *x, T *out, const Threads &threads) {
  const int64_t termCount = static_cast<int64_t>(plan.terms.size());
  if (plan.reducesLine) {
    const int64_t rows = static_cast<int64_t>(plan.kept.size());
    const int64_t grain = std::max<int64_t>(1, kTaskElements / std::max<int64_t>(1, termCount * plan.line));
    threads.run((rows + grain - 1) / grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin * grain; row < std::min(rows, end * grain); ++row) {
        double parts[8];
        std::fill_n(parts, 8, Op::start);
        for (int64_t term : plan.terms) {
          const T *line = x + plan.kept[row] + term;
          int64_t i = 0;
          for (; i + 8 <= plan.line; i += 8)
            for (int64_t lane = 0; lane < 8; ++lane)
              parts[lane] = Op::of(parts[lane], wide(line[i + lane]));
          for (; i < plan.line; ++i)
            parts[0] = Op::of(parts[0], wide(line[i]));
        }
        for (int64_t lane = 1; lane < 8; ++lane)
          parts[0] = Op::of(parts[0], parts[lane]);
        out[row] = static_cast<T>(parts[0]);
      }
    });
    return;
  }
  const int64_t blocks = (plan.line + kBlock - 1) / kBlock;
  threads.run(static_cast<int64_t>(plan.kept.size()) * blocks, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t row = task / blocks, first = task % blocks * kBlock;
      const int64_t count = std::min(kBlock, plan.line - first);
      double sums[kBlock];
      std::fill_n(sums, count, Op::start);
      for (int64_t term : plan.terms) {
        const T *line = x + plan.kept[row] + term + first;
        for (int64_t i = 0; i < count; ++i)
          sums[i] = Op::of(sums[i], wide(line[i]));
      }
      for (int64_t i = 0; i < count; ++i)
        out[row * plan.line + first + i] = static_cast<T>(sums[i]);
    }
  });
}

/// Where the windows of one plane stand: for each result the places of its elements within the plane, and the index
/// that each is called by.
struct Windows {
  std::vector<int64_t> first; // of each result, and the end
  std::vector<int64_t> places, names;
};

struct WindowAttrs {
  std::span<const int64_t> window, strides, low, base, dilation, indexDims;
};

// The first `planes` dimensions are no part of any window.
unsigned leadingPlanes(const Shape &shape, const Shape &result, const WindowAttrs &attrs) {
  unsigned planes = 0;
  for (; planes < shape.rank(); ++planes) {
    const bool plain = attrs.window[planes] == 1 && attrs.strides[planes] == 1 && attrs.low[planes] == 0 &&
                       (attrs.base.empty() || attrs.base[planes] == 1) && shape[planes] == result[planes] &&
                       std::ranges::find(attrs.indexDims, static_cast<int64_t>(planes)) == attrs.indexDims.end();
    if (!plain)
      break;
  }
  return planes;
}

// Calls `fn(index)` for all indices over dimensions [first, rank), in row-major order.
template <typename Fn> void forEachIndex(std::span<const int64_t> sizes, unsigned first, Fn fn) {
  Index index{};
  for (int64_t size : sizes.subspan(first))
    if (size == 0)
      return;
  for (;;) {
    fn(static_cast<const Index &>(index));
    unsigned d = static_cast<unsigned>(sizes.size());
    while (d-- > first) {
      if (++index[d] < sizes[d])
        break;
      index[d] = 0;
      if (d == first)
        return;
    }
    if (sizes.size() == first)
      return;
  }
}

Windows makeWindows(const Shape &shape, const Shape &result, const WindowAttrs &attrs, unsigned planes) {
  const Index strides = stridesOf(shape);
  Index names{};
  int64_t stride = 1;
  for (size_t k = attrs.indexDims.size(); k-- > 0; stride *= shape[attrs.indexDims[k]])
    names[attrs.indexDims[k]] = stride;
  Windows windows;
  windows.first.push_back(0);
  forEachIndex(result.dims(), planes, [&](const Index &at) {
    forEachIndex(attrs.window, planes, [&](const Index &within) {
      int64_t place = 0, name = 0;
      for (unsigned i = planes; i < shape.rank(); ++i) {
        const int64_t step = attrs.base.empty() ? 1 : attrs.base[i];
        const int64_t spot = at[i] * attrs.strides[i] + within[i] * attrs.dilation[i] - attrs.low[i];
        if (spot < 0 || spot % step || spot / step >= shape[i])
          return;
        place += spot / step * strides[i];
        name += spot / step * names[i];
      }
      windows.places.push_back(place);
      windows.names.push_back(name);
    });
    windows.first.push_back(static_cast<int64_t>(windows.places.size()));
  });
  return windows;
}

// Calls `fn(x of the plane, first result of the plane)` for each plane.
template <typename T, typename Fn>
void forEachPlane(const Tensor &input, const Windows &windows, int64_t planes, int64_t results, const Threads &threads,
                  Fn fn) {
  const int64_t size = planes ? input.type.numel() / planes : 0;
  const int64_t grain =
      std::max<int64_t>(1, kTaskElements / std::max<int64_t>(1, static_cast<int64_t>(windows.places.size())));
  threads.run((planes + grain - 1) / grain, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin * grain; plane < std::min(planes, end * grain); ++plane)
      fn(input.as<T>() + plane * size, plane * results);
  });
}

template <typename T> bool isBetter(core::ExtremumKind kind, double best, T candidate) {
  const double value = wide(candidate);
  if (best != best)
    return false;
  return value != value || (kind == core::ExtremumKind::Max ? value > best : value < best);
}

template <typename Fn> bool visitFloat(DType dtype, Fn fn) {
  if (!isFloat(dtype))
    return false;
  visitDType(dtype, [&]<typename T>(T zero) {
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, f16> || std::is_same_v<T, bf16>)
      fn(zero);
  });
  return true;
}

// Calls `fn` with the combiner of a kind that floats have; returns false where there is none.
template <typename Fn> bool visitKind(ReduceKind kind, Fn fn) {
  switch (kind) {
  case ReduceKind::Sum:
    fn(Sum());
    return true;
  case ReduceKind::Prod:
    fn(Prod());
    return true;
  case ReduceKind::Max:
    fn(Max());
    return true;
  case ReduceKind::Min:
    fn(Min());
    return true;
  default:
    return false;
  }
}

// More would be a table larger than the tensors.
constexpr int64_t kMostPlaces = int64_t(1) << 24;

} // namespace

bool computeReduction(std::span<const Tensor> operands, std::span<const int64_t> words, const Tensor &result,
                      const Threads &threads) {
  const auto attrs = core::ReduceAttrs::decode(words);
  const Tensor &input = operands[0];
  const Shape &shape = input.type.shape;
  if (!attrs || !isFloat(input.type.dtype) || input.type.numel() == 0)
    return false;
  std::vector<int64_t> kept, reduced;
  for (int64_t i = 0; i < shape.rank(); ++i)
    (std::ranges::find(attrs->dims, i) != attrs->dims.end() ? reduced : kept).push_back(i);
  // The last dimensions of one kind are the line.
  Plan plan;
  if (shape.rank()) {
    plan.reducesLine = !reduced.empty() && reduced.back() == shape.rank() - 1;
    std::vector<int64_t> &list = plan.reducesLine ? reduced : kept;
    for (int64_t dim = shape.rank(); dim-- > 0 && !list.empty() && list.back() == dim; list.pop_back())
      plan.line *= shape[dim];
  }
  plan.kept = offsetsOver(shape, kept);
  plan.terms = offsetsOver(shape, reduced);
  return visitKind(attrs->kind, [&]<typename Op>(Op) {
    visitFloat(input.type.dtype, [&]<typename T>(T) { reduce<Op, T>(plan, input.as<T>(), result.as<T>(), threads); });
  });
}

bool computeWindows(OpCode op, std::span<const Tensor> operands, std::span<const int64_t> words,
                    std::span<const Tensor> results, const Threads &threads) {
  const Tensor &input = operands[0];
  const Shape &shape = input.type.shape, &out = results[0].type.shape;
  WindowAttrs windowAttrs;
  const auto plain = core::ReduceWindowAttrs::decode(words);
  const auto arg = core::ArgReduceWindowAttrs::decode(words);
  if (op == OpCode::ReduceWindow && plain)
    windowAttrs = {plain->window, plain->strides, plain->pad_low, plain->base_dilation, plain->window_dilation, {}};
  else if (op == OpCode::ArgReduceWindow && arg)
    windowAttrs = {arg->window, arg->strides, arg->pad_low, {}, arg->window_dilation, arg->index_dims};
  else
    return false;
  if (!isFloat(input.type.dtype) || out.numel() == 0)
    return false;
  const unsigned leading = leadingPlanes(shape, out, windowAttrs);
  int64_t planes = 1;
  for (unsigned i = 0; i < leading; ++i)
    planes *= shape[i];
  const int64_t perPlane = out.numel() / planes;
  if (perPlane > kMostPlaces / std::max<int64_t>(1, Shape(windowAttrs.window).numel()))
    return false;
  const Windows windows = makeWindows(shape, out, windowAttrs, leading);
  if (op == OpCode::ReduceWindow)
    return visitKind(plain->kind, [&]<typename Op>(Op) {
      visitFloat(input.type.dtype, [&]<typename T>(T) {
        forEachPlane<T>(input, windows, planes, perPlane, threads, [&](const T *x, int64_t first) {
          for (int64_t i = 0; i < perPlane; ++i) {
            double value = Op::start;
            for (int64_t at = windows.first[i]; at < windows.first[i + 1]; ++at)
              value = Op::of(value, wide(x[windows.places[at]]));
            results[0].as<T>()[first + i] = static_cast<T>(value);
          }
        });
      });
    });
  const double worst = arg->kind == core::ExtremumKind::Max ? Max::start : Min::start;
  return visitFloat(input.type.dtype, [&]<typename T>(T) {
    forEachPlane<T>(input, windows, planes, perPlane, threads, [&](const T *x, int64_t first) {
      for (int64_t i = 0; i < perPlane; ++i) {
        double best = worst;
        int64_t name = -1;
        for (int64_t at = windows.first[i]; at < windows.first[i + 1]; ++at)
          if (name < 0 || isBetter(arg->kind, best, x[windows.places[at]])) {
            best = wide(x[windows.places[at]]);
            name = windows.names[at];
          }
        results[0].as<T>()[first + i] = static_cast<T>(best);
        results[1].as<int64_t>()[first + i] = name;
      }
    });
  });
}

} // namespace burn::compiler::perop
