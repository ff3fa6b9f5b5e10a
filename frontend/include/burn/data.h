/// Data sets and the loader that feeds batches to a training loop.
#pragma once

#include <burn/error.h>
#include <burn/host_array.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string>

namespace burn {

/// Reads an IDX file, plain or compressed by gzip: the format of the MNIST files, whose elements are big-endian.
/// Throws `burn::Error` where the file is missing, is no IDX file, is damaged, or is shorter or longer than it says.
BURN_API HostArray load_idx(const std::filesystem::path &path);

/// Grey images with a class each.
struct ImageDataset {
  /// u8 [count, rows, columns]
  HostArray images;
  /// u8 [count]
  HostArray labels;

  int64_t size() const { return images.shape().rank() ? images.shape()[0] : 0; }
};

enum class Split { Train, Test };

/// Reads one part of MNIST from the standard files of `folder` (train-images-idx3-ubyte.gz and so on; the same names
/// without .gz are taken too). Throws `burn::Error` where a file is missing or bad, where the number of labels is not
/// that of images, or where a label is above 9.
BURN_API ImageDataset load_mnist(const std::filesystem::path &folder, Split split);

struct DataLoaderOptions {
  int64_t batch_size = 64;
  /// A new order each epoch.
  bool shuffle = false;
  /// Each image moves by a random whole number of pixels of at most this in x and in y; what becomes free is
  /// background (0).
  int64_t max_shift = 0;
  /// Order and shifts follow from the seed and the number of the epoch alone.
  uint64_t seed = 0;
  /// Pixels become (pixel / 255 - mean) / std. The defaults are mean and deviation of MNIST's training images.
  float mean = 0.1307f;
  float std = 0.3081f;
};

/// Images and classes of one batch, valid until the loader is asked for the next one.
struct Batch {
  /// f32 [size, 1, rows, columns]
  std::span<const float> images;
  /// [size]
  std::span<const int64_t> labels;
  int64_t size = 0;
};

/// Delivers a data set in batches, the next of which a thread prepares while the current one is in use. The last
/// batch of an epoch holds what is left. No memory is allocated after construction. One thread at a time may use a
/// loader.
class BURN_API DataLoader {
public:
  /// `dataset` must stay alive and unchanged as long as the loader.
  DataLoader(const ImageDataset &dataset, const DataLoaderOptions &options);
  ~DataLoader();
  DataLoader(DataLoader &&) noexcept;
  DataLoader &operator=(DataLoader &&) noexcept;

  /// Number of batches of an epoch.
  int64_t batches() const;
  int64_t rows() const;
  int64_t columns() const;

  /// Starts epoch number `epoch` at batch `first_batch`, whatever was going on before. Where a run is resumed, this
  /// restores the loader: it has no other state.
  void start(int64_t epoch, int64_t first_batch = 0);

  /// The next batch, or null at the end of the epoch.
  const Batch *next();

  class Iterator;
  /// The batches of epoch `epoch` from `first_batch` on: `for (const Batch &batch : loader.epoch(3))`.
  class Epoch {
  public:
    Iterator begin() const;
    std::default_sentinel_t end() const { return {}; }

  private:
    friend DataLoader;
    explicit Epoch(DataLoader &loader) : loader_(&loader) {}
    DataLoader *loader_;
  };
  Epoch epoch(int64_t epoch, int64_t first_batch = 0) {
    start(epoch, first_batch);
    return Epoch(*this);
  }

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

class DataLoader::Iterator {
public:
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;
  explicit Iterator(DataLoader *loader) : loader_(loader), batch_(loader->next()) {}
  const Batch &operator*() const { return *batch_; }
  const Batch *operator->() const { return batch_; }
  Iterator &operator++() {
    batch_ = loader_->next();
    return *this;
  }
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const { return batch_ == nullptr; }

private:
  DataLoader *loader_;
  const Batch *batch_;
};

inline DataLoader::Iterator DataLoader::Epoch::begin() const { return Iterator(loader_); }

} // namespace burn
