// Random ops: pure functions of key, counter and element index.
#include "dialects/Burn/Interpreter/Evaluation.h"
#include "runtime/Core/Philox.h"

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

} // namespace

Function meaning::findRandom(OpCode op) {
  switch (op) {
  case OpCode::RngBits:
    return Decoding<rngBits>::call;
  case OpCode::Dropout:
    return Decoding<dropout>::call;
  default:
    return nullptr;
  }
}
