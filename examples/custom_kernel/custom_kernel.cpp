// A kernel of one's own: relu(x w + b) in one C++ function, with its gradient, beside the same in tensor functions.
#include <burn/burn.h>

#include <algorithm>
#include <iostream>
#include <string_view>

using namespace burn;

// The operation: the kernel, the types of its result, its gradient.
const auto kernel = [](const HostCall &call) {
  const auto x = call.input<float>(0), w = call.input<float>(1), b = call.input<float>(2);
  for (size_t i = 0, cols = b.size(); i < call.output<float>().size(); ++i) {
    float sum = b[i % cols];
    for (size_t k = 0, inner = w.size() / cols; k < inner; ++k)
      sum += x[i / cols * inner + k] * w[k * cols + i % cols];
    call.output<float>()[i] = std::max(sum, 0.0f);
  }
};
const auto types = [](TensorSpan in) { return std::vector{TensorType{DType::F32, {in[0].size(0), in[1].size(1)}}}; };
const auto vjp = [](TensorSpan in, TensorSpan out, TensorSpan gradient) -> TensorList {
  const Tensor g = where(out[0] > 0, gradient[0], 0);
  return {matmul(g, in[1].t()), matmul(in[0].t(), g), sum(g, 0)};
};
const CustomOp linear_relu = custom_op("linear_relu", {.kernel = kernel, .results = types, .vjp = vjp});

// The largest difference between two tensors.
float difference(const Tensor &a, const Tensor &b) { return abs(a - b).max().item<float>(); }

// usage: custom_kernel [--device vulkan:0]. A kernel of the host runs on the CPU alone: on a GPU it is an error.
int main(int argc, char **argv) try {
  if (argc > 2 && std::string_view(argv[1]) == "--device")
    set_default_device(argv[2]);
  manual_seed(7);
  Tensor x = randn({33, 17}).requires_grad_(), w = randn({17, 5}).requires_grad_(), b = randn({5}).requires_grad_();
  const Tensor weights = randn({33, 5});
  const std::vector<Tensor> inputs{x, w, b};

  const Tensor own = linear_relu({x, w, b}), plain = relu(matmul(x, w) + b);
  const Tensor ownLoss = sum(own * weights), plainLoss = sum(plain * weights);
  const auto ownGradients = grad(std::vector{ownLoss}, inputs), plainGradients = grad(std::vector{plainLoss}, inputs);

  std::cout << "output " << own.shape().str() << ", difference " << difference(own, plain) << "\n";
  const char *names[] = {"x", "w", "b"};
  for (size_t i = 0; i < inputs.size(); ++i)
    std::cout << "gradient of " << names[i] << " " << ownGradients[i].shape().str() << ", difference "
              << difference(ownGradients[i], plainGradients[i]) << "\n";
} catch (const std::exception &error) {
  std::cerr << "custom_kernel: " << error.what() << '\n';
  return 1;
}
