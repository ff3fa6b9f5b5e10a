func.func @unary(%x: tensor<4xf32>, %p: tensor<4xi1>) {
  %neg = burn.neg %x : tensor<4xf32>
  %abs = burn.abs %x : tensor<4xf32>
  %sign = burn.sign %x : tensor<4xf32>
  %exp = burn.exp %x : tensor<4xf32>
  %expm1 = burn.expm1 %x : tensor<4xf32>
  %log = burn.log %x : tensor<4xf32>
  %log1p = burn.log1p %x : tensor<4xf32>
  %sqrt = burn.sqrt %x : tensor<4xf32>
  %rsqrt = burn.rsqrt %x : tensor<4xf32>
  %tanh = burn.tanh %x : tensor<4xf32>
  %erf = burn.erf %x : tensor<4xf32>
  %logistic = burn.logistic %x : tensor<4xf32>
  %relu = burn.relu %x : tensor<4xf32>
  %floor = burn.floor %x : tensor<4xf32>
  %ceil = burn.ceil %x : tensor<4xf32>
  %round_even = burn.round_even %x : tensor<4xf32>
  %not = burn.not %p : tensor<4xi1>
  %convert = burn.convert %x : tensor<4xf32> to tensor<4xi32>
  return
}
