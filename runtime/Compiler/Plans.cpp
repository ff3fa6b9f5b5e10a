#include "runtime/Compiler/Plans.h"

#include "runtime/Autotune/Winners.h"
#include "runtime/Compiler/CompilerLibrary.h"

#include <burn/parallel.h>

#include <cstdlib>
#include <string_view>

namespace burn::runtime {

using core::Expected;
using core::Status;

namespace {

burn_bytes borrow(Bytes bytes) { return {bytes.data(), bytes.size()}; }

std::vector<std::byte> copy(const burn_blob &blob) {
  const auto *bytes = static_cast<const std::byte *>(blob.data);
  return {bytes, bytes + blob.size};
}

burn_compile_options makeOptions(const CompileSettings &settings, const PlanTarget &target) {
  burn_compile_options options{};
  options.struct_size = sizeof options;
  options.device = target.kind;
  options.cpu = target.cpu.c_str();
  options.features = target.features.c_str();
  options.fusion = settings.options.fusion;
  options.deterministic = settings.options.deterministic;
  options.fast_math = settings.options.fastMath;
  options.many_threads = settings.options.manyThreads;
  options.debug = settings.debug;
  options.dump_dir = settings.dumpDirectory.c_str();
  options.name = settings.name.empty() ? nullptr : settings.name.c_str();
  return options;
}

/// What was chosen, but that only kernels of the host are measured, and cut for its threads.
PlanOptions optionsOf(const CompileSettings &settings) {
  PlanOptions options = settings.options;
  if (settings.device) {
    options.tuning = Tuning::Off;
    options.manyThreads = false;
  }
  return options;
}

/// Runs one of the compile functions and copies its result.
template <typename Call>
Expected<CompiledPlan> compileWith(const burn_compiler_api &api, const CompileSettings &settings,
                                   const PlanTarget &target, Call call) {
  burn_compiled compiled{};
  burn_compile_options options = makeOptions(settings, target);
  Winners winners(planCache().disk(), optionsOf(settings), target);
  options.tuning = winners.tuning();
  Status status = takeStatus(api, call(&options, &compiled));
  CompiledPlan plan;
  if (status)
    plan = {copy(compiled.object), copy(compiled.plan)};
  api.free_blob(&compiled.object);
  api.free_blob(&compiled.plan);
  if (!status)
    return status;
  return plan;
}

/// What to compile for.
Expected<PlanTarget> targetOf(const CompileSettings &settings) {
  if (settings.device)
    return settings.device->target();
  const Expected<CpuTarget> &target = hostCpuTarget();
  if (!target)
    return target.status();
  return PlanTarget(*target);
}

bool dumps(const CompileSettings &settings) {
  return (settings.debug & (BURN_DEBUG_IR | BURN_DEBUG_ASM)) && !settings.dumpDirectory.empty();
}

/// The key of a plan. One that was measured more thoroughly serves as well, where there is one.
std::vector<std::byte> keyOf(SourceKind kind, Bytes program, const CompileSettings &settings,
                             const PlanTarget &target) {
  PlanOptions options = optionsOf(settings);
  const Tuning wanted = options.tuning;
  for (Tuning tuning : {Tuning::Full, Tuning::On})
    if (wanted != Tuning::Off && tuning > wanted && !dumps(settings)) {
      options.tuning = tuning;
      std::vector<std::byte> key = makePlanKey(kind, program, options, target);
      if (planCache().lookup(key))
        return key;
    }
  options.tuning = wanted;
  return makePlanKey(kind, program, options, target);
}

/// Why a miss cannot be compiled.
Status noCompiler(const Status &reason) {
  const DiskCache &disk = planCache().disk();
  std::string where;
  if (disk.directory().empty())
    where = "the kernel cache is off";
  else if (disk.isMissing())
    where = "the kernel cache " + disk.directory() + " does not exist yet";
  else if (const auto problem = disk.distrust())
    where = "the kernel cache " + disk.directory() + " is not used (" + *problem + ")";
  else
    where = "the kernel cache " + disk.directory() + " has no plan for this program";
  return Status::error(reason.code(), where + ", and " + reason.message());
}

Expected<CompiledPlan> compileGraph(Bytes graph, const CompileSettings &settings, const PlanTarget &target) {
  Expected<const burn_compiler_api *> api = compiler();
  if (!api)
    return noCompiler(api.status());
  return compileWith(**api, settings, target, [&](const burn_compile_options *options, burn_compiled *result) {
    return (*api)->compile_graph(borrow(graph), options, result);
  });
}

bool runInBackground(PlanCache::Job job) {
  Expected<const burn_compiler_api *> api = compiler();
  if (!api)
    return false;
  auto *held = new PlanCache::Job(std::move(job));
  const bool isTaken = tableOf(**api).run_in_background(
      [](void *arg, int isCancelled) {
        const std::unique_ptr<PlanCache::Job> job(static_cast<PlanCache::Job *>(arg));
        (*job)(isCancelled);
      },
      held);
  if (!isTaken)
    delete held;
  return isTaken;
}

} // namespace

// A switch of the environment; unset and empty leave it at `usual`.
static Status readSwitch(const char *name, bool usual, bool &value) {
  const char *text = std::getenv(name);
  const std::string_view word = text ? text : "";
  if (!word.empty() && word != "0" && word != "1")
    return Status::invalid(std::string(name) + " is '" + std::string(word) + "'; it is 0 or 1");
  value = word.empty() ? usual : word == "1";
  return Status::ok();
}

Expected<PlanOptions> environmentOptions() {
  PlanOptions options;
  if (Status status = readSwitch("BURN_DETERMINISTIC", true, options.deterministic); !status)
    return status;
  if (Status status = readSwitch("BURN_FAST_MATH", false, options.fastMath); !status)
    return status;
  const Expected<Tuning> tuning = environmentTuning();
  if (!tuning)
    return tuning.status();
  options.tuning = *tuning;
  // With so few, products are fastest in pieces as large as the caches.
  constexpr int fewThreads = 4;
  options.manyThreads = num_threads() > fewThreads;
  return options;
}

Expected<PlanPointer> planForGraph(Bytes graph, const CompileSettings &settings) {
  const Expected<PlanTarget> target = targetOf(settings);
  if (!target)
    return target.status();
  const std::vector<std::byte> key = keyOf(SourceKind::Graph, graph, settings, *target);
  const auto compile = [&] { return compileGraph(graph, settings, *target); };
  return planCache().get(key, compile, dumps(settings), settings.device);
}

Expected<std::shared_ptr<const PendingPlan>> startPlan(Bytes graph, const CompileSettings &settings) {
  const Expected<PlanTarget> target = targetOf(settings);
  if (!target)
    return target.status();
  const std::vector<std::byte> key = keyOf(SourceKind::Graph, graph, settings, *target);
  return planCache().start(
      key,
      [program = std::vector<std::byte>(graph.begin(), graph.end()), settings, target = *target] {
        return compileGraph(program, settings, target);
      },
      runInBackground);
}

Expected<PlanPointer> planForMlir(Bytes source, const std::string &filename, const std::string &entry,
                                  const CompileSettings &settings) {
  const Expected<PlanTarget> target = targetOf(settings);
  if (!target)
    return target.status();
  Expected<const burn_compiler_api *> api = compiler();
  if (!api)
    return api.status();
  const burn_mlir_source input{borrow(source), filename.c_str(), entry.c_str()};
  burn_blob canonical{};
  if (Status status = takeStatus(**api, (*api)->canonical_mlir(&input, &canonical)); !status)
    return status;
  const std::vector<std::byte> program = copy(canonical);
  (*api)->free_blob(&canonical);
  const auto compile = [&] {
    return compileWith(**api, settings, *target, [&](const burn_compile_options *options, burn_compiled *result) {
      return (*api)->compile_mlir(&input, options, result);
    });
  };
  return planCache().get(keyOf(SourceKind::Mlir, program, settings, *target), compile, dumps(settings),
                         settings.device);
}

} // namespace burn::runtime
