func.func @log_sigmoid(%x: tensor<4xf32>) {
  %r = burn.log_sigmoid %x : tensor<4xf32>
  return
}
