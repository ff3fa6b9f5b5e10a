// Errors as values: what the inner parts of both libraries return instead of throwing.
#pragma once

#include <burn/error_code.h>

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace burn::core {

using burn::ErrorCode;

/// Success, or an error code with a message. `locations` are ids of the graph's side table of user
/// locations, the culprit first.
class [[nodiscard]] Status {
public:
  Status() = default;
  static Status ok() { return {}; }
  static Status error(ErrorCode code, std::string message, std::vector<uint32_t> locations = {}) {
    assert(code != ErrorCode::Ok);
    Status status;
    status.code_ = code;
    status.message_ = std::move(message);
    status.locations_ = std::move(locations);
    return status;
  }
  static Status invalid(std::string message) { return error(ErrorCode::InvalidArgument, std::move(message)); }

  bool isOk() const { return code_ == ErrorCode::Ok; }
  explicit operator bool() const { return isOk(); }
  ErrorCode code() const { return code_; }
  const std::string &message() const { return message_; }
  const std::vector<uint32_t> &locations() const { return locations_; }

private:
  ErrorCode code_ = ErrorCode::Ok;
  std::string message_;
  std::vector<uint32_t> locations_;
};

/// A value or the error that kept it from being made.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(Status status) : status_(std::move(status)) { assert(!status_.isOk()); }

  bool isOk() const { return value_.has_value(); }
  explicit operator bool() const { return isOk(); }
  const Status &status() const { return status_; }
  T &operator*() {
    assert(value_);
    return *value_;
  }
  const T &operator*() const {
    assert(value_);
    return *value_;
  }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace burn::core
