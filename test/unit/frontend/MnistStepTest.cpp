// The first training step of the MNIST example in compiled f32 code, against the interpreter in f64.
#include "examples/mnist/net.h"
#include "frontend/Trace/Interpreted.h"

#include <burn/burn.h>

#include <catch2/catch.hpp>

#include <cmath>

using namespace burn;

namespace {

struct Step {
  double loss;
  std::vector<std::string> names;
  std::vector<std::vector<float>> gradients;
};

Step firstStep(const Batch &batch) {
  manual_seed(42);
  Net net;
  const Tensor loss =
      cross_entropy(net.forward(tensor(batch.images, {batch.size, 1, 28, 28})), tensor(batch.labels, {batch.size}));
  loss.backward();
  Step step{loss.item<double>(), {}, {}};
  for (const nn::NamedTensor &parameter : nn::named_parameters(net)) {
    step.names.push_back(parameter.name);
    step.gradients.push_back(parameter.tensor->grad().to_vector<float>());
  }
  return step;
}

double norm(const std::vector<float> &values) {
  double sum = 0;
  for (const float value : values)
    sum += double(value) * double(value);
  return std::sqrt(sum);
}

} // namespace

TEST_CASE("The first step of the MNIST example: loss and gradients are those of f64", "[train]") {
  const ImageDataset digits = load_mnist(BURN_SOURCE_DIR "/examples/mnist/data", Split::Train);
  DataLoader loader(digits, {.batch_size = 64, .shuffle = true, .max_shift = 2, .seed = 42});
  loader.start(0);
  const Batch &batch = *loader.next();
  const Step compiled = firstStep(batch);
  trace::InterpreterBackend interpreter(BURN_INTERPRET_F64);
  trace::setBackend(&interpreter);
  const Step exact = firstStep(batch);
  trace::setBackend(nullptr);

  CHECK(compiled.loss == Approx(exact.loss).epsilon(1e-5).margin(0));
  double largest = 0;
  for (const std::vector<float> &gradient : exact.gradients)
    largest = std::max(largest, norm(gradient));
  for (size_t i = 0; i < exact.gradients.size(); ++i) {
    INFO(exact.names[i]);
    std::vector<float> difference = compiled.gradients[i];
    for (size_t k = 0; k < difference.size(); ++k)
      difference[k] -= exact.gradients[i][k];
    // The bias of a convolution before a batch norm has gradient 0: there rounding is all that is left.
    CHECK(norm(difference) <= std::max(1e-3 * norm(exact.gradients[i]), 1e-6 * largest));
  }
}
