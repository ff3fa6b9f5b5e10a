#include "runtime/Core/ArrayText.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

namespace burn::core {
namespace {

constexpr int64_t kEdge = 3; // elements shown at each end of a long dimension
constexpr size_t kLineWidth = 75;

// The positions along a dimension that are shown.
std::vector<int64_t> shown(int64_t size, bool summarize) {
  std::vector<int64_t> list;
  for (int64_t i = 0; i < size; ++i)
    if (!summarize || size <= 2 * kEdge || i < kEdge || i >= size - kEdge)
      list.push_back(i);
  return list;
}

// The shortest decimal digits that read back as the value.
template <typename T> std::string shortest(T value, std::chars_format format) {
  char text[512];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value, format);
  return error == std::errc() ? std::string(text, end) : std::to_string(value);
}

template <typename T> std::string rounded(T value, std::chars_format format, int precision) {
  char text[512];
  const auto [end, error] = std::to_chars(text, text + sizeof(text), value, format, precision);
  return error == std::errc() ? std::string(text, end) : std::to_string(value);
}

std::string padded(const std::string &text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string special(double value) {
  if (std::isnan(value))
    return "nan";
  return value < 0 ? "-inf" : "inf";
}

// Floats of one type, all in one format: fixed point, or with exponents where the range is wide.
template <typename T> std::vector<std::string> formatFloats(const std::vector<T> &values, int precision) {
  double greatest = 0, least = INFINITY;
  for (T value : values) {
    const double magnitude = std::fabs(static_cast<double>(value));
    if (!std::isfinite(magnitude) || magnitude == 0)
      continue;
    greatest = std::max(greatest, magnitude);
    least = std::min(least, magnitude);
  }
  const bool exponents = greatest >= 1e8 || (greatest > 0 && (least < 1e-4 || greatest / least > 1000));
  std::vector<std::string> texts;
  size_t width = 0, fraction = 0, whole = 0;
  if (exponents) {
    int digits = 0;
    for (T value : values) {
      if (!std::isfinite(static_cast<double>(value)))
        continue;
      const std::string text = shortest(value, std::chars_format::scientific);
      const size_t point = text.find('.'), end = text.find('e');
      digits = std::max(digits, point == std::string::npos ? 0 : static_cast<int>(end - point - 1));
    }
    digits = std::min(digits, precision);
    for (T value : values) {
      std::string text = std::isfinite(static_cast<double>(value))
                             ? rounded(value, std::chars_format::scientific, digits)
                             : special(static_cast<double>(value));
      if (digits == 0 && text.find('e') != std::string::npos)
        text.insert(text.find('e'), ".");
      texts.push_back(text);
      width = std::max(width, texts.back().size());
    }
    for (std::string &text : texts)
      text = padded(text, width);
    return texts;
  }
  for (T value : values) {
    if (!std::isfinite(static_cast<double>(value))) {
      texts.push_back(special(static_cast<double>(value)));
      continue;
    }
    std::string text = shortest(value, std::chars_format::fixed);
    size_t point = text.find('.');
    if (point != std::string::npos && text.size() - point - 1 > static_cast<size_t>(precision)) {
      text = rounded(value, std::chars_format::fixed, precision);
      while (text.back() == '0')
        text.pop_back();
    }
    if (point = text.find('.'); point == std::string::npos) {
      point = text.size();
      text += '.';
    }
    whole = std::max(whole, point);
    fraction = std::max(fraction, text.size() - point - 1);
    texts.push_back(text);
  }
  for (const std::string &text : texts)
    width = std::max(width, text.find('.') == std::string::npos ? text.size() : 0);
  width = std::max(width, whole + 1 + fraction);
  for (std::string &text : texts) {
    if (const size_t point = text.find('.'); point != std::string::npos)
      text += std::string(fraction - (text.size() - point - 1), ' ');
    text = padded(text, width);
  }
  return texts;
}

template <typename T> std::vector<std::string> format(const std::vector<T> &values, int precision) {
  if constexpr (std::is_floating_point_v<T>) {
    return formatFloats(values, precision);
  } else {
    std::vector<std::string> texts;
    size_t width = 0;
    for (T value : values) {
      if constexpr (std::is_same_v<T, uint8_t>)
        texts.push_back(std::to_string(static_cast<unsigned>(value)));
      else
        texts.push_back(std::to_string(value));
      width = std::max(width, texts.back().size());
    }
    for (std::string &text : texts)
      text = padded(text, width);
    return texts;
  }
}

// The layout of NumPy: nested brackets, long lines wrapped, one text for each shown element in order.
class Layout {
public:
  Layout(const Shape &shape, bool summarize, const std::vector<std::string> &texts)
      : shape_(shape), summarize_(summarize), texts_(texts) {}

  std::string print() { return part(0, " ", kLineWidth); }

private:
  std::string part(unsigned axis, const std::string &indent, size_t width) {
    if (axis == shape_.rank())
      return texts_[next_++];
    const int64_t size = shape_[axis];
    const bool cut = summarize_ && size > 2 * kEdge;
    const int64_t count = cut ? 2 * kEdge : size;
    std::string text;
    if (axis + 1 == shape_.rank()) {
      std::string line = indent;
      for (int64_t i = 0; i < count; ++i) {
        if (cut && i == kEdge) {
          extend(text, line, "...", width - 1, indent);
          line += ' ';
        }
        extend(text, line, texts_[next_++], i + 1 < count ? width - 1 : width, indent);
        if (i + 1 < count)
          line += ' ';
      }
      text += line;
    } else {
      const std::string separator(shape_.rank() - axis - 1, '\n');
      for (int64_t i = 0; i < count; ++i) {
        if (cut && i == kEdge)
          text += indent + "..." + separator;
        text += indent + part(axis + 1, indent + ' ', width - 1);
        if (i + 1 < count)
          text += separator;
      }
    }
    return '[' + (text.size() > indent.size() ? text.substr(indent.size()) : std::string()) + ']';
  }

  static void extend(std::string &text, std::string &line, const std::string &word, size_t width,
                     const std::string &indent) {
    if (line.size() + word.size() > width && line.size() > indent.size()) {
      while (line.back() == ' ')
        line.pop_back();
      text += line + '\n';
      line = indent;
    }
    line += word;
  }

  const Shape &shape_;
  bool summarize_;
  const std::vector<std::string> &texts_;
  size_t next_ = 0;
};

// The shown elements in order.
template <typename T, typename Convert>
void collect(const T *data, const Shape &shape, unsigned axis, int64_t offset, bool summarize, const Convert &convert) {
  if (axis == shape.rank()) {
    convert(data[offset]);
    return;
  }
  for (int64_t i : shown(shape[axis], summarize))
    collect(data, shape, axis + 1, offset * shape[axis] + i, summarize, convert);
}

} // namespace

std::string arrayText(const TypeDesc &type, const std::byte *bytes, int precision, int64_t threshold) {
  const Shape &shape = type.shape;
  const bool summarize = shape.numel() > threshold;
  precision = std::clamp(precision, 0, 64);
  const auto texts = visitDType(type.dtype, [&](auto element) -> std::vector<std::string> {
    using T = decltype(element);
    using Shown = std::conditional_t<std::is_same_v<T, f16> || std::is_same_v<T, bf16>, float,
                                     std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
    std::vector<Shown> values;
    if (shape.numel())
      collect(reinterpret_cast<const T *>(bytes), shape, 0, 0, summarize,
              [&](T value) { values.push_back(static_cast<Shown>(value)); });
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<std::string> words;
      bool any = false;
      for (uint8_t value : values)
        any |= value == 0;
      for (uint8_t value : values)
        words.push_back(value ? padded("True", any ? 5 : 4) : "False");
      return words;
    } else {
      return format(values, precision);
    }
  });
  if (shape.rank() == 0) {
    // A number alone shows that it is a float.
    std::string text = texts[0];
    text.erase(0, text.find_first_not_of(' '));
    return isFloat(type.dtype) && text.back() == '.' ? text + '0' : text;
  }
  if (shape.numel() == 0)
    return "[]";
  return Layout(shape, summarize, texts).print();
}

void printArray(std::string_view label, const TypeDesc &type, const std::byte *bytes) {
  std::string text(label);
  text += type.shape.rank() > 1 ? ":\n" : ": ";
  text += arrayText(type, bytes);
  text += '\n';
  // One call, so that texts of several threads are not mixed.
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

} // namespace burn::core
