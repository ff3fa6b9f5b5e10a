#include "tools/burn-bench/OneDnnLibrary.h"

#include "tools/burn-bench/Bench.h"

#include <cstdlib>

namespace burn::bench {

namespace {

constexpr int kCpu = 1, kDefaultFlags = 1, kAnyLayout = 1;

} // namespace

OneDnnLibrary::OneDnnLibrary(const std::string &path, int threads) {
  setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  const core::Expected<core::OneDnnLibrary> opened = core::OneDnnLibrary::open(path.c_str());
  if (!opened)
    throw std::runtime_error(opened.status().message() + "; name it with --onednn");
  library_ = *opened;
  call<Handle *, int, size_t>("dnnl_engine_create", &engine_, kCpu, 0);
  call<Handle *, Handle, unsigned>("dnnl_stream_create", &stream_, engine_, kDefaultFlags);
}

const void *OneDnnLibrary::describe(Description &storage, const std::vector<int64_t> &dims,
                                    const std::vector<int64_t> &strides, int type) const {
  const int rank = static_cast<int>(dims.size());
  if (isVersion2()) {
    call<void *, int, const int64_t *, int, const int64_t *>("dnnl_memory_desc_init_by_strides", storage.bytes.data(),
                                                             rank, dims.data(), type, strides.data());
    return storage.bytes.data();
  }
  Handle handle = nullptr;
  call<Handle *, int, const int64_t *, int, const int64_t *>("dnnl_memory_desc_create_with_strides", &handle, rank,
                                                             dims.data(), type, strides.data());
  return handle;
}

const void *OneDnnLibrary::describe(Description &storage, const std::vector<int64_t> &dims) const {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;)
    strides[i - 1] = strides[i] * dims[i];
  return describe(storage, dims, strides);
}

const void *OneDnnLibrary::describeAny(Description &storage, const std::vector<int64_t> &dims, int type) const {
  const int rank = static_cast<int>(dims.size());
  if (isVersion2()) {
    call<void *, int, const int64_t *, int, int>("dnnl_memory_desc_init_by_tag", storage.bytes.data(), rank,
                                                 dims.data(), type, kAnyLayout);
    return storage.bytes.data();
  }
  Handle handle = nullptr;
  call<Handle *, int, const int64_t *, int, int>("dnnl_memory_desc_create_with_tag", &handle, rank, dims.data(), type,
                                                 kAnyLayout);
  return handle;
}

OneDnnLibrary::Handle OneDnnLibrary::primitiveOf(const void *operation, Handle attributes, Handle forward) const {
  Handle description = nullptr;
  call<Handle *, const void *, Handle, Handle, Handle>("dnnl_primitive_desc_create", &description, operation,
                                                       attributes, engine_, forward);
  return description;
}

OneDnnLibrary::Handle OneDnnLibrary::memory(const void *description, const float *data) const {
  Handle handle = nullptr;
  void *own = reinterpret_cast<void *>(~uintptr_t(0)); // the library allocates
  call<Handle *, const void *, Handle, void *>("dnnl_memory_create", &handle, description, engine_,
                                               data ? const_cast<float *>(data) : own);
  return handle;
}

const void *OneDnnLibrary::descriptionFor(Handle primitiveDescription, int role) const {
  int what = 0;
  switch (role) {
  case kSource:
    what = 129;
    break;
  case kSourceGradient:
    what = 130;
    break;
  case kWeights:
    what = 131;
    break;
  case kWeightsGradient:
    what = 132;
    break;
  case kDestination:
    what = 133;
    break;
  case kDestinationGradient:
    what = 134;
    break;
  default:
    throw std::runtime_error("oneDNN: no description of memory of this role");
  }
  return entry<const void *(Handle, int, int)>("dnnl_primitive_desc_query_md")(primitiveDescription, what, 0);
}

OneDnnLibrary::Handle OneDnnLibrary::memoryFor(Handle primitiveDescription, int role) const {
  const void *description = descriptionFor(primitiveDescription, role);
  const size_t bytes = entry<size_t(const void *)>("dnnl_memory_desc_get_size")(description);
  // Lives as long as the process, like all that a peer is prepared with.
  return memory(description, makeBuffer(static_cast<int64_t>(bytes / 4), 7).release());
}

OneDnnLibrary::Handle OneDnnLibrary::memoryFor(Handle primitiveDescription, int role, const void *description,
                                               const float *data) const {
  Handle target = memoryFor(primitiveDescription, role), reorder = nullptr;
  call<Handle *, const void *, Handle, const void *, Handle, Handle>(
      "dnnl_reorder_primitive_desc_create", &reorder, description, engine_, descriptionFor(primitiveDescription, role),
      engine_, nullptr);
  prepare(reorder, {{kSource, memory(description, data)}, {kDestination, target}})();
  return target;
}

std::function<void()> OneDnnLibrary::prepare(Handle primitiveDescription, std::vector<Argument> arguments) const {
  Handle primitive = nullptr;
  call<Handle *, const void *>("dnnl_primitive_create", &primitive, primitiveDescription);
  auto *execute = entry<int(Handle, Handle, int, const Argument *)>("dnnl_primitive_execute");
  auto *wait = entry<int(Handle)>("dnnl_stream_wait");
  return [execute, wait, stream = stream_, primitive, arguments = std::move(arguments)] {
    check(execute(primitive, stream, static_cast<int>(arguments.size()), arguments.data()), "dnnl_primitive_execute");
    check(wait(stream), "dnnl_stream_wait");
  };
}

std::vector<OneDnnLibrary> openOneDnnLibraries(const std::vector<std::string> &named, int threads) {
  std::vector<OneDnnLibrary> libraries;
  for (const std::string &path : named)
    libraries.emplace_back(path, threads);
  if (named.empty())
    for (const char *path : {"libdnnl.so.3", "libdnnl.so.2"})
      try {
        libraries.emplace_back(path, threads);
        break;
      } catch (const std::exception &) { // not installed
      }
  return libraries;
}

} // namespace burn::bench
