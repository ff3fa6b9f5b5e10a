func.func @binary(%a: tensor<4xf32>, %b: tensor<4xf32>, %p: tensor<4xi1>, %q: tensor<4xi1>) {
  %add = burn.add %a, %b : tensor<4xf32>
  %sub = burn.sub %a, %b : tensor<4xf32>
  %mul = burn.mul %a, %b : tensor<4xf32>
  %div = burn.div %a, %b : tensor<4xf32>
  %pow = burn.pow %a, %b : tensor<4xf32>
  %max = burn.max %a, %b : tensor<4xf32>
  %min = burn.min %a, %b : tensor<4xf32>
  %and = burn.and %p, %q : tensor<4xi1>
  %or = burn.or %p, %q : tensor<4xi1>
  %xor = burn.xor %p, %q : tensor<4xi1>
  %compare = burn.compare lt %a, %b : tensor<4xf32>
  %select = burn.select %p, %a, %b : tensor<4xi1>, tensor<4xf32>
  %clamp = burn.clamp %a, %b, %b : tensor<4xf32>
  return
}
