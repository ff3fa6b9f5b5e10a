#include "tools/burn-compile/Header.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace burn;
using namespace burn::compiler;

namespace {

llvm::StringRef cType(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "double";
  case DType::F32:
    return "float";
  case DType::F16:
  case DType::BF16:
  case DType::U16:
    return "uint16_t";
  case DType::Bool:
  case DType::U8:
    return "uint8_t";
  case DType::I8:
    return "int8_t";
  case DType::I16:
    return "int16_t";
  case DType::I32:
    return "int32_t";
  case DType::I64:
    return "int64_t";
  case DType::U32:
    return "uint32_t";
  case DType::U64:
    break;
  }
  return "uint64_t";
}

// A C identifier from a name such as `fc1.weight`.
std::string identifier(llvm::StringRef name, const std::string &otherwise) {
  if (name.empty())
    return otherwise;
  std::string result;
  for (char c : name)
    result += llvm::isAlnum(c) ? c : '_';
  return llvm::isDigit(result.front()) ? "_" + result : result;
}

// A name as it may stand in a comment, which it must not end.
std::string inComment(llvm::StringRef name) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (char c : name)
    if (c == '*' || !llvm::isPrint(c))
      out << "\\x" << llvm::hexdigit(c >> 4 & 15) << llvm::hexdigit(c & 15);
    else
      out << c;
  return text;
}

// Where derived buffers lie in the block of all of them, and its size at the end.
std::vector<int64_t> derivedOffsets(const core::Plan &plan) {
  std::vector<int64_t> offsets = {0};
  for (const core::PlanDerived &derived : plan.derived)
    offsets.push_back(
        static_cast<int64_t>(llvm::alignTo(offsets.back() + derived.type.byteSize(), core::kArenaAlignment)));
  return offsets;
}

bool isDerivedFrom(const core::Plan &plan, uint32_t arg) {
  return llvm::any_of(plan.derived,
                      [&](const core::PlanDerived &derived) { return llvm::is_contained(derived.sources, arg); });
}

// What belongs to derived buffers: sizes, the entry point, and a function that calls it with the arguments that it
// reads.
void declarePreparation(llvm::raw_ostream &out, const core::Plan &plan, llvm::StringRef symbol,
                        llvm::ArrayRef<std::string> argNames) {
  const std::string upper = symbol.upper();
  const std::vector<int64_t> offsets = derivedOffsets(plan);
  out << "/* What is computed from arguments that never change is computed once, into a block of this size, aligned\n"
         "   as the arena: "
      << symbol << "_derive fills it before the first call of " << symbol
      << " on these arguments, which reads\n   it, and needs scratch memory of its own. */\n"
      << "#define " << upper << "_DERIVED_BYTES " << offsets.back() << "\n"
      << "#define " << upper << "_PREPARE_ARENA_BYTES " << plan.prepareArenaBytes << "\n\n"
      << "/* The entry point burn_prepare of burn/abi.h. */\n"
      << "int32_t " << symbol
      << "_prepare(const struct burn_rt *rt, void *const *bufs, const int64_t *dims,\n"
         "    const void *scalars, void *arena);\n\n"
      << "static inline int32_t " << symbol << "_derive(";
  for (uint32_t i = 0; i < plan.args.size(); ++i)
    if (isDerivedFrom(plan, i))
      out << "const " << cType(plan.args[i].type.dtype) << " *" << argNames[i] << ", ";
  out << "void *derived, void *arena) {\n  void *bufs[] = {";
  for (uint32_t i = 0; i < plan.args.size(); ++i)
    if (plan.args[i].kind == core::ArgKind::Buffer)
      out << "(void *)" << (isDerivedFrom(plan, i) ? argNames[i] : "0") << ", ";
  for (size_t i = 0; i < plan.results.size(); ++i)
    out << "(void *)0, ";
  for (size_t i = 0; i < plan.derived.size(); ++i)
    out << (i ? ", " : "") << "(char *)derived + " << offsets[i];
  out << "};\n  return " << symbol
      << "_prepare((const struct burn_rt *)0, bufs, (const int64_t *)0, (const void *)0, arena);\n}\n\n";
}

} // namespace

std::string compiler::makeHeader(const core::Plan &plan, llvm::StringRef symbol,
                                 llvm::ArrayRef<std::string> undefined) {
  std::string text;
  llvm::raw_string_ostream out(text);
  const std::string upper = symbol.upper();
  std::vector<std::string> argNames, resultNames;
  for (size_t i = 0; i < plan.args.size(); ++i)
    argNames.push_back(identifier(plan.args[i].name, "arg" + std::to_string(i)));
  for (size_t i = 0; i < plan.results.size(); ++i)
    resultNames.push_back("result" + std::to_string(i));

  out << "/* Made by burn-compile. Symbols that the object expects from libc and libm: "
      << (undefined.empty() ? std::string("none") : llvm::join(undefined, ", ")) << ". */\n"
      << "#ifndef " << upper << "_H\n#define " << upper << "_H\n\n"
      << "#include <stdint.h>\n#include <string.h>\n\n"
      << "/* Scratch memory that a call needs; aligned to " << upper << "_ARENA_ALIGNMENT. */\n"
      << "#define " << upper << "_ARENA_BYTES " << plan.arenaBytes << "\n"
      << "#define " << upper << "_ARENA_ALIGNMENT " << core::kArenaAlignment << "\n\n"
      << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
      << "struct burn_rt;\n\n"
      << "/* The entry point of burn/abi.h: buffers of arguments, then of results, in order"
      << (plan.derived.empty() ? "" : ",\n   then the derived ones")
      << ". Without a\n"
         "   runtime (null) it runs on the calling thread. Returns 0, or 1 + the number of the check\n"
         "   that failed.";
  for (size_t i = 0; i < plan.checks.size(); ++i)
    out << (i == 0 ? " Checks:" : "") << "\n   " << i << ": " << inComment(plan.checks[i].message);
  out << " */\n"
      << "int32_t " << symbol
      << "_run(const struct burn_rt *rt, void *const *bufs, const int64_t *dims,\n"
         "    const void *scalars, void *arena);\n\n";

  if (!plan.derived.empty())
    declarePreparation(out, plan, symbol, argNames);

  if (!plan.hostCalls.empty()) {
    out << "/* The program calls kernels of the host: a runtime's host_call (burn/abi.h) runs these, by number.\n"
           "   Without one, a kernel's call is a check that fails, and a print is left out.\n";
    for (size_t i = 0; i < plan.hostCalls.size(); ++i) {
      const core::PlanHostCall &call = plan.hostCalls[i];
      const auto list = [](const std::vector<core::TypeDesc> &types) {
        return llvm::join(llvm::map_range(types, [](const core::TypeDesc &type) { return type.str(); }), ", ");
      };
      if (call.results.empty())
        out << "   " << i << ": prints '" << inComment(call.kernel) << "', (" << list(call.operands) << ")\n";
      else
        out << "   " << i << ": '" << inComment(call.kernel) << "' of version " << call.version << ", ("
            << list(call.operands) << ") -> (" << list(call.results) << ")\n";
    }
    out << "*/\n\n";
  }
  out << "/* Dense row-major buffers, aligned to 64 bytes:\n";
  for (size_t i = 0; i < plan.args.size(); ++i)
    out << "   " << argNames[i] << ": " << plan.args[i].type.str()
        << (plan.args[i].donated  ? ", overwritten"
            : plan.args[i].frozen ? ", never changes"
                                  : "")
        << "\n";
  for (size_t i = 0; i < plan.results.size(); ++i)
    out << "   " << resultNames[i] << ": " << plan.results[i].type.str() << " (written)\n";
  out << "*/\nstatic inline int32_t " << symbol << "(";
  for (size_t i = 0; i < plan.args.size(); ++i) {
    const core::PlanArg &arg = plan.args[i];
    const bool isScalar = arg.kind == core::ArgKind::Scalar;
    out << (isScalar || arg.donated ? "" : "const ") << cType(arg.type.dtype) << (isScalar ? " " : " *") << argNames[i]
        << ", ";
  }
  for (size_t i = 0; i < plan.results.size(); ++i)
    out << cType(plan.results[i].type.dtype) << " *" << resultNames[i] << ", ";
  out << (plan.derived.empty() ? "" : "const void *derived, ") << "void *arena) {\n";
  if (plan.scalarBytes > 0)
    out << "  unsigned char scalars[" << plan.scalarBytes << "];\n";
  out << "  void *bufs[] = {";
  bool first = true;
  const auto buffer = [&](const std::string &name) {
    out << (first ? "" : ", ") << "(void *)" << name;
    first = false;
  };
  for (size_t i = 0; i < plan.args.size(); ++i)
    if (plan.args[i].kind == core::ArgKind::Buffer)
      buffer(argNames[i]);
  for (const std::string &name : resultNames)
    buffer(name);
  for (size_t i = 0; i < plan.derived.size(); ++i)
    buffer("((const char *)derived + " + std::to_string(derivedOffsets(plan)[i]) + ")");
  out << "};\n  int32_t status;\n";
  for (size_t i = 0; i < plan.args.size(); ++i)
    if (plan.args[i].kind == core::ArgKind::Scalar)
      out << "  memcpy(scalars + " << plan.args[i].offset << ", &" << argNames[i] << ", sizeof " << argNames[i]
          << ");\n";
  out << "  status = " << symbol << "_run((const struct burn_rt *)0, bufs, (const int64_t *)0, "
      << (plan.scalarBytes > 0 ? "scalars" : "(const void *)0") << ", arena);\n";
  // Results that are arguments or other results as they stand have no buffer written for them.
  for (size_t i = 0; i < plan.results.size(); ++i) {
    const core::PlanResult &result = plan.results[i];
    if (result.source == core::ResultSource::Fresh)
      continue;
    const std::string &source =
        result.source == core::ResultSource::Result ? resultNames[result.index] : argNames[result.index];
    out << "  memcpy(" << resultNames[i] << ", " << source << ", " << result.type.byteSize() << ");\n";
  }
  out << "  return status;\n}\n\n"
      << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}
