// One program for each kind of kernel, on values that it makes itself: any two machines must give the same bits.

func.func @product() -> (tensor<67x131xf32>, tensor<67x131xf32>) {
  %ia = burn.iota {dim = 0} : tensor<6499xf32>
  %sa = burn.sin %ia : tensor<6499xf32>
  %a = burn.reshape %sa : tensor<6499xf32> to tensor<67x97xf32>
  %ib = burn.iota {dim = 0} : tensor<12707xf32>
  %sb = burn.cos %ib : tensor<12707xf32>
  %b = burn.reshape %sb : tensor<12707xf32> to tensor<97x131xf32>
  %y = burn.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<67x97xf32>, tensor<97x131xf32> to tensor<67x131xf32>
  %g = burn.gelu none %y : tensor<67x131xf32>
  %na = burn.convert %a : tensor<67x97xf32> to tensor<67x97xbf16>
  %nb = burn.convert %b : tensor<97x131xf32> to tensor<97x131xbf16>
  %n = burn.dot_general %na, %nb {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<67x97xbf16>, tensor<97x131xbf16> to tensor<67x131xbf16>
  %c = burn.convert %n : tensor<67x131xbf16> to tensor<67x131xf32>
  return %g, %c : tensor<67x131xf32>, tensor<67x131xf32>
}

func.func @integers() -> tensor<33x70xi32> {
  %ia = burn.iota {dim = 0} : tensor<1650xi8>
  %a = burn.reshape %ia : tensor<1650xi8> to tensor<33x50xi8>
  %ib = burn.iota {dim = 0} : tensor<3500xi8>
  %b = burn.reshape %ib : tensor<3500xi8> to tensor<50x70xi8>
  %wa = burn.convert %a : tensor<33x50xi8> to tensor<33x50xi32>
  %wb = burn.convert %b : tensor<50x70xi8> to tensor<50x70xi32>
  %y = burn.dot_general %wa, %wb {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_contract = array<i64: 0>} : tensor<33x50xi32>, tensor<50x70xi32> to tensor<33x70xi32>
  return %y : tensor<33x70xi32>
}

func.func @convolution() -> (tensor<2x12x12x24xf32>, tensor<2x12x12x24xf32>) {
  %ix = burn.iota {dim = 0} : tensor<6272xf32>
  %sx = burn.sin %ix : tensor<6272xf32>
  %x = burn.reshape %sx : tensor<6272xf32> to tensor<2x14x14x16xf32>
  %iw = burn.iota {dim = 0} : tensor<3456xf32>
  %sw = burn.cos %iw : tensor<3456xf32>
  %w = burn.reshape %sw : tensor<3456xf32> to tensor<3x3x16x24xf32>
  %y = burn.conv %x, %w {lhs_dims = array<i64: 0, 3, 1, 2>, rhs_dims = array<i64: 3, 2, 0, 1>,
      out_dims = array<i64: 0, 3, 1, 2>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>,
      pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
      feature_groups = 1, batch_groups = 1} : tensor<2x14x14x16xf32>, tensor<3x3x16x24xf32> to tensor<2x12x12x24xf32>
  %z = burn.conv %x, %w {fast_math, lhs_dims = array<i64: 0, 3, 1, 2>, rhs_dims = array<i64: 3, 2, 0, 1>,
      out_dims = array<i64: 0, 3, 1, 2>, strides = array<i64: 1, 1>, pad_low = array<i64: 0, 0>,
      pad_high = array<i64: 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
      feature_groups = 1, batch_groups = 1} : tensor<2x14x14x16xf32>, tensor<3x3x16x24xf32> to tensor<2x12x12x24xf32>
  %r = burn.relu %y : tensor<2x12x12x24xf32>
  return %r, %z : tensor<2x12x12x24xf32>, tensor<2x12x12x24xf32>
}

func.func @rows() -> (tensor<37x301xf32>, tensor<37x301xf32>, tensor<301xf32>, tensor<37xi64>) {
  %i = burn.iota {dim = 0} : tensor<11137xf32>
  %s = burn.sin %i : tensor<11137xf32>
  %x = burn.reshape %s : tensor<11137xf32> to tensor<37x301xf32>
  %p = burn.softmax %x {axis = 1} : tensor<37x301xf32>
  %w = burn.slice %s {starts = array<i64: 0>, sizes = array<i64: 301>, strides = array<i64: 1>}
      : tensor<11137xf32> to tensor<301xf32>
  %n, %mean, %rstd = burn.layer_norm %x, %w, %w {axis = 1, epsilon = 1.0e-5 : f64}
      : (tensor<37x301xf32>, tensor<301xf32>, tensor<301xf32>) -> (tensor<37x301xf32>, tensor<37xf32>, tensor<37xf32>)
  %e = burn.exp %x : tensor<37x301xf32>
  %c = burn.reduce sum %e {dims = array<i64: 0>} : tensor<37x301xf32> to tensor<301xf32>
  %v, %m = burn.arg_reduce max %x {axis = 1} : tensor<37x301xf32> to tensor<37xf32>, tensor<37xi64>
  return %p, %n, %c, %m : tensor<37x301xf32>, tensor<37x301xf32>, tensor<301xf32>, tensor<37xi64>
}

func.func @attention() -> tensor<1x2x33x24xf32> {
  %i = burn.iota {dim = 0} : tensor<1584xf32>
  %s = burn.sin %i : tensor<1584xf32>
  %q = burn.reshape %s : tensor<1584xf32> to tensor<1x2x33x24xf32>
  %t = burn.cos %i : tensor<1584xf32>
  %k = burn.reshape %t : tensor<1584xf32> to tensor<1x2x33x24xf32>
  %o, %lse = burn.attention %q, %k, %q {causal = true, scale = 0.2 : f64, softcap = 0.0 : f64}
      : (tensor<1x2x33x24xf32>, tensor<1x2x33x24xf32>, tensor<1x2x33x24xf32>)
      -> (tensor<1x2x33x24xf32>, tensor<1x2x33xf32>)
  return %o : tensor<1x2x33x24xf32>
}
