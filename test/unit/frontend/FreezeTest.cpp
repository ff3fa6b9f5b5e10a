// Tensors that never change, and what programs keep of them.
#include "runtime/Memory/MemoryPool.h"
#include "test/unit/frontend/Backends.h"
#include "test/unit/frontend/Misuse.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cstring>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace burn;
using namespace burn::test;

namespace {

std::vector<std::byte> bytesOf(const Tensor &x) {
  const std::byte *first = x.data();
  return {first, first + x.nbytes()};
}

Tensor values(const Shape &shape, DType dtype, uint64_t seed) {
  Generator generator(seed);
  if (isFloat(dtype))
    return randn(shape, DType::F32, &generator).to(dtype);
  return randint(-128, 128, shape, DType::I32, &generator).to(dtype);
}

// What `compute` makes of x and w has the same bits whether w is frozen or not, run after run.
void checkBits(const std::string &name, const Tensor &x, const Tensor &w,
               const std::function<Tensor(const Tensor &, const Tensor &)> &compute) {
  INFO(name);
  flush();
  const std::vector<std::byte> expected = bytesOf(compute(x, w));
  Tensor frozen = from_host(to_host(w));
  frozen.freeze();
  for (int run = 0; run < 2; ++run)
    CHECK(bytesOf(compute(x, frozen)) == expected);
}

uint64_t preparations() { return stats().preparations; }

} // namespace

TEST_CASE("freeze: products have the same bits", "[freeze]") {
  for (DType dtype : {DType::F32, DType::F64, DType::F16, DType::BF16}) {
    for (const auto &[rows, steps, lanes] : std::vector<std::array<int64_t, 3>>{
             {1, 64, 64}, {1, 300, 70}, {5, 17, 3}, {40, 33, 100}, {64, 600, 96}, {130, 1500, 70}, {7, 1, 9}}) {
      const std::string name = std::string(burn::name(dtype)) + " " + std::to_string(rows) + "x" +
                               std::to_string(steps) + "x" + std::to_string(lanes);
      const Tensor x = values({rows, steps}, dtype, 1);
      checkBits(name, x, values({steps, lanes}, dtype, 2),
                [](const Tensor &a, const Tensor &b) { return matmul(a, b); });
      checkBits(name + " transposed", x, values({lanes, steps}, dtype, 3),
                [](const Tensor &a, const Tensor &b) { return linear(a, b); });
      checkBits(name + " on the left", values({steps, lanes}, dtype, 4), values({rows, steps}, dtype, 5),
                [](const Tensor &a, const Tensor &b) { return tanh(matmul(b, a)) + 1; });
    }
    checkBits("batches", values({3, 20, 30}, dtype, 6), values({3, 30, 40}, dtype, 7),
              [](const Tensor &a, const Tensor &b) { return matmul(a, b); });
  }
}

TEST_CASE("freeze: convolutions have the same bits", "[freeze]") {
  for (DType dtype : {DType::F32, DType::F16}) {
    const Tensor x = values({2, 8, 13, 11}, dtype, 1);
    checkBits("3x3", x, values({24, 8, 3, 3}, dtype, 2),
              [](const Tensor &a, const Tensor &b) { return conv2d(a, b, Tensor(), {1, 1}, {1, 1}); });
    checkBits("strided, dilated", x, values({5, 8, 3, 2}, dtype, 3),
              [](const Tensor &a, const Tensor &b) { return conv2d(a, b, Tensor(), {2, 1}, {1, 2}, {2, 1}); });
    checkBits("groups", x, values({12, 2, 3, 3}, dtype, 4),
              [](const Tensor &a, const Tensor &b) { return conv2d(a, b, Tensor(), {1, 1}, {0, 0}, {1, 1}, 4); });
    checkBits("1x1", x, values({16, 8, 1, 1}, dtype, 5), [](const Tensor &a, const Tensor &b) { return conv2d(a, b); });
  }
}

TEST_CASE("freeze: narrow integers and values that are computed once have the same bits", "[freeze]") {
  checkBits("i8", values({33, 70}, DType::I8, 1), values({70, 50}, DType::I8, 2),
            [](const Tensor &a, const Tensor &b) { return matmul(a.to(DType::I32), b.to(DType::I32)); });
  checkBits("dequantized", values({9, 70}, DType::F32, 3), values({70, 50}, DType::I8, 4),
            [](const Tensor &a, const Tensor &b) { return matmul(a, (b.to(DType::F32) - 3) * 0.125); });
  checkBits("softmax of a table", values({9, 50}, DType::F32, 5), values({9, 50}, DType::F32, 6),
            [](const Tensor &a, const Tensor &b) { return a * softmax(b, 1); });
  checkBits("transposed", values({50, 9}, DType::F32, 7), values({9, 50}, DType::F32, 8),
            [](const Tensor &a, const Tensor &b) { return a + b.transpose(0, 1); });
  checkBits("returned", values({9, 50}, DType::F32, 9), values({9, 50}, DType::F32, 10),
            [](const Tensor &, const Tensor &b) { return exp(b); });
}

TEST_CASE("freeze: products of frozen tensors are computed once, and long chains of them compile", "[freeze]") {
  const Tensor x = values({8, 512}, DType::F32, 1);
  Tensor a = values({512, 512}, DType::F32, 2), b = values({512, 512}, DType::F32, 3);
  flush();
  const std::vector<std::byte> expected = bytesOf(matmul(x, matmul(a, b)));
  const auto chain = [&](Tensor sum) {
    for (int i = 0; i < 60; ++i)
      sum = sum * 0.5 + sum;
    return x + sum;
  };
  const Tensor w = values({8, 512}, DType::F32, 4);
  const std::vector<std::byte> chained = bytesOf(chain(w));
  a.freeze(), b.freeze();
  for (int run = 0; run < 2; ++run)
    CHECK(bytesOf(matmul(x, matmul(a, b))) == expected);
  Tensor frozen = from_host(to_host(w));
  frozen.freeze();
  CHECK(bytesOf(chain(frozen)) == chained);
}

TEST_CASE("freeze: what a program keeps is computed once for each program and set of tensors", "[freeze]") {
  const Tensor x = values({32, 64}, DType::F32, 1);
  Tensor w = values({64, 48}, DType::F32, 2), v = values({64, 48}, DType::F32, 3);
  CHECK_FALSE(w.is_frozen());
  CHECK(w.freeze().is_frozen());
  v.freeze().freeze();
  flush();
  const uint64_t before = preparations();
  for (int run = 0; run < 3; ++run)
    matmul(x, w).data();
  CHECK(preparations() == before + 1);
  for (int run = 0; run < 3; ++run)
    matmul(x, v).data(); // the same program
  CHECK(preparations() == before + 2);
  for (int run = 0; run < 2; ++run)
    (matmul(x, w) + matmul(x, v)).data(); // another one
  CHECK(preparations() == before + 3);
  matmul(x, w).data();
  CHECK(preparations() == before + 3);
}

TEST_CASE("freeze: what a program keeps ends with the tensor", "[freeze]") {
  const Tensor x = values({32, 256}, DType::F32, 1);
  flush();
  matmul(x, values({256, 512}, DType::F32, 2)).data();
  const int64_t before = stats().live_bytes;
  for (int i = 0; i < 3; ++i) {
    Tensor w = values({256, 512}, DType::F32, 2), v = values({256, 512}, DType::F32, 3);
    w.freeze(), v.freeze();
    (matmul(x, w) + matmul(x, v)).data();
    const int64_t bytes = stats().live_bytes - before;
    CHECK(bytes >= 4 * w.nbytes()); // both, and the panels of both
    w = Tensor();
    // The panels of both are one set.
    CHECK(stats().live_bytes - before <= bytes - 3 * v.nbytes());
  }
  CHECK(stats().live_bytes == before);
}

TEST_CASE("freeze: programs for many shapes keep a bounded part of what they compute", "[freeze]") {
  Tensor w = values({512, 1024}, DType::F32, 1);
  w.freeze();
  const int64_t before = stats().live_bytes;
  for (int64_t rows = 2; rows < 12; ++rows)
    matmul(values({rows, 512}, DType::F32, 2), w).data();
  CHECK(stats().live_bytes - before <= 4 * w.nbytes() + (1 << 20));
}

TEST_CASE("freeze: first runs of several threads compute it once", "[freeze]") {
  const Tensor x = values({64, 300}, DType::F32, 1);
  Tensor w = values({300, 200}, DType::F32, 2);
  const std::vector<std::byte> expected = bytesOf(matmul(x, w));
  w.freeze();
  const uint64_t before = preparations();
  std::vector<std::thread> threads;
  std::vector<std::vector<std::byte>> results(4);
  for (auto &result : results)
    threads.emplace_back([&] { result = bytesOf(matmul(x, w)); });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &result : results)
    CHECK(result == expected);
  CHECK(preparations() == before + 1);
}

TEST_CASE("freeze: a forked process goes on with what there is, and computes what is not", "[freeze]") {
  const Tensor x = values({16, 40}, DType::F32, 1);
  Tensor w = values({40, 24}, DType::F32, 2), v = values({40, 24}, DType::F32, 3);
  const std::vector<std::byte> first = bytesOf(matmul(x, w)), second = bytesOf(matmul(x, v));
  w.freeze(), v.freeze();
  matmul(x, w).data();
  const uint64_t before = preparations();
  const pid_t child = fork();
  if (child == 0) {
    const bool right = bytesOf(matmul(x, w)) == first && preparations() == before && bytesOf(matmul(x, v)) == second &&
                       preparations() == before + 1;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("freeze: memory that is not there is an error, after which all goes on", "[freeze]") {
  const Tensor x = values({8, 1024}, DType::F32, 1);
  Tensor w = values({1024, 1024}, DType::F32, 2);
  const std::vector<std::byte> expected = bytesOf(matmul(x, w));
  w.freeze();
  runtime::MemoryPool &pool = runtime::hostMemory();
  const int64_t limit = pool.limit();
  const Tensor product = matmul(x, w);
  pool.setLimit(stats().live_bytes + (2 << 20));
  try {
    product.data();
    FAIL_CHECK("no error");
  } catch (const Error &error) {
    CHECK(error.code() == ErrorCode::OutOfMemory);
    CHECK(error.message().find("out of memory") != std::string::npos);
  }
  pool.setLimit(limit);
  CHECK(bytesOf(product) == expected);
}

TEST_CASE("freeze: a frozen tensor is not written and is frozen in the graph", "[freeze]") {
  SpyBackend spy;
  Tensor w = full({4}, 3.0);
  const Tensor kept = w;
  w.freeze();
  CHECK(kept.is_frozen());
  CHECK_FALSE((w + 1).is_frozen());
  {
    Tensor last = full({4}, 5.0);
    last.freeze();
    Tensor sum = std::move(last) + 1; // nobody else holds it
    CHECK(sum.to_vector<float>() == std::vector<float>(4, 6));
  }
  REQUIRE(!spy.graphs.empty());
  int buffers = 0;
  for (const core::GraphArg &arg : spy.graphs.back().args) {
    if (arg.kind != core::ArgKind::Buffer)
      continue;
    ++buffers;
    CHECK(arg.frozen);
    CHECK_FALSE(arg.donated);
  }
  CHECK(buffers == 1);
}

TEST_CASE("freeze: what a training step would write is refused", "[freeze]") {
  Tensor w = full({4}, 3.0);
  w.requires_grad_();
  checkRefused("freeze: the tensor requires gradients", [&] { w.freeze(); }, "FreezeTest.cpp");
  w.requires_grad_(false);
  w.freeze();
  checkRefused("requires_grad_: the tensor is frozen", [&] { w.requires_grad_(); }, "FreezeTest.cpp");
  checkRefused("add_: the tensor is frozen", [&] { w.add_(1); }, "FreezeTest.cpp");
  checkRefused("fill_: the tensor is frozen", [&] { w.fill_(1); }, "FreezeTest.cpp");
  checkRefused("freeze: the tensor is not defined", [] { Tensor().freeze(); }, "FreezeTest.cpp");
  w = w + 1; // the handle may hold another tensor
  w.requires_grad_();
  CHECK(w.requires_grad());
}

namespace {

struct Net {
  nn::Conv2d conv{3, 8, {3, 3}};
  nn::BatchNorm2d norm{8};
  nn::Linear head{8 * 6 * 6, 10};
  void members(nn::Visitor &v) { v("conv", conv), v("norm", norm), v("head", head); }
  Tensor forward(const Tensor &x) { return head.forward(relu(norm.forward(conv.forward(x))).flatten(1)); }
};

} // namespace

TEST_CASE("freeze: a tensor that takes over the value of a frozen one may be changed", "[freeze]") {
  Tensor w = tensor({1.0f, 2.0f});
  w.freeze();
  Tensor a = zeros({2});
  a.copy_(w);
  CHECK(!a.is_frozen());
  a.add_(1);
  CHECK(a.to_vector<float>() == std::vector<float>{2, 3});
  CHECK(w.to_vector<float>() == std::vector<float>{1, 2});
  CHECK(w.is_frozen());
}

TEST_CASE("freeze: a module is frozen for evaluation alone", "[freeze][nn]") {
  Net net;
  const Tensor x = values({2, 3, 8, 8}, DType::F32, 1);
  checkRefused("freeze: the module is in training mode", [&] { nn::freeze(net); }, "FreezeTest.cpp");
  CHECK_FALSE(net.head.weight.is_frozen());
  nn::eval(net);
  std::vector<std::byte> expected;
  {
    const NoGradGuard guard;
    expected = bytesOf(net.forward(x));
  }
  nn::freeze(net);
  for (const nn::NamedTensor &parameter : nn::named_parameters(net)) {
    CHECK(parameter.tensor->is_frozen());
    CHECK_FALSE(parameter.tensor->requires_grad());
  }
  for (const nn::NamedTensor &buffer : nn::named_buffers(net))
    CHECK(buffer.tensor->is_frozen());
  const uint64_t before = preparations();
  for (int run = 0; run < 3; ++run)
    CHECK(bytesOf(net.forward(x)) == expected);
  CHECK(preparations() == before + 1);
  nn::train(net);
  checkRefused(
      "BatchNorm2d: the running statistics are frozen", [&] { net.norm.forward(values({2, 8, 6, 6}, DType::F32, 2)); },
      "FreezeTest.cpp");
}
