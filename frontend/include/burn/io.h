/// Files of arrays: safetensors (checkpoints) and NumPy's .npy. Every function throws `burn::Error`, whose message
/// names the file and what is wrong with it.
#pragma once

#include <burn/error.h>
#include <burn/host_array.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace burn {

/// The content of a safetensors file: arrays by name, and free text by name.
struct Safetensors {
  std::map<std::string, HostArray> tensors;
  std::map<std::string, std::string> metadata;
};

/// Reads a safetensors file (https://huggingface.co/docs/safetensors). Refused: headers that do not fit the file,
/// element types without a `DType`, offsets that overlap, leave gaps or disagree with the shape, and names given twice.
BURN_API Safetensors load_safetensors(const std::filesystem::path &path);

/// Writes a safetensors file. Equal content gives equal bytes. The file appears whole or not at all: it is written
/// beside `path`, synchronised to the disk and renamed.
BURN_API void save_safetensors(const std::filesystem::path &path, const Safetensors &content);

/// The bytes `save_safetensors` writes.
BURN_API std::vector<std::byte> encode_safetensors(const Safetensors &content);

/// The content of the safetensors file `bytes`; `name` stands for it in errors.
BURN_API Safetensors decode_safetensors(std::span<const std::byte> bytes, const std::string &name);

/// Reads a NumPy array file (.npy, versions 1 to 3): little-endian, C order.
BURN_API HostArray load_npy(const std::filesystem::path &path);

/// Writes a NumPy array file (version 1). bf16 has no NumPy type and is refused.
BURN_API void save_npy(const std::filesystem::path &path, const HostArray &array);

} // namespace burn
