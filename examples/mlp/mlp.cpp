// Trains a multilayer perceptron on MNIST: the smallest whole program.
#include <burn/burn.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

using namespace burn;

struct Mlp {
  nn::Linear fc1{784, 512}, fc2{512, 512}, fc3{512, 10};

  void members(nn::Visitor &v) { v("fc1", fc1), v("fc2", fc2), v("fc3", fc3); }
  Tensor forward(const Tensor &x) { return fc3(relu(fc2(relu(fc1(x))))); }
};

Tensor imagesOf(const Batch &batch) { return tensor(batch.images, {batch.size, 784}); }
Tensor labelsOf(const Batch &batch) { return tensor(batch.labels, {batch.size}); }

// usage: mlp [--device vulkan:0] [FOLDER [EPOCHS]]
int main(int argc, char **argv) try {
  if (argc > 2 && std::string_view(argv[1]) == "--device") {
    set_default_device(argv[2]);
    argv += 2;
    argc -= 2;
  }
  const char *folder = argc > 1 ? argv[1] : "examples/mnist/data";
  const int epochs = argc > 2 ? std::atoi(argv[2]) : 5;
  const ImageDataset train = load_mnist(folder, Split::Train), test = load_mnist(folder, Split::Test);
  DataLoader loader(train, {.batch_size = 64, .shuffle = true}), testLoader(test, {.batch_size = 500});

  Mlp model;
  optim::AdamW optimizer(nn::named_parameters(model), {.lr = 1e-3});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    Tensor loss;
    for (const Batch &batch : loader.epoch(epoch)) {
      loss = cross_entropy(model.forward(imagesOf(batch)), labelsOf(batch));
      loss.backward();
      optimizer.step();
      optimizer.zero_grad();
    }
    int64_t right = 0;
    const NoGradGuard guard;
    for (const Batch &batch : testLoader.epoch(0))
      right += sum(model.forward(imagesOf(batch)).argmax(1) == labelsOf(batch)).item<int64_t>();
    std::cout << "epoch " << epoch + 1 << ": loss " << loss.item<float>() << ", test accuracy "
              << 100.0 * double(right) / double(test.size()) << " %\n";
  }
} catch (const std::exception &error) {
  std::cerr << "mlp: " << error.what() << '\n';
  return 1;
}
