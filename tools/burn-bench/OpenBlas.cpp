// OpenBLAS as a peer of matrix products.
#include "tools/burn-bench/Product.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

#include <fmt/format.h>

namespace burn::bench {
namespace {

constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

/// The C interface with 32-bit or 64-bit integers.
template <typename Int> struct Blas {
  void (*sgemm)(int, int, int, Int, Int, Int, float, const float *, Int, const float *, Int, float, float *, Int);
  void (*sgemv)(int, int, Int, Int, float, const float *, Int, const float *, Int, float, float *, Int);

  void multiply(const Product &p, const ProductBuffers &at) const {
    for (int64_t i = 0; i < p.batch; ++i) {
      const float *lhs = at.lhs + i * p.m * p.k, *rhs = at.rhs + i * p.k * p.n;
      float *out = at.out + i * p.m * p.n;
      const Int lhsPitch = p.lhsTransposed ? p.m : p.k, rhsPitch = p.rhsTransposed ? p.k : p.n;
      if (p.n == 1)
        sgemv(kRowMajor, p.lhsTransposed ? kTransposed : kPlain, p.lhsTransposed ? p.k : p.m,
              p.lhsTransposed ? p.m : p.k, 1.0f, lhs, lhsPitch, rhs, 1, 0.0f, out, 1);
      else if (p.m == 1)
        sgemv(kRowMajor, p.rhsTransposed ? kPlain : kTransposed, p.rhsTransposed ? p.n : p.k,
              p.rhsTransposed ? p.k : p.n, 1.0f, rhs, rhsPitch, lhs, 1, 0.0f, out, 1);
      else
        sgemm(kRowMajor, p.lhsTransposed ? kTransposed : kPlain, p.rhsTransposed ? kTransposed : kPlain, p.m, p.n, p.k,
              1.0f, lhs, lhsPitch, rhs, rhsPitch, 0.0f, out, p.n);
    }
  }
};

class OpenBlas final : public ProductPeer {
public:
  OpenBlas(const std::string &path, int threads) {
    // Settings that force an older kernel on this process are dropped before the library looks, unless they are meant.
    unsetenv("OPENBLAS_L2_SIZE");
    setenv("OPENBLAS_NUM_THREADS", std::to_string(threads).c_str(), 1);
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      throw std::runtime_error(fmt::format("cannot open OpenBLAS: {}; name it with --openblas", dlerror()));
    // Wheels of scipy carry a build with other names and 64-bit integers.
    for (const auto &[prefix, suffix, wide] :
         {std::tuple("", "", false), std::tuple("scipy_", "64_", true), std::tuple("scipy_", "", false)}) {
      auto find = [&](const char *name) { return dlsym(library, (std::string(prefix) + name + suffix).c_str()); };
      void *sgemm = find("cblas_sgemm"), *sgemv = find("cblas_sgemv");
      if (!sgemm || !sgemv)
        continue;
      if (wide)
        wide_ = {reinterpret_cast<decltype(wide_.sgemm)>(sgemm), reinterpret_cast<decltype(wide_.sgemv)>(sgemv)};
      else
        narrow_ = {reinterpret_cast<decltype(narrow_.sgemm)>(sgemm), reinterpret_cast<decltype(narrow_.sgemv)>(sgemv)};
      if (auto config = reinterpret_cast<char *(*)()>(find("openblas_get_config")))
        name_ = config();
      if (auto core = reinterpret_cast<char *(*)()>(find("openblas_get_corename")))
        name_ += fmt::format(" core {}", core());
      return;
    }
    throw std::runtime_error(path + " has no cblas_sgemm and cblas_sgemv");
  }

  std::string name() const override { return name_; }

  std::function<void()> prepare(const Product &product, const ProductBuffers &buffers) override {
    if (product.gelu || product.type != ProductType::F32)
      return {};
    return [this, product, buffers] {
      if (wide_.sgemm)
        wide_.multiply(product, buffers);
      else
        narrow_.multiply(product, buffers);
    };
  }

private:
  Blas<int> narrow_ = {};
  Blas<int64_t> wide_ = {};
  std::string name_ = "OpenBLAS";
};

} // namespace

std::unique_ptr<ProductPeer> openOpenBlas(const std::string &path, int threads) {
  return std::make_unique<OpenBlas>(path, threads);
}

} // namespace burn::bench
