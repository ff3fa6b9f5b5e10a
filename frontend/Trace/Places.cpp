#include "frontend/Trace/Places.h"

#include "frontend/Trace/Interning.h"

namespace burn {
namespace {

[[gnu::tls_model("initial-exec")]] thread_local const LocationScope *innermost = nullptr;

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
  throw Error(code, message, entry->where.file_name(), entry->where.line(), std::move(notes));
}

void raise(ErrorCode code, const std::string &message) { raiseAt(currentPlace(), code, message); }

} // namespace trace
} // namespace burn
