// Trains a convolutional network on MNIST and measures it on the test images.
#include "examples/mnist/net.h"

#include <burn/burn.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>

using namespace burn;

namespace {

struct Settings {
  std::string data;
  int64_t batchSize = 64;
  int64_t epochs = 10;
  double learningRate = 3e-3;
  uint64_t seed = 42;
  bool noAugment = false;
  int64_t steps = 0;
  std::string checkpoint = "mnist.safetensors";
  std::string resume;
  std::string exportTo;
  std::string device = "cpu";
  bool quiet = false;
};

/// The digits that come with the sources, wherever the program is started.
std::string defaultData() {
  const std::filesystem::path folder = "examples/mnist/data";
  std::error_code error;
  if (std::filesystem::exists(folder, error))
    return folder.string();
  // build/bin/mnist stands two folders below the sources.
  return (std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "../.." / folder)
      .lexically_normal()
      .string();
}

/// Where a run stands: `batch` batches of epoch `epoch` are done.
struct Position {
  int64_t epoch = 0, batch = 0, step = 0;
};

/// What a checkpoint must agree on with the run that goes on from it, else it would not be the same run.
Metadata describe(const Settings &settings) {
  return {{"batch_size", fmt::format("{}", settings.batchSize)},
          {"epochs", fmt::format("{}", settings.epochs)},
          {"lr", fmt::format("{}", settings.learningRate)},
          {"seed", fmt::format("{}", settings.seed)},
          {"augment", settings.noAugment ? "no" : "yes"}};
}

void save(const Settings &settings, Net &net, const optim::Optimizer &optimizer, const Position &position) {
  Metadata metadata = describe(settings);
  metadata["epoch"] = fmt::format("{}", position.epoch);
  metadata["batch"] = fmt::format("{}", position.batch);
  metadata["step"] = fmt::format("{}", position.step);
  save_checkpoint(settings.checkpoint, net, optimizer, metadata);
}

/// Where the checkpoint's run stood. Its figures are text that anyone can edit, and are not trusted.
Position resume(const Settings &settings, const ImageDataset &dataset, Net &net, optim::Optimizer &optimizer) {
  const Metadata metadata = load_checkpoint(settings.resume, net, optimizer);
  const auto value = [&](const std::string &key) {
    const auto found = metadata.find(key);
    if (found == metadata.end())
      throw Error(ErrorCode::InvalidArgument, settings.resume + ": metadata '" + key + "' is missing");
    return found->second;
  };
  for (const auto &[key, wanted] : describe(settings))
    if (value(key) != wanted)
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("{}: was made with {} = {}, this run has {}", settings.resume, key, value(key), wanted));
  const auto number = [&](const std::string &key) {
    const std::string text = value(key);
    int64_t parsed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (error != std::errc() || end != text.data() + text.size() || parsed < 0)
      throw Error(ErrorCode::InvalidArgument,
                  fmt::format("{}: metadata '{}' is '{}', no number of a run", settings.resume, key, text));
    return parsed;
  };
  const Position position{number("epoch"), number("batch"), number("step")};
  const int64_t batches = (dataset.size() + settings.batchSize - 1) / settings.batchSize;
  const bool fits = position.epoch <= settings.epochs && position.batch < batches &&
                    (position.epoch < settings.epochs || position.batch == 0) && position.step == optimizer.steps() &&
                    position.step == position.epoch * batches + position.batch;
  if (!fits)
    throw Error(
        ErrorCode::InvalidArgument,
        fmt::format("{}: metadata says epoch {}, batch {}, step {}, which is no place in a run of {} epochs of {} "
                    "batches whose optimizer has taken {} steps",
                    settings.resume, position.epoch, position.batch, position.step, settings.epochs, batches,
                    optimizer.steps()));
  return position;
}

Tensor imagesOf(const Batch &batch) { return tensor(batch.images, {batch.size, 1, 28, 28}); }
Tensor labelsOf(const Batch &batch) { return tensor(batch.labels, {batch.size}); }

/// Share of the images in `dataset` that the network names right.
double accuracyOn(const ImageDataset &dataset, Net &net) {
  const NoGradGuard guard;
  nn::eval(net);
  DataLoader loader(dataset, {.batch_size = 500});
  Tensor right = tensor(int64_t{0});
  for (const Batch &batch : loader.epoch(0))
    right = right + sum(net.forward(imagesOf(batch)).argmax(1) == labelsOf(batch));
  nn::train(net);
  return static_cast<double>(right.item<int64_t>()) / static_cast<double>(dataset.size());
}

/// Trains from `position` to the end, to the limit of steps or to Ctrl+C; returns whether it got through.
bool trainOn(const ImageDataset &dataset, Net &net, optim::AdamW &optimizer, Position position,
             const Settings &settings) {
  DataLoader loader(dataset, {.batch_size = settings.batchSize,
                              .shuffle = true,
                              .max_shift = settings.noAugment ? 0 : 2,
                              .seed = settings.seed});
  const optim::WarmupCosine schedule{settings.learningRate, loader.batches(), settings.epochs * loader.batches()};
  const InterruptGuard guard;
  std::optional<ProgressBar> bar;
  if (!settings.quiet)
    bar.emplace(settings.epochs, dataset.size());

  while (position.epoch < settings.epochs) {
    if (bar)
      bar->begin_epoch(position.epoch, position.batch * settings.batchSize);
    // The figures of the epoch add up in tensors: reading them at each step would make the host wait.
    Tensor lossSum = tensor(0.0f), right = tensor(int64_t{0});
    int64_t seen = 0;
    const auto loss = [&] { return lossSum.item<float>() / static_cast<double>(seen); };
    const auto accuracy = [&] { return static_cast<double>(right.item<int64_t>()) / static_cast<double>(seen); };
    bool stop = false;
    for (const Batch &batch : loader.epoch(position.epoch, position.batch)) {
      const Tensor labels = labelsOf(batch);
      const Tensor logits = net.forward(imagesOf(batch));
      const Tensor mean = cross_entropy(logits, labels);
      mean.backward();
      {
        const NoGradGuard guard;
        lossSum = lossSum + mean.detach() * static_cast<double>(batch.size);
        right = right + sum(logits.detach().argmax(1) == labels);
      }
      optimizer.set_learning_rate(schedule(position.step));
      optimizer.step();
      optimizer.zero_grad();

      ++position.step;
      ++position.batch;
      seen += batch.size;
      if (bar) {
        bar->advance(batch.size);
        if (bar->due())
          bar->update(loss(), accuracy());
      }
      stop = guard.interrupted() || position.step == settings.steps;
      if (stop)
        break;
    }
    if (position.batch == loader.batches()) {
      if (bar && seen > 0)
        bar->end_epoch(loss(), accuracy());
      ++position.epoch;
      position.batch = 0;
    }
    save(settings, net, optimizer, position);
    if (stop)
      return !guard.interrupted();
  }
  return true;
}

/// Writes the evaluation of one image, with the weights as arguments, as burn IR.
void exportEvaluation(const std::string &path, Net &net) {
  const NoGradGuard guard;
  nn::eval(net);
  flush();
  std::vector<NamedArgument> arguments;
  for (const nn::NamedTensor &item : nn::named_parameters(net))
    arguments.push_back({item.name, *item.tensor});
  for (const nn::NamedTensor &item : nn::named_buffers(net))
    arguments.push_back({item.name, *item.tensor});
  const Tensor image = tensor(std::vector<float>(28 * 28), {1, 1, 28, 28});
  arguments.push_back({"image", image});
  const Tensor logits = net.forward(image);
  save_ir(path, {&logits, 1}, arguments);
  nn::train(net);
}

int run(const Settings &settings) {
  const ImageDataset train = load_mnist(settings.data, Split::Train), test = load_mnist(settings.data, Split::Test);
  set_default_device(Device(settings.device));
  manual_seed(settings.seed);
  Net net;
  optim::AdamW optimizer(nn::named_parameters(net), {.lr = settings.learningRate,
                                                     .beta1 = 0.9,
                                                     .beta2 = 0.999,
                                                     .eps = 1e-5,
                                                     .weight_decay = 5e-5,
                                                     .cautious_weight_decay = true});
  const Position position = settings.resume.empty() ? Position() : resume(settings, train, net, optimizer);
  if (!trainOn(train, net, optimizer, position, settings)) {
    fmt::print("interrupted; go on with --resume {}\n", settings.checkpoint);
    return 130; // what a shell reports of a program that Ctrl+C ended
  }
  if (!settings.exportTo.empty())
    exportEvaluation(settings.exportTo, net);
  fmt::print("test accuracy: {:.2f} %\n", 100 * accuracyOn(test, net));
  const Stats figures = stats();
  fmt::print("compiling: {:.2f} s\n", figures.compile_ms / 1000);
  fmt::print("plans: {} compiled, {} loaded from the cache, {} kernels inside\n", figures.plans_compiled,
             figures.plans_loaded, figures.kernels);
  fmt::print("peak memory: {} MiB\n", peak_memory_bytes() >> 20);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  settings.data = defaultData();
  CLI::App app("Trains a convolutional network on MNIST and measures it on the test images.", "mnist");
  app.add_option("--data", settings.data, "Folder of the four IDX files of MNIST")->capture_default_str();
  app.add_option("--batch-size", settings.batchSize, "Images of a step")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--epochs", settings.epochs, "Passes over the training images")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--lr", settings.learningRate, "Peak of the learning rate")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", settings.seed, "Seed of weights, order, shifts and dropout")->capture_default_str();
  app.add_flag("--no-augment", settings.noAugment, "Do not shift the images");
  app.add_option("--steps", settings.steps, "Stop after this many steps in all (0: no limit)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--checkpoint", settings.checkpoint, "File to write after each epoch and at the end")
      ->capture_default_str();
  app.add_option("--resume", settings.resume, "Go on from this checkpoint, bit for bit");
  app.add_option("--export", settings.exportTo, "Write the evaluation of one image as burn IR to this file");
  app.add_option("--device", settings.device, "Where to train: cpu, or a GPU such as vulkan:0")->capture_default_str();
  app.add_flag("--quiet", settings.quiet, "Show no progress");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(settings);
  } catch (const std::exception &error) {
    fmt::print(stderr, "mnist: {}\n", error.what());
    return 1;
  }
}
