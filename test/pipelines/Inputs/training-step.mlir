// One training step of a small convolutional network: loss, batch statistics, and the gradients of all parameters.
func.func @main(%x: tensor<8x1x18x18xf32>, %t: tensor<8xi64>, %w1: tensor<6x1x3x3xf32>, %g1: tensor<6xf32>, %b1: tensor<6xf32>, %w2: tensor<5x6x3x3xf32>, %g2: tensor<5xf32>, %b2: tensor<5xf32>, %f1: tensor<12x45xf32>, %fb1: tensor<12xf32>, %f2: tensor<12x12xf32>, %fb2: tensor<12xf32>, %f3: tensor<10x12xf32>, %fb3: tensor<10xf32>, %key: tensor<2xui32>, %cnt: tensor<ui64>, %rate: tensor<f64>) -> (tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<5xf32>, tensor<5xf32>, tensor<6x1x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5x6x3x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<12x45xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<10x12xf32>, tensor<10xf32>) {
  %c1 = burn.conv %x, %w1 {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1} : tensor<8x1x18x18xf32>, tensor<6x1x3x3xf32> to tensor<8x6x16x16xf32>
  %n1, %m1, %v1 = burn.batch_norm %c1, %g1, %b1 {feature_dim = 1, epsilon = 1.0e-5 : f64} : tensor<8x6x16x16xf32>, tensor<6xf32>
  %r1 = burn.relu %n1 : tensor<8x6x16x16xf32>
  %p1 = burn.reduce_window max %r1 {window = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1, 2, 2>, pad_low = array<i64: 0, 0, 0, 0>, pad_high = array<i64: 0, 0, 0, 0>, base_dilation = array<i64: 1, 1, 1, 1>, window_dilation = array<i64: 1, 1, 1, 1>} : tensor<8x6x16x16xf32> to tensor<8x6x8x8xf32>
  %c2 = burn.conv %p1, %w2 {lhs_dims = array<i64: 0, 1, 2, 3>, rhs_dims = array<i64: 0, 1, 2, 3>, out_dims = array<i64: 0, 1, 2, 3>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>, pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, feature_groups = 1, batch_groups = 1} : tensor<8x6x8x8xf32>, tensor<5x6x3x3xf32> to tensor<8x5x6x6xf32>
  %n2, %m2, %v2 = burn.batch_norm %c2, %g2, %b2 {feature_dim = 1, epsilon = 1.0e-5 : f64} : tensor<8x5x6x6xf32>, tensor<5xf32>
  %r2 = burn.relu %n2 : tensor<8x5x6x6xf32>
  %p2 = burn.reduce_window max %r2 {window = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1, 2, 2>, pad_low = array<i64: 0, 0, 0, 0>, pad_high = array<i64: 0, 0, 0, 0>, base_dilation = array<i64: 1, 1, 1, 1>, window_dilation = array<i64: 1, 1, 1, 1>} : tensor<8x5x6x6xf32> to tensor<8x5x3x3xf32>
  %flat = burn.reshape %p2 : tensor<8x5x3x3xf32> to tensor<8x45xf32>
  %l1d = burn.dot_general %flat, %f1 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : tensor<8x45xf32>, tensor<12x45xf32> to tensor<8x12xf32>
  %l1b = burn.broadcast %fb1 {dims = array<i64: 1>} : tensor<12xf32> to tensor<8x12xf32>
  %l1 = burn.add %l1d, %l1b : tensor<8x12xf32>
  %a1 = burn.gelu none %l1 : tensor<8x12xf32>
  %d1 = burn.dropout %a1, %key, %cnt, %rate {ordinal = 0} : tensor<8x12xf32>
  %l2d = burn.dot_general %d1, %f2 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : tensor<8x12xf32>, tensor<12x12xf32> to tensor<8x12xf32>
  %l2b = burn.broadcast %fb2 {dims = array<i64: 1>} : tensor<12xf32> to tensor<8x12xf32>
  %l2 = burn.add %l2d, %l2b : tensor<8x12xf32>
  %a2 = burn.gelu none %l2 : tensor<8x12xf32>
  %d2 = burn.dropout %a2, %key, %cnt, %rate {ordinal = 1} : tensor<8x12xf32>
  %l3d = burn.dot_general %d2, %f3 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : tensor<8x12xf32>, tensor<10x12xf32> to tensor<8x10xf32>
  %l3b = burn.broadcast %fb3 {dims = array<i64: 1>} : tensor<10xf32> to tensor<8x10xf32>
  %l3 = burn.add %l3d, %l3b : tensor<8x10xf32>
  %loss = burn.cross_entropy mean %l3, %t {axis = 1, ignore_index = -100, label_smoothing = 0.0 : f64} : (tensor<8x10xf32>, tensor<8xi64>) -> tensor<f32>
  %gr:12 = burn.grad(%loss) wrt(%w1, %g1, %b1, %w2, %g2, %b2, %f1, %fb1, %f2, %fb2, %f3, %fb3) : (tensor<f32>, tensor<6x1x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5x6x3x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<12x45xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<10x12xf32>, tensor<10xf32>) -> (tensor<6x1x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5x6x3x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<12x45xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<10x12xf32>, tensor<10xf32>)
  return %loss, %m1, %v1, %m2, %v2, %gr#0, %gr#1, %gr#2, %gr#3, %gr#4, %gr#5, %gr#6, %gr#7, %gr#8, %gr#9, %gr#10, %gr#11 : tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<5xf32>, tensor<5xf32>, tensor<6x1x3x3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<5x6x3x3xf32>, tensor<5xf32>, tensor<5xf32>, tensor<12x45xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<10x12xf32>, tensor<10xf32>
}
