#include <burn/data.h>

#include "runtime/Core/Philox.h"

#include <array>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

namespace burn {

namespace {

/// A whole number in [0, bound) from 64 random bits. The deviation from uniform, bound / 2^64, is below notice.
uint64_t below(uint64_t bits, uint64_t bound) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(bits) * bound >> 64);
}

/// Call ids of the generator: two per epoch, so neither epochs nor purposes share numbers.
uint64_t orderCall(int64_t epoch) { return 2 * static_cast<uint64_t>(epoch); }
uint64_t shiftCall(int64_t epoch) { return 2 * static_cast<uint64_t>(epoch) + 1; }

} // namespace

/// Two slots take turns: the worker fills the one that the user does not hold. `filled_` counts batches made,
/// `taken_` those delivered, both since `start`.
class DataLoader::Impl {
public:
  Impl(const ImageDataset &dataset, const DataLoaderOptions &options)
      : pixels_(dataset.images.values<uint8_t>()), labels_(dataset.labels.values<uint8_t>()), options_(options),
        key_{static_cast<uint32_t>(options.seed), static_cast<uint32_t>(options.seed >> 32)} {
    if (options.batch_size < 1)
      throw Error(ErrorCode::InvalidArgument,
                  "data loader: expects a batch size of at least 1, got " + std::to_string(options.batch_size));
    if (options.max_shift < 0)
      throw Error(ErrorCode::InvalidArgument,
                  "data loader: expects a shift of at least 0, got " + std::to_string(options.max_shift));
    if (dataset.images.shape().rank() != 3 || dataset.labels.shape() != Shape{dataset.size()})
      throw Error(ErrorCode::InvalidArgument,
                  "data loader: expects images [count, rows, columns] and labels [count], got " +
                      dataset.images.shape().str() + " and " + dataset.labels.shape().str());
    count_ = dataset.size();
    rows_ = dataset.images.shape()[1];
    columns_ = dataset.images.shape()[2];
    for (size_t i = 0; i < table_.size(); ++i)
      table_[i] = (static_cast<float>(i) / 255.0f - options.mean) / options.std;
    order_.resize(static_cast<size_t>(count_));
    const int64_t capacity = std::min(options.batch_size, count_);
    for (Slot &slot : slots_) {
      slot.images.resize(static_cast<size_t>(capacity * rows_ * columns_));
      slot.labels.resize(static_cast<size_t>(capacity));
    }
    worker_ = std::thread([this] { work(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }

  int64_t batches() const { return (count_ - 1) / options_.batch_size + 1; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

  void start(int64_t epoch, int64_t firstBatch) {
    if (epoch < 0 || firstBatch < 0 || firstBatch > batches())
      throw Error(ErrorCode::InvalidArgument, "data loader: epoch " + std::to_string(epoch) + ", batch " +
                                                  std::to_string(firstBatch) + " does not exist");
    {
      std::unique_lock lock(mutex_);
      // The worker may be filling a slot of the old epoch: let it finish before the numbers change under it.
      total_ = 0;
      changed_.wait(lock, [&] { return !filling_; });
      epoch_ = epoch;
      firstBatch_ = firstBatch;
      orderKnown_ = false;
      filled_ = taken_ = 0;
      held_ = false;
      total_ = batches() - firstBatch;
    }
    changed_.notify_all();
  }

  const Batch *next() {
    std::unique_lock lock(mutex_);
    if (held_) {
      held_ = false;
      ++taken_;
      changed_.notify_all();
    }
    if (taken_ == total_)
      return nullptr;
    changed_.wait(lock, [&] { return filled_ > taken_; });
    held_ = true;
    return &slots_[static_cast<size_t>(taken_ % 2)].batch;
  }

private:
  struct Slot {
    std::vector<float> images;
    std::vector<int64_t> labels;
    Batch batch;
  };

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stopping_ || (filled_ < total_ && filled_ - taken_ < 2); });
      if (stopping_)
        return;
      filling_ = true;
      const int64_t index = filled_;
      lock.unlock();
      if (!orderKnown_)
        makeOrder();
      fill(slots_[static_cast<size_t>(index % 2)], firstBatch_ + index);
      lock.lock();
      filling_ = false;
      ++filled_;
      changed_.notify_all();
    }
  }

  /// Fisher-Yates from the identity, so that an epoch's order does not depend on those before it.
  void makeOrder() {
    std::iota(order_.begin(), order_.end(), int64_t{0});
    for (int64_t i = count_ - 1; options_.shuffle && i > 0; --i) {
      const uint64_t bits = core::philoxBits64(static_cast<uint64_t>(i), orderCall(epoch_), key_);
      std::swap(order_[static_cast<size_t>(i)], order_[below(bits, static_cast<uint64_t>(i) + 1)]);
    }
    orderKnown_ = true;
  }

  void fill(Slot &slot, int64_t batch) {
    const int64_t begin = batch * options_.batch_size;
    const int64_t size = std::min(options_.batch_size, count_ - begin);
    for (int64_t i = 0; i < size; ++i) {
      const size_t sample = static_cast<size_t>(order_[static_cast<size_t>(begin + i)]);
      slot.labels[static_cast<size_t>(i)] = labels_[sample];
      copyImage(sample, begin + i, slot.images.data() + i * rows_ * columns_);
    }
    slot.batch.images = std::span(slot.images).first(static_cast<size_t>(size * rows_ * columns_));
    slot.batch.labels = std::span(slot.labels).first(static_cast<size_t>(size));
    slot.batch.size = size;
  }

  /// Normalises image `sample` into `out`, moved by the shift of place `place` in the epoch.
  void copyImage(size_t sample, int64_t place, float *out) {
    int64_t down = 0, right = 0;
    if (options_.max_shift > 0) {
      const uint64_t bits = core::philoxBits64(static_cast<uint64_t>(place), shiftCall(epoch_), key_);
      const uint64_t choices = 2 * static_cast<uint64_t>(options_.max_shift) + 1;
      down = static_cast<int64_t>(below(bits & 0xffffffff00000000, choices)) - options_.max_shift;
      right = static_cast<int64_t>(below(bits << 32, choices)) - options_.max_shift;
    }
    const uint8_t *image = pixels_.data() + sample * static_cast<size_t>(rows_ * columns_);
    for (int64_t row = 0; row < rows_; ++row) {
      const int64_t fromRow = row - down;
      for (int64_t column = 0; column < columns_; ++column) {
        const int64_t fromColumn = column - right;
        const bool inside = fromRow >= 0 && fromRow < rows_ && fromColumn >= 0 && fromColumn < columns_;
        out[row * columns_ + column] = table_[inside ? image[fromRow * columns_ + fromColumn] : 0];
      }
    }
  }

  std::span<const uint8_t> pixels_, labels_;
  DataLoaderOptions options_;
  std::array<uint32_t, 2> key_;
  int64_t count_, rows_, columns_;
  /// The normalised value of each pixel value.
  std::array<float, 256> table_;
  std::array<Slot, 2> slots_;
  std::vector<int64_t> order_;

  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t epoch_ = 0, firstBatch_ = 0, total_ = 0, filled_ = 0, taken_ = 0;
  bool orderKnown_ = false, held_ = false, filling_ = false, stopping_ = false;
  std::thread worker_;
};

DataLoader::DataLoader(const ImageDataset &dataset, const DataLoaderOptions &options)
    : impl_(std::make_unique<Impl>(dataset, options)) {}
DataLoader::~DataLoader() = default;
DataLoader::DataLoader(DataLoader &&) noexcept = default;
DataLoader &DataLoader::operator=(DataLoader &&) noexcept = default;

int64_t DataLoader::batches() const { return impl_->batches(); }
int64_t DataLoader::rows() const { return impl_->rows(); }
int64_t DataLoader::columns() const { return impl_->columns(); }
void DataLoader::start(int64_t epoch, int64_t first_batch) { impl_->start(epoch, first_batch); }
const Batch *DataLoader::next() { return impl_->next(); }

} // namespace burn
