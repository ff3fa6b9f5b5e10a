// oneDNN as a peer of matrix products. Versions 2 and 3 differ in how a product is described, so the few entry points
// are declared here and looked up by name; no header is needed.
#include "tools/burn-bench/Bench.h"
#include "tools/burn-bench/Product.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

#include <fmt/format.h>

namespace burn::bench {
namespace {

using Handle = void *;
struct Version {
  int major, minor, patch;
};
struct Argument {
  int which;
  Handle memory;
};
/// A description of memory or of an operation of version 2, which are plain structs there; larger than any of them.
struct alignas(16) Description {
  std::array<char, 8192> bytes = {};
};

constexpr int kF32 = 3, kCpu = 1, kDefaultFlags = 1, kGeluErf2 = 0x30, kGeluErf3 = 0x31;
constexpr int kSource = 1, kDestination = 17, kWeights = 33, kBias = 41;

void check(int status, const char *what) {
  if (status != 0)
    throw std::runtime_error(fmt::format("oneDNN: {} failed with status {}", what, status));
}

class OneDnn final : public ProductPeer {
public:
  OneDnn(const std::string &path, int threads) {
    setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_)
      throw std::runtime_error(fmt::format("cannot open oneDNN: {}; name it with --onednn", dlerror()));
    version_ = *entry<const Version *()>("dnnl_version")();
    if (version_.major != 2 && version_.major != 3)
      throw std::runtime_error(fmt::format("{} is oneDNN {}; versions 2 and 3 are known", path, version_.major));
    check(entry<int(Handle *, int, size_t)>("dnnl_engine_create")(&engine_, kCpu, 0), "dnnl_engine_create");
    check(entry<int(Handle *, Handle, unsigned)>("dnnl_stream_create")(&stream_, engine_, kDefaultFlags),
          "dnnl_stream_create");
    execute_ = entry<int(Handle, Handle, int, const Argument *)>("dnnl_primitive_execute");
    wait_ = entry<int(Handle)>("dnnl_stream_wait");
    sgemm_ = entry<Sgemm>("dnnl_sgemm");
  }

  std::string name() const override {
    return fmt::format("oneDNN {}.{}.{}", version_.major, version_.minor, version_.patch);
  }

  /// The faster of its two ways: the matmul primitive, and its sgemm.
  std::function<void()> prepare(const Product &product, const ProductBuffers &buffers) override {
    std::function<void()> primitive = prepareMatmul(product, buffers);
    if (product.gelu)
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

  template <typename Fn> Fn *entry(const char *name) const {
    void *found = dlsym(library_, name);
    if (!found)
      throw std::runtime_error(std::string("oneDNN has no ") + name);
    return reinterpret_cast<Fn *>(found);
  }

  /// A description of memory by its dimensions and strides: a handle of version 3, bytes of version 2.
  const void *describe(Description &storage, std::vector<int64_t> dims, std::vector<int64_t> strides) const {
    const int rank = static_cast<int>(dims.size());
    if (version_.major == 2) {
      check(entry<int(void *, int, const int64_t *, int, const int64_t *)>("dnnl_memory_desc_init_by_strides")(
                storage.bytes.data(), rank, dims.data(), kF32, strides.data()),
            "dnnl_memory_desc_init_by_strides");
      return storage.bytes.data();
    }
    Handle handle = nullptr;
    check(entry<int(Handle *, int, const int64_t *, int, const int64_t *)>("dnnl_memory_desc_create_with_strides")(
              &handle, rank, dims.data(), kF32, strides.data()),
          "dnnl_memory_desc_create_with_strides");
    return handle;
  }

  std::function<void()> prepareMatmul(const Product &p, const ProductBuffers &buffers) const {
    Description storage[4], operation;
    auto matrix = [&](Description &at, int64_t rows, int64_t columns, bool transposed) {
      std::vector<int64_t> dims = {rows, columns},
                           strides = transposed ? std::vector<int64_t>{1, rows} : std::vector<int64_t>{columns, 1};
      if (p.batch > 1) {
        dims.insert(dims.begin(), p.batch);
        strides.insert(strides.begin(), rows * columns);
      }
      return describe(at, dims, strides);
    };
    const void *lhs = matrix(storage[0], p.m, p.k, p.lhsTransposed);
    const void *rhs = matrix(storage[1], p.k, p.n, p.rhsTransposed);
    const void *out = matrix(storage[2], p.m, p.n, false);
    const void *bias = p.gelu ? describe(storage[3], {1, p.n}, {p.n, 1}) : nullptr;

    Handle attributes = nullptr;
    check(entry<int(Handle *)>("dnnl_primitive_attr_create")(&attributes), "dnnl_primitive_attr_create");
    if (p.gelu) {
      Handle after = nullptr;
      check(entry<int(Handle *)>("dnnl_post_ops_create")(&after), "dnnl_post_ops_create");
      if (version_.major == 2)
        check(entry<int(Handle, float, int, float, float)>("dnnl_post_ops_append_eltwise")(after, 1.0f, kGeluErf2, 0.0f,
                                                                                           0.0f),
              "dnnl_post_ops_append_eltwise");
      else
        check(entry<int(Handle, int, float, float)>("dnnl_post_ops_append_eltwise")(after, kGeluErf3, 0.0f, 0.0f),
              "dnnl_post_ops_append_eltwise");
      check(entry<int(Handle, Handle)>("dnnl_primitive_attr_set_post_ops")(attributes, after),
            "dnnl_primitive_attr_set_post_ops");
    }

    Handle description = nullptr, primitive = nullptr;
    if (version_.major == 2) {
      check(entry<int(void *, const void *, const void *, const void *, const void *)>("dnnl_matmul_desc_init")(
                operation.bytes.data(), lhs, rhs, bias, out),
            "dnnl_matmul_desc_init");
      check(entry<int(Handle *, const void *, Handle, Handle, Handle)>("dnnl_primitive_desc_create")(
                &description, operation.bytes.data(), attributes, engine_, nullptr),
            "dnnl_primitive_desc_create");
    } else {
      check(entry<int(Handle *, Handle, const void *, const void *, const void *, const void *, Handle)>(
                "dnnl_matmul_primitive_desc_create")(&description, engine_, lhs, rhs, bias, out, attributes),
            "dnnl_matmul_primitive_desc_create");
    }
    check(entry<int(Handle *, Handle)>("dnnl_primitive_create")(&primitive, description), "dnnl_primitive_create");
    auto memory = [&](const void *description, const float *data) {
      Handle handle = nullptr;
      check(entry<int(Handle *, const void *, Handle, void *)>("dnnl_memory_create")(&handle, description, engine_,
                                                                                     const_cast<float *>(data)),
            "dnnl_memory_create");
      return handle;
    };
    std::vector<Argument> arguments = {{kSource, memory(lhs, buffers.lhs)},
                                       {kWeights, memory(rhs, buffers.rhs)},
                                       {kDestination, memory(out, buffers.out)}};
    if (bias)
      arguments.push_back({kBias, memory(bias, buffers.bias)});
    return [execute = execute_, wait = wait_, stream = stream_, primitive, arguments] {
      check(execute(primitive, stream, static_cast<int>(arguments.size()), arguments.data()), "dnnl_primitive_execute");
      check(wait(stream), "dnnl_stream_wait");
    };
  }

  void *library_ = nullptr;
  Version version_ = {};
  Handle engine_ = nullptr, stream_ = nullptr;
  int (*execute_)(Handle, Handle, int, const Argument *) = nullptr;
  int (*wait_)(Handle) = nullptr;
  Sgemm *sgemm_ = nullptr;
};

} // namespace

std::unique_ptr<ProductPeer> openOneDnn(const std::string &path, int threads) {
  return std::make_unique<OneDnn>(path, threads);
}

} // namespace burn::bench
