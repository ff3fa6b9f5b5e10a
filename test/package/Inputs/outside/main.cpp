#include <burn/version.h>

#include <cstdio>

int main() { std::printf("burn %s\n", burn::version()); }
