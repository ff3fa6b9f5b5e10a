func.func @loops(%lo: tensor<i64>, %hi: tensor<i64>, %one: tensor<i64>, %zero: tensor<4xf32>, %x: tensor<4xf32>,
                 %s: tensor<f32>, %limit: tensor<f32>) {
  %f = burn.for %lo to %hi step %one (%zero) invariants (%x)
      : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<4xf32>, %a: tensor<4xf32>):
    %n = burn.add %c, %a : tensor<4xf32>
    burn.yield %n : tensor<4xf32>
  }
  %w = burn.while (%s) invariants (%limit) : (tensor<f32>, tensor<f32>) -> tensor<f32> cond {
  ^bb0(%c: tensor<f32>, %l: tensor<f32>):
    %p = burn.compare lt %c, %l : tensor<f32>
    burn.yield %p : tensor<i1>
  } do {
  ^bb0(%c: tensor<f32>, %l: tensor<f32>):
    %n = burn.add %c, %c : tensor<f32>
    burn.yield %n : tensor<f32>
  }
  return
}
