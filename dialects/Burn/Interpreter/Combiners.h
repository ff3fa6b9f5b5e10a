// What reductions combine with, and where they start; shared by reductions and windows.
#pragma once

#include "dialects/Burn/Interpreter/Evaluation.h"
#include "dialects/Burn/Interpreter/ScalarMeaning.h"

namespace burn::ir::meaning {

template <typename C> C least(DType dtype) {
  if constexpr (Float<C>)
    return C(-std::numeric_limits<double>::infinity());
  else
    return visitDType(dtype, []<typename T>(T) {
      if constexpr (std::is_integral_v<T>)
        return static_cast<C>(std::numeric_limits<T>::min());
      else
        return C();
    });
}

template <typename C> C greatest(DType dtype) {
  if constexpr (Float<C>)
    return C(std::numeric_limits<double>::infinity());
  else
    return visitDType(dtype, []<typename T>(T) {
      if constexpr (std::is_integral_v<T>)
        return static_cast<C>(std::numeric_limits<T>::max());
      else
        return C();
    });
}

/// The value of a reduction without elements.
template <typename C> C identityOf(core::ReduceKind kind, DType dtype) {
  switch (kind) {
  case core::ReduceKind::Sum:
  case core::ReduceKind::Or:
  case core::ReduceKind::Xor:
    return C(0);
  case core::ReduceKind::Prod:
    return C(1);
  case core::ReduceKind::Max:
    return least<C>(dtype);
  case core::ReduceKind::Min:
    return greatest<C>(dtype);
  case core::ReduceKind::And:
    return std::is_same_v<C, bool> ? C(1) : C(greatest<C>(DType::U64));
  }
  return C(0);
}

template <typename C> C combine(core::ReduceKind kind, C a, C b) {
  switch (kind) {
  case core::ReduceKind::Sum:
    if constexpr (!std::is_same_v<C, bool>)
      return Add::of(a, b);
    break;
  case core::ReduceKind::Prod:
    if constexpr (!std::is_same_v<C, bool>)
      return Mul::of(a, b);
    break;
  case core::ReduceKind::Max:
    return Max::of(a, b);
  case core::ReduceKind::Min:
    return Min::of(a, b);
  case core::ReduceKind::And:
    if constexpr (Bits<C>)
      return And::of(a, b);
    break;
  case core::ReduceKind::Or:
    if constexpr (Bits<C>)
      return Or::of(a, b);
    break;
  case core::ReduceKind::Xor:
    if constexpr (Bits<C>)
      return Xor::of(a, b);
    break;
  }
  return a;
}

/// Whether `candidate`, which comes later, replaces `best`: the first extremum wins, and the first
/// NaN over everything.
template <typename C> bool replaces(core::ExtremumKind kind, C best, C candidate) {
  if constexpr (Float<C>) {
    if (std::isnan(real(best)))
      return false;
    if (std::isnan(real(candidate)))
      return true;
    return kind == core::ExtremumKind::Max ? real(candidate) > real(best) : real(candidate) < real(best);
  } else {
    return kind == core::ExtremumKind::Max ? candidate > best : candidate < best;
  }
}

} // namespace burn::ir::meaning
