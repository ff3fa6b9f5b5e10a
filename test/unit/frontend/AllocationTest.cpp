// Recording and running a known program takes no memory from the system.
#include "test/unit/frontend/Backends.h"

#include "frontend/Trace/Segment.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

void *countedAllocation(std::size_t size) {
  if (counting.load(std::memory_order_relaxed))
    allocations.fetch_add(1, std::memory_order_relaxed);
  if (void *memory = std::malloc(size ? size : 1))
    return memory;
  throw std::bad_alloc();
}

} // namespace

void *operator new(std::size_t size) { return countedAllocation(size); }
void *operator new[](std::size_t size) { return countedAllocation(size); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::size_t) noexcept { std::free(memory); }

using namespace burn;

TEST_CASE("recording: a training step allocates nothing after the third") {
  test::FakeBackend fake;
  Tensor weight = zeros({8, 4}), bias = zeros({8}), momentum = zeros({8, 4});
  const Tensor target = zeros({16}, DType::I64);
  flush();
  weight.requires_grad_();
  bias.requires_grad_();
  const float batch[16 * 4] = {};
  Generator generator(7);
  const auto step = [&] {
    const Tensor x = from_data(batch, {16, 4}, DType::F32);
    const Tensor hidden = dropout(relu(linear(x, weight, bias)), 0.25, true, &generator);
    const Tensor loss = cross_entropy(hidden, target);
    weight.zero_grad();
    bias.zero_grad();
    loss.backward();
    const NoGradGuard guard;
    momentum = momentum * 0.9f + weight.grad();
    weight -= momentum * 0.1f;
    bias -= bias.grad() * 0.1f;
    flush();
  };
  for (int i = 0; i < 3; ++i)
    step();
  allocations = 0;
  counting = true;
  for (int i = 0; i < 10; ++i)
    step();
  counting = false;
  CHECK(fake.graphs.size() == 2); // the first values, and the step
  CHECK(allocations == 0);
}
