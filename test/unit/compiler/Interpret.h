// Parses a module of burn IR and runs its first function on the interpreter.
#pragma once

#include "dialects/Burn/Burn.h"
#include "dialects/Burn/Interpreter/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

#include <string>

namespace burn::test {

struct Program {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  explicit Program(const std::string &text) {
    context.loadDialect<ir::BurnDialect, mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
    INFO(text);
    REQUIRE(module);
  }
  mlir::func::FuncOp function() { return *module->getOps<mlir::func::FuncOp>().begin(); }

  core::Expected<std::vector<ir::HostTensor>> tryRun(std::vector<ir::HostTensor> arguments,
                                                     ir::Precision precision = ir::Precision::Own) {
    ir::InterpreterOptions options;
    options.precision = precision;
    return ir::interpret(function(), arguments, options);
  }

  std::vector<ir::HostTensor> run(std::vector<ir::HostTensor> arguments, ir::Precision precision = ir::Precision::Own) {
    auto results = tryRun(std::move(arguments), precision);
    INFO((results ? std::string() : results.status().message()));
    REQUIRE(results);
    return *results;
  }
};

/// A function of one op: `op` is its text over %a, %b ..., `types` those of the arguments.
inline std::string oneOp(const std::string &op, const std::vector<std::string> &types, const std::string &result) {
  std::string arguments;
  for (size_t i = 0; i < types.size(); ++i)
    arguments += (i ? ", %" : "%") + std::string(1, static_cast<char>('a' + i)) + ": " + types[i];
  return "func.func @main(" + arguments + ") -> " + result + " {\n  %r = " + op + "\n  return %r : " + result + "\n}\n";
}

template <typename T> ir::HostTensor tensor(std::vector<T> values, Shape shape) {
  return ir::HostTensor::from(std::span<const T>(values), shape);
}
template <typename T> ir::HostTensor vector(std::vector<T> values) {
  const auto size = static_cast<int64_t>(values.size());
  return tensor(std::move(values), Shape{size});
}
template <typename T> ir::HostTensor scalar(T value) { return tensor(std::vector<T>{value}, Shape{}); }

inline ir::HostTensor bools(std::initializer_list<bool> values) {
  ir::HostTensor result(core::TypeDesc{DType::Bool, Shape{static_cast<int64_t>(values.size())}});
  std::copy(values.begin(), values.end(), result.data<bool>().begin());
  return result;
}

template <typename T> std::vector<T> values(const ir::HostTensor &tensor) {
  REQUIRE(tensor.type.dtype == dtypeOf<T>);
  auto data = tensor.data<T>();
  return {data.begin(), data.end()};
}

} // namespace burn::test
