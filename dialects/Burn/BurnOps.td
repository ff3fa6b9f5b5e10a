// All ops of the burn dialect, one file per family.
//
// Op codes: constants 1-99, elementwise 100-199, shape 200-299, indexing 300-399, reduction 400-499,
// contraction 500-599, window 600-699, random 700-799, neural 800-899, control 900-999.
// 32768-65535 belong to custom ops.

#ifndef DIALECTS_BURN_BURNOPS_TD
#define DIALECTS_BURN_BURNOPS_TD

include "dialects/Burn/BurnConstantOps.td"
include "dialects/Burn/BurnElementwiseOps.td"
include "dialects/Burn/BurnElementaryOps.td"
include "dialects/Burn/BurnNumberOps.td"
include "dialects/Burn/BurnShapeOps.td"
include "dialects/Burn/BurnIndexingOps.td"
include "dialects/Burn/BurnOrderOps.td"
include "dialects/Burn/BurnReductionOps.td"
include "dialects/Burn/BurnScanOps.td"
include "dialects/Burn/BurnContractionOps.td"
include "dialects/Burn/BurnWindowOps.td"
include "dialects/Burn/BurnRandomOps.td"
include "dialects/Burn/BurnNeuralOps.td"
include "dialects/Burn/BurnActivationOps.td"
include "dialects/Burn/BurnNormOps.td"
include "dialects/Burn/BurnQuantOps.td"
include "dialects/Burn/BurnControlOps.td"

#endif // DIALECTS_BURN_BURNOPS_TD
