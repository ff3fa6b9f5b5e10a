// Products by oneDNN, or by a library that stands for it, beside their definition.
#include "runtime/Core/OneDnn.h"

#include <burn/parallel.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <vector>

using namespace burn;
using namespace burn::core;

namespace {

std::vector<float> numbers(int64_t count, uint32_t state) {
  std::vector<float> result(static_cast<size_t>(count));
  for (float &value : result) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
  }
  return result;
}

const burn_rt &onPool() {
  static const burn_rt functions = {BURN_ABI_VERSION, nullptr,
                                    [](void *, int64_t tasks, burn_task_fn body, void *arg) {
                                      parallel_for(tasks, [&](int64_t begin, int64_t end) { body(arg, begin, end); });
                                    },
                                    nullptr};
  return functions;
}

} // namespace

TEST_CASE("oneDNN computes products in pieces, transposed or not, in batches or not") {
  const auto &library = programOneDnn();
  if (!library) {
    WARN("no oneDNN is installed: " + library.status().message());
    return;
  }
  for (const auto &[batch, rows, lanes, steps] :
       {std::array<int64_t, 4>{1, 37, 53, 29}, {1, 1, 64, 33}, {1, 70, 1, 65}, {3, 20, 18, 40}, {5, 7, 50, 16}})
    for (int transposes = 0; transposes < 4; ++transposes)
      for (int64_t tasks : {1, 2, 5}) {
        OneDnnProduct p;
        p.batch = batch, p.rows = rows, p.lanes = lanes, p.steps = steps, p.tasks = tasks;
        p.transposesA = transposes & 1, p.transposesB = transposes >> 1;
        p.pitchA = p.transposesA ? rows : steps, p.pitchB = p.transposesB ? steps : lanes, p.pitchC = lanes;
        p.strideA = rows * steps, p.strideB = lanes * steps, p.strideC = rows * lanes;
        const std::vector<float> a = numbers(batch * p.strideA, 1), b = numbers(batch * p.strideB, 2);
        std::vector<float> c(static_cast<size_t>(batch * p.strideC), NAN);
        void *const buffers[] = {const_cast<float *>(a.data()), const_cast<float *>(b.data()), c.data()};
        const Status status = callOneDnn(p.kernel(), library->version(), buffers, onPool());
        INFO(status.message());
        REQUIRE(status);
        int64_t wrong = 0;
        for (int64_t i = 0; i < batch; ++i)
          for (int64_t row = 0; row < rows; ++row)
            for (int64_t lane = 0; lane < lanes; ++lane) {
              double sum = 0, magnitude = 0;
              for (int64_t step = 0; step < steps; ++step) {
                const int64_t inA = p.transposesA ? step * rows + row : row * steps + step,
                              inB = p.transposesB ? lane * steps + step : step * lanes + lane;
                const double term = double(a[size_t(i * p.strideA + inA)]) * double(b[size_t(i * p.strideB + inB)]);
                sum += term;
                magnitude += std::fabs(term);
              }
              const double error = std::fabs(double(c[size_t(i * p.strideC + row * lanes + lane)]) - sum);
              wrong += !(error <= double(steps) * 0x1p-24 * magnitude);
            }
        INFO(p.kernel());
        CHECK(wrong == 0);
      }
}

TEST_CASE("calls of oneDNN that cannot be made are errors") {
  const auto &library = programOneDnn();
  if (!library)
    return;
  const int64_t version = library->version();
  void *const buffers[] = {nullptr, nullptr, nullptr};
  CHECK(callOneDnn("onednn:1,2", version, buffers, onPool()).message() == "malformed call of oneDNN");
  CHECK(callOneDnn(OneDnnProduct().kernel(), version, {buffers, 2}, onPool()).code() == ErrorCode::DataLoss);
  const Status other = callOneDnn(OneDnnProduct().kernel(), 10203, buffers, onPool());
  CHECK(other.code() == ErrorCode::Unavailable);
  CHECK(other.message() == "oneDNN 1.2.3 cannot be used: " + library->name() + " is there");
}

TEST_CASE("a file that is no oneDNN is refused") {
  const auto none = OneDnnLibrary::open("/nonexistent/libdnnl.so");
  REQUIRE(!none);
  CHECK(none.status().message().starts_with("cannot open oneDNN: "));
  const auto other = OneDnnLibrary::open("libm.so.6");
  REQUIRE(!other);
  CHECK(other.status().message() == "libm.so.6 is no oneDNN of version 2 or 3");
  CHECK(isOneDnnKernel(OneDnnProduct().kernel()));
  CHECK_FALSE(isOneDnnKernel("double"));
}
