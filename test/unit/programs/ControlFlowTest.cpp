// Branches and loops: compiled fused and unfused, on one thread and on three, and interpreted, against closed forms.
#include "tools/burn-fuzz/CompiledProgram.h"
#include "tools/burn-fuzz/OpByOp.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace burn;
using namespace burn::fuzz;

namespace {

constexpr int64_t kLeast = INT64_MIN, kMost = INT64_MAX;

template <typename T> ir::HostTensor scalar(T value) { return ir::HostTensor::from(std::span<const T>(&value, 1), {}); }
ir::HostTensor boolean(bool value) {
  ir::HostTensor result(core::TypeDesc{DType::Bool, {}});
  result.data<uint8_t>()[0] = value;
  return result;
}
ir::HostTensor vector(std::vector<float> values) {
  return ir::HostTensor::from(std::span<const float>(values), Shape{static_cast<int64_t>(values.size())});
}
template <typename T> std::vector<T> valuesOf(const ir::HostTensor &tensor) {
  REQUIRE(tensor.type.dtype == dtypeOf<T>);
  return {tensor.data<T>().begin(), tensor.data<T>().end()};
}

// One program in all ways in which it can run.
class Program {
public:
  explicit Program(const std::string &text) : context_(compiler::makeContext()) {
    auto module = compiler::parseProgram(*context_, text, "test.mlir", "");
    INFO((module ? std::string() : module.status().message()));
    REQUIRE(module);
    module_ = std::move(*module);
    for (bool fusion : {true, false}) {
      auto compiled = CompiledProgram::compile(*module_, portableOptions(fusion));
      INFO((compiled ? std::string() : compiled.status().message()));
      REQUIRE(compiled);
      compiled_.push_back(std::move(*compiled));
    }
  }

  /// What all ways agree on.
  Tensors run(const Tensors &arguments) {
    auto interpreted = ir::interpret(functionOf(*module_), arguments);
    INFO((interpreted ? std::string() : interpreted.status().message()));
    REQUIRE(interpreted);
    for (const auto &program : compiled_)
      for (Loops loops : {Loops::Serial, Loops::Backward, Loops::Threads}) {
        auto results = program->run(arguments, loops);
        INFO((results ? std::string() : results.status().message()));
        REQUIRE(results);
        for (const std::string &difference : compareBits(*interpreted, *results))
          FAIL_CHECK(difference);
      }
    return *interpreted;
  }

  /// The message with which all compiled ways end; the interpreter must fail too.
  std::string failure(const Tensors &arguments) {
    CHECK(!ir::interpret(functionOf(*module_), arguments));
    std::string message;
    for (const auto &program : compiled_) {
      auto results = program->run(arguments, Loops::Threads);
      REQUIRE(!results);
      message = results.status().message();
    }
    return message;
  }

private:
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<std::unique_ptr<CompiledProgram>> compiled_;
};

} // namespace

TEST_CASE("control: a loop of any number of iterations, none included") {
  Program program(R"(
func.func @main(%n: tensor<i64> {burn.scalar}, %c0: tensor<2xf32>) -> tensor<2xf32> {
  %zero = burn.constant dense<0> : tensor<i64>
  %one = burn.constant dense<1> : tensor<i64>
  %r = burn.for %zero to %n step %one (%c0) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    %m = burn.reduce max %c {dims = array<i64: 0>} : tensor<2xf32> to tensor<f32>
    %b = burn.broadcast %m {dims = array<i64>} : tensor<f32> to tensor<2xf32>
    %s = burn.add %c, %b : tensor<2xf32>
    burn.yield %s : tensor<2xf32>
  }
  return %r : tensor<2xf32>
})");
  const auto run = [&](int64_t n) { return valuesOf<float>(program.run({scalar(n), vector({1, 2})})[0]); };
  // c + max(c): the second element doubles, the first one is one less.
  CHECK(run(5) == std::vector<float>{63, 64});
  CHECK(run(1) == std::vector<float>{3, 4});
  CHECK(run(0) == std::vector<float>{1, 2});
  CHECK(run(-3) == std::vector<float>{1, 2});
}

TEST_CASE("control: indices of a loop over any range") {
  const auto replaced = [](const std::string &type) {
    std::string program = R"(
func.func @main(%lo: tensor<T>, %hi: tensor<T>, %step: tensor<T>) -> (tensor<T>, tensor<T>, tensor<T>) {
  %zero = burn.constant dense<0> : tensor<T>
  %one = burn.constant dense<1> : tensor<T>
  %r:3 = burn.for %lo to %hi step %step (%zero, %zero, %zero) : (tensor<T>, tensor<T>, tensor<T>, tensor<T>, tensor<T>, tensor<T>)
      -> (tensor<T>, tensor<T>, tensor<T>) {
  ^bb0(%i: tensor<T>, %count: tensor<T>, %sum: tensor<T>, %last: tensor<T>):
    %one_ = burn.constant dense<1> : tensor<T>
    %n = burn.add %count, %one_ : tensor<T>
    %s = burn.add %sum, %i : tensor<T>
    burn.yield %n, %s, %i : tensor<T>, tensor<T>, tensor<T>
  }
  return %r#0, %r#1, %r#2 : tensor<T>, tensor<T>, tensor<T>
})";
    for (size_t at; (at = program.find("<T>")) != std::string::npos;)
      program.replace(at, 3, "<" + type + ">");
    return program;
  };
  Program wide(replaced("i64")), narrow(replaced("i32"));
  const auto run = [&](int64_t lower, int64_t upper, int64_t step) {
    std::vector<int64_t> all;
    for (const ir::HostTensor &result : wide.run({scalar(lower), scalar(upper), scalar(step)}))
      all.push_back(valuesOf<int64_t>(result)[0]);
    return all;
  };
  CHECK(run(0, 10, 3) == std::vector<int64_t>{4, 18, 9});
  CHECK(run(-4, 5, 4) == std::vector<int64_t>{3, 0, 4});
  CHECK(run(5, 5, 1) == std::vector<int64_t>{0, 0, 0});
  // The index behind the last one would overflow.
  CHECK(run(kMost - 3, kMost, 2) == std::vector<int64_t>{2, -6, kMost - 1}); // the sum wraps
  CHECK(run(kMost - 1, kMost, kMost) == std::vector<int64_t>{1, kMost - 1, kMost - 1});
  // The distance does not fit into an i64.
  CHECK(run(kLeast, kMost, kMost) == std::vector<int64_t>{3, -3, kMost - 1});
  const auto runNarrow = [&](int32_t lower, int32_t upper, int32_t step) {
    std::vector<int32_t> all;
    for (const ir::HostTensor &result : narrow.run({scalar(lower), scalar(upper), scalar(step)}))
      all.push_back(valuesOf<int32_t>(result)[0]);
    return all;
  };
  CHECK(runNarrow(0, 10, 3) == std::vector<int32_t>{4, 18, 9});
  CHECK(runNarrow(INT32_MIN, INT32_MAX, INT32_MAX) == std::vector<int32_t>{3, -3, INT32_MAX - 1});

  for (int64_t step : {int64_t(0), int64_t(-1), kLeast})
    CHECK(wide.failure({scalar(int64_t(0)), scalar(int64_t(3)), scalar(step)}) == "burn.for: expects a positive step");
}

TEST_CASE("control: a loop runs as long as its condition holds") {
  // Steps of the Collatz sequence.
  Program program(R"(
func.func @main(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %zero = burn.constant dense<0> : tensor<i64>
  %r:2 = burn.while (%n, %zero) : (tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>) cond {
  ^bb0(%v: tensor<i64>, %k: tensor<i64>):
    %one = burn.constant dense<1> : tensor<i64>
    %p = burn.compare ne %v, %one : tensor<i64>
    burn.yield %p : tensor<i1>
  } do {
  ^bb0(%v: tensor<i64>, %k: tensor<i64>):
    %one = burn.constant dense<1> : tensor<i64>
    %low = burn.and %v, %one : tensor<i64>
    %odd = burn.convert %low : tensor<i64> to tensor<i1>
    %next = burn.if %odd (%v) : (tensor<i64>) -> tensor<i64> then {
    ^bb0(%a: tensor<i64>):
      %three = burn.constant dense<3> : tensor<i64>
      %i = burn.constant dense<1> : tensor<i64>
      %m = burn.mul %a, %three : tensor<i64>
      %s = burn.add %m, %i : tensor<i64>
      burn.yield %s : tensor<i64>
    } else {
    ^bb0(%a: tensor<i64>):
      %two = burn.constant dense<2> : tensor<i64>
      %h = burn.div %a, %two : tensor<i64>
      burn.yield %h : tensor<i64>
    }
    %steps = burn.add %k, %one : tensor<i64>
    burn.yield %next, %steps : tensor<i64>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
})");
  const auto steps = [&](int64_t n) {
    const Tensors results = program.run({scalar(n)});
    CHECK(valuesOf<int64_t>(results[0])[0] == 1);
    return valuesOf<int64_t>(results[1])[0];
  };
  CHECK(steps(1) == 0);
  CHECK(steps(2) == 1);
  CHECK(steps(27) == 111);
}

TEST_CASE("control: values that change places, copies of one value, constants and indices as carried values") {
  Program program(R"(
func.func @main(%n: tensor<i64>, %x: tensor<2xf32>, %y: tensor<2xf32>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<2xf32>) {
  %zero = burn.constant dense<0> : tensor<i64>
  %one = burn.constant dense<1> : tensor<i64>
  %r:6 = burn.for %zero to %n step %one (%x, %y, %x, %y, %zero, %x) invariants (%y) : (tensor<i64>, tensor<i64>, tensor<i64>,
      tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<2xf32>, tensor<2xf32>)
      -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %a: tensor<2xf32>, %b: tensor<2xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>, %k: tensor<i64>,
       %e: tensor<2xf32>, %inv: tensor<2xf32>):
    %s = burn.add %c, %d : tensor<2xf32>
    %seven = burn.constant dense<[7.0, 8.0]> : tensor<2xf32>
    burn.yield %b, %a, %s, %s, %i, %seven : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<2xf32>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i64>, tensor<2xf32>
})");
  const auto run = [&](int64_t n) { return program.run({scalar(n), vector({1, 2}), vector({10, 20})}); };
  Tensors odd = run(3), none = run(0);
  CHECK(valuesOf<float>(odd[0]) == std::vector<float>{10, 20});
  CHECK(valuesOf<float>(odd[1]) == std::vector<float>{1, 2});
  CHECK(valuesOf<float>(odd[2]) == std::vector<float>{44, 88}); // 11, then doubled twice
  CHECK(valuesOf<float>(odd[3]) == std::vector<float>{44, 88});
  CHECK(valuesOf<int64_t>(odd[4])[0] == 2);
  CHECK(valuesOf<float>(odd[5]) == std::vector<float>{7, 8});
  CHECK(valuesOf<float>(run(4)[0]) == std::vector<float>{1, 2});
  CHECK(valuesOf<float>(none[3]) == std::vector<float>{10, 20});
  CHECK(valuesOf<float>(none[5]) == std::vector<float>{1, 2});
}

TEST_CASE("control: loops in loops, products, arguments that may be overwritten, calls") {
  // Rows of powers of the Fibonacci matrix.
  Program program(R"(
func.func private @times(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %r = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>,
      lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : tensor<2x2xf32>, tensor<2x2xf32> to tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}
func.func @main(%outer: tensor<i32>, %inner: tensor<i32>, %m: tensor<2x2xf32>, %one: tensor<2x2xf32> {burn.donated})
    -> tensor<2x2xf32> {
  %zero = burn.constant dense<0> : tensor<i32>
  %step = burn.constant dense<1> : tensor<i32>
  %r = burn.for %zero to %outer step %step (%one) invariants (%m, %inner)
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<i32>) -> tensor<2x2xf32> {
  ^bb0(%i: tensor<i32>, %c: tensor<2x2xf32>, %f: tensor<2x2xf32>, %count: tensor<i32>):
    %z = burn.constant dense<0> : tensor<i32>
    %o = burn.constant dense<1> : tensor<i32>
    %p = burn.for %z to %count step %o (%c) invariants (%f)
        : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> {
    ^bb0(%j: tensor<i32>, %d: tensor<2x2xf32>, %g: tensor<2x2xf32>):
      %q = burn.call @times(%d, %g) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      burn.yield %q : tensor<2x2xf32>
    }
    burn.yield %p : tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
})");
  const auto matrix = [](std::vector<float> values) {
    return ir::HostTensor::from(std::span<const float>(values), Shape{2, 2});
  };
  const auto run = [&](int32_t outer, int32_t inner) {
    return valuesOf<float>(program.run({scalar(outer), scalar(inner), matrix({1, 1, 1, 0}), matrix({1, 0, 0, 1})})[0]);
  };
  CHECK(run(5, 2) == std::vector<float>{89, 55, 55, 34});
  CHECK(run(1, 10) == std::vector<float>{89, 55, 55, 34});
  CHECK(run(3, 0) == std::vector<float>{1, 0, 0, 1});
  CHECK(run(0, 3) == std::vector<float>{1, 0, 0, 1});
}

TEST_CASE("control: one branch runs, for every kind of what it gives") {
  Program program(R"(
func.func @main(%p: tensor<i1>, %x: tensor<3xf32>, %i: tensor<1xi64>, %s: tensor<f32> {burn.scalar})
    -> (tensor<3xf32>, tensor<1xf32>, tensor<f32>, tensor<0x2xf32>) {
  %r:4 = burn.if %p (%x, %i, %s) : (tensor<3xf32>, tensor<1xi64>, tensor<f32>) -> (tensor<3xf32>, tensor<1xf32>, tensor<f32>, tensor<0x2xf32>) then {
  ^bb0(%a: tensor<3xf32>, %j: tensor<1xi64>, %t: tensor<f32>):
    %n = burn.neg %a : tensor<3xf32>
    %g = burn.gather check %a, %j {offset_dims = array<i64>, collapsed_slice_dims = array<i64: 0>,
        operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
        start_index_map = array<i64: 0>, index_vector_dim = 1 : i64, slice_sizes = array<i64: 1>}
        : tensor<3xf32>, tensor<1xi64> to tensor<1xf32>
    %e = burn.broadcast %t {dims = array<i64>} : tensor<f32> to tensor<0x2xf32>
    burn.yield %n, %g, %t, %e : tensor<3xf32>, tensor<1xf32>, tensor<f32>, tensor<0x2xf32>
  } else {
  ^bb0(%a: tensor<3xf32>, %j: tensor<1xi64>, %t: tensor<f32>):
    %c = burn.constant dense<5.0> : tensor<1xf32>
    %u = burn.add %t, %t : tensor<f32>
    %e = burn.constant dense<1.0> : tensor<0x2xf32>
    burn.yield %a, %c, %u, %e : tensor<3xf32>, tensor<1xf32>, tensor<f32>, tensor<0x2xf32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<3xf32>, tensor<1xf32>, tensor<f32>, tensor<0x2xf32>
})");
  const auto index = [](int64_t i) { return ir::HostTensor::from(std::span<const int64_t>(&i, 1), Shape{1}); };
  Tensors taken = program.run({boolean(true), vector({1, 2, 3}), index(2), scalar(4.0f)});
  CHECK(valuesOf<float>(taken[0]) == std::vector<float>{-1, -2, -3});
  CHECK(valuesOf<float>(taken[1]) == std::vector<float>{3});
  CHECK(valuesOf<float>(taken[2]) == std::vector<float>{4});
  // The check of the other branch does not run.
  Tensors other = program.run({boolean(false), vector({1, 2, 3}), index(7), scalar(4.0f)});
  CHECK(valuesOf<float>(other[0]) == std::vector<float>{1, 2, 3});
  CHECK(valuesOf<float>(other[1]) == std::vector<float>{5});
  CHECK(valuesOf<float>(other[2]) == std::vector<float>{8});
  CHECK(program.failure({boolean(true), vector({1, 2, 3}), index(7), scalar(4.0f)}).find("index") != std::string::npos);
}

TEST_CASE("control: a large loop on threads, behind barriers") {
  // Each iteration adds the row sums of the former one to all elements.
  Program program(R"(
func.func @main(%n: tensor<i64>, %x: tensor<300x300xf32>) -> tensor<300x300xf32> {
  %zero = burn.constant dense<0> : tensor<i64>
  %one = burn.constant dense<1> : tensor<i64>
  %r = burn.for %zero to %n step %one (%x) : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<300x300xf32>) -> tensor<300x300xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<300x300xf32>):
    %b = burn.barrier %c : tensor<300x300xf32>
    %s = burn.reduce sum %b {dims = array<i64: 1>} : tensor<300x300xf32> to tensor<300xf32>
    %w = burn.broadcast %s {dims = array<i64: 0>} : tensor<300xf32> to tensor<300x300xf32>
    %a = burn.add %b, %w : tensor<300x300xf32>
    %d = burn.barrier %a : tensor<300x300xf32>
    burn.yield %d : tensor<300x300xf32>
  }
  return %r : tensor<300x300xf32>
})");
  const std::vector<float> ones(300 * 300, 1.0f);
  const Tensors results =
      program.run({scalar(int64_t(2)), ir::HostTensor::from(std::span<const float>(ones), Shape{300, 300})});
  for (float value : valuesOf<float>(results[0]))
    REQUIRE(value == 301.0f * 301.0f);
}

TEST_CASE("control: what cannot be a program is refused") {
  auto context = compiler::makeContext();
  auto recursive = compiler::parseProgram(*context, R"(
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = burn.call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
})",
                                          "test.mlir", "");
  REQUIRE(recursive);
  auto compiled = compiler::compile(**recursive, portableOptions(true));
  REQUIRE(!compiled);
  CHECK(compiled.status().message().find("is recursive") != std::string::npos);
}

TEST_CASE("control: what is checked and printed on the way lies where it lay, and only a failed check ends the run") {
  // Doubles c as long as it is below the limit, and hands on what it reads again later.
  Program program(R"(
func.func @main(%n: tensor<i64> {burn.scalar}, %c0: tensor<f32>, %limit: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %zero = burn.constant dense<0> : tensor<i64>
  %one = burn.constant dense<1> : tensor<i64>
  %r = burn.for %zero to %n step %one (%c0) invariants (%limit)
      : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<f32>, tensor<f32>) -> tensor<f32> {
  ^bb0(%i: tensor<i64>, %c: tensor<f32>, %l: tensor<f32>):
    %below = burn.compare lt %c, %l : tensor<f32>
    %checked = burn.assert "below the limit" %below, %c : tensor<f32>
    %shown = burn.print "c" %checked : tensor<f32>
    %s = burn.add %shown, %c : tensor<f32>
    burn.yield %s : tensor<f32>
  }
  %last = burn.print "last" %r : tensor<f32>
  %same = burn.print "argument" %c0 : tensor<f32>
  return %last, %same : tensor<f32>, tensor<f32>
})");
  const Tensors results = program.run({scalar(int64_t(3)), scalar(1.f), scalar(8.f)});
  CHECK(valuesOf<float>(results[0]) == std::vector<float>{8});
  CHECK(valuesOf<float>(results[1]) == std::vector<float>{1});
  CHECK(program.failure({scalar(int64_t(4)), scalar(1.f), scalar(8.f)}) == "burn.assert: below the limit");
  CHECK(program.failure({scalar(int64_t(1)), scalar(NAN), scalar(8.f)}) == "burn.assert: below the limit");
}
