/// Everything of burn.
#pragma once

#include <burn/autograd.h>
#include <burn/checkpoint.h>
#include <burn/control.h>
#include <burn/custom_op.h>
#include <burn/data.h>
#include <burn/device.h>
#include <burn/dtype.h>
#include <burn/error.h>
#include <burn/execution.h>
#include <burn/fast_math.h>
#include <burn/host_array.h>
#include <burn/io.h>
#include <burn/module.h>
#include <burn/nn.h>
#include <burn/ops.h>
#include <burn/optim.h>
#include <burn/random.h>
#include <burn/shape.h>
#include <burn/tensor.h>
#include <burn/train.h>
#include <burn/version.h>
