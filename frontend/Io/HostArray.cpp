#include <burn/host_array.h>

#include <burn/creation.h>

namespace burn {

Tensor from_host(const HostArray &array, std::source_location where) {
  return from_data(array.bytes().data(), array.shape(), array.dtype(), where);
}

HostArray to_host(const Tensor &tensor, std::source_location where) {
  HostArray array(tensor.dtype(), tensor.shape());
  tensor.copy_to(array.bytes().data(), where);
  return array;
}

} // namespace burn
