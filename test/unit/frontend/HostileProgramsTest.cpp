// Programs that grow in ways which must not cost more than their length, and input that must not pass unseen.
#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <thread>

using namespace burn;

TEST_CASE("long programs: a value that is doubled many times") {
  Tensor x = ones({4});
  for (int i = 0; i < 100; ++i)
    x = x + x;
  CHECK(x.to_vector<float>() == std::vector<float>(4, std::ldexp(1.0f, 100)));
}

TEST_CASE("long programs: a vector that is rotated many times") {
  // 40 rotations by one of 7 elements: element i is i + 40 mod 7.
  Tensor x = arange(7);
  for (int i = 0; i < 40; ++i)
    x = cat({x.slice(0, 1, 7), x.slice(0, 0, 1)}, 0);
  for (int64_t i = 0; i < 7; ++i)
    CHECK(x.to_vector<int64_t>()[static_cast<size_t>(i)] == (i + 40) % 7);
}

TEST_CASE("long programs: thousands of ops in a chain are several kernels") {
  const uint64_t before = stats().kernels;
  Tensor x = tensor({0.0, 3.0});
  for (int i = 0; i < 1600; ++i) // x^2 grows by 1 each time
    x = sqrt(x * x + 1.0);
  CHECK(x.to_vector<double>()[0] == Approx(40));
  CHECK(x.to_vector<double>()[1] == Approx(std::sqrt(1609.0)));
  CHECK(stats().kernels > before + 1);
  // Numbers alone, which kernels compute where they need them.
  Tensor number = tensor(3.0);
  for (int i = 0; i < 1600; ++i)
    number = sqrt(number * number + 1.0);
  CHECK((number + zeros({2}, DType::F64)).to_vector<double>()[1] == Approx(std::sqrt(1609.0)));
}

TEST_CASE("long programs: what kernels repeat is counted once for each kernel, however often it is read") {
  // A wide graph of numbers: 200 hyperbolic tangents behind one.
  const Tensor number = tensor(0.25);
  Tensor total = tensor(0.0);
  double expected = 0;
  for (int i = 1; i <= 200; ++i) {
    total = total + tanh(number * double(i));
    expected += std::tanh(0.25 * i);
  }
  uint64_t before = stats().kernels;
  CHECK((total + zeros({2}, DType::F64)).to_vector<double>()[1] == Approx(expected));
  CHECK(stats().kernels > before + 1);
  // A short chain that many ops read is no reason for more than one kernel.
  const auto chain = [] {
    Tensor link = tensor(0.5);
    for (int i = 0; i < 7; ++i)
      link = tanh(link);
    return link;
  };
  const double link = chain().item<double>();
  Tensor sum = arange(3, DType::F64);
  {
    const Tensor shared = chain();
    for (int i = 0; i < 8; ++i)
      sum = sum * 2 + shared;
  }
  before = stats().kernels;
  CHECK(sum.to_vector<double>()[2] == Approx(512 + 255 * link));
  CHECK(stats().kernels == before + 1);
}

TEST_CASE("long programs: a sum that is read at every step keeps a long history") {
  Tensor w = ones({1}).requires_grad_();
  Tensor total = w * 0.0;
  for (int i = 0; i < 20000; ++i) {
    total = total + w;
    if (i % 2 == 0)
      total.item<float>();
  }
  total = Tensor(); // dropping the chain must not recurse
  CHECK(w.item<float>() == 1.0f);
}

TEST_CASE("long programs: random numbers of a thread that takes over an abandoned program") {
  const auto draw = [](bool abandon) {
    std::vector<float> numbers;
    std::thread([&] {
      manual_seed(5);
      if (abandon) {
        Tensor dropped = rand({3});
        (void)dropped;
      }
    }).join();
    std::thread([&] {
      manual_seed(5);
      const Tensor first = rand({2}), second = rand({2});
      numbers = first.to_vector<float>();
      for (float number : second.to_vector<float>())
        numbers.push_back(number);
    }).join();
    return numbers;
  };
  CHECK(draw(true) == draw(false));
}

TEST_CASE("bad input: host numbers that do not fit are refused") {
  const Tensor u = tensor<uint8_t>({250, 5});
  CHECK_THROWS_AS(u < -1, Error);
  CHECK_THROWS_AS(u == 506, Error);
  CHECK_THROWS_AS(tensor<int32_t>({1}) < int64_t(4294967296), Error);
  CHECK_THROWS_AS(arange(0.0, 1.0, 1e-300), Error);
  CHECK((u < 255).all().item<bool>());
  CHECK(full({}, 0.5).item<bool>());
  CHECK_THROWS_AS(full({}, 1e30).item<int64_t>(), Error);
}

TEST_CASE("bad input: a label that is no class makes loss and gradient NaN") {
  Tensor x = ones({2, 3}).requires_grad_();
  Tensor loss = cross_entropy(x, tensor<int64_t>({0, 9}));
  loss.backward();
  CHECK(std::isnan(loss.item<float>()));
  const std::vector<float> gradient = x.grad().to_vector<float>();
  // The first example is sound: (1/3 - onehot) / 2.
  CHECK(gradient[0] == Approx(-1.0 / 3.0));
  CHECK(gradient[1] == Approx(1.0 / 6.0));
  CHECK((std::isnan(gradient[3]) && std::isnan(gradient[4]) && std::isnan(gradient[5])));
}
