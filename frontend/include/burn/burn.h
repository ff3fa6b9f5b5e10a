/// Everything of burn.
#pragma once

#include <burn/autograd.h>
#include <burn/dtype.h>
#include <burn/error.h>
#include <burn/execution.h>
#include <burn/ops.h>
#include <burn/random.h>
#include <burn/shape.h>
#include <burn/tensor.h>
#include <burn/version.h>
