// From serialized graphs to burn IR, and back to location ids.
#include "passes/Graph/Import.h"
#include "Interpret.h"
#include "passes/Autodiff/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

using namespace burn;
using namespace burn::core;

namespace {

const TypeDesc matrix{DType::F32, Shape{2, 3}}, row{DType::F32, Shape{3}}, number{DType::F32, Shape{}};

template <typename Attrs> std::vector<int64_t> words(const Attrs &attrs) {
  std::vector<int64_t> result;
  attrs.encode(result);
  return result;
}

GraphOp op(OpCode code, std::vector<uint32_t> operands, std::vector<int64_t> attrs, std::vector<TypeDesc> results) {
  return GraphOp{code, std::move(operands), std::move(attrs), std::move(results), {}};
}

// The gradient of sum(reduce max(x * s)) by x.
Graph example() {
  const std::vector<int64_t> first{0}, none, segments{1, 0, 1};
  Graph graph;
  graph.args = {GraphArg{matrix, ArgKind::Buffer, true, false, "x"},
                GraphArg{number, ArgKind::Scalar, false, false, ""}};
  graph.ops = {
      op(OpCode::Broadcast, {1}, words(BroadcastAttrs{none}), {matrix}),
      op(OpCode::Mul, {0, 2}, {}, {matrix}),
      op(OpCode::ArgReduce, {3}, words(ArgReduceAttrs{ExtremumKind::Max, 0}), {row, {DType::I64, Shape{3}}}),
      op(OpCode::Reduce, {4}, words(ReduceAttrs{ReduceKind::Sum, first}), {number}),
      op(OpCode::Grad, {6, 0}, words(GradAttrs{segments}), {matrix}),
  };
  graph.results = {7, 5};
  return graph;
}

class Imported {
public:
  Imported() { context.loadDialect<ir::BurnDialect, mlir::func::FuncDialect>(); }
  Status import(const Graph &graph) {
    auto result = compiler::importGraph(context, graph);
    if (!result)
      return result.status();
    module = std::move(*result);
    return Status::ok();
  }
  mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_CASE("import: a graph becomes a function with the marks of its arguments") {
  Imported imported;
  REQUIRE(imported.import(example()));
  REQUIRE(succeeded(mlir::verify(*imported.module)));
  mlir::func::FuncOp function = imported.function();
  CHECK(function.getName() == "main");
  CHECK(function.getArgAttr(0, compiler::kDonatedAttr));
  CHECK_FALSE(function.getArgAttr(0, compiler::kScalarAttr));
  CHECK(function.getArgAttrOfType<mlir::StringAttr>(0, compiler::kNameAttr).getValue() == "x");
  CHECK(function.getArgAttr(1, compiler::kScalarAttr));
  CHECK_FALSE(function.getArgAttr(1, compiler::kDonatedAttr));

  REQUIRE(succeeded(compiler::differentiate(function)));
  ir::InterpreterOptions options;
  std::vector<ir::HostTensor> arguments{test::tensor<float>({1, 5, 3, 4, 2, 6}, Shape{2, 3}), test::scalar(2.0f)};
  auto results = ir::interpret(function, arguments, options);
  REQUIRE(results);
  CHECK(test::values<float>((*results)[0]) == std::vector<float>{0, 2, 0, 2, 0, 2});
  CHECK(test::values<int64_t>((*results)[1]) == std::vector<int64_t>{1, 0, 1});
}

TEST_CASE("import: a scalar that the graph holds is a constant, no argument") {
  Graph graph = example();
  graph.args[1].constant = 0xc0200000; // -2.5
  Imported imported;
  REQUIRE(imported.import(graph));
  REQUIRE(succeeded(mlir::verify(*imported.module)));
  mlir::func::FuncOp function = imported.function();
  CHECK(function.getNumArguments() == 1);
  auto constant = mlir::dyn_cast<ir::ConstantOp>(function.getBody().front().front());
  REQUIRE(constant);
  CHECK(mlir::cast<mlir::DenseElementsAttr>(constant.getValue()).getSplatValue<float>() == -2.5f);
}

TEST_CASE("import: ops carry their location id, and so do the ops of their derivatives") {
  Imported imported;
  REQUIRE(imported.import(example()));
  uint32_t id = 0;
  for (mlir::Operation &op : imported.function().getBody().front().without_terminator()) {
    std::vector<uint32_t> ids;
    compiler::collectLocationIds(op.getLoc(), ids);
    CHECK(ids == std::vector<uint32_t>{id++});
  }
  REQUIRE(succeeded(compiler::differentiate(imported.function())));
  for (mlir::Operation &op : imported.function().getBody().front().without_terminator()) {
    std::vector<uint32_t> ids;
    compiler::collectLocationIds(op.getLoc(), ids);
    REQUIRE(ids.size() == 1);
    CHECK(ids[0] <= 4);
  }
}

namespace {

// for i in [0, n): c = cond(c > 0, -c, c), as a graph of regions in a region.
Graph loop() {
  const TypeDesc index{DType::I64, Shape{}}, predicate{DType::Bool, Shape{}};
  const std::vector<int64_t> segments{1, 1, 1, 1, 0};
  GraphRegion negated{{number}, {op(OpCode::Neg, {10}, {}, {number})}, {11}};
  GraphRegion kept{{number}, {}, {12}};
  GraphOp branch = op(OpCode::If, {9, 7}, {}, {number}); // value 13
  branch.regions = {negated, kept};
  GraphOp zero = op(OpCode::Sub, {7, 7}, {}, {number}); // value 8
  GraphOp positive = op(OpCode::Compare, {7, 8}, words(CompareAttrs{CompareDirection::GT}), {predicate});
  GraphOp loop = op(OpCode::For, {0, 1, 2, 3}, words(ForAttrs{segments}), {number}); // value 14
  loop.regions = {GraphRegion{{index, number}, {zero, positive, branch}, {13}}};
  loop.regions[0].args = {index, number}; // values 6 and 7
  Graph graph;
  graph.args.resize(4);
  for (size_t i : {0, 1, 2})
    graph.args[i].type = index;
  graph.args[3].type = number;
  graph.ops = {op(OpCode::Neg, {3}, {}, {number}), op(OpCode::Neg, {4}, {}, {number}), loop}; // values 4, 5
  graph.results = {14};
  return graph;
}

} // namespace

TEST_CASE("import: regions in regions, through bytes") {
  const std::vector<std::byte> bytes = serialize(loop());
  const auto graph = parseGraph(bytes);
  REQUIRE(graph);
  CHECK(serialize(*graph) == bytes);
  Imported imported;
  const Status status = imported.import(*graph);
  INFO(status.message());
  REQUIRE(status);
  REQUIRE(succeeded(mlir::verify(*imported.module)));
  const auto run = [&](int64_t n, float start) {
    auto results =
        ir::interpret(imported.function(), std::vector<ir::HostTensor>{test::scalar<int64_t>(0), test::scalar(n),
                                                                       test::scalar<int64_t>(1), test::scalar(start)});
    REQUIRE(results);
    return test::values<float>((*results)[0])[0];
  };
  CHECK(run(3, 2.0f) == -2.0f);
  CHECK(run(0, 2.0f) == 2.0f);
  CHECK(run(3, -2.0f) == -2.0f);
  // Ids count ops in order, those of a region behind their op.
  std::vector<uint32_t> ids;
  imported.function().walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *inner) {
    if (!mlir::isa<ir::YieldOp>(inner))
      compiler::collectLocationIds(inner->getLoc(), ids);
  });
  CHECK(ids == std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("import: regions see nothing of what is around them") {
  const auto refused = [](void (*damage)(GraphOp &loop), const char *message) {
    Graph graph = loop();
    damage(graph.ops[2]);
    Imported imported;
    const Status status = imported.import(graph);
    REQUIRE_FALSE(status);
    CHECK_THAT(status.message(), Catch::Matchers::Contains(message));
  };
  refused([](GraphOp &loop) { loop.regions[0].ops[0].operands = {3, 3}; },
          "burn.sub: uses a value that is not defined");
  refused([](GraphOp &loop) { loop.regions[0].results = {3}; }, "a region yields a value that it lacks");
  refused([](GraphOp &loop) { loop.regions[0].results = {11}; }, "a region yields a value that it lacks");
  refused([](GraphOp &loop) { loop.regions[0].results = {6}; },
          "expects yielded values of types 'tensor<f32>', got 'tensor<i64>'");
  refused([](GraphOp &loop) { loop.regions.clear(); }, "burn.for:");
  refused([](GraphOp &loop) { loop.regions.resize(3); }, "burn.for: has 3 regions, expected 1");
}

TEST_CASE("import: an error names the op at fault") {
  struct Case {
    void (*damage)(Graph &);
    const char *message;
  };
  for (const Case &c : std::initializer_list<Case>{
           {[](Graph &graph) { graph.ops[1].operands[1] = 1; },
            "burn.mul: expects operands of one type, got f32[2, 3] and f32[]"},
           {[](Graph &graph) { graph.ops[1].operands[1] = 9; }, "burn.mul: uses a value that is not defined before it"},
           {[](Graph &graph) { graph.ops[1].results[0] = row; },
            "burn.mul: the graph states other result types than the op has"},
           {[](Graph &graph) { graph.ops[1].code = OpCode::Yield; }, "burn.yield: may not stand in a graph"},
           {[](Graph &graph) { graph.ops[1].regions.emplace_back(); }, "burn.mul: has 1 regions, expected 0"},
           {[](Graph &graph) { graph.ops[1].attrs = {1}; }, "burn.mul: malformed attributes"},
       }) {
    Graph graph = example();
    c.damage(graph);
    Imported imported;
    Status status = imported.import(graph);
    REQUIRE_FALSE(status);
    CHECK(status.message() == c.message);
    CHECK(status.locations() == std::vector<uint32_t>{1});
  }
  Graph graph = example();
  graph.results = {99};
  CHECK_FALSE(Imported().import(graph));
}
