// Random ops: pure functions of key, counter and element index.
#include "dialects/Burn/Interpreter/Evaluation.h"
#include "runtime/Core/Philox.h"

#include <algorithm>
#include <cmath>

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

// The stream of one random call.
struct Stream {
  std::array<uint32_t, 2> key;
  uint64_t call;

  Stream(const HostTensor &key, const HostTensor &counter, int64_t ordinal)
      : key{key.data<uint32_t>()[0], key.data<uint32_t>()[1]},
        call(counter.data<uint64_t>()[0] + static_cast<uint64_t>(ordinal)) {}
};

Status rngBits(Evaluation &e, const core::RngBitsAttrs &attrs) {
  const Stream stream(e.operand(0), e.operand(1), attrs.ordinal);
  if (e.types[0].dtype == DType::U64) {
    std::span<uint64_t> bits = e.result().data<uint64_t>();
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] = core::philoxBits64(i, stream.call, stream.key);
  } else {
    std::span<uint32_t> bits = e.result().data<uint32_t>();
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] = core::philoxBits32(i, stream.call, stream.key);
  }
  return Status::ok();
}

Status dropout(Evaluation &e, const core::DropoutAttrs &attrs) {
  const Stream stream(e.operand(1), e.operand(2), attrs.ordinal);
  const double keep = 1 - load<double>(e.operand(3))[0];
  const double threshold = std::floor(keep * 0x1p32);
  // The factor is rounded to the element type before it is used.
  HostTensor factor(TypeDesc{e.types[0].dtype, Shape{}});
  storeAt(factor, 0, 1 / keep);
  const double scale = load<double>(factor)[0];
  visitCompute(e.operand(0), [&]<typename C>(C) {
    if constexpr (std::is_same_v<C, double> || std::is_same_v<C, Complex>) {
      Elements<C> x = load<C>(e.operand(0));
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = core::philoxBits32(i, stream.call, stream.key) < threshold ? x[i] * scale : C(0);
      store(e.result(), x);
    }
  });
  return Status::ok();
}

// The top bits of 32 or 64 random bits of element i, as f64.
double topBits(const Stream &stream, uint64_t i, int kept) {
  if (kept > 32)
    return static_cast<double>(core::philoxBits64(i, stream.call, stream.key) >> (64 - kept));
  return core::philoxBits32(i, stream.call, stream.key) >> (32 - kept);
}

int uniformBits(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 53;
  case DType::F16:
    return 11;
  case DType::BF16:
    return 8;
  default:
    return 24;
  }
}

Status uniform(Evaluation &e, const core::UniformAttrs &attrs) {
  const Stream stream(e.operand(0), e.operand(1), attrs.ordinal);
  const int kept = uniformBits(e.types[0].dtype);
  Elements<double> result(e.types[0].numel());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = std::ldexp(topBits(stream, i, kept), -kept);
  store(e.result(), result);
  return Status::ok();
}

// The argument at which erf is y in (-1, 1), by Newton's method on the tail that has the digits.
double inverseErf(double y) {
  const double tail = 1 - std::fabs(y), limit = std::sqrt(-std::log(tail * (2 - tail)));
  double x = tail > 0.5 ? std::fabs(y) * std::sqrt(M_PI) / 2 : limit;
  for (int step = 0; step < 40; ++step) {
    const double error = tail > 0.5 ? std::erf(x) - std::fabs(y) : tail - std::erfc(x);
    x -= error / (M_2_SQRTPI * std::exp(-x * x));
  }
  return std::copysign(x, y);
}

Status normal(Evaluation &e, const core::NormalAttrs &attrs) {
  const Stream stream(e.operand(0), e.operand(1), attrs.ordinal);
  const int kept = e.types[0].dtype == DType::F64 ? 53 : 24;
  Elements<double> result(e.types[0].numel());
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = M_SQRT2 * inverseErf(std::ldexp(2 * topBits(stream, i, kept) - (std::ldexp(1.0, kept) - 1), -kept));
  store(e.result(), result);
  return Status::ok();
}

Status bernoulli(Evaluation &e, const core::BernoulliAttrs &attrs) {
  const Stream stream(e.operand(1), e.operand(2), attrs.ordinal);
  const Elements<double> p = load<double>(e.operand(0));
  for (size_t i = 0; i < p.size(); ++i)
    storeAt(e.result(), static_cast<int64_t>(i),
            core::philoxBits32(i, stream.call, stream.key) < std::floor(std::ldexp(p[i], 32)));
  return Status::ok();
}

Status categorical(Evaluation &e, const core::CategoricalAttrs &attrs) {
  const Stream stream(e.operand(1), e.operand(2), attrs.ordinal);
  const Elements<double> weights = load<double>(e.operand(0));
  const Shape &shape = e.operand(0).type.shape;
  const int64_t classes = shape[shape.rank() - 1], draws = e.types[0].numel();
  for (int64_t i = 0; i < draws; ++i) {
    const double *line = weights.data() + i / attrs.samples * classes;
    double total = 0;
    for (int64_t c = 0; c < classes; ++c)
      total += line[c];
    const double bound = std::ldexp(topBits(stream, i, 24), -24) * total;
    double sum = 0;
    int64_t drawn = 0;
    for (int64_t c = 0; c < classes; ++c)
      drawn += (sum += line[c]) <= bound;
    storeAt(e.result(), i, std::min(drawn, classes - 1));
  }
  return Status::ok();
}

} // namespace

Function meaning::findRandom(OpCode op) {
  switch (op) {
  case OpCode::RngBits:
    return Decoding<rngBits>::call;
  case OpCode::Dropout:
    return Decoding<dropout>::call;
  case OpCode::Uniform:
    return Decoding<uniform>::call;
  case OpCode::Normal:
    return Decoding<normal>::call;
  case OpCode::Bernoulli:
    return Decoding<bernoulli>::call;
  case OpCode::Categorical:
    return Decoding<categorical>::call;
  default:
    return nullptr;
  }
}
