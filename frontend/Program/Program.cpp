#include <burn/program.h>

#include <burn/error.h>

#include "frontend/Trace/Devices.h"
#include "runtime/Compiler/CompilerLibrary.h"
#include "runtime/Compiler/Plans.h"
#include "runtime/Executable/LoadedPlan.h"
#include "runtime/Memory/Buffer.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace burn {
namespace {

std::vector<std::byte> readFile(const std::filesystem::path &path) {
  if (std::error_code error; std::filesystem::is_directory(path, error))
    throw Error(ErrorCode::Io, path.string() + ": is a folder");
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad())
    throw Error(ErrorCode::Io, path.string() + ": " + std::strerror(errno));
  std::vector<std::byte> result(bytes.size());
  if (!bytes.empty())
    std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

void check(const core::Status &status) {
  if (!status)
    throw Error(status.code(), status.message());
}

template <typename T> T take(core::Expected<T> value) {
  check(value.status());
  return std::move(*value);
}

} // namespace

struct Program::Impl {
  std::filesystem::path path;
  std::string entry;
  Mode mode = Mode::Compiled;
  std::vector<std::byte> source;
  runtime::PlanPointer plan; // under Mode::Compiled
  std::vector<Value> arguments, results;

  burn_mlir_source sourceView() const { return {{source.data(), source.size()}, path.c_str(), entry.c_str()}; }
  /// Throws the error of a run, with the line of the op that it names.
  void checkRun(const core::Status &status) const;
  void compile(const Device &device);
  std::vector<HostArray> runCompiled(std::span<const HostArray> inputs) const;
  std::vector<HostArray> interpret(std::span<const HostArray> inputs) const;
};

Program Program::load(const std::filesystem::path &path, const std::string &entry, Mode mode) {
  auto impl = std::make_shared<Impl>();
  impl->path = path;
  impl->entry = entry;
  impl->mode = mode;
  impl->source = readFile(path);
  if (mode == Mode::Compiled)
    impl->compile(Device());
  return Program(std::move(impl));
}

Program Program::load(const std::filesystem::path &path, const std::string &entry, const Device &device) {
  auto impl = std::make_shared<Impl>();
  impl->path = path;
  impl->entry = entry;
  impl->source = readFile(path);
  impl->compile(device);
  return Program(std::move(impl));
}

void Program::Impl::checkRun(const core::Status &status) const {
  if (status)
    return;
  std::string place;
  if (const auto api = runtime::compiler(); api && !status.locations().empty()) {
    const burn_mlir_source view = sourceView();
    burn_blob text{};
    if (runtime::takeStatus(**api, runtime::tableOf(**api).locate_mlir(&view, status.locations()[0], &text)))
      place.assign(static_cast<const char *>(text.data), text.size);
    (*api)->free_blob(&text);
  }
  throw Error(status.code(), place.empty() ? status.message() : place + ": error: " + status.message());
}

void Program::Impl::compile(const Device &device) {
  runtime::CompileSettings settings;
  settings.options = take(runtime::environmentOptions());
  settings.device = trace::deviceAt(device.number());
  plan = take(runtime::planForMlir(source, path.string(), entry, settings));
  for (const core::PlanArg &arg : plan->plan().args)
    arguments.push_back({arg.name, arg.type.dtype, arg.type.shape});
  for (const core::PlanResult &result : plan->plan().results)
    results.push_back({"", result.type.dtype, result.type.shape});
}

const std::vector<Program::Value> &Program::arguments() const { return impl_->arguments; }
const std::vector<Program::Value> &Program::results() const { return impl_->results; }

int32_t Program::call(void *const *buffers, const void *scalars, void *arena, bool serial) const {
  if (!impl_->plan || impl_->plan->device())
    throw Error(ErrorCode::Unsupported, impl_->path.string() + ": only a program compiled for the CPU can be called");
  return impl_->plan->call(serial, buffers, scalars, arena);
}

size_t Program::arena_bytes() const { return impl_->plan ? impl_->plan->plan().arenaBytes : 0; }

void Program::prepare(void *const *buffers, void *arena, bool serial) const {
  if (!impl_->plan || impl_->plan->device())
    throw Error(ErrorCode::Unsupported, impl_->path.string() + ": only a program compiled for the CPU can be prepared");
  if (const burn_prepare_fn prepare = impl_->plan->prepare())
    prepare(serial ? nullptr : &runtime::hostFunctions(), buffers, nullptr, nullptr, arena);
}

size_t Program::prepare_arena_bytes() const { return impl_->plan ? impl_->plan->plan().prepareArenaBytes : 0; }

std::vector<size_t> Program::derived_bytes() const {
  std::vector<size_t> bytes;
  if (impl_->plan)
    for (const core::PlanDerived &derived : impl_->plan->plan().derived)
      bytes.push_back(static_cast<size_t>(derived.type.byteSize()));
  return bytes;
}

std::vector<HostArray> Program::run(std::span<const HostArray> arguments) const {
  return impl_->mode == Mode::Compiled ? impl_->runCompiled(arguments) : impl_->interpret(arguments);
}

std::vector<HostArray> Program::Impl::runCompiled(std::span<const HostArray> inputs) const {
  const core::Plan &description = plan->plan();
  if (inputs.size() != description.args.size())
    throw Error(ErrorCode::InvalidArgument, path.string() + ": expected " + std::to_string(description.args.size()) +
                                                " arguments, got " + std::to_string(inputs.size()));
  std::vector<runtime::BufferRef> buffers;
  std::vector<std::byte> scalars(description.scalarBytes);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const core::PlanArg &arg = description.args[i];
    const core::TypeDesc given{inputs[i].dtype(), inputs[i].shape()};
    if (given != arg.type)
      throw Error(ErrorCode::InvalidArgument, path.string() + ": expected argument " + std::to_string(i) + " of type " +
                                                  arg.type.str() + ", got " + given.str());
    if (arg.kind == core::ArgKind::Scalar) {
      std::memcpy(scalars.data() + arg.offset, inputs[i].bytes().data(), inputs[i].bytes().size());
      continue;
    }
    runtime::BufferRef buffer = take(runtime::Buffer::allocate(inputs[i].bytes().size()));
    if (!inputs[i].bytes().empty())
      std::memcpy(buffer->data(), inputs[i].bytes().data(), inputs[i].bytes().size());
    buffers.push_back(plan->device() ? take(buffer->copyTo(plan->device())) : std::move(buffer));
  }
  std::vector<runtime::BufferRef> outputs(description.results.size());
  checkRun(plan->execute(buffers, scalars.data(), outputs));
  for (const runtime::BufferRef &output : outputs)
    checkRun(output->settle());
  std::vector<HostArray> arrays;
  for (size_t i = 0; i < outputs.size(); ++i) {
    HostArray array(description.results[i].type.dtype, description.results[i].type.shape);
    if (!array.bytes().empty())
      std::memcpy(array.bytes().data(), take(outputs[i]->read()), array.bytes().size());
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::vector<HostArray> Program::Impl::interpret(std::span<const HostArray> inputs) const {
  const burn_compiler_api *api = take(runtime::compiler());
  std::vector<burn_array> views;
  for (const HostArray &input : inputs)
    views.push_back({static_cast<uint8_t>(input.dtype()), input.shape().rank(), input.shape().begin(),
                     const_cast<std::byte *>(input.bytes().data()), input.bytes().size()});
  const burn_mlir_source program = sourceView();
  burn_array_list list{};
  const burn_interpret_precision precision = mode == Mode::Reference ? BURN_INTERPRET_OWN_TYPE : BURN_INTERPRET_F64;
  checkRun(runtime::takeStatus(*api, api->interpret_mlir(&program, precision, views.data(), views.size(), &list)));
  std::vector<HostArray> arrays;
  for (size_t i = 0; i < list.count; ++i) {
    const burn_array &view = list.arrays[i];
    HostArray array(static_cast<DType>(view.dtype), Shape(std::span<const int64_t>(view.dims, view.rank)));
    if (view.bytes)
      std::memcpy(array.bytes().data(), view.data, view.bytes);
    arrays.push_back(std::move(array));
  }
  api->free_arrays(&list);
  return arrays;
}

} // namespace burn
