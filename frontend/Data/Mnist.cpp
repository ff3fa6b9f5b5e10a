#include <burn/data.h>

#include "frontend/Io/FileIo.h"

#include <algorithm>
#include <utility>

namespace burn {

namespace {

using detail::failFile;

std::filesystem::path locate(const std::filesystem::path &folder, const std::string &name) {
  const std::filesystem::path compressed = folder / (name + ".gz");
  std::error_code ignored;
  if (!std::filesystem::exists(compressed, ignored) && std::filesystem::exists(folder / name, ignored))
    return folder / name;
  return compressed;
}

HostArray loadBytes(const std::filesystem::path &path, unsigned rank, const char *what) {
  HostArray array = load_idx(path);
  if (array.dtype() != DType::U8 || array.shape().rank() != rank)
    failFile(path.string(), std::string("holds no ") + what + ": expects ui8 of rank " + std::to_string(rank) +
                                ", got " + std::string(name(array.dtype())) + " of rank " +
                                std::to_string(array.shape().rank()));
  return array;
}

} // namespace

ImageDataset load_mnist(const std::filesystem::path &folder, Split split) {
  const std::string prefix = split == Split::Train ? "train" : "t10k";
  const std::filesystem::path imagePath = locate(folder, prefix + "-images-idx3-ubyte");
  const std::filesystem::path labelPath = locate(folder, prefix + "-labels-idx1-ubyte");
  ImageDataset dataset{loadBytes(imagePath, 3, "images"), loadBytes(labelPath, 1, "labels")};
  const int64_t images = dataset.images.shape()[0], labels = dataset.labels.shape()[0];
  if (images != labels)
    failFile(labelPath.string(), "holds " + std::to_string(labels) + " labels, but " + imagePath.string() + " holds " +
                                     std::to_string(images) + " images");
  if (dataset.images.numel() == 0)
    failFile(imagePath.string(), "holds no pixels: shape " + dataset.images.shape().str());
  const std::span<const uint8_t> values = std::as_const(dataset.labels).values<uint8_t>();
  const auto wrong = std::ranges::find_if(values, [](uint8_t label) { return label > 9; });
  if (wrong != values.end())
    failFile(labelPath.string(),
             "label " + std::to_string(*wrong) + " at index " + std::to_string(wrong - values.begin()) + " is above 9");
  return dataset;
}

} // namespace burn
