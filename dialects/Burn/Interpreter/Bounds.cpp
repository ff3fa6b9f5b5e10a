#include "dialects/Burn/Interpreter/Bounds.h"

#include "dialects/Burn/Interpreter/BoundsFormula.h"
#include "dialects/Burn/Interpreter/Evaluation.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::ir;
using core::OpCode;

namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

// Ascending by code.
constexpr OpBound table[] = {
    {OpCode::Exp, BoundKind::Ulps, 1},
    {OpCode::Expm1, BoundKind::Ulps, 2},
    {OpCode::Log, BoundKind::Ulps, 1},
    {OpCode::Log1p, BoundKind::Ulps, 2},
    {OpCode::Rsqrt, BoundKind::Ulps, 1},
    {OpCode::Tanh, BoundKind::Ulps, 2},
    {OpCode::Erf, BoundKind::Ulps, 2},
    {OpCode::Logistic, BoundKind::Ulps, 2},
    {OpCode::Cbrt, BoundKind::Ulps, 1},
    {OpCode::Sin, BoundKind::Ulps, 1},
    {OpCode::Cos, BoundKind::Ulps, 1},
    {OpCode::Tan, BoundKind::Ulps, 1},
    {OpCode::Asin, BoundKind::Ulps, 2},
    {OpCode::Acos, BoundKind::Ulps, 2},
    {OpCode::Atan, BoundKind::Ulps, 2},
    {OpCode::Sinh, BoundKind::Ulps, 2},
    {OpCode::Cosh, BoundKind::Ulps, 2},
    {OpCode::Asinh, BoundKind::Ulps, 2},
    {OpCode::Acosh, BoundKind::Ulps, 2},
    {OpCode::Atanh, BoundKind::Ulps, 2},
    {OpCode::Erfc, BoundKind::Ulps, 2},
    {OpCode::Pow, BoundKind::Ulps, 2},
    {OpCode::Powi, BoundKind::Ulps, 2},
    {OpCode::Atan2, BoundKind::Ulps, 1},
    {OpCode::Hypot, BoundKind::Ulps, 1},
    {OpCode::Erfinv, BoundKind::Ulps, 4},
    {OpCode::Lgamma, BoundKind::Formula},
    {OpCode::Digamma, BoundKind::Formula},
    {OpCode::Polygamma, BoundKind::Formula},
    {OpCode::Exp2, BoundKind::Ulps, 2},
    {OpCode::Log2, BoundKind::Ulps, 2},
    {OpCode::Log10, BoundKind::Ulps, 2},
    {OpCode::Scatter, BoundKind::Combination},
    {OpCode::Reduce, BoundKind::Combination},
    {OpCode::Moments, BoundKind::Formula},
    {OpCode::Scan, BoundKind::Combination},
    {OpCode::LinearScan, BoundKind::Combination},
    {OpCode::DotGeneral, BoundKind::Combination},
    {OpCode::Conv, BoundKind::Combination},
    {OpCode::ReduceWindow, BoundKind::Combination},
    {OpCode::Normal, BoundKind::Formula},
    {OpCode::Softmax, BoundKind::Formula},
    {OpCode::LogSoftmax, BoundKind::Formula},
    {OpCode::CrossEntropy, BoundKind::Formula},
    {OpCode::BatchNorm, BoundKind::Formula},
    {OpCode::Gelu, BoundKind::Ulps, 2},
    {OpCode::LayerNorm, BoundKind::Formula},
    {OpCode::GroupNorm, BoundKind::Formula},
    {OpCode::RmsNorm, BoundKind::Formula},
    {OpCode::Logsumexp, BoundKind::Formula},
    {OpCode::Silu, BoundKind::Formula},
    {OpCode::Softplus, BoundKind::Formula},
    {OpCode::Mish, BoundKind::Formula},
    {OpCode::Elu, BoundKind::Formula},
    {OpCode::Selu, BoundKind::Formula},
    {OpCode::Celu, BoundKind::Formula},
    {OpCode::HardSigmoid, BoundKind::Formula},
    {OpCode::HardSwish, BoundKind::Formula},
    {OpCode::LeakyRelu, BoundKind::Formula},
    {OpCode::LogSigmoid, BoundKind::Formula},
    {OpCode::Attention, BoundKind::Formula},
    {OpCode::AttentionGrad, BoundKind::Formula},
    {OpCode::Interpolate, BoundKind::Formula},
    {OpCode::Rope, BoundKind::Formula},
    {OpCode::AdamwUpdate, BoundKind::Formula},
    {OpCode::Dequantize, BoundKind::Formula},
};

std::vector<double> valuesOf(const HostTensor &tensor) { return meaning::load<double>(tensor); }

double greatestOf(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return std::numeric_limits<double>::max();
  case DType::F16:
    return 65504;
  default:
    return std::numeric_limits<float>::max();
  }
}

// A float's place among all floats of its type, in order; both zeros have place 0.
int64_t placeOf(const HostTensor &tensor, int64_t i) {
  auto place = [](int64_t magnitude, bool negative) { return negative ? -magnitude : magnitude; };
  switch (tensor.type.dtype) {
  case DType::F64: {
    const uint64_t bits = tensor.data<uint64_t>()[i];
    return place(static_cast<int64_t>(bits & (~uint64_t(0) >> 1)), bits >> 63);
  }
  case DType::F32: {
    const uint32_t bits = tensor.data<uint32_t>()[i];
    return place(bits & 0x7fffffffu, bits >> 31);
  }
  default: {
    const uint16_t bits = tensor.data<uint16_t>()[i];
    return place(bits & 0x7fffu, bits >> 15);
  }
  }
}

// Builds a comparison from a predicate over elements that are not both NaN.
template <typename Accepts>
Comparison compareElements(const HostTensor &expected, const HostTensor &actual, Accepts accepts,
                           std::span<const double> tolerances) {
  Comparison result;
  if (expected.type != actual.type) {
    result.mismatches = 1;
    result.message = "expected " + expected.type.str() + ", got " + actual.type.str();
    return result;
  }
  const std::vector<double> want = valuesOf(expected), got = valuesOf(actual);
  double worst = -1;
  for (size_t i = 0; i < want.size(); ++i) {
    if ((std::isnan(want[i]) && std::isnan(got[i])) || accepts(i, want[i], got[i]))
      continue;
    ++result.mismatches;
    double error = std::fabs(want[i] - got[i]);
    if (std::isnan(error))
      error = unbounded;
    if (error > worst) {
      worst = error;
      result.element = static_cast<int64_t>(i);
      result.expected = want[i];
      result.actual = got[i];
      result.tolerance = tolerances.empty() ? 0 : tolerances[tolerances.size() == 1 ? 0 : i];
    }
  }
  if (result.mismatches) {
    char text[256];
    std::snprintf(text, sizeof(text), "%lld of %lld elements differ, worst at %lld: expected %.17g, got %.17g",
                  static_cast<long long>(result.mismatches), static_cast<long long>(want.size()),
                  static_cast<long long>(result.element), result.expected, result.actual);
    result.message = text;
    if (!tolerances.empty()) {
      std::snprintf(text, sizeof(text), " (off by %.3g, allowed %.3g)", worst, result.tolerance);
      result.message += text;
    }
  }
  return result;
}

Comparison compareUlps(int ulps, const HostTensor &expected, const HostTensor &actual) {
  const DType dtype = expected.type.dtype;
  // The interpreter's f64 figures come from libm and are themselves up to 1 ulp off.
  const int64_t most = dtype == DType::F64 ? ulps + 1 : dtype == DType::F32 ? ulps : 1;
  return compareElements(expected, actual,
                         [&](size_t i, double want, double got) {
                           if (std::isnan(want) || std::isnan(got))
                             return false;
                           if (want == 0 && got == 0)
                             return std::signbit(want) == std::signbit(got);
                           return std::abs(placeOf(expected, i) - placeOf(actual, i)) <= most;
                         },
                         {});
}

// Evaluates an op on changed operands in double.
template <typename Fn>
std::vector<double> evaluateChanged(OpCode op, std::span<const HostTensor *const> operands,
                                    std::span<const int64_t> words, const core::TypeDesc &type, Fn change) {
  std::vector<HostTensor> changed;
  for (const HostTensor *operand : operands) {
    if (!isFloat(operand->type.dtype)) {
      changed.push_back(*operand);
      continue;
    }
    HostTensor copy(heldType(operand->type, Precision::Double));
    std::vector<double> values = valuesOf(*operand);
    for (double &value : values)
      value = change(value);
    meaning::store(copy, values);
    changed.push_back(std::move(copy));
  }
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &tensor : changed)
    pointers.push_back(&tensor);
  std::vector<HostTensor> results;
  const core::TypeDesc types[] = {type};
  if (!evaluate(op, pointers, words, types, Precision::Double, results))
    return std::vector<double>(type.numel(), unbounded);
  return valuesOf(results[0]);
}

enum class Combiner { Choice, Sum, Product };

Combiner combinerOf(OpCode op, std::span<const int64_t> words) {
  auto ofKind = [](core::ReduceKind kind) {
    return kind == core::ReduceKind::Sum    ? Combiner::Sum
           : kind == core::ReduceKind::Prod ? Combiner::Product
                                            : Combiner::Choice;
  };
  switch (op) {
  case OpCode::Reduce:
    return ofKind(core::ReduceAttrs::decode(words)->kind);
  case OpCode::ReduceWindow:
    return ofKind(core::ReduceWindowAttrs::decode(words)->kind);
  case OpCode::Scan: {
    const core::ScanKind kind = core::ScanAttrs::decode(words)->kind;
    return kind == core::ScanKind::Sum    ? Combiner::Sum
           : kind == core::ScanKind::Prod ? Combiner::Product
                                          : Combiner::Choice;
  }
  case OpCode::Scatter: {
    const core::ScatterCombiner combiner = core::ScatterAttrs::decode(words)->combiner;
    return combiner == core::ScatterCombiner::Add   ? Combiner::Sum
           : combiner == core::ScatterCombiner::Mul ? Combiner::Product
                                                    : Combiner::Choice;
  }
  default:
    return Combiner::Sum;
  }
}

// How many terms each element combines. Scatter counts by adding ones.
std::vector<double> termsOf(OpCode op, std::span<const HostTensor *const> operands, std::span<const int64_t> words,
                            const core::TypeDesc &type) {
  auto all = [&](int64_t count) { return std::vector<double>(type.numel(), static_cast<double>(count)); };
  const Shape &shape = operands[0]->type.shape;
  int64_t count = 1;
  switch (op) {
  case OpCode::Reduce:
    for (int64_t dim : core::ReduceAttrs::decode(words)->dims)
      count *= shape[dim];
    return all(count);
  case OpCode::DotGeneral:
    for (int64_t dim : core::DotGeneralAttrs::decode(words)->lhs_contract)
      count *= shape[dim];
    return all(count);
  case OpCode::Conv: {
    const Shape &kernel = operands[1]->type.shape;
    const int64_t features = kernel[core::ConvAttrs::decode(words)->rhs_dims[0]];
    return all(features == 0 ? 0 : kernel.numel() / features);
  }
  case OpCode::ReduceWindow:
    return all(Shape(core::ReduceWindowAttrs::decode(words)->window).numel());
  case OpCode::Scan:
    return all(shape[core::ScanAttrs::decode(words)->axis]);
  case OpCode::LinearScan: // a product and a sum each
    return all(2 * shape[core::LinearScanAttrs::decode(words)->axis]);
  default:
    break;
  }
  core::ScatterAttrs attrs = *core::ScatterAttrs::decode(words);
  attrs.combiner = core::ScatterCombiner::Add;
  std::vector<int64_t> counting;
  attrs.encode(counting);
  return evaluateChanged(op, operands, counting, type, [](double) { return 1; });
}

// How many results of a linear scan so far may have left the range of their type, or were multiplied by infinity, which
// gives NaN where a narrow type let them vanish: what follows may be anything.
std::vector<double> doubtsOf(std::span<const HostTensor *const> operands, std::span<const int64_t> words,
                             const core::TypeDesc &type, std::span<const double> magnitude) {
  const std::vector<double> factors = valuesOf(*operands[0]);
  HostTensor ones(heldType(operands[0]->type, Precision::Double)), found(ones.type);
  for (size_t i = 0; i < factors.size(); ++i) {
    ones.data<double>()[i] = 1;
    found.data<double>()[i] = std::isinf(factors[i]) || !(magnitude[i] < greatestOf(type.dtype) / 4);
  }
  const HostTensor *changed[] = {&ones, &found};
  std::vector<HostTensor> results;
  const core::TypeDesc types[] = {type};
  if (!evaluate(OpCode::LinearScan, changed, words, types, Precision::Double, results))
    return std::vector<double>(type.numel(), unbounded);
  return valuesOf(results[0]);
}

// What products lose where they are subnormal. That of a linear scan is multiplied by the later factors.
std::vector<double> vanishedOf(OpCode op, std::span<const HostTensor *const> operands, std::span<const int64_t> words,
                               const core::TypeDesc &type, std::span<const double> terms) {
  const double least = bounds::leastComputed(type.dtype);
  std::vector<double> result(type.numel());
  if (op == OpCode::DotGeneral || op == OpCode::Conv)
    for (size_t i = 0; i < result.size(); ++i)
      result[i] = terms[i] * least;
  if (op != OpCode::LinearScan)
    return result;
  HostTensor factors(heldType(operands[0]->type, Precision::Double)), lost(factors.type);
  std::vector<double> magnitudes = valuesOf(*operands[0]);
  for (double &value : magnitudes)
    value = std::isfinite(value) ? std::fabs(value) : 0; // of others the doubts tell
  meaning::store(factors, magnitudes);
  std::ranges::fill(lost.data<double>(), std::max(least, bounds::leastOf(type.dtype)));
  const HostTensor *changed[] = {&factors, &lost};
  std::vector<HostTensor> results;
  const core::TypeDesc types[] = {type};
  if (!evaluate(op, changed, words, types, Precision::Double, results))
    return std::vector<double>(type.numel(), unbounded);
  return valuesOf(results[0]);
}

// Tolerances of sums and products, in any order.
std::vector<double> combinationTolerances(OpCode op, Combiner combiner, std::span<const HostTensor *const> operands,
                                          std::span<const int64_t> words, const HostTensor &expected) {
  const core::TypeDesc &type = expected.type;
  const double own = bounds::unitRoundoff(type.dtype);
  const double e = std::min(own, bounds::unitRoundoff(DType::F32)); // f16 and bf16 accumulate in f32
  const bool isProduct = combiner == Combiner::Product;
  // The same op over magnitudes.
  std::vector<double> magnitude = evaluateChanged(op, operands, words, type, [&](double x) {
    x = std::fabs(x);
    if (!std::isfinite(x))
      x = isProduct ? 1 : 0;
    return isProduct ? (x == 0 ? 1 : std::max(x, 1 / x)) : x;
  });
  const std::vector<double> terms = termsOf(op, operands, words, type);
  const std::vector<double> want = valuesOf(expected);
  std::vector<double> tolerances(want.size()), doubts(want.size());
  std::vector<double> vanished = vanishedOf(op, operands, words, type, terms);
  if (op == OpCode::LinearScan)
    doubts = doubtsOf(operands, words, type, magnitude);
  for (size_t i = 0; i < want.size(); ++i) {
    // Where partial results may leave the range of the type, the order decides.
    if (!(magnitude[i] < greatestOf(type.dtype) / 4) || doubts[i] > 0) {
      tolerances[i] = unbounded;
      continue;
    }
    if (!std::isfinite(want[i])) // from an operand, and so whatever the order
      continue;
    const double scale = isProduct ? std::fabs(want[i]) : magnitude[i];
    tolerances[i] =
        (terms[i] + 1) * e * scale + 2 * own * std::fabs(want[i]) + bounds::leastOf(type.dtype) + vanished[i];
  }
  return tolerances;
}

} // namespace

double bounds::leastOf(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return std::numeric_limits<double>::denorm_min();
  case DType::F16:
    return 0x1p-24;
  case DType::BF16:
    return 0x1p-133;
  default:
    return std::numeric_limits<float>::denorm_min();
  }
}

double bounds::leastComputed(DType dtype) { return leastOf(dtype == DType::F64 ? DType::F64 : DType::F32); }

double bounds::unitRoundoff(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 0x1p-53;
  case DType::F32:
    return 0x1p-24;
  case DType::F16:
    return 0x1p-11;
  case DType::BF16:
    return 0x1p-8;
  default:
    return 0;
  }
}

OpBound ir::boundOf(OpCode op) {
  for (const OpBound &row : table)
    if (row.op == op)
      return row;
  return {op, BoundKind::Exact};
}

Comparison ir::compareExact(const HostTensor &expected, const HostTensor &actual) {
  const size_t width = expected.elementSize();
  return compareElements(expected, actual,
                         [&](size_t i, double, double) {
                           return std::memcmp(expected.bytes.data() + i * width, actual.bytes.data() + i * width,
                                              width) == 0;
                         },
                         {});
}

Comparison ir::compareWithin(std::span<const double> tolerances, const HostTensor &expected, const HostTensor &actual) {
  return compareElements(
      expected, actual,
      [&](size_t i, double want, double got) {
        const double tolerance = tolerances[tolerances.size() == 1 ? 0 : i];
        return tolerance == unbounded || want == got || std::fabs(want - got) <= tolerance;
      },
      tolerances);
}

Comparison ir::compareWithinBound(OpCode op, std::span<const HostTensor *const> operands,
                                  std::span<const int64_t> words, unsigned index, const HostTensor &expected,
                                  const HostTensor &actual) {
  const OpBound bound = boundOf(op);
  if (expected.type != actual.type || !isFloat(expected.type.dtype))
    return compareExact(expected, actual);
  switch (bound.kind) {
  case BoundKind::Exact:
    break;
  case BoundKind::Ulps:
    return compareUlps(bound.ulps, expected, actual);
  case BoundKind::Combination: {
    const Combiner combiner = combinerOf(op, words);
    if (combiner == Combiner::Choice)
      break;
    return compareWithin(combinationTolerances(op, combiner, operands, words, expected), expected, actual);
  }
  case BoundKind::Formula:
    return compareWithin(bounds::formulaTolerances(op, operands, words, index, expected), expected, actual);
  }
  return compareExact(expected, actual);
}
