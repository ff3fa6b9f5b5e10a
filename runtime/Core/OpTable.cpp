#include "runtime/Core/OpTable.h"

#include <algorithm>

namespace burn::core {
namespace {

// Reads attribute words of one op; remembers the first fault, so that decoders need no branches.
class WordReader {
public:
  WordReader(std::span<const int64_t> words, std::string_view op) : words_(words), op_(op) {}

  int64_t readI64() {
    if (position_ >= words_.size()) {
      fault_ = true;
      return 0;
    }
    return words_[position_++];
  }
  bool readBool() { return readI64() != 0; }
  bool readUnit() { return readBool(); }
  double readF64() { return std::bit_cast<double>(readI64()); }
  DType readType() {
    const int64_t code = readI64();
    fault_ |= !isValidDType(static_cast<uint64_t>(code));
    return static_cast<DType>(code);
  }
  template <typename Enum> Enum readEnum(int64_t greatest) {
    const int64_t value = readI64();
    fault_ |= value < 0 || value > greatest;
    return static_cast<Enum>(value);
  }
  std::span<const int64_t> readI64Array() {
    const int64_t size = readI64();
    if (fault_ || size < 0 || static_cast<uint64_t>(size) > words_.size() - position_) {
      fault_ = true;
      return {};
    }
    const auto entries = words_.subspan(position_, size);
    position_ += size;
    return entries;
  }
  std::span<const double> readF64Array() {
    const std::span<const int64_t> entries = readI64Array();
    return {reinterpret_cast<const double *>(entries.data()), entries.size()};
  }
  std::string_view readString() {
    const int64_t size = readI64();
    const size_t left = (words_.size() - std::min(position_, words_.size())) * sizeof(int64_t);
    if (fault_ || size < 0 || static_cast<uint64_t>(size) > left) {
      fault_ = true;
      return {};
    }
    const std::string_view text(reinterpret_cast<const char *>(words_.data() + position_), static_cast<size_t>(size));
    position_ += (text.size() + sizeof(int64_t) - 1) / sizeof(int64_t);
    return text;
  }
  Status finish() const {
    if (fault_ || position_ != words_.size())
      return Status::error(ErrorCode::DataLoss, "malformed attributes of " + std::string(op_));
    return Status::ok();
  }

private:
  std::span<const int64_t> words_;
  std::string_view op_;
  size_t position_ = 0;
  bool fault_ = false;
};

} // namespace

#include "runtime/Core/OpTable.cpp.inc"

std::span<const OpInfo> allOps() { return kOps; }

const OpInfo *findOp(OpCode code) {
  const auto it = std::ranges::lower_bound(kOps, code, {}, &OpInfo::code);
  return it != std::end(kOps) && it->code == code ? it : nullptr;
}

const OpInfo *findOp(std::string_view name) {
  const auto it = std::ranges::find(kOps, name, &OpInfo::name);
  return it != std::end(kOps) ? it : nullptr;
}

} // namespace burn::core
