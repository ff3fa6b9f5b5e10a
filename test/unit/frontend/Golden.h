// Reads the figures in test/data, which libraries computed in f64.
#pragma once

#include <burn/burn.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace golden {

inline nlohmann::json load(const std::string &name) {
  std::ifstream in(std::string(BURN_SOURCE_DIR) + "/test/data/" + name);
  REQUIRE(in.good());
  return nlohmann::json::parse(in);
}

/// A number, of which those that JSON does not know stand as text.
inline double number(const nlohmann::json &value) {
  if (!value.is_string())
    return value.is_boolean() ? value.get<bool>() : value.get<double>();
  const std::string text = value.get<std::string>();
  if (text == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

inline std::vector<double> numbers(const nlohmann::json &value) {
  std::vector<double> result;
  for (const nlohmann::json &element : value["data"])
    result.push_back(number(element));
  return result;
}

inline burn::Shape shapeOf(const nlohmann::json &value) {
  const auto dims = value["shape"].get<std::vector<int64_t>>();
  return burn::Shape(std::span<const int64_t>(dims));
}

/// The array of figures, its floats as `dtype`.
inline burn::HostArray array(const nlohmann::json &value, burn::DType dtype) {
  if (const std::string kind = value.value("dtype", "float64"); kind == "int64")
    dtype = burn::DType::I64;
  else if (kind == "bool")
    dtype = burn::DType::Bool;
  burn::HostArray result(dtype, shapeOf(value));
  const std::vector<double> data = numbers(value);
  burn::visitDType(dtype, [&]<typename T>(T) {
    if constexpr (std::is_constructible_v<T, double>)
      for (size_t i = 0; i < data.size(); ++i)
        result.values<T>()[i] = static_cast<T>(data[i]);
  });
  return result;
}

/// L2 distance of `actual` from the figures, relative to their norm (absolute where that is 0). NaN where only one of
/// two elements is NaN, or where infinite ones differ.
inline double distance(const burn::Tensor &actual, const nlohmann::json &wanted) {
  REQUIRE(actual.shape() == shapeOf(wanted));
  const std::vector<double> values = actual.detach().to(burn::DType::F64).to_vector<double>();
  const std::vector<double> right = numbers(wanted);
  REQUIRE(values.size() == right.size());
  double difference = 0, norm = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    if (values[i] == right[i] || (std::isnan(values[i]) && std::isnan(right[i])))
      continue;
    difference += (values[i] - right[i]) * (values[i] - right[i]);
  }
  for (const double value : right)
    if (std::isfinite(value))
      norm += value * value;
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

} // namespace golden
