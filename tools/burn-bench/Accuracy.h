// Errors of the float ops of the dialect, in units of the last place.
#pragma once

#include "tools/burn-bench/Mpfr.h"

#include <limits>
#include <string>
#include <vector>

namespace burn::bench {

/// A float op with its references.
struct MathFunction {
  std::string op;     // without "burn."
  std::string before; // attributes that stand in front of the operands
  std::string after;  // attributes behind them
  int operands;
  /// In f64, for the smaller types; null: MPFR alone.
  double (*narrow)(double);
  Big::Function exact;
  /// What the project promises, by ulp; f32 and f64.
  double bound32, bound64;
  /// The bounds that JAX publishes for CPUs; 0: none.
  double jax32 = 0, jax64 = 0;
  /// Below 0 the zeros of the function bound its absolute error only; units of the last place of 1 count there.
  bool zerosBelow = false;
  /// Arguments below are not compared with MPFR, whose sum would be long.
  double from = -std::numeric_limits<double>::infinity();

  std::string label() const { return op + (before.empty() ? "" : " " + before) + (after.empty() ? "" : " " + after); }
};

/// Every float op that acts on each element alone and rounds. Needs `Big::open`.
std::vector<MathFunction> mathFunctions();

/// Ops of the table of the dialect on one or two floats that are in none of the lists here.
std::vector<std::string> uncoveredOps(const std::vector<MathFunction> &functions);

struct AccuracyOptions {
  std::string mode;   // "sampled" or "full"
  std::string mpfr;   // library
  std::string lines;  // JSON lines, one a measurement; those that are there are not measured again
  std::string report; // Markdown, from all lines
  std::vector<std::string> ops, types;
  std::string device = "cpu"; // where the ops run
  std::string label;          // of the device in lines and reports; empty: its name
  double seconds = 0;         // of a measurement; 0: no limit
  int threads = 0;            // 0: one a processor
};

/// Measures, prints a line as it goes; the exit code of the process.
int runAccuracy(AccuracyOptions options);

/// Writes the report of a file of lines.
void writeAccuracyReport(const std::string &lines, const std::string &report);

} // namespace burn::bench
