func.func @adamw_update(%p: tensor<4xf32>, %g: tensor<4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %step: tensor<f64>, %correction: tensor<f64>, %decay: tensor<f64>) {
  %q, %n, %w = burn.adamw_update %p, %g, %m, %v, %step, %correction, %decay {beta1 = 0.9 : f64, beta2 = 0.999 : f64, epsilon = 1.0e-8 : f64} : tensor<4xf32>
  return
}
