#include "test/unit/frontend/TemporaryFolder.h"

#include <burn/data.h>

#include <set>
#include <thread>

using burn::Batch;
using burn::DataLoader;
using burn::DataLoaderOptions;
using burn::HostArray;
using burn::ImageDataset;

namespace {

/// `count` images of 5 x 5, each with one bright pixel in the middle whose value is 1 + its index; label = index % 10.
ImageDataset dots(int64_t count) {
  ImageDataset dataset{HostArray(burn::DType::U8, {count, 5, 5}), HostArray(burn::DType::U8, {count})};
  for (int64_t i = 0; i < count; ++i) {
    dataset.images.values<uint8_t>()[static_cast<size_t>(25 * i + 12)] = static_cast<uint8_t>(1 + i);
    dataset.labels.values<uint8_t>()[static_cast<size_t>(i)] = static_cast<uint8_t>(i % 10);
  }
  return dataset;
}

DataLoaderOptions raw(int64_t batchSize) {
  DataLoaderOptions options;
  options.batch_size = batchSize;
  options.mean = 0;
  options.std = 1;
  return options;
}

struct Record {
  std::vector<int64_t> sizes;
  std::vector<float> images;
  std::vector<int64_t> labels;
  bool operator==(const Record &) const = default;
};

Record record(DataLoader &loader, int64_t epoch, int64_t firstBatch = 0) {
  Record seen;
  for (const Batch &batch : loader.epoch(epoch, firstBatch)) {
    seen.sizes.push_back(batch.size);
    seen.images.insert(seen.images.end(), batch.images.begin(), batch.images.end());
    seen.labels.insert(seen.labels.end(), batch.labels.begin(), batch.labels.end());
  }
  return seen;
}

/// Place of the bright pixel in each image, and the index of the image.
struct Dot {
  int64_t sample, row, column;
};

std::vector<Dot> findDots(const Record &seen) {
  std::vector<Dot> found;
  for (size_t i = 0; i < seen.labels.size(); ++i)
    for (int64_t at = 0; at < 25; ++at)
      if (const float value = seen.images[25 * i + static_cast<size_t>(at)]; value > 0)
        found.push_back({std::lround(value * 255) - 1, at / 5, at % 5});
  return found;
}

} // namespace

TEST_CASE("data loader: an epoch in order holds every image once, the last batch what is left", "[data]") {
  const ImageDataset dataset = dots(10);
  DataLoader loader(dataset, raw(4));
  CHECK(loader.batches() == 3);
  const Record seen = record(loader, 0);
  CHECK(seen.sizes == std::vector<int64_t>{4, 4, 2});
  CHECK(seen.labels == std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(loader.next() == nullptr);
  const std::vector<Dot> found = findDots(seen);
  REQUIRE(found.size() == 10);
  for (size_t i = 0; i < found.size(); ++i)
    CHECK((found[i].sample == static_cast<int64_t>(i) && found[i].row == 2 && found[i].column == 2));
}

TEST_CASE("data loader: order and shifts follow from seed and epoch alone", "[data]") {
  const ImageDataset dataset = dots(100);
  DataLoaderOptions options = raw(16);
  options.shuffle = true;
  options.max_shift = 2;
  options.seed = 42;
  DataLoader loader(dataset, options), other(dataset, options);
  const Record first = record(loader, 0), second = record(loader, 1);
  CHECK(first != second);
  CHECK(record(other, 1) == second);
  CHECK(record(other, 0) == first);
  options.seed = 43;
  DataLoader third(dataset, options);
  CHECK(record(third, 0) != first);
  // Another seed in the upper word alone.
  options.seed = uint64_t{1} << 32 | 42;
  DataLoader fourth(dataset, options);
  CHECK(record(fourth, 0) != first);

  std::set<int64_t> samples, rows, columns;
  for (const Dot &dot : findDots(first)) {
    samples.insert(dot.sample);
    rows.insert(dot.row);
    columns.insert(dot.column);
  }
  CHECK(samples.size() == 100);
  CHECK(rows == std::set<int64_t>{0, 1, 2, 3, 4});
  CHECK(columns == std::set<int64_t>{0, 1, 2, 3, 4});
}

TEST_CASE("data loader: an epoch resumed at a batch goes on as if never left", "[data]") {
  const ImageDataset dataset = dots(50);
  DataLoaderOptions options = raw(8);
  options.shuffle = true;
  options.max_shift = 1;
  DataLoader loader(dataset, options), resumed(dataset, options);
  const Record whole = record(loader, 3);
  const Record rest = record(resumed, 3, 4);
  CHECK(rest.sizes == std::vector<int64_t>{8, 8, 2});
  CHECK(std::equal(rest.images.begin(), rest.images.end(), whole.images.begin() + 4 * 8 * 25));
  CHECK(record(resumed, 3, resumed.batches()).sizes.empty());
  // Leaving in the middle of an epoch, the worker a batch ahead.
  for (int repeat = 0; repeat < 50; ++repeat) {
    loader.start(2);
    loader.next();
    if (repeat % 2)
      loader.next();
    if (repeat % 5 == 0)
      std::this_thread::yield();
  }
  CHECK(record(loader, 3) == whole);
}

TEST_CASE("data loader: shuffling and shifting are uniform", "[data]") {
  // Each of 10 images lands in each of 10 places, and each shift of -2..2 is taken: over 2,000 epochs the counts stay
  // within 5 standard deviations of their mean.
  const ImageDataset dataset = dots(10);
  DataLoaderOptions options = raw(10);
  options.shuffle = true;
  options.max_shift = 2;
  options.seed = 7;
  DataLoader loader(dataset, options);
  int places[10][10] = {}, shifts[5][5] = {};
  for (int64_t epoch = 0; epoch < 2000; ++epoch) {
    const std::vector<Dot> found = findDots(record(loader, epoch));
    REQUIRE(found.size() == 10);
    for (size_t i = 0; i < 10; ++i) {
      ++places[i][found[i].sample];
      ++shifts[found[i].row][found[i].column];
    }
  }
  for (const auto &row : places)
    for (const int count : row)
      CHECK(std::abs(count - 200) < 5 * 13.42); // sqrt(2000 * 0.1 * 0.9)
  for (const auto &row : shifts)
    for (const int count : row)
      CHECK(std::abs(count - 800) < 5 * 27.72); // sqrt(20000 * 0.04 * 0.96)
}

TEST_CASE("data loader: pixels are normalised, what a shift frees is background", "[data]") {
  ImageDataset dataset{HostArray(burn::DType::U8, {1, 3, 3}), HostArray(burn::DType::U8, {1})};
  std::ranges::fill(dataset.images.values<uint8_t>(), uint8_t{255});
  DataLoaderOptions options;
  options.max_shift = 1;
  DataLoader loader(dataset, options);
  bool moved = false;
  for (int64_t epoch = 0; epoch < 20; ++epoch) {
    const Record seen = record(loader, epoch);
    for (const float value : seen.images) {
      const bool background = value < 0;
      moved = moved || background;
      CHECK(value == Approx(background ? -0.42421296 : 2.82148653).epsilon(1e-6));
    }
  }
  CHECK(moved);
}

TEST_CASE("data loader: impossible options are refused", "[data]") {
  const ImageDataset dataset = dots(3);
  CHECK_THAT(errorOf([&] { DataLoader(dataset, raw(0)); }), Catch::Contains("batch size"));
  DataLoaderOptions options;
  options.max_shift = -1;
  CHECK_THAT(errorOf([&] { DataLoader(dataset, options); }), Catch::Contains("shift"));
  ImageDataset wrong{dataset.images, HostArray(burn::DType::U8, {4})};
  CHECK_THAT(errorOf([&] { DataLoader(wrong, raw(1)); }), Catch::Contains("[4]"));
  DataLoader loader(dataset, raw(2));
  CHECK_THAT(errorOf([&] { loader.start(0, 3); }), Catch::Contains("batch 3"));
}

TEST_CASE("mnist: the digits of the example are all there", "[data]") {
  const std::filesystem::path folder = BURN_SOURCE_DIR "/examples/mnist/data";
  const ImageDataset train = burn::load_mnist(folder, burn::Split::Train);
  const ImageDataset test = burn::load_mnist(folder, burn::Split::Test);
  CHECK(train.images.shape() == burn::Shape{8000, 28, 28});
  CHECK(test.images.shape() == burn::Shape{2000, 28, 28});
}
