#include "frontend/Trace/Places.h"

#include "frontend/Trace/Interning.h"

#include <algorithm>

namespace burn {
namespace {

[[gnu::tls_model("initial-exec")]] thread_local const LocationScope *innermost = nullptr;

// The name of a function of this library, and of a module for its `forward`: "cdist" of "burn::Tensor
// burn::cdist(...)". Empty for functions of the user and for those that are no part of the interface.
std::string_view publicName(std::string_view signature) {
  std::string_view name = signature.substr(0, signature.find('('));
  name.remove_prefix(name.rfind(' ') + 1);                                 // npos wraps to 0
  name.remove_prefix(std::min(name.find_first_not_of("&*"), name.size())); // of the result's type
  if (!name.starts_with("burn::") || name.find('<') != name.npos || name.find("operator") != name.npos ||
      signature.find("(anonymous") != signature.npos || signature.find("lambda") != signature.npos)
    return {};
  constexpr std::string_view call = "::forward";
  if (name.ends_with(call))
    name.remove_suffix(call.size());
  return name.substr(name.rfind(':') + 1);
}

} // namespace

LocationScope::LocationScope(const Where &where) : where_(where), parent_(innermost) { innermost = this; }
LocationScope::~LocationScope() { innermost = parent_; }

uint32_t LocationScope::place() const {
  if (!place_) {
    const uint32_t parent = parent_ ? parent_->place() : 0;
    // A function that calls others in the name of its own caller hands on that place.
    const bool same =
        parent_ && parent_->where_.line() == where_.line() && parent_->where_.file_name() == where_.file_name();
    place_ = same ? parent : trace::internPlace(parent, where_);
  }
  return place_;
}

namespace trace {

uint32_t currentPlace() { return innermost ? innermost->place() : 0; }

void raiseAt(uint32_t place, ErrorCode code, const std::string &message) {
  if (place == 0)
    throw Error(code, message);
  std::vector<Error::Note> notes;
  const PlaceEntry *entry = &placeOf(place);
  for (; entry->parent; entry = &placeOf(entry->parent))
    notes.insert(notes.begin(), Error::Note{entry->where.file_name(), entry->where.line(),
                                            "in this call of " + std::string(entry->where.function_name())});
  if (entry->where.line() == 0) // an operator of a stream, which does not know its caller
    throw Error(code, message);
  throw Error(code, message, entry->where.file_name(), entry->where.line(), std::move(notes));
}

void raise(ErrorCode code, const std::string &message) {
  // What the user called says more than the steps that it consists of. The place of the outermost of them is in it.
  const PlaceEntry *step = nullptr;
  for (uint32_t place = currentPlace(); place && placeOf(place).parent; place = placeOf(place).parent)
    step = &placeOf(place);
  const std::string_view outer = step ? publicName(step->where.function_name()) : std::string_view();
  const std::string prefix = outer.empty() ? "" : std::string(outer) + ": ";
  raiseAt(currentPlace(), code, message.starts_with(prefix) ? message : prefix + message);
}

} // namespace trace
} // namespace burn
