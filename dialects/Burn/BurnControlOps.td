// Control flow, differentiation markers and regions.

#ifndef DIALECTS_BURN_BURNCONTROLOPS_TD
#define DIALECTS_BURN_BURNCONTROLOPS_TD

include "dialects/Burn/BurnOpBase.td"
include "mlir/IR/SymbolInterfaces.td"

// A scalar that decides what runs next.
def Burn_Predicate : Type<And<[Burn_BoolTensor.predicate, HasAnyRankOfPred<[0]>]>, "boolean scalar tensor",
                          "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI1Type())">;

// An op whose regions see nothing but their arguments; each ends in burn.yield. Nothing but its
// results tells whether it ran.
class Burn_RegionOp<string mnemonic, int number, list<Trait> traits = []>
    : Burn_TypedOp<mnemonic, number, !listconcat([IsolatedFromAbove, SingleBlock, NoMemoryEffect,
        DeclareOpInterfaceMethods<Burn_RegionOpInterface, ["getRegionTypes"]>,
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>], traits)> {
  let hasRegionVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verifyRegions() { return ::burn::ir::verifyRegionTypes(*this); }
    void $cppClass::getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn setName) {
      ::burn::ir::nameRegionArguments(region, setName);
    }
  }];
}

def Burn_StopGradientOp : Burn_MatchedOp<"stop_gradient", 900, [Pure, ZeroDerivative,
    SameOperandsAndResultType]> {
  let summary = "Its operand, through which no gradient flows.";
  let description = [{
    Folded away once no burn.grad is left.

    ```mlir
    %r = burn.stop_gradient %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Burn_GradOp : Burn_InferredOp<"grad", 901, [Pure, AttrSizedOperandSegments]> {
  let summary = "Gradients of values with respect to other values.";
  let description = [{
    Result k is the sum over outputs o of cotangent(o) times the derivative of o by `wrt` k, zero
    where no output depends on it. Without cotangents there is one output, a scalar, and its
    cotangent is 1. `wrt` names values, inner ones too: a value computed a second time is another
    value. Expanded by the differentiate pass, innermost first.

    Constraints: (C1) outputs and wrt are floats; (C2) cotangents have the outputs' types, or there
    are none and the only output is a scalar.

    ```mlir
    %g = burn.grad(%loss) wrt(%w) : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Burn_FloatTensor>:$outputs, Variadic<Burn_FloatTensor>:$cotangents,
                       Variadic<Burn_FloatTensor>:$wrt);
  let results = (outs Variadic<Burn_FloatTensor>:$gradients);
  let assemblyFormat = [{
    `(` $outputs `)` (`cotangents` `(` $cotangents^ `)`)? `wrt` `(` $wrt `)` attr-dict `:`
    functional-type(operands, results)
  }];
}

def Burn_FusedOp : Burn_RegionOp<"fused", 902, [AlwaysSpeculatable]> {
  let summary = "Ops that are compiled as one kernel.";
  let description = [{
    One entry of the launch plan. The region holds burn ops on its arguments, one per operand, and
    ends in burn.yield. Its meaning is that of its ops, one after the other.

    Constraints: (C1) arguments have the operands' types; (C2) yielded values have the results'
    types.

    ```mlir
    %r = burn.fused elementwise (%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>, %y: tensor<4xf32>):
      %s = burn.add %x, %y : tensor<4xf32>
      burn.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Burn_ClusterKind:$kind, Variadic<Burn_Tensor>:$inputs);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind ` ` `(` $inputs `)` attr-dict `:` functional-type($inputs, results) $body
  }];
  let inGraph = 0;
}

def Burn_YieldOp : Burn_Op<"yield", 903, [Pure, Terminator, ParentOneOf<[
    "FusedOp", "IfOp", "ForOp", "WhileOp", "CheckpointOp", "CustomVjpOp", "CustomKernelOp"]>]> {
  let summary = "The results of a region.";
  let description = [{
    ```mlir
    burn.yield %s : tensor<4xf32>
    ```
  }];
  let arguments = (ins Variadic<Burn_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let resultsInferred = 0;
  let inGraph = 0;
}

def Burn_IfOp : Burn_RegionOp<"if", 904, [Burn_NotDifferentiable]> {
  let summary = "One of two regions, chosen by a predicate.";
  let description = [{
    Runs `then` where the predicate is true, else `else`, on the inputs; the results are what that
    region yields. The other region does not run. Not differentiable yet.

    Constraints: (C1) the predicate is a boolean scalar; (C2) there is a result; (C3) both regions
    take arguments of the inputs' types; (C4) both yield values of the results' types.

    ```mlir
    %r = burn.if %p (%x) : (tensor<4xf32>) -> tensor<4xf32> then {
    ^bb0(%a: tensor<4xf32>):
      %n = burn.neg %a : tensor<4xf32>
      burn.yield %n : tensor<4xf32>
    } else {
    ^bb0(%a: tensor<4xf32>):
      burn.yield %a : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Burn_Predicate:$predicate, Variadic<Burn_Tensor>:$inputs);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let regions = (region SizedRegion<1>:$onTrue, SizedRegion<1>:$onFalse);
  let assemblyFormat = [{
    $predicate ` ` `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
    `then` $onTrue `else` $onFalse
  }];
  let hasCanonicalizer = 1;
}

def Burn_ForOp : Burn_RegionOp<"for", 905, [Burn_NotDifferentiable, AttrSizedOperandSegments]> {
  let summary = "A loop over a range of integers.";
  let description = [{
    Runs the body for the indices `lower`, `lower + step`, ... below `upper`, in order. The body takes
    the index, the carried values (at first `inits`) and the invariants, and yields the carried values
    of the next iteration; the results are those after the last one. The number of iterations is
    computed before the first, so that the index does not overflow, whatever the bounds. Where
    `lower >= upper` there is no iteration. A step that is not positive is an error of the run. Not
    differentiable yet.

    Constraints: (C1) bounds and step are scalars of one type, i32 or i64; (C2) there is a carried
    value; (C3) results have the types of `inits`; (C4) the body takes arguments of the types of the
    index, the carried values and the invariants; (C5) it yields values of the results' types.

    ```mlir
    %s = burn.for %lo to %hi step %one (%zero) invariants (%x)
        : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%i: tensor<i64>, %c: tensor<4xf32>, %a: tensor<4xf32>):
      %n = burn.add %c, %a : tensor<4xf32>
      burn.yield %n : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Burn_IntTensor:$lower, Burn_IntTensor:$upper, Burn_IntTensor:$step,
                       Variadic<Burn_Tensor>:$inits, Variadic<Burn_Tensor>:$invariants);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $lower `to` $upper `step` $step ` ` `(` $inits `)` (`invariants` `(` $invariants^ `)`)? attr-dict
    `:` functional-type(operands, results) $body
  }];
  let hasCanonicalizer = 1;
}

def Burn_WhileOp : Burn_RegionOp<"while", 906, [Burn_NotDifferentiable, AttrSizedOperandSegments]> {
  let summary = "A loop that runs as long as a condition holds.";
  let description = [{
    Both regions take the carried values (at first `inits`) and the invariants. While `cond` yields
    true, `do` runs and yields the carried values of the next iteration; the results are those for
    which `cond` yields false. A loop whose condition stays true does not end. Not differentiable yet.

    Constraints: (C1) there is a carried value; (C2) results have the types of `inits`; (C3) both
    regions take arguments of the types of the carried values and the invariants; (C4) `cond` yields
    one boolean scalar; (C5) `do` yields values of the results' types.

    ```mlir
    %r = burn.while (%x) invariants (%limit) : (tensor<f32>, tensor<f32>) -> tensor<f32> cond {
    ^bb0(%c: tensor<f32>, %l: tensor<f32>):
      %p = burn.compare lt %c, %l : tensor<f32>
      burn.yield %p : tensor<i1>
    } do {
    ^bb0(%c: tensor<f32>, %l: tensor<f32>):
      %n = burn.add %c, %c : tensor<f32>
      burn.yield %n : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Burn_Tensor>:$inits, Variadic<Burn_Tensor>:$invariants);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let assemblyFormat = [{
    ` ` `(` $inits `)` (`invariants` `(` $invariants^ `)`)? attr-dict
    `:` functional-type(operands, results) `cond` $cond `do` $body
  }];
  let hasCanonicalizer = 1;
}

def Burn_CallOp : Burn_Op<"call", 907, [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A call of another function of the module.";
  let description = [{
    The results are those of the function on the inputs. Calls are inlined before differentiation, so
    gradients flow through them; a function that calls itself, directly or through others, is refused.

    Constraints: (C1) the callee is a function of the module with a body; (C2) it takes the operands'
    types and returns the results' types.

    ```mlir
    %r = burn.call @square(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Burn_Tensor>:$inputs);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let assemblyFormat = "$callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)";
  let resultsInferred = 0;
  let inGraph = 0;
}

def Burn_CheckpointOp : Burn_RegionOp<"checkpoint", 908, [Differentiable]> {
  let summary = "A region whose inner values are computed again for the gradient.";
  let description = [{
    The results are what the region yields for the inputs. The gradient keeps the inputs alone and
    runs the region a second time. The policy says which inner values may be kept all the same:
    none, the results of contractions, or those under a `burn.name`; it bounds what is kept, and
    an implementation may keep less.

    Constraints: (C1) there is a result; (C2) the region takes arguments of the inputs' types;
    (C3) it yields values of the results' types.

    ```mlir
    %r = burn.checkpoint save_nothing (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %t = burn.tanh %a : tensor<4xf32>
      burn.yield %t : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Burn_CheckpointPolicy:$policy, Variadic<Burn_Tensor>:$inputs);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $policy ` ` `(` $inputs `)` attr-dict `:` functional-type($inputs, $results) $body
  }];
}

def Burn_CustomVjpOp : Burn_RegionOp<"custom_vjp", 909, [DifferentiableSome, AttrSizedOperandSegments]> {
  let summary = "A computation that states its own derivative.";
  let description = [{
    The results are what `forward` yields for the inputs and the captured values. Where a gradient
    flows, `vjp` provides it: it takes the inputs, the results, a cotangent for each result of float
    type and the captured values, and yields a cotangent for each input of float type. No gradient
    flows into captured values. `vjp` is differentiated where a gradient of higher order is taken.

    Constraints: (C1) there is a result; (C2) `forward` takes arguments of the operands' types;
    (C3) it yields values of the results' types; (C4) `vjp` takes arguments of the types of the
    inputs, the results, the float results and the captured values; (C5) it yields values of the float inputs' types.

    ```mlir
    %r = burn.custom_vjp (%x) : (tensor<4xf32>) -> tensor<4xf32> forward {
    ^bb0(%a: tensor<4xf32>):
      %t = burn.relu %a : tensor<4xf32>
      burn.yield %t : tensor<4xf32>
    } vjp {
    ^bb0(%a: tensor<4xf32>, %r: tensor<4xf32>, %g: tensor<4xf32>):
      burn.yield %g : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Burn_Tensor>:$inputs, Variadic<Burn_Tensor>:$captured);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let regions = (region SizedRegion<1>:$forward, SizedRegion<1>:$vjp);
  let assemblyFormat = [{
    ` ` `(` $inputs `)` (`captured` `(` $captured^ `)`)? attr-dict
    `:` functional-type(operands, results) `forward` $forward `vjp` $vjp
  }];
}

def Burn_BarrierOp : Burn_InferredOp<"barrier", 910, [Differentiable]> {
  let summary = "Its operands, behind a barrier that no optimization crosses.";
  let description = [{
    Result k is operand k. Nothing is folded, merged or fused across: a value computed from a result
    is never taken to equal one computed from the operand, and both sides are separate kernels. All
    operands are complete before a result is read. No data are copied. The cotangents pass a barrier
    of their own.

    Constraints: (C1) there is an operand.

    ```mlir
    %a, %b = burn.barrier %x, %y : tensor<4xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Variadic<Burn_Tensor>:$values);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let assemblyFormat = "$values attr-dict `:` type($values)";
  let hasCanonicalizer = 1;
}

def Burn_NameOp : Burn_MatchedOp<"name", 911, [Pure, Differentiable, SameOperandsAndResultType]> {
  let summary = "Its operand, under a name.";
  let description = [{
    The name is for people who read the program and for checkpoint policies. Folded away once no
    burn.grad is left.

    Constraints: (C1) the name is not empty.

    ```mlir
    %h = burn.name "hidden" %x : tensor<4xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Burn_Tensor:$input);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$name $input attr-dict `:` type($result)";
}

def Burn_AssertOp : Burn_InferredOp<"assert", 912, [Differentiable]> {
  let summary = "Its operand, where a predicate holds; else the run fails.";
  let description = [{
    Result is `value`, without a copy. Where the predicate is false, the run fails with the message,
    at the op's line, before anything that reads the result. An op whose result nothing reads does
    not run. Not merged with others and not moved. The cotangent passes as it is.

    Constraints: (C1) the message is not empty; (C2) the predicate is a boolean scalar.

    ```mlir
    %r = burn.assert "a loss that is finite" %finite, %loss : tensor<f32>
    ```
  }];
  let arguments = (ins StrAttr:$message, Burn_Predicate:$predicate, Burn_Tensor:$value);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$message $predicate `,` $value attr-dict `:` type($value)";
  let hasCanonicalizer = 1;
}

def Burn_PrintOp : Burn_InferredOp<"print", 913, [Differentiable]> {
  let summary = "Its operand, which is printed when the program runs.";
  let description = [{
    Result is `value`, without a copy. Each run of the op writes the label and the elements as text to
    the standard output of the process, in the order of the program; a host without the function for
    it (`burn_rt::host_call`) writes nothing. An op whose result nothing reads does not run. Not
    merged with others. The cotangent passes as it is, and is not printed.

    Constraints: (C1) the label is not empty.

    ```mlir
    %r = burn.print "loss" %loss : tensor<f32>
    ```
  }];
  let arguments = (ins StrAttr:$label, Burn_Tensor:$value);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = "$label $value attr-dict `:` type($value)";
  let hasCanonicalizer = 1;
}

// The first code of the range of custom ops; the kernel's name tells them apart.
def Burn_CustomKernelOp : Burn_RegionOp<"custom_kernel", 32768, [Differentiable]> {
  let summary = "A kernel that the program brings along.";
  let description = [{
    Calls the host function registered under `kernel` in the process that runs the program, with the
    buffers of the operands and results in row-major order. The kernel must be a function of its
    operands alone. The version is part of every plan's key; a process that has registered none of
    that name and version fails the run with an error. The region, where there is one, says what the
    kernel computes in burn ops: it is what the reference interpreter runs, and what a gradient flows through;
    without one there is no gradient.

    Constraints: (C1) the name is not empty; (C2) there is a result; (C3) the region takes arguments
    of the inputs' types; (C4) it yields values of the results' types.

    ```mlir
    %r = burn.custom_kernel "double" version 1 (%x) : (tensor<4xf32>) -> tensor<4xf32> decomposition {
    ^bb0(%a: tensor<4xf32>):
      %s = burn.add %a, %a : tensor<4xf32>
      burn.yield %s : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$kernel, I64Attr:$version, Variadic<Burn_Tensor>:$inputs);
  let results = (outs Variadic<Burn_Tensor>:$results);
  let regions = (region AnyRegion:$decomposition);
  let assemblyFormat = [{
    $kernel `version` $version ` ` `(` $inputs `)` attr-dict `:` functional-type($inputs, $results)
    (`decomposition` $decomposition^)?
  }];
}

#endif // DIALECTS_BURN_BURNCONTROLOPS_TD
