#ifndef BURN_EXPORT_H
#define BURN_EXPORT_H

/// Marks what libburn.so exports; everything else in it is hidden.
#if defined(_WIN32)
#define BURN_API
#else
#define BURN_API __attribute__((visibility("default")))
#endif

#endif // BURN_EXPORT_H
