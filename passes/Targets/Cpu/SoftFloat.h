// Float instructions that processors below AVX2 lack, as others that they have, with the same bits.
#pragma once

namespace llvm {
class Module;
}

namespace burn::compiler {

/// Makes integer and f32 arithmetic out of conversions between f16 and f32, in place of calls of a compiler's library.
/// Rounds to nearest, ties to even; NaN become quiet and keep the upper bits of their payload, as in F16C.
void expandHalfConversions(llvm::Module &module);

/// Makes f64 arithmetic out of fused multiply-adds of f32, in place of a call of libm for each lane. Those of f64 stay
/// calls. The product of two f32 is exact in f64, and a sum that is rounded to odd rounds once more without harm
/// (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
void expandFusedMultiplyAdds(llvm::Module &module);

} // namespace burn::compiler
