// Rules of ops on numbers at the ends of their types: what a damaged graph or a program's text may hold.
#include "runtime/Core/OpRules/OpRules.h"

#include <catch2/catch.hpp>

using namespace burn;
using namespace burn::core;

namespace {

template <typename Attrs>
Status infer(const Attrs &attrs, const std::vector<TypeDesc> &operands, std::vector<TypeDesc> results = {}) {
  std::vector<int64_t> words;
  attrs.encode(words);
  return inferTypes(Attrs::op, operands, words, results);
}

constexpr int64_t kQuarter = int64_t(1) << 62;

} // namespace

TEST_CASE("segments of operands whose sizes wrap around are refused") {
  const TypeDesc scalar{DType::F32, {}};
  // Modulo 2^64 each list sums up to the number of operands.
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{kQuarter, kQuarter, kQuarter, kQuarter + 2},
        std::vector<int64_t>{2 * (kQuarter - 1), 2 * (kQuarter - 1), 6}, std::vector<int64_t>{-1, 1, 2},
        std::vector<int64_t>{1, 0, 0}, std::vector<int64_t>{1, 0, 2}}) {
    GradAttrs attrs;
    attrs.operandSegmentSizes = sizes;
    CHECK_FALSE(infer(attrs, {scalar, scalar}).isOk());
  }
  GradAttrs attrs;
  const std::vector<int64_t> sizes{1, 0, 1};
  attrs.operandSegmentSizes = sizes;
  CHECK(infer(attrs, {scalar, scalar}).isOk());
}

TEST_CASE("attention takes its mask and bias by segments of one operand") {
  const TypeDesc query{DType::F32, {1, 1, 2, 4}}, mask{DType::Bool, {1, 1, 2, 2}}, key{DType::F32, {1, 1, 2, 4}};
  const auto withSegments = [&](const std::vector<int64_t> &sizes, const std::vector<TypeDesc> &operands) {
    AttentionAttrs attrs{};
    attrs.operandSegmentSizes = sizes;
    attrs.scale = 1;
    return infer(attrs, operands).isOk();
  };
  CHECK(withSegments({1, 1, 1, 0, 0}, {query, key, key}));
  CHECK(withSegments({1, 1, 1, 1, 0}, {query, key, key, mask}));
  CHECK_FALSE(withSegments({1, 1, 1, 0, 0}, {query, key, key, mask}));
  CHECK_FALSE(withSegments({0, 1, 2, 1, 0}, {query, key, key, mask}));
  CHECK_FALSE(withSegments({1, 1, 1, 2, 0}, {query, key, key, mask, mask}));
  CHECK_FALSE(withSegments({1, 1, 1, 1}, {query, key, key, mask}));
}

TEST_CASE("a concatenation of many huge operands is refused") {
  const TypeDesc huge{DType::F32, {(int64_t(1) << 60) - 1}};
  for (size_t count : {2, 8, 16, 17})
    CHECK_FALSE(infer(ConcatAttrs{0}, std::vector<TypeDesc>(count, huge)).isOk());
  CHECK(infer(ConcatAttrs{0}, {huge}).isOk());
}

TEST_CASE("group counts of a convolution whose product overflows are refused") {
  const TypeDesc input{DType::F32, {1, 0, 4}}, kernel{DType::F32, {0, int64_t(1) << 32, 1}};
  const std::vector<int64_t> order{0, 1, 2}, one{1}, none{0};
  ConvAttrs attrs{};
  attrs.lhs_dims = attrs.rhs_dims = attrs.out_dims = order;
  attrs.strides = attrs.lhs_dilation = attrs.rhs_dilation = one;
  attrs.pad_low = attrs.pad_high = none;
  attrs.batch_groups = 1;
  attrs.feature_groups = int64_t(1) << 32; // 2^64 features, which is 0 of 64 bits
  CHECK_FALSE(infer(attrs, {input, kernel}).isOk());
}

TEST_CASE("a given result type beyond what a tensor may hold is refused before anything is computed of it") {
  std::vector<TypeDesc> results{{DType::F32, {int64_t(1) << 40, int64_t(1) << 40}}};
  const std::vector<TypeDesc> operands{{DType::F32, {0}}};
  CHECK_FALSE(inferTypes(OpCode::Reshape, operands, {}, results).isOk());
}

TEST_CASE("attributes are checked where the result does not depend on them") {
  const TypeDesc type{DType::F32, {3}};
  const auto withWords = [&](OpCode op, const std::vector<int64_t> &words) {
    std::vector<TypeDesc> results;
    return inferTypes(op, std::vector<TypeDesc>{type}, words, results).isOk();
  };
  CHECK(withWords(OpCode::Gelu, {0}));
  CHECK(withWords(OpCode::Gelu, {1}));
  for (int64_t unknown : {int64_t(2), int64_t(-1), int64_t(1) << 32})
    CHECK_FALSE(withWords(OpCode::Gelu, {unknown}));
  for (OpCode op : {OpCode::Gelu, OpCode::Elu, OpCode::LeakyRelu, OpCode::HardSigmoid, OpCode::Softplus})
    CHECK_FALSE(withWords(op, {}));
  CHECK(withWords(OpCode::Neg, {}));
  CHECK_FALSE(withWords(OpCode::Neg, {0}));
}
