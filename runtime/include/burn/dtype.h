/// Element types of tensors: `burn::DType` and the 2-byte floats `burn::f16` and `burn::bf16`.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace burn {

/// Element type. The codes are part of the serialized graph and of cache keys: explicit, never reused.
/// Codes from 32 on are reserved for 8-bit floats and sub-byte types.
enum class DType : uint8_t {
  F64 = 1,
  F32 = 2,
  F16 = 3,
  BF16 = 4,
  /// Boolean; one byte a element in memory, 0 or 1.
  Bool = 8,
  I8 = 16,
  I16 = 17,
  I32 = 18,
  I64 = 19,
  U8 = 24,
  U16 = 25,
  U32 = 26,
  U64 = 27,
};

/// Size of one element in memory, in bits (sub-byte types have sizes below 8).
constexpr unsigned bitWidth(DType type) {
  switch (type) {
  case DType::F64:
  case DType::I64:
  case DType::U64:
    return 64;
  case DType::F32:
  case DType::I32:
  case DType::U32:
    return 32;
  case DType::F16:
  case DType::BF16:
  case DType::I16:
  case DType::U16:
    return 16;
  case DType::Bool:
  case DType::I8:
  case DType::U8:
    return 8;
  }
  return 0;
}

/// Size of one element in memory, in bytes.
constexpr unsigned byteWidth(DType type) { return bitWidth(type) / 8; }

constexpr bool isFloat(DType type) { return type >= DType::F64 && type <= DType::BF16; }
constexpr bool isSignedInt(DType type) { return type >= DType::I8 && type <= DType::I64; }
constexpr bool isUnsignedInt(DType type) { return type >= DType::U8 && type <= DType::U64; }
constexpr bool isInt(DType type) { return isSignedInt(type) || isUnsignedInt(type); }

/// Whether `code` is a known element type.
constexpr bool isValidDType(uint64_t code) { return code <= 255 && bitWidth(static_cast<DType>(code)) != 0; }

/// Name as it stands in burn IR: f32, i64, ui8, i1.
constexpr std::string_view name(DType type) {
  switch (type) {
  case DType::F64:
    return "f64";
  case DType::F32:
    return "f32";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::Bool:
    return "i1";
  case DType::I8:
    return "i8";
  case DType::I16:
    return "i16";
  case DType::I32:
    return "i32";
  case DType::I64:
    return "i64";
  case DType::U8:
    return "ui8";
  case DType::U16:
    return "ui16";
  case DType::U32:
    return "ui32";
  case DType::U64:
    return "ui64";
  }
  return "invalid";
}

namespace detail {

/// Rounds a float to a shorter binary format, to nearest even. `Mantissa` counts the stored bits.
/// f64 is rounded directly, never through f32, so that no value is rounded twice.
template <unsigned Exponent, unsigned Mantissa> constexpr uint16_t roundToShort(double value) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 63) << (Exponent + Mantissa));
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  constexpr uint16_t infinity = ((1u << Exponent) - 1) << Mantissa;
  if (exponent == 0x7ff)
    return sign | infinity | (mantissa ? 1u << (Mantissa - 1) : 0);
  constexpr int bias = (1 << (Exponent - 1)) - 1;
  int target = exponent - 1023 + bias;
  if (exponent == 0)
    return sign; // subnormal f64 values are far below half of the least 2-byte value
  mantissa |= uint64_t(1) << 52;
  unsigned shift = 52 - Mantissa;
  if (target <= 0) {
    if (target < -static_cast<int>(Mantissa))
      return sign;
    shift += 1 - target;
    target = 0;
  } else {
    mantissa &= (uint64_t(1) << 52) - 1;
  }
  const uint64_t half = uint64_t(1) << (shift - 1);
  const uint64_t rest = mantissa & ((half << 1) - 1);
  uint64_t rounded = (uint64_t(target) << Mantissa) + (mantissa >> shift);
  if (rest > half || (rest == half && (rounded & 1)))
    ++rounded; // a carry runs into the exponent, as it should
  return rounded >= infinity ? sign | infinity : sign | static_cast<uint16_t>(rounded);
}

template <unsigned Exponent, unsigned Mantissa> constexpr float widenShort(uint16_t bits) {
  const uint32_t sign = uint32_t(bits >> (Exponent + Mantissa)) << 31;
  const uint32_t exponent = (bits >> Mantissa) & ((1u << Exponent) - 1);
  const uint32_t mantissa = bits & ((1u << Mantissa) - 1);
  constexpr int bias = (1 << (Exponent - 1)) - 1;
  if (exponent == (1u << Exponent) - 1)
    return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << (23 - Mantissa)));
  if (exponent == 0) {
    if constexpr (Exponent == 8)
      return std::bit_cast<float>(sign | (mantissa << (23 - Mantissa)));
    // value = mantissa * 2^(1 - bias - Mantissa), exact in f32
    const float scale = std::bit_cast<float>(uint32_t(127 + 1 - bias - int(Mantissa)) << 23);
    const float magnitude = static_cast<float>(mantissa) * scale;
    return sign ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 127 - bias) << 23) | (mantissa << (23 - Mantissa)));
}

} // namespace detail

/// IEEE 754 binary16. Storage type: arithmetic is done in float and rounded to nearest even.
struct f16 {
  uint16_t bits = 0;
  constexpr f16() = default;
  constexpr explicit f16(double value) : bits(detail::roundToShort<5, 10>(value)) {}
  constexpr explicit operator float() const { return detail::widenShort<5, 10>(bits); }
  static constexpr f16 fromBits(uint16_t bits) {
    f16 result;
    result.bits = bits;
    return result;
  }
  constexpr bool operator==(const f16 &other) const { return float(*this) == float(other); }
};

/// bfloat16: the upper half of an f32. Storage type like `f16`.
struct bf16 {
  uint16_t bits = 0;
  constexpr bf16() = default;
  constexpr explicit bf16(double value) : bits(detail::roundToShort<8, 7>(value)) {}
  constexpr explicit operator float() const { return detail::widenShort<8, 7>(bits); }
  static constexpr bf16 fromBits(uint16_t bits) {
    bf16 result;
    result.bits = bits;
    return result;
  }
  constexpr bool operator==(const bf16 &other) const { return float(*this) == float(other); }
};

static_assert(sizeof(f16) == 2 && sizeof(bf16) == 2);

/// The `DType` of a C++ element type, as `dtypeOf<float>`.
template <typename T>
inline constexpr DType dtypeOf = [] {
  static_assert(sizeof(T) == 0, "no burn element type for this C++ type");
  return DType::F32;
}();
template <> inline constexpr DType dtypeOf<double> = DType::F64;
template <> inline constexpr DType dtypeOf<float> = DType::F32;
template <> inline constexpr DType dtypeOf<f16> = DType::F16;
template <> inline constexpr DType dtypeOf<bf16> = DType::BF16;
template <> inline constexpr DType dtypeOf<bool> = DType::Bool;
template <> inline constexpr DType dtypeOf<int8_t> = DType::I8;
template <> inline constexpr DType dtypeOf<int16_t> = DType::I16;
template <> inline constexpr DType dtypeOf<int32_t> = DType::I32;
template <> inline constexpr DType dtypeOf<int64_t> = DType::I64;
template <> inline constexpr DType dtypeOf<uint8_t> = DType::U8;
template <> inline constexpr DType dtypeOf<uint16_t> = DType::U16;
template <> inline constexpr DType dtypeOf<uint32_t> = DType::U32;
template <> inline constexpr DType dtypeOf<uint64_t> = DType::U64;

/// Calls `fn` with a value-initialised element of the C++ type behind `type`.
template <typename Fn> constexpr decltype(auto) visitDType(DType type, Fn &&fn) {
  switch (type) {
  case DType::F64:
    return fn(double());
  case DType::F32:
    return fn(float());
  case DType::F16:
    return fn(f16());
  case DType::BF16:
    return fn(bf16());
  case DType::Bool:
    return fn(bool());
  case DType::I8:
    return fn(int8_t());
  case DType::I16:
    return fn(int16_t());
  case DType::I32:
    return fn(int32_t());
  case DType::I64:
    return fn(int64_t());
  case DType::U8:
    return fn(uint8_t());
  case DType::U16:
    return fn(uint16_t());
  case DType::U32:
    return fn(uint32_t());
  case DType::U64:
    break;
  }
  return fn(uint64_t());
}

} // namespace burn
