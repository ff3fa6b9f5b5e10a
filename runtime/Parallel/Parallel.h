#pragma once

#include <burn/abi.h>
#include <burn/parallel.h>

/// burn::parallel_for with the signature of `burn_rt::parallel_for`; the context is not used.
extern "C" void burn_parallel_for(void *ctx, int64_t tasks, burn_task_fn body, void *arg);
