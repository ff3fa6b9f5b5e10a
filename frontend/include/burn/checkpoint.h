/// Checkpoints: everything a training run needs to go on as if it had never stopped, in one safetensors file.
#pragma once

#include <burn/io.h>
#include <burn/module.h>
#include <burn/optim.h>

#include <filesystem>
#include <map>
#include <string>

namespace burn {

/// Figures and settings of the program's own that a checkpoint keeps: epoch, step, batch size and so on, as text.
using Metadata = std::map<std::string, std::string>;

namespace detail {
BURN_API void saveCheckpoint(const std::filesystem::path &path, nn::StateDict model, const optim::Optimizer &optimizer,
                             const Metadata &metadata);
BURN_API Metadata loadCheckpoint(const std::filesystem::path &path, const nn::detail::Collector &model,
                                 optim::Optimizer &optimizer);
} // namespace detail

/// Writes model, optimizer, the calling thread's default generator and `metadata` to `path`. Parameters and buffers
/// have their own names, state of the optimizer begins with "optimizer.". The file is replaced whole or not at all,
/// and the same state gives the same bytes.
template <nn::Module M>
void save_checkpoint(const std::filesystem::path &path, M &model, const optim::Optimizer &optimizer,
                     const Metadata &metadata = {}) {
  detail::saveCheckpoint(path, nn::state_dict(model), optimizer, metadata);
}

/// Takes everything back from a file of `save_checkpoint` and returns its metadata. Throws `burn::Error`, which names
/// the file, where it is damaged or holds another model or optimizer.
template <nn::Module M>
Metadata load_checkpoint(const std::filesystem::path &path, M &model, optim::Optimizer &optimizer) {
  return detail::loadCheckpoint(path, nn::detail::collect(model), optimizer);
}

/// The metadata of a checkpoint alone.
BURN_API Metadata read_metadata(const std::filesystem::path &path);

} // namespace burn
