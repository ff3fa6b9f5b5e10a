/// All functions on tensors. Each header says what its functions compute; shapes are written as lists of names. Where a
/// function has a method of the same name, both are the same.
#pragma once

#include <burn/activation.h>
#include <burn/attention.h>
#include <burn/convolution.h>
#include <burn/creation.h>
#include <burn/elementary.h>
#include <burn/elementwise.h>
#include <burn/indexing.h>
#include <burn/linalg.h>
#include <burn/losses.h>
#include <burn/manipulation.h>
#include <burn/normalization.h>
#include <burn/quantization.h>
#include <burn/reduction.h>
#include <burn/resampling.h>
#include <burn/scan.h>
#include <burn/searching.h>
#include <burn/sorting.h>
