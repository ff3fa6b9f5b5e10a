// A kernel of one's own: relu(x w + b) in one C++ function, with its gradient, beside the same in tensor functions.
#include <burn/burn.h>

#include <algorithm>
#include <iostream>

using namespace burn;

// The operation: types of the result, the kernel, the gradient.
const CustomOp linear_relu = custom_op(
    "linear_relu",
    {.kernel =
         [](const HostCall &call) {
           const auto x = call.input<float>(0), w = call.input<float>(1), b = call.input<float>(2);
           const int64_t rows = call.inputs[0].size(0), inner = call.inputs[1].size(0), cols = call.inputs[1].size(1);
           for (int64_t i = 0; i < rows; ++i)
             for (int64_t j = 0; j < cols; ++j) {
               float sum = b[j];
               for (int64_t k = 0; k < inner; ++k)
                 sum += x[i * inner + k] * w[k * cols + j];
               call.output<float>()[i * cols + j] = std::max(sum, 0.0f);
             }
         },
     .results = [](TensorSpan in) { return std::vector{TensorType{in[0].dtype(), {in[0].size(0), in[1].size(1)}}}; },
     .vjp = [](TensorSpan in, TensorSpan out, TensorSpan gradient) -> TensorList {
       const Tensor g = where(out[0] > 0, gradient[0], 0);
       return {matmul(g, in[1].t()), matmul(in[0].t(), g), sum(g, 0)};
     }});

// The largest difference between two tensors.
float difference(const Tensor &a, const Tensor &b) { return abs(a - b).max().item<float>(); }

int main() try {
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
