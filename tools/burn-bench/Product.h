// Matrix products as the benchmarks and their peers see them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace burn::bench {

/// Elements of a product: of operands and result, but for 8-bit integers, whose result has 32 bits.
enum class ProductType { F32, BF16, F16, Int8 };

/// out[b, m, n] = lhs[b, m, k] rhs[b, k, n], row-major, without padding; a transposed operand is stored with its
/// last two dimensions exchanged. With `gelu`, out = gelu(product + bias[n]). A frozen rhs never changes: whoever can
/// packs it before the clock runs.
struct Product {
  int64_t batch = 1, m, n, k;
  bool lhsTransposed = false, rhsTransposed = false, gelu = false;
  ProductType type = ProductType::F32;
  bool frozen = false;

  double flops() const { return 2.0 * batch * m * n * k; }
  std::string name() const;
};

/// Memory of a product, whose elements are those of its type.
struct ProductBuffers {
  const float *lhs, *rhs, *bias;
  float *out;
};

/// A library that multiplies matrices, opened at run time. Threads are as the environment said when it was opened.
class ProductPeer {
public:
  virtual ~ProductPeer() = default;
  /// What the library calls itself, with its version.
  virtual std::string name() const = 0;
  /// A call that computes the product; empty where the library has none.
  virtual std::function<void()> prepare(const Product &product, const ProductBuffers &buffers) = 0;
};

/// Opens libraries; throws where the file is none of the kind. `threads` is for all later calls.
std::unique_ptr<ProductPeer> openOpenBlas(const std::string &path, int threads);
std::unique_ptr<ProductPeer> openOneDnn(const std::string &path, int threads);

} // namespace burn::bench
