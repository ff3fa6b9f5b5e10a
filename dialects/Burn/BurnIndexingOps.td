// Ops whose reads or writes depend on index operands.

#ifndef DIALECTS_BURN_BURNINDEXINGOPS_TD
#define DIALECTS_BURN_BURNINDEXINGOPS_TD

include "dialects/Burn/BurnOpBase.td"

def Burn_GatherOp : Burn_InferredOp<"gather", 300, [Pure, Differentiable]> {
  let summary = "Slices of a tensor at computed places.";
  let description = [{
    The general form of StableHLO's gather. Result dimensions named in `offset_dims` run over a
    slice of shape `slice_sizes` (without the collapsed and batching dimensions), the others over
    the index tensor (without `index_vector_dim`). The start of a slice is the index vector,
    scattered to operand dimensions by `start_index_map`; operand batching dimensions follow the
    index batching dimensions.

    A start outside the operand is an error at run time (`check`), is moved inside (`clip`), gives
    0 (`fill`), or is promised not to occur (`assume_valid`). No index counts from the end.

    Constraints: (C1) indices are integers; (C2) `index_vector_dim` is at most the rank of the
    indices (equal means an implied last dimension of size 1); (C3) `start_index_map` has as many
    entries as the index vector; (C4) one slice size per operand dimension, between 0 and its size,
    1 where collapsed or batching; (C5) dimension lists are ascending, unique and within rank;
    (C6) batching dimensions agree in number and size.

    ```mlir
    %r = burn.gather check %x, %i {offset_dims = array<i64: 1>, collapsed_slice_dims = array<i64: 0>,
        operand_batching_dims = array<i64>, start_indices_batching_dims = array<i64>,
        start_index_map = array<i64: 0>, index_vector_dim = 1 : i64,
        slice_sizes = array<i64: 1, 8>}
        : tensor<10x8xf32>, tensor<4xi64> to tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, Burn_IntTensor:$indices, DenseI64ArrayAttr:$offset_dims,
      DenseI64ArrayAttr:$collapsed_slice_dims, DenseI64ArrayAttr:$operand_batching_dims,
      DenseI64ArrayAttr:$start_indices_batching_dims, DenseI64ArrayAttr:$start_index_map,
      I64Attr:$index_vector_dim, DenseI64ArrayAttr:$slice_sizes, Burn_IndexMode:$mode);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = [{
    $mode $input `,` $indices attr-dict `:` type($input) `,` type($indices) `to` type($result)
  }];
}

def Burn_ScatterOp : Burn_MatchedOp<"scatter", 301, [Pure, Differentiable,
    AllTypesMatch<["input", "result"]>]> {
  let summary = "A tensor with slices at computed places combined with updates.";
  let description = [{
    The converse of gather: `update_window_dims` of the updates run over a slice of the operand
    (without `inserted_window_dims` and batching dimensions), the others over the indices. Updates
    are combined in row-major order of the updates, so the result is deterministic, f16 and bf16 are
    accumulated in f32; with `assign` the last one wins. An update of which any part falls outside is left out under `clip`, `fill`
    and `assume_valid`, and is an error at run time under `check`.

    Constraints: as for gather; (C7) the updates have the shape that a gather with the same numbers
    would give.

    ```mlir
    %r = burn.scatter add check %x, %i, %u {update_window_dims = array<i64: 1>,
        inserted_window_dims = array<i64: 0>, input_batching_dims = array<i64>,
        scatter_indices_batching_dims = array<i64>, scatter_dims_to_operand_dims = array<i64: 0>,
        index_vector_dim = 1 : i64} : tensor<10x8xf32>, tensor<4xi64>, tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Burn_Tensor:$input, Burn_IntTensor:$indices, Burn_Tensor:$updates,
      DenseI64ArrayAttr:$update_window_dims, DenseI64ArrayAttr:$inserted_window_dims,
      DenseI64ArrayAttr:$input_batching_dims, DenseI64ArrayAttr:$scatter_indices_batching_dims,
      DenseI64ArrayAttr:$scatter_dims_to_operand_dims, I64Attr:$index_vector_dim,
      Burn_ScatterCombiner:$combiner, Burn_IndexMode:$mode);
  let results = (outs Burn_Tensor:$result);
  let assemblyFormat = [{
    $combiner $mode $input `,` $indices `,` $updates attr-dict `:` type($input) `,` type($indices)
    `,` type($updates)
  }];
}

#endif // DIALECTS_BURN_BURNINDEXINGOPS_TD
