// The comparison that tests of compiled code rely on: it accepts what a bound allows, and nothing more.
#include "Interpret.h"

#include "dialects/Burn/Interpreter/Bounds.h"

#include <cmath>
#include <limits>

using namespace burn;
using namespace burn::ir;
using namespace burn::test;
using core::OpCode;

namespace {

template <typename Attrs>
Comparison compare(const Attrs &attrs, std::vector<HostTensor> operands, const HostTensor &expected,
                   const HostTensor &actual) {
  std::vector<int64_t> words;
  attrs.encode(words);
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &operand : operands)
    pointers.push_back(&operand);
  return compareWithinBound(Attrs::op, pointers, words, 0, expected, actual);
}

float steps(float x, int count) {
  for (; count > 0; --count)
    x = std::nextafter(x, INFINITY);
  return x;
}

} // namespace

TEST_CASE("bounds: exact ops compare by bits, but for NaN") {
  const HostTensor x = vector<float>({1, 2});
  const core::AddAttrs add;
  CHECK(compare(add, {x, x}, vector<float>({1, NAN}), vector<float>({1, -NAN})));
  CHECK(!compare(add, {x, x}, vector<float>({0.f, 1}), vector<float>({-0.f, 1})));
  const Comparison off = compare(add, {x, x}, vector<float>({1, 2}), vector<float>({1, steps(2, 1)}));
  CHECK(off.mismatches == 1);
  CHECK(off.element == 1);
  CHECK(off.message == "1 of 2 elements differ, worst at 1: expected 2, got 2.0000002384185791");
  CHECK(!compare(add, {x, x}, vector<float>({1, NAN}), vector<float>({1, 1})));
  CHECK(compare(add, {x, x}, vector<float>({1}), vector<double>({1})).message == "expected f32[1], got f64[1]");
}

TEST_CASE("bounds: units in the last place") {
  const HostTensor x = vector<float>({1});
  CHECK(compare(core::ExpAttrs(), {x}, vector<float>({2}), vector<float>({steps(2, 1)})));
  CHECK(!compare(core::ExpAttrs(), {x}, vector<float>({2}), vector<float>({steps(2, 2)})));
  CHECK(compare(core::TanhAttrs(), {x}, vector<float>({2}), vector<float>({steps(2, 2)})));
  CHECK(!compare(core::TanhAttrs(), {x}, vector<float>({2}), vector<float>({steps(2, 3)})));
  CHECK(!compare(core::TanhAttrs(), {x}, vector<float>({-0.f}), vector<float>({0.f})));
  // The greatest number and infinity are neighbours, subnormals of either sign are too.
  CHECK(compare(core::ExpAttrs(), {x}, vector<float>({INFINITY}), vector<float>({std::numeric_limits<float>::max()})));
  CHECK(!compare(core::ExpAttrs(), {x}, vector<float>({INFINITY}), vector<float>({NAN})));
  CHECK(compare(core::TanhAttrs(), {x}, vector<float>({0x1p-149f}), vector<float>({-0x1p-149f})));
}

TEST_CASE("bounds: sums may differ by n e sum|x|") {
  const int64_t dims[] = {0};
  const core::ReduceAttrs sum{core::ReduceKind::Sum, dims}, max{core::ReduceKind::Max, dims};
  const HostTensor x = vector<float>({1e8f, 1, -1e8f});
  CHECK(compare(sum, {x}, scalar(1.f), scalar(0.f)));    // (1e8 + 1) - 1e8 in f32
  CHECK(!compare(sum, {x}, scalar(1.f), scalar(100.f))); // 4 * 2^-24 * 2e8 = 48
  CHECK(!compare(max, {x}, scalar(1e8f), scalar(steps(1e8f, 1))));
  // A partial sum may overflow in one order and not in another.
  const HostTensor big = vector<float>({3e38f, 3e38f, -3e38f});
  CHECK(compare(sum, {big}, scalar(3e38f), scalar(INFINITY)));
  const HostTensor infinite = vector<float>({INFINITY, 1, 2});
  CHECK(compare(sum, {infinite}, scalar(INFINITY), scalar(INFINITY)));
  CHECK(!compare(sum, {infinite}, scalar(INFINITY), scalar(3.f)));
  const core::ReduceAttrs product{core::ReduceKind::Prod, dims};
  CHECK(compare(product, {vector<float>({3, 5, 7})}, scalar(105.f), scalar(steps(105.f, 2))));
  CHECK(!compare(product, {vector<float>({3, 5, 7})}, scalar(105.f), scalar(105.01f)));
}

TEST_CASE("bounds: integers are exact whatever the op") {
  const int64_t dims[] = {0};
  const core::ReduceAttrs sum{core::ReduceKind::Sum, dims};
  CHECK(!compare(sum, {vector<int32_t>({1, 2})}, scalar<int32_t>(3), scalar<int32_t>(4)));
}

TEST_CASE("bounds: composites") {
  const core::SoftmaxAttrs softmax{0};
  const HostTensor x = vector<float>({0, 0, -INFINITY});
  CHECK(compare(softmax, {x}, vector<float>({0.5f, 0.5f, 0}), vector<float>({0.5f, steps(0.5f, 1), 0})));
  CHECK(!compare(softmax, {x}, vector<float>({0.5f, 0.5f, 0}), vector<float>({0.5f, 0.51f, 0})));
  CHECK(!compare(softmax, {x}, vector<float>({0.5f, 0.5f, 0}), vector<float>({0.5f, 0.5f, 0.001f})));
}
