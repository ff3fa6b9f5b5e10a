// Products whose left-hand side is turned, cut for few threads and for many, against their definition: one chain of
// fused multiply-adds an element.
#include "test/unit/programs/Arguments.h"
#include "test/unit/programs/Results.h"

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <cmath>

using namespace burn;
using namespace burn::fuzz;
using namespace burn::test;

namespace {

struct TurnedProduct {
  int64_t rows, lanes, steps;
};

std::string programOf(const TurnedProduct &p) {
  const std::string x = fmt::format("tensor<{}x{}xf32>", p.steps, p.rows),
                    y = fmt::format("tensor<{}x{}xf32>", p.steps, p.lanes),
                    z = fmt::format("tensor<{}x{}xf32>", p.rows, p.lanes);
  return fmt::format("func.func @main(%x: {0}, %y: {1}) -> {2} {{\n"
                     "  %p = burn.dot_general %x, %y {{lhs_batch = array<i64>, rhs_batch = array<i64>,\n"
                     "      lhs_contract = array<i64: 0>, rhs_contract = array<i64: 0>}} : {0}, {1} to {2}\n"
                     "  %r = burn.neg %p : {2}\n  return %r : {2}\n}}\n",
                     x, y, z);
}

float at(const ir::HostTensor &tensor, int64_t index) {
  return reinterpret_cast<const float *>(tensor.bytes.data())[index];
}

// Rows packed once for all lanes, rows packed by a kernel in front, both operands packed in front, and tails of all.
const TurnedProduct kProducts[] = {{512, 784, 1024}, {256, 256, 2048}, {512, 512, 512},
                                   {129, 521, 1031}, {70, 300, 300},   {1000, 513, 700}};

} // namespace

TEST_CASE("Products cut for many threads are the same chains of multiply-adds", "[many-threads]") {
  for (const TurnedProduct &product : kProducts) {
    CAPTURE(product.rows, product.lanes, product.steps);
    const Tensors arguments = {filled(Shape{product.steps, product.rows}, 1),
                               filled(Shape{product.steps, product.lanes}, 2)};
    std::vector<std::byte> bits;
    for (compiler::CompileOptions options : {portableOptions(true), hostOptions(true)})
      for (bool manyThreads : {false, true})
        for (Loops loops : {Loops::Serial, Loops::Backward, Loops::Threads}) {
          options.manyThreads = manyThreads;
          CAPTURE(options.target.cpu, manyThreads, static_cast<int>(loops));
          const Tensors results = resultsOf(programOf(product), arguments, options, loops);
          if (bits.empty()) {
            int wrong = 0;
            for (int64_t element = 0; element < product.rows * product.lanes; element += 97) {
              float sum = 0;
              for (int64_t step = 0; step < product.steps; ++step)
                sum = std::fma(at(arguments[0], step * product.rows + element / product.lanes),
                               at(arguments[1], step * product.lanes + element % product.lanes), sum);
              wrong += at(results[0], element) != -sum;
            }
            CHECK(wrong == 0);
            bits.assign(results[0].bytes.begin(), results[0].bytes.end());
          }
          CHECK(std::equal(bits.begin(), bits.end(), results[0].bytes.begin(), results[0].bytes.end()));
        }
  }
}
