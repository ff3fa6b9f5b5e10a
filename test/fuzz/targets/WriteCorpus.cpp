// Writes the seeds of fuzz-graph and fuzz-cache-entry: parts of what the compiler is given and makes. Programs come
// from the generator of burn-fuzz.
#include "passes/Graph/Import.h"
#include "runtime/Cache/CacheEntry.h"
#include "runtime/Compiler/PlanKey.h"
#include "runtime/Core/GpuPlan.h"
#include "tools/burn-fuzz/CompiledProgram.h"
#include "tools/burn-fuzz/Generator.h"

#include "llvm/Support/FileSystem.h"

#include <set>

using namespace mlir;
using namespace burn;

namespace {

constexpr uint64_t kSeed = 1;
// Seeds are small, so that the fuzzer is fast.
constexpr size_t kMostGraphBytes = 4000, kMostEntryBytes = 5000;
constexpr size_t kMostEntries = 12;

// Turns IR back into what a front end would have given.
class Exporter {
public:
  // Empty where a graph cannot hold the function.
  std::optional<core::Graph> run(func::FuncOp function) {
    core::Graph graph;
    for (BlockArgument argument : function.getArguments()) {
      const auto has = [&](llvm::StringRef name) { return bool(function.getArgAttr(argument.getArgNumber(), name)); };
      graph.args.push_back({fuzz::typeOf(argument)});
      graph.args.back().kind = has(compiler::kScalarAttr) ? core::ArgKind::Scalar : core::ArgKind::Buffer;
      graph.args.back().donated = has(compiler::kDonatedAttr);
      define(argument);
    }
    Block &body = function.getBody().front();
    // Data are arguments, and scalars of the program itself too.
    for (auto constant : body.getOps<ir::ConstantOp>()) {
      graph.args.push_back({fuzz::typeOf(constant.getResult())});
      if (graph.args.back().type.shape.rank() == 0) {
        graph.args.back().kind = core::ArgKind::Scalar;
        graph.args.back().constant = bitsOf(constant);
      }
      define(constant.getResult());
    }
    graph.ops = ops(body);
    graph.results = numbersOf(body.getTerminator()->getOperands());
    return isWhole_ ? std::optional(graph) : std::nullopt;
  }

private:
  static uint64_t bitsOf(ir::ConstantOp constant) {
    const core::Expected<ir::HostTensor> value = ir::toHostTensor(constant.getValue());
    uint64_t bits = 0;
    if (value)
      std::memcpy(&bits, value->bytes.data(), std::min(sizeof bits, value->bytes.size()));
    return bits;
  }

  void define(Value value) { numbers_.try_emplace(value, next_++); }

  std::vector<uint32_t> numbersOf(ValueRange values) {
    std::vector<uint32_t> numbers;
    for (Value value : values)
      numbers.push_back(numbers_.lookup(value));
    return numbers;
  }

  std::vector<core::GraphOp> ops(Block &block) {
    std::vector<core::GraphOp> list;
    for (Operation &op : block.without_terminator()) {
      if (isa<ir::ConstantOp>(op)) {
        isWhole_ &= isa<func::FuncOp>(op.getParentOp());
        continue;
      }
      const core::OpInfo *info = ir::opInfo(&op);
      if (!info || !info->inGraph) {
        isWhole_ = false;
        continue;
      }
      const SmallVector<int64_t> words = ir::toAttrWords(&op);
      core::GraphOp &made = list.emplace_back();
      made.code = info->code;
      made.operands = numbersOf(op.getOperands());
      made.attrs.assign(words.begin(), words.end());
      for (Region &region : op.getRegions()) {
        core::GraphRegion &inner = made.regions.emplace_back();
        for (BlockArgument argument : region.getArguments()) {
          inner.args.push_back(fuzz::typeOf(argument));
          define(argument);
        }
        inner.ops = ops(region.front());
        inner.results = numbersOf(region.front().getTerminator()->getOperands());
      }
      for (Value result : op.getResults()) {
        made.results.push_back(fuzz::typeOf(result));
        define(result);
      }
    }
    return list;
  }

  llvm::DenseMap<Value, uint32_t> numbers_;
  uint32_t next_ = 0;
  bool isWhole_ = true;
};

void namesOf(const std::vector<core::GraphOp> &ops, std::set<std::string> &names) {
  for (const core::GraphOp &op : ops) {
    names.insert(std::string(core::findOp(op.code)->name));
    for (const core::GraphRegion &region : op.regions)
      namesOf(region.ops, names);
  }
}

std::set<std::string> featuresOf(const core::Plan &plan) {
  std::set<std::string> features;
  for (const core::PlanArg &arg : plan.args)
    features.insert("argument " + std::to_string(int(arg.kind)) + std::to_string(arg.donated));
  for (const core::PlanResult &result : plan.results)
    features.insert("result " + std::to_string(int(result.source)));
  for (const core::PlanKernel &kernel : plan.kernels)
    for (const std::string &op : kernel.ops)
      features.insert("kernel " + std::to_string(int(kernel.kind)) + " with " + op);
  for (const core::PlanHostCall &call : plan.hostCalls)
    features.insert("call of " + call.kernel);
  if (!plan.checks.empty())
    features.insert("checks");
  return features;
}

// A plan with each kind of step and of memory.
core::GpuPlan gpuPlan() {
  core::GpuPlan plan;
  plan.features = core::kGpuFloat16;
  plan.arenaBytes = 512;
  plan.scalarBytes = 4;
  plan.bufferBytes = {32, 1};
  plan.constants = {std::vector<std::byte>(8)};
  plan.modules = {{{0x07230203, 0x00010300, 0, 1, 0}}};
  plan.kernels = {{0, "add", {64, 1, 1}, {core::kGpuRead, core::kGpuRead | core::kGpuWrite}, 4, 128, 0}};
  core::GpuStep launch, copy, loop, branch;
  launch.pushConstants = {8};
  launch.ranges = {{core::GpuMemory::Buffer, 0, 0, 32}, {core::GpuMemory::Arena, 0, 256, 32}};
  copy.kind = core::GpuStepKind::Copy;
  copy.ranges = {{core::GpuMemory::Scalars, 0, 0, 4}, {core::GpuMemory::Arena, 0, 64, 4}};
  loop.kind = core::GpuStepKind::For;
  loop.ranges = {{core::GpuMemory::Constant, 0, 0, 4},
                 {core::GpuMemory::Constant, 0, 4, 4},
                 {core::GpuMemory::Error, 0, 0, 4},
                 {core::GpuMemory::Arena, 0, 64, 4}};
  loop.first = {launch};
  branch.kind = core::GpuStepKind::If;
  branch.ranges = {{core::GpuMemory::Buffer, 1, 0, 1}};
  branch.first = {loop};
  branch.second = {copy};
  plan.steps = {launch, branch, branch};
  plan.steps[2].kind = core::GpuStepKind::While;
  return plan;
}

// The entry of a program with a part of its code.
std::vector<std::byte> entryOf(std::span<const std::byte> graph, std::span<const std::byte> code,
                               const core::Plan &ofProgram) {
  const std::vector<std::byte> plan = core::serialize(ofProgram);
  const std::vector<std::byte> key =
      runtime::makePlanKey(runtime::SourceKind::Graph, graph, {}, {compiler::CpuTarget().cpu, ""});
  runtime::CacheEntry entry;
  entry.elf = code;
  entry.plan = plan;
  entry.key = key;
  entry.toolchain = {{"/usr/lib/libLLVM.so", 123456789, 1700000000000000000}, {"/usr/lib/libMLIR.so", 98765432, -1}};
  std::vector<std::byte> bytes(entry.elf.begin(), entry.elf.end());
  const std::vector<std::byte> trailer = runtime::makeTrailer(entry);
  bytes.insert(bytes.end(), trailer.begin(), trailer.end());
  return bytes;
}

bool write(const std::string &path, std::span<const std::byte> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    file.close();
    error = file.error();
    file.clear_error();
  }
  if (error)
    llvm::errs() << "fuzz-corpus: cannot write " << path << ": " << error.message() << "\n";
  return !error;
}

// Adds what `found` has and `known` lacks; the first of it, or nothing.
std::string addNew(std::set<std::string> &known, const std::set<std::string> &found) {
  std::string first;
  for (const std::string &one : found)
    if (known.insert(one).second && first.empty())
      first = one;
  return first;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 || argv[1][0] == '-') {
    llvm::errs() << "usage: fuzz-corpus DIR    writes seeds to DIR/graph and DIR/cache-entry\n";
    return argc == 2 && llvm::StringRef(argv[1]) == "--help" ? 0 : 2;
  }
  const std::string root = argv[1];
  llvm::sys::fs::create_directories(root + "/graph");
  llvm::sys::fs::create_directories(root + "/cache-entry");
  std::set<std::string> ops, features;
  size_t graphs = 0, entries = 0;
  for (uint64_t index = 0; index < 8 * fuzz::opEntries().size(); ++index) {
    std::unique_ptr<MLIRContext> context = compiler::makeContext();
    const fuzz::Program program = fuzz::makeProgram(*context, kSeed, index);
    const std::optional<core::Graph> graph = Exporter().run(fuzz::functionOf(*program.module));
    if (!graph)
      continue;
    const std::vector<std::byte> bytes = core::serialize(*graph);
    if (bytes.size() > kMostGraphBytes)
      continue;
    std::set<std::string> names;
    namesOf(graph->ops, names);
    const std::string op = addNew(ops, names);
    if (op.empty())
      continue;
    if (!write(root + "/graph/" + op, bytes))
      return 1;
    ++graphs;
    if (entries == kMostEntries)
      continue;
    // As the compiler gets it.
    core::Expected<OwningOpRef<ModuleOp>> module = compiler::importGraph(*context, *graph);
    if (!module) {
      llvm::errs() << "fuzz-corpus: program " << index << ": " << module.status().message() << "\n";
      return 1;
    }
    const core::Expected<compiler::Executable> executable =
        compiler::compile(**module, fuzz::portableOptions(/*fusion=*/true));
    if (!executable)
      continue; // a check that always fails, say
    // The reader does not look at machine code: the head of the file will do.
    constexpr size_t kElfHeader = 64;
    const auto object = std::as_bytes(std::span(executable->object.data(), executable->object.size()));
    const std::vector<std::byte> entry = entryOf(bytes, object.first(kElfHeader), executable->plan);
    if (entry.size() > kMostEntryBytes || addNew(features, featuresOf(executable->plan)).empty())
      continue;
    if (!write(root + "/cache-entry/" + op, entry))
      return 1;
    ++entries;
  }
  if (!write(root + "/cache-entry/gpu", entryOf({}, core::serialize(gpuPlan()), {})))
    return 1;
  ++entries;
  llvm::outs() << graphs << " graphs with " << ops.size() << " ops, " << entries << " cache entries\n";
  return 0;
}
