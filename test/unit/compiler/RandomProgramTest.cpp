// Random programs: kernels of fused ops against kernels of the same ops one by one, bit for bit, and
// these against the interpreter within their bounds.
#include "test/unit/compiler/KernelRun.h"

#include "passes/Graph/Passes.h"

#include <algorithm>
#include <cstdlib>
#include <set>

using namespace burn;
using namespace burn::test;

namespace {

/// Writes a function of random ops. Every value may be read again, so clusters of all forms arise.
class Generator {
public:
  explicit Generator(unsigned seed) : random(seed) {}

  std::string program(int ops) {
    for (int i = 0; i != 3; ++i) {
      Value value{"%arg" + std::to_string(i), randomShape(), i == 2 && below(2) ? "bf16" : "f32"};
      arguments += (i ? ", " : "") + value.name + ": " + value.type();
      values.push_back(value);
    }
    for (int i = 0; i != ops; ++i)
      addOp();
    std::string names, types;
    for (size_t i = 3; i != values.size(); ++i) {
      // What nothing reads is returned, and some of what is read.
      if (read.count(values[i].name) && below(4))
        continue;
      names += (names.empty() ? "" : ", ") + values[i].name;
      types += (types.empty() ? "" : ", ") + values[i].type();
    }
    return "func.func @main(" + arguments + ") -> (" + types + ") {\n" + text + "return " + names + " : " + types +
           "\n}\n";
  }

private:
  using Dims = std::vector<int64_t>;
  struct Value {
    std::string name;
    Dims shape;
    std::string element;

    std::string type() const {
      std::string result = "tensor<";
      for (int64_t size : shape)
        result += std::to_string(size) + "x";
      return result + element + ">";
    }
    bool isFloat() const { return element == "f32" || element == "bf16"; }
    int64_t count() const {
      int64_t total = 1;
      for (int64_t size : shape)
        total *= size;
      return total;
    }
  };

  int below(int n) { return int(random() % n); }
  Dims randomShape() {
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 16, 17, 40, 70};
    Dims shape(1 + below(3));
    for (int64_t &size : shape)
      size = sizes[below(9)];
    if (below(8) == 0)
      shape = {300, 1 + below(130)};
    return shape;
  }
  static std::string list(const Dims &values) {
    std::string result = "array<i64";
    for (size_t i = 0; i != values.size(); ++i)
      result += (i ? ", " : ": ") + std::to_string(values[i]);
    return result + ">";
  }
  const Value &pick() {
    // Later values are likelier: programs are deep.
    size_t i = values.size() - 1 - std::min<size_t>(below(int(values.size())), below(int(values.size())));
    return values[i];
  }
  Value pickFloat() {
    for (;;)
      if (Value value = pick(); value.isFloat())
        return value;
  }
  /// A value of the given type: there, or made by broadcasting or generating.
  Value like(const Value &wanted) {
    std::vector<Value> fitting;
    for (const Value &value : values)
      if (value.type() == wanted.type())
        fitting.push_back(value);
    if (fitting.size() > 1 || below(3))
      return fitting[below(int(fitting.size()))];
    for (const Value &value : values) {
      // A vector along one dim.
      if (value.element != wanted.element || value.shape.size() != 1)
        continue;
      for (size_t dim = 0; dim != wanted.shape.size(); ++dim)
        if (wanted.shape[dim] == value.shape[0])
          return emit({"", wanted.shape, wanted.element}, "broadcast " + use(value) +
                                                              " {dims = " + list({int64_t(dim)}) +
                                                              "} : " + value.type() + " to " + wanted.type());
    }
    Value scalar = emit({"", {}, wanted.element}, "constant dense<0.75> : tensor<" + wanted.element + ">");
    return emit({"", wanted.shape, wanted.element},
                "broadcast " + use(scalar) + " {dims = array<i64>} : " + scalar.type() + " to " + wanted.type());
  }
  std::string use(const Value &value) {
    read.insert(value.name);
    return value.name;
  }
  Value emit(Value value, const std::string &op) {
    value.name = "%v" + std::to_string(next++);
    text += value.name + " = burn." + op + "\n";
    values.push_back(value);
    return value;
  }

  void addOp() {
    const Value x = pickFloat();
    const size_t rank = x.shape.size();
    switch (below(14)) {
    case 0:
    case 1: {
      static const char *ops[] = {"neg", "abs", "tanh", "erf", "logistic", "relu", "floor", "sign", "expm1"};
      Value y = emit(x, std::string(ops[below(9)]) + " " + use(x) + " : " + x.type());
      if (below(2)) // keep numbers moderate
        emit(x, "tanh " + use(y) + " : " + x.type());
      return;
    }
    case 2:
    case 3:
    case 4: {
      static const char *ops[] = {"add", "sub", "mul", "max", "min", "div"};
      Value y = like(x);
      emit(x, std::string(ops[below(6)]) + " " + use(x) + ", " + use(y) + " : " + x.type());
      return;
    }
    case 5: {
      Value y = like(x);
      Value p = emit({"", x.shape, "i1"}, "compare lt " + use(x) + ", " + use(y) + " : " + x.type());
      emit(x, "select " + use(p) + ", " + use(y) + ", " + use(x) + " : " + p.type() + ", " + x.type());
      return;
    }
    case 6: {
      Value y{"", x.shape, x.element == "f32" ? "bf16" : "f32"};
      emit(y, "convert " + use(x) + " : " + x.type() + " to " + y.type());
      return;
    }
    case 7:
    case 8: { // a reduction, and often its result spread over the operand again
      Dims dims, kept, keptDims;
      for (size_t dim = 0; dim != rank; ++dim)
        if (below(2)) {
          dims.push_back(dim);
        } else {
          kept.push_back(x.shape[dim]);
          keptDims.push_back(dim);
        }
      Value y{"", kept, x.element};
      Value r = emit(y, std::string("reduce ") + (below(3) ? "sum " : "max ") + use(x) + " {dims = " + list(dims) +
                            "} : " + x.type() + " to " + y.type());
      if (below(3) == 0)
        return;
      Value b = emit(x, "broadcast " + use(r) + " {dims = " + list(keptDims) + "} : " + r.type() + " to " + x.type());
      emit(x, std::string(below(2) ? "sub " : "mul ") + use(x) + ", " + use(b) + " : " + x.type());
      return;
    }
    case 13: { // a product, and something long behind it
      if (rank != 2 || x.element != "f32" || x.shape[0] > 100)
        return;
      Value y = like(x), z{"", {x.shape[0], x.shape[0]}, x.element};
      Value d = emit(z, "dot_general " + use(x) + ", " + use(y) +
                            " {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, "
                            "rhs_contract = array<i64: 1>} : " +
                            x.type() + ", " + y.type() + " to " + z.type());
      Value e = emit(z, std::string(below(2) ? "erf " : "relu ") + use(d) + " : " + z.type());
      emit(z, "mul " + use(e) + ", " + use(d) + " : " + z.type());
      return;
    }
    case 9: {
      Dims perm, shape;
      for (size_t dim = 0; dim != rank; ++dim)
        perm.push_back(dim);
      std::shuffle(perm.begin(), perm.end(), random);
      for (int64_t dim : perm)
        shape.push_back(x.shape[dim]);
      Value y{"", shape, x.element};
      emit(y, "transpose " + use(x) + " {perm = " + list(perm) + "} : " + x.type() + " to " + y.type());
      return;
    }
    case 10: {
      Value y{"", {x.count()}, x.element};
      if (rank > 1 && below(2))
        y.shape = {x.shape[0], x.count() / std::max<int64_t>(1, x.shape[0])};
      emit(y, "reshape " + use(x) + " : " + x.type() + " to " + y.type());
      return;
    }
    case 11: {
      if (rank == 0)
        return;
      Dims starts, sizes, strides;
      for (int64_t size : x.shape) {
        const int64_t stride = 1 + below(2), start = below(int(size));
        starts.push_back(start);
        strides.push_back(stride);
        sizes.push_back(1 + (size - 1 - start) / stride);
      }
      Value y{"", sizes, x.element};
      Value s = emit(y, "slice " + use(x) + " {starts = " + list(starts) + ", sizes = " + list(sizes) +
                            ", strides = " + list(strides) + "} : " + x.type() + " to " + y.type());
      Dims high, interior(rank, below(2));
      for (size_t dim = 0; dim != rank; ++dim)
        high.push_back(below(3));
      Value z{"", sizes, x.element};
      for (size_t dim = 0; dim != rank; ++dim)
        z.shape[dim] = starts[dim] + sizes[dim] + (sizes[dim] - 1) * interior[dim] + high[dim];
      Value zero = emit({"", {}, x.element}, "constant dense<0.5> : tensor<" + x.element + ">");
      emit(z, "pad " + use(s) + ", " + use(zero) + " {low = " + list(starts) + ", high = " + list(high) +
                  ", interior = " + list(interior) + "} : " + s.type() + ", " + zero.type() + " to " + z.type());
      return;
    }
    default: {
      if (rank == 0)
        return;
      const int64_t axis = below(int(rank));
      Value y = like(x), z = x;
      z.shape[axis] *= 2;
      if (z.count() > 100000)
        return;
      if (below(2))
        y = emit(x, "reverse " + use(y) + " {dims = " + list({axis}) + "} : " + y.type());
      emit(z, "concat " + use(x) + ", " + use(y) + " {axis = " + std::to_string(axis) + "} : (" + x.type() + ", " +
                  y.type() + ") -> " + z.type());
      return;
    }
    }
  }

  std::mt19937 random;
  std::vector<Value> values;
  std::set<std::string> read;
  std::string arguments, text;
  int next = 0;
};

/// Runs a function after burn-fuse, kernel by kernel.
std::vector<ir::HostTensor> runKernels(mlir::func::FuncOp function, const std::vector<ir::HostTensor> &arguments,
                                       const compiler::CpuTarget &target, bool compare) {
  llvm::DenseMap<mlir::Value, ir::HostTensor> values;
  for (auto [argument, tensor] : llvm::zip_equal(function.getArguments(), arguments))
    values[argument] = tensor;
  for (mlir::Operation &op : function.getBody().front().without_terminator()) {
    if (auto constant = mlir::dyn_cast<ir::ConstantOp>(op)) {
      values[constant.getResult()] = *ir::toHostTensor(constant.getValue());
      continue;
    }
    if (auto reshape = mlir::dyn_cast<ir::ReshapeOp>(op)) {
      ir::HostTensor tensor = values.find(reshape.getInput())->second;
      tensor.type = *ir::toTypeDesc(reshape.getType());
      values[reshape.getResult()] = tensor;
      continue;
    }
    if (op.use_empty())
      continue;
    INFO(op.getName().getStringRef().str());
    auto fused = mlir::dyn_cast<ir::FusedOp>(op);
    if (!fused)
      function.dump();
    REQUIRE(fused);
    std::vector<const ir::HostTensor *> inputs;
    for (mlir::Value operand : fused->getOperands())
      inputs.push_back(&values.find(operand)->second);
    CompiledCluster compiled(fused, target);
    REQUIRE(compiled.ok);
    std::vector<ir::HostTensor> results = compiled.run(inputs);
    if (compare) {
      // An op alone, with what is computed in place before it.
      llvm::DenseMap<mlir::Value, ir::HostTensor> inner;
      for (auto [argument, input] : llvm::zip(fused.getBody().getArguments(), inputs))
        inner[argument] = *input;
      for (mlir::Operation &each : fused.getBody().front().without_terminator()) {
        std::vector<const ir::HostTensor *> operands;
        for (mlir::Value operand : each.getOperands())
          operands.push_back(&inner.find(operand)->second);
        std::vector<ir::HostTensor> expected;
        std::vector<int64_t> words;
        if (auto constant = mlir::dyn_cast<ir::ConstantOp>(each)) {
          expected.push_back(*ir::toHostTensor(constant.getValue()));
        } else {
          llvm::append_range(words, ir::toAttrWords(&each));
          std::vector<core::TypeDesc> types;
          for (mlir::Type type : each.getResultTypes())
            types.push_back(*ir::toTypeDesc(type));
          REQUIRE(ir::evaluate(ir::opInfo(&each)->code, operands, words, types, ir::Precision::Own, expected).ok());
        }
        auto yielded = fused.getBody().front().getTerminator()->getOperands();
        for (auto [i, value] : llvm::enumerate(yielded))
          if (value.getDefiningOp() == &each) {
            ir::Comparison comparison =
                mlir::isa<ir::ConstantOp>(each)
                    ? ir::compareExact(expected[0], results[i])
                    : ir::compareWithinBound(ir::opInfo(&each)->code, operands, words, i, expected[i], results[i]);
            if (!comparison)
              fused->dump();
            INFO(comparison.message);
            CHECK(bool(comparison));
          }
        for (auto [value, tensor] : llvm::zip(each.getResults(), expected))
          inner[value] = tensor;
      }
    }
    for (auto [value, result] : llvm::zip_equal(fused->getResults(), results))
      values[value] = result;
  }
  std::vector<ir::HostTensor> results;
  for (mlir::Value value : function.getBody().front().getTerminator()->getOperands())
    results.push_back(values.find(value)->second);
  return results;
}

void checkProgram(unsigned seed) {
  Generator generator(seed);
  const std::string text = generator.program(14);
  INFO("seed " << seed << "\n" << text);
  auto context = makeKernelContext();
  mlir::OwningOpRef<mlir::ModuleOp> modules[2];
  for (bool fuse : {false, true}) {
    modules[fuse] = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    REQUIRE(modules[fuse]);
    mlir::PassManager passes(context.get());
    compiler::FuseOptions options;
    options.enabled = fuse;
    passes.addNestedPass<mlir::func::FuncOp>(compiler::createFuse(options));
    REQUIRE(mlir::succeeded(passes.run(*modules[fuse])));
  }
  auto functionOf = [&](bool fuse) { return *modules[fuse]->getOps<mlir::func::FuncOp>().begin(); };
  std::vector<ir::HostTensor> arguments;
  for (auto [i, type] : llvm::enumerate(functionOf(false).getArgumentTypes()))
    arguments.push_back(randomTensor(type, seed * 10 + i));
  const compiler::CpuTarget target = kernelTargets()[seed % kernelTargets().size()];
  std::vector<ir::HostTensor> apart = runKernels(functionOf(false), arguments, target, true);
  std::vector<ir::HostTensor> fused = runKernels(functionOf(true), arguments, target, false);
  for (size_t i = 0; i != apart.size(); ++i) {
    ir::Comparison comparison = ir::compareExact(apart[i], fused[i]);
    INFO("fused against unfused, result " << i << ": " << comparison.message);
    CHECK(bool(comparison));
  }
}

} // namespace

TEST_CASE("random programs: fused equals unfused equals the interpreter") {
  const char *first = std::getenv("BURN_TEST_SEED"), *count = std::getenv("BURN_TEST_COUNT");
  const unsigned from = first ? std::atoi(first) : 1, programs = count ? std::atoi(count) : 12;
  for (unsigned seed = from; seed != from + programs; ++seed)
    checkProgram(seed);
}
