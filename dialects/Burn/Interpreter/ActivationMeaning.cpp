// Activation functions, each by its formula.
#include "dialects/Burn/Interpreter/NeuralFamilies.h"

using namespace burn;
using namespace burn::ir;
using namespace burn::ir::meaning;
using core::OpCode;

namespace {

template <Float C> C logOnePlusExp(C x) { return real(x) > 0 ? x + Log1p::of(std::exp(-x)) : Log1p::of(std::exp(x)); }

// Each element by itself.
template <typename Attrs, auto function> Status pointwise(Evaluation &e, const Attrs &attrs) {
  return overFloats(e.operand(0), [&]<typename C>(C) {
    Elements<C> x = load<C>(e.operand(0));
    for (C &element : x)
      element = function(element, attrs);
    store(e.result(), x);
  });
}

constexpr auto silu = [](auto x, const core::SiluAttrs &) { return x * Logistic::of(x); };

constexpr auto softplus = [](auto x, const core::SoftplusAttrs &attrs) {
  const auto t = attrs.beta * x;
  return real(t) > attrs.threshold ? x : logOnePlusExp(t) / attrs.beta;
};

constexpr auto mish = [](auto x, const core::MishAttrs &) { return x * std::tanh(logOnePlusExp(x)); };

constexpr auto elu = [](auto x, const core::EluAttrs &attrs) { return real(x) > 0 ? x : attrs.alpha * Expm1::of(x); };

constexpr auto selu = [](auto x, const core::SeluAttrs &) {
  return 1.0507009873554805 * (real(x) > 0 ? x : 1.6732632423543772 * Expm1::of(x));
};

constexpr auto celu = [](auto x, const core::CeluAttrs &attrs) {
  return real(x) > 0 ? x : attrs.alpha * Expm1::of(x / attrs.alpha);
};

constexpr auto hardSigmoid = []<typename C>(C x, const core::HardSigmoidAttrs &attrs) {
  return Clamp::of(attrs.alpha * x + attrs.beta, C(0), C(1));
};

constexpr auto hardSwish = []<typename C>(C x, const core::HardSwishAttrs &) {
  return x * Clamp::of(x + 3.0, C(0), C(6)) / 6.0;
};

constexpr auto leakyRelu = [](auto x, const core::LeakyReluAttrs &attrs) { return real(x) > 0 ? x : attrs.slope * x; };

constexpr auto logSigmoid = [](auto x, const core::LogSigmoidAttrs &) { return -logOnePlusExp(-x); };

} // namespace

Function meaning::findActivation(OpCode op) {
  switch (op) {
  case OpCode::Silu:
    return Decoding<pointwise<core::SiluAttrs, silu>>::call;
  case OpCode::Softplus:
    return Decoding<pointwise<core::SoftplusAttrs, softplus>>::call;
  case OpCode::Mish:
    return Decoding<pointwise<core::MishAttrs, mish>>::call;
  case OpCode::Elu:
    return Decoding<pointwise<core::EluAttrs, elu>>::call;
  case OpCode::Selu:
    return Decoding<pointwise<core::SeluAttrs, selu>>::call;
  case OpCode::Celu:
    return Decoding<pointwise<core::CeluAttrs, celu>>::call;
  case OpCode::HardSigmoid:
    return Decoding<pointwise<core::HardSigmoidAttrs, hardSigmoid>>::call;
  case OpCode::HardSwish:
    return Decoding<pointwise<core::HardSwishAttrs, hardSwish>>::call;
  case OpCode::LeakyRelu:
    return Decoding<pointwise<core::LeakyReluAttrs, leakyRelu>>::call;
  case OpCode::LogSigmoid:
    return Decoding<pointwise<core::LogSigmoidAttrs, logSigmoid>>::call;
  default:
    return nullptr;
  }
}
