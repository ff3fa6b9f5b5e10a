// oneDNN as a peer of matrix products.
#include "tools/burn-bench/Bench.h"
#include "tools/burn-bench/OneDnnLibrary.h"
#include "tools/burn-bench/Product.h"

namespace burn::bench {
namespace {

using Handle = OneDnnLibrary::Handle;
using Description = OneDnnLibrary::Description;

constexpr int kGeluErf2 = 0x30, kGeluErf3 = 0x31;

class OneDnn final : public ProductPeer {
public:
  OneDnn(const std::string &path, int threads) : library_(path, threads), sgemm_(library_.entry<Sgemm>("dnnl_sgemm")) {}

  std::string name() const override { return library_.name(); }

  /// The faster of its two ways: the matmul primitive, which packs a frozen rhs beforehand, and its sgemm.
  std::function<void()> prepare(const Product &product, const ProductBuffers &buffers) override {
    std::function<void()> primitive;
    try {
      primitive = prepareMatmul(product, buffers);
    } catch (const std::runtime_error &) {
      if (product.type == ProductType::F32)
        throw;
      return {}; // older versions lack some types
    }
    if (product.gelu || product.type != ProductType::F32)
      return primitive;
    const std::function<void()> call = [sgemm = sgemm_, product, buffers] {
      for (int64_t i = 0; i < product.batch; ++i)
        sgemm(product.lhsTransposed ? 'T' : 'N', product.rhsTransposed ? 'T' : 'N', product.m, product.n, product.k,
              1.0f, buffers.lhs + i * product.m * product.k, product.lhsTransposed ? product.m : product.k,
              buffers.rhs + i * product.k * product.n, product.rhsTransposed ? product.k : product.n, 0.0f,
              buffers.out + i * product.m * product.n, product.n);
    };
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < 5; ++round) {
      best[0] = std::min(best[0], timeOf(primitive));
      best[1] = std::min(best[1], timeOf(call));
    }
    return best[1] < best[0] ? call : primitive;
  }

private:
  using Sgemm = int(char, char, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float,
                    float *, int64_t);

  /// Types of the operands and of the result.
  static std::pair<int, int> typesOf(ProductType type) {
    switch (type) {
    case ProductType::F32:
      break;
    case ProductType::BF16:
      return {OneDnnLibrary::kBF16, OneDnnLibrary::kBF16};
    case ProductType::F16:
      return {OneDnnLibrary::kF16, OneDnnLibrary::kF16};
    case ProductType::Int8:
      return {OneDnnLibrary::kS8, OneDnnLibrary::kS32};
    }
    return {OneDnnLibrary::kF32, OneDnnLibrary::kF32};
  }

  std::function<void()> prepareMatmul(const Product &p, const ProductBuffers &buffers) const {
    Description storage[5], operation;
    auto matrix = [&](Description &at, int64_t rows, int64_t columns, bool transposed, int type) {
      std::vector<int64_t> dims = {rows, columns},
                           strides = transposed ? std::vector<int64_t>{1, rows} : std::vector<int64_t>{columns, 1};
      if (p.batch > 1) {
        dims.insert(dims.begin(), p.batch);
        strides.insert(strides.begin(), rows * columns);
      }
      return library_.describe(at, dims, strides, type);
    };
    const auto [operandType, resultType] = typesOf(p.type);
    const void *lhs = matrix(storage[0], p.m, p.k, p.lhsTransposed, operandType);
    const void *plain = matrix(storage[1], p.k, p.n, p.rhsTransposed, operandType), *rhs = plain;
    if (p.frozen)
      rhs = library_.describeAny(storage[4],
                                 p.batch > 1 ? std::vector<int64_t>{p.batch, p.k, p.n} : std::vector<int64_t>{p.k, p.n},
                                 operandType);
    const void *out = matrix(storage[2], p.m, p.n, false, resultType);
    const void *bias = p.gelu ? library_.describe(storage[3], {1, p.n}) : nullptr;

    Handle attributes = nullptr;
    library_.call<Handle *>("dnnl_primitive_attr_create", &attributes);
    if (p.gelu) {
      Handle after = nullptr;
      library_.call<Handle *>("dnnl_post_ops_create", &after);
      if (library_.isVersion2())
        library_.call<Handle, float, int, float, float>("dnnl_post_ops_append_eltwise", after, 1.0f, kGeluErf2, 0.0f,
                                                        0.0f);
      else
        library_.call<Handle, int, float, float>("dnnl_post_ops_append_eltwise", after, kGeluErf3, 0.0f, 0.0f);
      library_.call<Handle, Handle>("dnnl_primitive_attr_set_post_ops", attributes, after);
    }

    Handle description = nullptr;
    if (library_.isVersion2()) {
      library_.call<void *, const void *, const void *, const void *, const void *>(
          "dnnl_matmul_desc_init", operation.bytes.data(), lhs, rhs, bias, out);
      description = library_.primitiveOf(operation.bytes.data(), attributes);
    } else {
      library_.call<Handle *, Handle, const void *, const void *, const void *, const void *, Handle>(
          "dnnl_matmul_primitive_desc_create", &description, library_.engine(), lhs, rhs, bias, out, attributes);
    }
    const Handle weights = p.frozen ? library_.memoryFor(description, OneDnnLibrary::kWeights, plain, buffers.rhs)
                                    : library_.memory(rhs, buffers.rhs);
    std::vector<OneDnnLibrary::Argument> arguments = {{OneDnnLibrary::kSource, library_.memory(lhs, buffers.lhs)},
                                                      {OneDnnLibrary::kWeights, weights},
                                                      {OneDnnLibrary::kDestination, library_.memory(out, buffers.out)}};
    if (bias)
      arguments.push_back({OneDnnLibrary::kBias, library_.memory(bias, buffers.bias)});
    return library_.prepare(description, std::move(arguments));
  }

  OneDnnLibrary library_;
  Sgemm *sgemm_;
};

} // namespace

std::unique_ptr<ProductPeer> openOneDnn(const std::string &path, int threads) {
  return std::make_unique<OneDnn>(path, threads);
}

} // namespace burn::bench
