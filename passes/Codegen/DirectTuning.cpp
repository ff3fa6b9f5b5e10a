// Other tilings of direct convolutions than the usual one, for whoever measures.
#include "passes/Codegen/DirectConvolution.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace burn::compiler {
namespace {

constexpr std::pair<StringLiteral, int64_t DirectChoice::*> kFields[] = {{"vectors", &DirectChoice::vectors},
                                                                         {"tasks", &DirectChoice::tasks},
                                                                         {"image", &DirectChoice::image},
                                                                         {"kernel", &DirectChoice::kernel}};
// Beyond these caches and numbers of threads nothing is gained.
constexpr int64_t kMostVectors = 6, kMostPower = 3;

} // namespace

DictionaryAttr toAttribute(MLIRContext *context, const DirectChoice &choice) {
  Builder b(context);
  SmallVector<NamedAttribute> entries;
  for (auto [name, field] : kFields)
    if (choice.*field != 0)
      entries.push_back(b.getNamedAttr(name, b.getI64IntegerAttr(choice.*field)));
  return b.getDictionaryAttr(entries);
}

std::optional<DirectChoice> readDirectChoice(Attribute attribute) {
  auto entries = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!entries)
    return std::nullopt;
  DirectChoice choice;
  for (NamedAttribute entry : entries) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    const auto *known = llvm::find_if(kFields, [&](const auto &field) { return field.first == entry.getName(); });
    if (!value || known == std::end(kFields))
      return std::nullopt;
    choice.*known->second = value.getInt();
  }
  const auto isPower = [](int64_t power) { return power >= -kMostPower && power <= kMostPower; };
  if (choice.vectors < 0 || choice.vectors > kMostVectors || !isPower(choice.tasks) || !isPower(choice.image) ||
      !isPower(choice.kernel))
    return std::nullopt;
  return choice;
}

llvm::SmallVector<DirectChoice> directCandidates(const DirectConvolution &conv, const ContractionKinds &kinds,
                                                 const CpuTargetInfo &target, size_t most) {
  llvm::SmallVector<DirectChoice> result;
  llvm::SmallVector<DirectTiling> seen;
  const auto add = [&](const DirectChoice &choice) {
    if (most && result.size() >= most)
      return;
    const DirectTiling tiling = tileDirect(conv, kinds, target, choice);
    if (llvm::is_contained(seen, tiling))
      return;
    seen.push_back(tiling);
    result.push_back(choice);
  };
  add({});
  // One thing at a time, those first that have gained most where they were measured.
  for (const DirectChoice &choice : std::initializer_list<DirectChoice>{{2, 0, 0, 0},
                                                                        {0, 1, 0, 0},
                                                                        {3, 0, 0, 0},
                                                                        {0, 0, 1, 0},
                                                                        {0, 0, -1, 0},
                                                                        {0, 0, 0, 1},
                                                                        {0, 0, 0, -1},
                                                                        {1, 0, 0, 0},
                                                                        {4, 0, 0, 0},
                                                                        {0, -1, 0, 0},
                                                                        {2, 1, 0, 0}})
    add(choice);
  if (most == 0)
    for (int64_t vectors : {0, 1, 2, 3, 4, 6})
      for (int64_t tasks : {-1, 0, 1, 2})
        for (int64_t image : {-2, -1, 0, 1})
          for (int64_t kernel : {-2, -1, 0, 1})
            add({vectors, tasks, image, kernel});
  return result;
}

} // namespace burn::compiler
