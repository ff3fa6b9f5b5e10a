// The C interface of libburn-compiler: a thin skin over Compile.h and the interpreter. Everything
// that crosses it is owned by a C++ object behind `owner`.
#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/HostBytes.h"
#include "dialects/Burn/Interpreter/Interpreter.h"
#include "passes/Driver/Background.h"
#include "passes/Graph/Import.h"
#include "passes/PerOp/Program.h"
#include "passes/Pipelines/Compile.h"
#include "passes/Tuning/Tuner.h"
#include "runtime/Core/ArrayText.h"
#include "runtime/Core/BuildId.h"
#include "runtime/Core/FloatEnvironment.h"
#include "runtime/Core/HostMemory.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/TargetParser/Host.h"

#include <burn/compiler/evaluation.h>

#include <functional>

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using core::ErrorCode;
using core::Status;

namespace {

struct OwnedStatus {
  burn_status view;
  std::string text;
  std::vector<uint32_t> locations;
};

burn_status *toC(const Status &status) {
  if (status.isOk())
    return nullptr;
  auto *owned = new OwnedStatus{{}, status.message(), status.locations()};
  owned->view.code = static_cast<burn_status_code>(status.code());
  owned->view.text = owned->text.c_str();
  owned->view.location_ids = owned->locations.data();
  owned->view.location_count = owned->locations.size();
  return &owned->view;
}

void freeStatus(burn_status *status) {
  // The view is the first member, so both have one address.
  delete reinterpret_cast<OwnedStatus *>(status);
}

template <typename Bytes> burn_blob toBlob(Bytes bytes) {
  auto *owned = new Bytes(std::move(bytes));
  return {owned->data(), owned->size(), new std::function<void()>([owned] { delete owned; })};
}

void freeBlob(burn_blob *blob) {
  if (!blob)
    return;
  if (auto *release = static_cast<std::function<void()> *>(blob->owner)) {
    (*release)();
    delete release;
  }
  *blob = {};
}

// Either kind of tensors.
struct OwnedArrays {
  std::vector<ir::HostTensor> tensors;
  std::vector<burn_array> views;
  std::vector<perop::Tensor> evaluated = {};
};

void freeArrays(burn_array_list *list) {
  if (!list)
    return;
  delete static_cast<OwnedArrays *>(list->owner);
  *list = {};
}

// Fields beyond the caller's size read as zero.
burn_compile_options complete(const burn_compile_options *options) {
  burn_compile_options result{};
  if (options)
    std::memcpy(&result, options, std::min<size_t>(options->struct_size, sizeof result));
  return result;
}

core::Expected<CompileOptions> toOptions(const burn_compile_options *given) {
  const burn_compile_options options = complete(given);
  if (options.device != BURN_DEVICE_CPU && options.device != BURN_DEVICE_VULKAN)
    return Status::error(ErrorCode::Unsupported, "unknown device kind " + std::to_string(options.device));
  CompileOptions result;
  if (options.triple && *options.triple)
    result.target.triple = options.triple;
#if !defined(__x86_64__)
  else
    result.target = {llvm::sys::getDefaultTargetTriple(), "generic", ""}; // whose code this library is
#endif
  if (options.device == BURN_DEVICE_VULKAN) { // whose name is in `cpu`, for the key alone
    auto gpu = core::GpuTarget::parse(options.features ? options.features : "");
    if (!gpu)
      return gpu.status();
    result.gpu = *gpu;
  } else {
    if (options.cpu && *options.cpu)
      result.target.cpu = options.cpu;
    if (options.features)
      result.target.features = options.features;
  }
  result.fusion = options.fusion;
  result.deterministic = options.deterministic;
  result.fastMath = options.fast_math;
  result.manyThreads = options.many_threads;
  result.debugInfo = options.debug & BURN_DEBUG_SYMBOLS;
  result.dumpIr = options.debug & BURN_DEBUG_IR;
  result.dumpAssembly = options.debug & BURN_DEBUG_ASM;
  if (options.dump_dir)
    result.dumpDir = options.dump_dir;
  if (options.name && *options.name)
    result.name = options.name;
  return result;
}

StringRef toStringRef(burn_bytes bytes) { return {static_cast<const char *>(bytes.data), bytes.size}; }

using Program = core::Expected<OwningOpRef<ModuleOp>>;

Program loadGraph(MLIRContext &context, burn_bytes bytes) {
  auto graph = core::parseGraph({static_cast<const std::byte *>(bytes.data), bytes.size});
  if (!graph)
    return graph.status();
  return importGraph(context, *graph);
}

Program loadSource(MLIRContext &context, const burn_mlir_source *source) {
  if (!source)
    return Status::invalid("no MLIR source given");
  return parseProgram(context, toStringRef(source->source), source->filename ? source->filename : "<input>",
                      source->entry ? source->entry : "");
}

core::Expected<core::TypeDesc> typeOf(const burn_array &array, size_t place) {
  core::TypeDesc type;
  if (!isValidDType(array.dtype) || array.rank > Shape::maxRank)
    return Status::invalid("argument " + std::to_string(place) + " has no valid type");
  type.dtype = static_cast<DType>(array.dtype);
  for (uint32_t dim = 0; dim < array.rank; ++dim)
    type.shape.push(array.dims[dim]);
  if (!type.shape.fits() || array.bytes != static_cast<uint64_t>(type.byteSize()))
    return Status::invalid("argument " + std::to_string(place) + " of type " + type.str() + " has " +
                           std::to_string(array.bytes) + " bytes");
  return type;
}

burn_status *compileProgram(Program program, const CompileOptions &options, burn_compiled *result) {
  *result = {};
  if (!program)
    return toC(program.status());
  auto executable = compile(**program, options);
  if (!executable)
    return toC(executable.status());
  result->plan = toBlob(core::serialize(executable->plan));
  result->object = toBlob(std::move(executable->object));
  return nullptr;
}

/// Tuning as the caller wants it.
TuningHost toHost(const burn_tuning &tuning) {
  TuningHost host;
  host.mode = static_cast<TuningMode>(std::min<uint32_t>(tuning.mode, BURN_TUNING_FULL));
  host.functions = tuning.functions;
  host.threads = std::max<uint32_t>(1, tuning.threads);
  const auto bytes = [](StringRef text) { return burn_bytes{text.data(), text.size()}; };
  host.find = [&tuning, bytes](StringRef key) { return toStringRef(tuning.find(tuning.context, bytes(key))).str(); };
  host.store = [&tuning, bytes](StringRef key, StringRef winner, StringRef report) {
    tuning.store(tuning.context, bytes(key), bytes(winner), bytes(report));
  };
  host.lock = [&tuning](bool locked) { tuning.lock(tuning.context, locked); };
  return host;
}

burn_status *compileProgram(Program program, const burn_compile_options *given, burn_compiled *result) {
  *result = {};
  if (!program)
    return toC(program.status());
  auto options = toOptions(given);
  if (!options)
    return toC(options.status());
  burn_tuning *tuning = complete(given).tuning;
  if (!tuning || tuning->mode == BURN_TUNING_OFF || options->gpu)
    return compileProgram(std::move(program), *options, result);
  Tuner tuner(*options, toHost(*tuning));
  options->tuning = tuner.options();
  burn_status *status = compileProgram(std::move(program), *options, result);
  tuning->kernels_measured += tuner.counts().kernelsMeasured;
  tuning->ways_measured += tuner.counts().waysMeasured;
  tuning->ways_rejected += tuner.counts().waysRejected;
  tuning->winners_used += tuner.counts().winnersUsed;
  tuning->winners_unfit += tuner.counts().winnersUnfit;
  tuning->measured_ns += static_cast<uint64_t>(tuner.counts().time.count());
  if (!status)
    status = toC(dumpText(*options, "tuning", tuner.report()));
  return status;
}

burn_status *compileGraph(burn_bytes graph, const burn_compile_options *options, burn_compiled *result) {
  auto context = makeContext();
  return compileProgram(loadGraph(*context, graph), options, result);
}

burn_status *compileMlir(const burn_mlir_source *source, const burn_compile_options *options, burn_compiled *result) {
  auto context = makeContext();
  return compileProgram(loadSource(*context, source), options, result);
}

burn_status *interpretProgram(Program program, burn_interpret_precision precision, const burn_array *arguments,
                              size_t count, burn_array_list *results) {
  *results = {};
  if (!program)
    return toC(program.status());
  if (Status status = expandGradients(**program); !status)
    return toC(status);
  std::vector<ir::HostTensor> inputs;
  for (size_t i = 0; i < count; ++i) {
    auto type = typeOf(arguments[i], i);
    if (!type)
      return toC(type.status());
    if (Status status = core::checkHostMemory(ir::hostBytes(*type)); !status)
      return toC(status);
    ir::HostTensor tensor(*type);
    if (arguments[i].bytes)
      std::memcpy(tensor.bytes.data(), arguments[i].data, arguments[i].bytes);
    inputs.push_back(std::move(tensor));
  }
  auto function = *(*program)->getOps<func::FuncOp>().begin();
  Operation *failed = nullptr;
  ir::InterpreterOptions options;
  options.precision = precision == BURN_INTERPRET_OWN_TYPE ? ir::Precision::Own : ir::Precision::Double;
  options.failedOp = &failed;
  options.print = [](llvm::StringRef label, const ir::HostTensor &value) {
    core::printArray(label, value.type, value.bytes.data());
  };
  auto outputs = ir::interpret(function, inputs, options);
  if (!outputs) {
    std::vector<uint32_t> ids;
    if (failed)
      collectLocationIds(failed->getLoc(), ids);
    return toC(Status::error(outputs.status().code(), outputs.status().message(), std::move(ids)));
  }
  auto *owned = new OwnedArrays{std::move(*outputs), {}};
  for (auto [tensor, type] : llvm::zip_equal(owned->tensors, function.getResultTypes())) {
    if (precision == BURN_INTERPRET_F64)
      tensor = ir::convertHeld(tensor, ir::toTypeDesc(type)->dtype, ir::Precision::Own);
    owned->views.push_back({static_cast<uint8_t>(tensor.type.dtype), tensor.type.shape.rank(),
                            tensor.type.shape.begin(), tensor.bytes.data(), tensor.bytes.size()});
  }
  *results = {owned->views.data(), owned->views.size(), owned};
  return nullptr;
}

burn_status *interpretGraph(burn_bytes graph, burn_interpret_precision precision, const burn_array *arguments,
                            size_t count, burn_array_list *results) {
  auto context = makeContext();
  return interpretProgram(loadGraph(*context, graph), precision, arguments, count, results);
}

burn_status *interpretMlir(const burn_mlir_source *source, burn_interpret_precision precision,
                           const burn_array *arguments, size_t count, burn_array_list *results) {
  auto context = makeContext();
  return interpretProgram(loadSource(*context, source), precision, arguments, count, results);
}

burn_status *locateMlir(const burn_mlir_source *source, uint32_t id, burn_blob *text) {
  *text = {};
  auto context = makeContext();
  Program program = loadSource(*context, source);
  if (!program)
    return toC(program.status());
  *text = toBlob(placeOf(**program, id));
  return nullptr;
}

burn_status *prepareEvaluation(burn_bytes graph, burn_evaluation **evaluation) {
  *evaluation = nullptr;
  auto program = perop::Program::make({static_cast<const std::byte *>(graph.data), graph.size});
  if (!program)
    return toC(program.status());
  *evaluation = reinterpret_cast<burn_evaluation *>(program->release());
  return nullptr;
}

burn_status *evaluateGraph(const burn_evaluation *evaluation, const burn_rt *rt, const burn_array *arguments,
                           size_t count, burn_array_list *results) {
  *results = {};
  std::vector<perop::Tensor> tensors;
  for (size_t i = 0; i < count; ++i) {
    auto type = typeOf(arguments[i], i);
    if (!type)
      return toC(type.status());
    // Borrowed for the call, and only read.
    tensors.push_back({*type, {std::shared_ptr<void>(), static_cast<std::byte *>(arguments[i].data)}});
  }
  auto outputs = reinterpret_cast<const perop::Program *>(evaluation)->run(tensors, rt);
  if (!outputs)
    return toC(outputs.status());
  auto *owned = new OwnedArrays{{}, {}, std::move(*outputs)};
  for (const perop::Tensor &tensor : owned->evaluated)
    owned->views.push_back({static_cast<uint8_t>(tensor.type.dtype), tensor.type.shape.rank(),
                            tensor.type.shape.begin(), tensor.data.get(),
                            static_cast<uint64_t>(tensor.type.byteSize())});
  *results = {owned->views.data(), owned->views.size(), owned};
  return nullptr;
}

void freeEvaluation(burn_evaluation *evaluation) { delete reinterpret_cast<perop::Program *>(evaluation); }

burn_status *printProgram(Program program, const burn_compile_options *given, burn_blob *text) {
  *text = {};
  if (!program)
    return toC(program.status());
  auto options = toOptions(given);
  if (!options)
    return toC(options.status());
  const char *stage = complete(given).stage;
  auto printed = printStage(**program, *options, stage ? stage : "");
  if (!printed)
    return toC(printed.status());
  *text = toBlob(std::move(*printed));
  return nullptr;
}

burn_status *printGraph(burn_bytes graph, const burn_compile_options *options, burn_blob *text) {
  auto context = makeContext();
  return printProgram(loadGraph(*context, graph), options, text);
}

burn_status *printMlir(const burn_mlir_source *source, const burn_compile_options *options, burn_blob *text) {
  auto context = makeContext();
  return printProgram(loadSource(*context, source), options, text);
}

burn_status *canonicalMlir(const burn_mlir_source *source, burn_blob *bytecode) {
  *bytecode = {};
  auto context = makeContext();
  Program program = loadSource(*context, source);
  if (!program)
    return toC(program.status());
  auto bytes = canonicalBytecode(**program);
  if (!bytes)
    return toC(bytes.status());
  *bytecode = toBlob(std::move(*bytes));
  return nullptr;
}

/// An entry that runs in the float environment of plans, whatever its caller has set: what it computes of constants
/// must be what plans would.
template <auto> struct WithDefaultFloats;
template <typename... Args, burn_status *(*entry)(Args...)> struct WithDefaultFloats<entry> {
  static burn_status *call(Args... args) {
    const core::DefaultFloatEnvironment floats;
    return entry(args...);
  }
};

} // namespace

extern "C" __attribute__((visibility("default"))) const burn_compiler_api *burn_compiler_get_api(uint32_t abi) {
  if (abi != BURN_COMPILER_ABI)
    return nullptr;
  static const burn_compiler_table table = {
      {sizeof(burn_compiler_table), BURN_COMPILER_ABI, core::compilerBuildId(), LLVM_VERSION_STRING,
       WithDefaultFloats<compileGraph>::call, WithDefaultFloats<compileMlir>::call,
       WithDefaultFloats<interpretGraph>::call, WithDefaultFloats<interpretMlir>::call,
       WithDefaultFloats<printGraph>::call, WithDefaultFloats<printMlir>::call, WithDefaultFloats<canonicalMlir>::call,
       freeBlob, freeArrays, freeStatus},
      WithDefaultFloats<prepareEvaluation>::call,
      WithDefaultFloats<evaluateGraph>::call,
      freeEvaluation,
      runInBackground,
      WithDefaultFloats<locateMlir>::call,
  };
  return &table.api;
}
