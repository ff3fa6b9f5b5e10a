#include <burn/burn.h>

#include <cstdio>

// Fits a line through points of y = 2x + 1, then makes a mistake.
int main() {
  std::printf("burn %s\n", burn::version());
  const burn::Tensor x = burn::tensor<float>({-1, 0, 1, 2}, {4}), y = x * 2.0 + 1.0;
  burn::Tensor slope = burn::zeros({}), offset = burn::zeros({});
  for (int step = 0; step < 200; ++step) {
    slope.requires_grad_();
    offset.requires_grad_();
    const burn::Tensor difference = slope * x + offset - y;
    mean(difference * difference).backward();
    slope = (slope - slope.grad() * 0.1).detach();
    offset = (offset - offset.grad() * 0.1).detach();
  }
  std::printf("slope %.3f offset %.3f\n", slope.item<float>(), offset.item<float>());
  try {
    x + burn::zeros({3});
  } catch (const burn::Error &error) {
    std::printf("error: %s\n", error.what());
  }
}
