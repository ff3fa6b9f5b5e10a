#ifndef BURN_VERSION_H
#define BURN_VERSION_H

#include <burn/export.h>

namespace burn {

/// The version of libburn, "major.minor.patch".
///
/// What the numbers promise: a program linked against one version runs with every later libburn of
/// the same SONAME (libburn.so.MAJOR.MINOR before 1.0, libburn.so.MAJOR from then on). A change that
/// breaks a linked program or a source file raises the number that stands in the SONAME. Results may
/// change in their last bits, and cached plans are compiled again, with any version.
BURN_API const char *version();

} // namespace burn

#endif // BURN_VERSION_H
