// The network of the MNIST example.
#pragma once

#include <burn/nn.h>
#include <burn/ops.h>

/// Two blocks of convolution, batch norm, ReLU and pooling, then three linear layers.
struct Net {
  burn::nn::Conv2d conv1{1, 64, 3};
  burn::nn::BatchNorm2d bn1{64};
  burn::nn::Conv2d conv2{64, 64, 3};
  burn::nn::BatchNorm2d bn2{64};
  burn::nn::Linear fc1{1600, 128};
  burn::nn::Linear fc2{128, 128};
  burn::nn::Linear fc3{128, 10};
  burn::nn::Dropout dropout{0.25};

  void members(burn::nn::Visitor &v) {
    v("conv1", conv1), v("bn1", bn1), v("conv2", conv2), v("bn2", bn2);
    v("fc1", fc1), v("fc2", fc2), v("fc3", fc3), v("dropout", dropout);
  }

  /// Images [n, 1, 28, 28] to logits [n, 10].
  burn::Tensor forward(const burn::Tensor &images) {
    burn::Tensor x = max_pool2d(relu(bn1(conv1(images))), 2);
    x = max_pool2d(relu(bn2(conv2(x))), 2);
    x = dropout(gelu(fc1(x.flatten(1))));
    x = dropout(gelu(fc2(x)));
    return fc3(x);
  }
};
