#include <burn/version.h>

const char *burn::version() { return BURN_VERSION_STRING; }
