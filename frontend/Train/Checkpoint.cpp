#include <burn/checkpoint.h>

#include <burn/error.h>
#include <burn/random.h>

#include <charconv>

namespace burn {

namespace {

constexpr std::string_view optimizerPrefix = "optimizer.";
constexpr const char *seedKey = "generator.seed";
constexpr const char *callsKey = "generator.calls";

uint64_t readNumber(const Metadata &metadata, const char *key, const std::string &file) {
  const auto found = metadata.find(key);
  if (found == metadata.end())
    throw Error(ErrorCode::DataLoss, file + ": is no checkpoint: metadata '" + key + "' is missing");
  const std::string &text = found->second;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(ErrorCode::DataLoss, file + ": metadata '" + key + "' is '" + text + "', no number");
  return value;
}

} // namespace

namespace detail {

void saveCheckpoint(const std::filesystem::path &path, nn::StateDict model, const optim::Optimizer &optimizer,
                    const Metadata &metadata) {
  Safetensors file;
  file.tensors = std::move(model);
  for (auto &[name, array] : optimizer.state_dict())
    if (!file.tensors.emplace(std::string(optimizerPrefix) + name, std::move(array)).second)
      throw Error(ErrorCode::InvalidArgument, path.string() + ": the model has an entry named '" +
                                                  std::string(optimizerPrefix) + name + "', which is the optimizer's");
  file.metadata = metadata;
  file.metadata[seedKey] = std::to_string(default_generator().seed());
  file.metadata[callsKey] = std::to_string(default_generator().calls());
  save_safetensors(path, file);
}

Metadata loadCheckpoint(const std::filesystem::path &path, const nn::detail::Collector &model,
                        optim::Optimizer &optimizer) {
  const std::string file = path.string();
  Safetensors content = load_safetensors(path);
  const uint64_t seed = readNumber(content.metadata, seedKey, file);
  const uint64_t calls = readNumber(content.metadata, callsKey, file);
  nn::StateDict modelState, optimizerState;
  for (auto &[name, array] : content.tensors) {
    if (name.starts_with(optimizerPrefix))
      optimizerState.emplace(name.substr(optimizerPrefix.size()), std::move(array));
    else
      modelState.emplace(name, std::move(array));
  }
  // The model first: where both differ, it is the one to name. Nothing is set before both are found right.
  nn::detail::checkState(model, modelState, file);
  optimizer.load_state_dict(optimizerState, file);
  nn::detail::loadState(model, modelState, file);
  default_generator().restore(seed, calls);
  content.metadata.erase(seedKey);
  content.metadata.erase(callsKey);
  return std::move(content.metadata);
}

} // namespace detail

Metadata read_metadata(const std::filesystem::path &path) { return load_safetensors(path).metadata; }

} // namespace burn
