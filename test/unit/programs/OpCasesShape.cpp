#include "test/unit/programs/OpCases.h"

using namespace burn;
using namespace burn::test;
using core::OpCode;
using core::TypeDesc;

namespace {

void addIota(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, int64_t dim) {
    const TypeDesc type{dtype, shape};
    cases.add(core::IotaAttrs{dim}, {}, &type);
  };
  for (DType dtype : kNumbers)
    for (int64_t dim : {0, 1})
      add(dtype, Shape{3, 301}, dim); // past 255, where ui8 wraps
  add(DType::F16, Shape{2051}, 0);    // past 2048, where f16 rounds
  add(DType::BF16, Shape{1, 259}, 1);
  add(DType::F32, Shape{0}, 0);
  add(DType::I64, Shape{2, 3, 5, 7}, 2);
}

void addUndef(OpCases &cases) {
  for (const Shape &shape : {Shape{}, Shape{0}, Shape{13}}) {
    const TypeDesc type{DType::F32, shape};
    cases.add(OpCode::Undef, {}, {}, &type);
  }
}

void addBroadcast(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &from, const Dims &dims, const Shape &to) {
    const TypeDesc type{dtype, to};
    cases.add(core::BroadcastAttrs{dims}, {cases.input(dtype, from, Fill::Wild)}, &type);
  };
  for (DType dtype : kMoved) {
    add(dtype, Shape{}, {}, Shape{37});
    add(dtype, Shape{17}, {1}, Shape{3, 17});
    add(dtype, Shape{17}, {0}, Shape{17, 5});
  }
  add(DType::F32, Shape{}, {}, Shape{});
  add(DType::F32, Shape{1}, {0}, Shape{0});
  add(DType::F32, Shape{0}, {1}, Shape{3, 0});
  add(DType::F32, Shape{2, 1, 5}, {0, 1, 3}, Shape{2, 3, 4, 5});
  add(DType::F32, Shape{1, 1}, {1, 2}, Shape{2, 3, 5});
  add(DType::F32, Shape{101}, {1}, Shape{401, 101});
}

void addReshape(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &from, const Shape &to) {
    const TypeDesc type{dtype, to};
    cases.add(OpCode::Reshape, {cases.input(dtype, from, Fill::Wild)}, {}, &type);
  };
  for (DType dtype : kMoved)
    add(dtype, Shape{6, 35}, Shape{2, 3, 5, 7});
  add(DType::F32, Shape{}, Shape{1, 1});
  add(DType::F32, Shape{1, 1}, Shape{});
  add(DType::F32, Shape{0, 3}, Shape{5, 0});
  add(DType::F32, Shape{40009}, Shape{1, 40009});
}

void addTranspose(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &from, const Dims &perm) {
    cases.add(core::TransposeAttrs{perm}, {cases.input(dtype, from, Fill::Wild)});
  };
  for (DType dtype : kMoved) {
    add(dtype, Shape{19, 23}, {1, 0});
    add(dtype, Shape{2, 3, 5, 7}, {0, 2, 3, 1});
  }
  add(DType::F32, Shape{}, {});
  add(DType::F32, Shape{7}, {0});
  add(DType::F32, Shape{0, 3}, {1, 0});
  add(DType::F32, Shape{2, 3, 5, 7}, {3, 2, 1, 0});
  add(DType::F32, Shape{1, 31, 1}, {2, 1, 0});
  add(DType::F32, Shape{211, 199}, {1, 0});
}

void addSlice(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &from, const Dims &starts, const Dims &sizes, const Dims &strides) {
    cases.add(core::SliceAttrs{starts, sizes, strides}, {cases.input(dtype, from, Fill::Wild)});
  };
  for (DType dtype : kMoved) {
    add(dtype, Shape{103}, {5}, {67}, {1});
    add(dtype, Shape{103}, {1}, {34}, {3});
  }
  add(DType::F32, Shape{}, {}, {}, {});
  add(DType::F32, Shape{5}, {5}, {0}, {1});
  add(DType::F32, Shape{0, 5}, {0, 1}, {0, 2}, {1, 2});
  add(DType::F32, Shape{2, 3, 5, 7}, {1, 0, 2, 3}, {1, 3, 2, 4}, {1, 1, 2, 1});
  add(DType::F32, Shape{300, 301}, {1, 2}, {149, 297}, {2, 1});
}

void addSliceUpdate(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &into, const Shape &window, const Dims &starts) {
    cases.add(core::SliceUpdateAttrs{starts},
              {cases.input(dtype, into, Fill::Wild), cases.input(dtype, window, Fill::Wild)});
  };
  for (DType dtype : kMoved)
    add(dtype, Shape{103}, Shape{31}, {29});
  add(DType::F32, Shape{}, Shape{}, {});
  add(DType::F32, Shape{5}, Shape{5}, {0});
  add(DType::F32, Shape{5}, Shape{0}, {3});
  add(DType::F32, Shape{0}, Shape{0}, {0});
  add(DType::F32, Shape{2, 3, 5, 7}, Shape{1, 2, 3, 5}, {1, 0, 2, 1});
  add(DType::F32, Shape{300, 301}, Shape{7, 300}, {200, 1});
}

void addPad(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, const Dims &low, const Dims &high, const Dims &interior) {
    cases.add(core::PadAttrs{low, high, interior},
              {cases.input(dtype, shape, Fill::Wild), cases.input(dtype, Shape{}, Fill::Wild)});
  };
  for (DType dtype : kMoved) {
    add(dtype, Shape{61}, {3}, {5}, {0});
    add(dtype, Shape{61}, {-2}, {-7}, {2});
  }
  add(DType::F32, Shape{}, {}, {}, {});
  add(DType::F32, Shape{0}, {2}, {3}, {0});
  add(DType::F32, Shape{0}, {2}, {3}, {4});
  add(DType::F32, Shape{4}, {-2}, {-2}, {0});
  add(DType::F32, Shape{1, 5}, {0, -1}, {2, 4}, {7, 1});
  add(DType::F32, Shape{2, 3, 5, 7}, {0, 1, -1, 2}, {1, 0, 2, -3}, {0, 2, 1, 0});
  add(DType::F32, Shape{200, 201}, {1, 1}, {1, 1}, {0, 0});
}

void addConcat(OpCases &cases) {
  const auto add = [&](DType dtype, std::initializer_list<Shape> shapes, int64_t axis) {
    std::vector<mlir::Value> operands;
    for (const Shape &shape : shapes)
      operands.push_back(cases.input(dtype, shape, Fill::Wild));
    cases.add(core::ConcatAttrs{axis}, operands);
  };
  for (DType dtype : kMoved)
    add(dtype, {Shape{3, 17}, Shape{3, 5}}, 1);
  add(DType::F32, {Shape{7}}, 0);
  add(DType::F32, {Shape{0}, Shape{0}}, 0);
  add(DType::F32, {Shape{2, 0, 3}, Shape{2, 4, 3}, Shape{2, 0, 3}, Shape{2, 1, 3}}, 1);
  add(DType::F32, {Shape{2, 3, 5, 7}, Shape{1, 3, 5, 7}}, 0);
  add(DType::F32, {Shape{101, 200}, Shape{103, 200}}, 0);
}

void addBarrier(OpCases &cases) {
  for (DType dtype : kMoved)
    cases.add(core::BarrierAttrs{}, {cases.input(dtype, Shape{5, 3}, Fill::Wild), cases.input(dtype, Shape{0, 3})});
}

void addAssert(OpCases &cases) {
  ir::HostTensor holds(core::TypeDesc{DType::Bool, Shape{}});
  holds.bytes[0] = std::byte(1);
  for (DType dtype : kMoved)
    cases.add(core::AssertAttrs{"holds"}, {cases.input(holds), cases.input(dtype, Shape{5, 3}, Fill::Wild)});
}

void addPrint(OpCases &cases) {
  for (DType dtype : kMoved)
    cases.add(core::PrintAttrs{"value"}, {cases.input(dtype, Shape{5, 3}, Fill::Wild)});
}

void addName(OpCases &cases) {
  for (DType dtype : kMoved)
    cases.add(core::NameAttrs{"value"}, {cases.input(dtype, Shape{7}, Fill::Wild)});
}

void addReverse(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, const Dims &dims) {
    cases.add(core::ReverseAttrs{dims}, {cases.input(dtype, shape, Fill::Wild)});
  };
  for (DType dtype : kMoved)
    add(dtype, Shape{67}, {0});
  add(DType::F32, Shape{}, {});
  add(DType::F32, Shape{0, 3}, {0, 1});
  add(DType::F32, Shape{1, 9}, {0, 1});
  add(DType::F32, Shape{2, 3, 5, 7}, {1, 3});
  add(DType::F32, Shape{2, 3, 5, 7}, {});
  add(DType::F32, Shape{200, 201}, {1});
}

ir::HostTensor key(uint32_t low, uint32_t high) {
  const uint32_t words[] = {low, high};
  return ir::HostTensor::from(std::span<const uint32_t>(words), Shape{2});
}

ir::HostTensor counter(uint64_t value) {
  const uint64_t words[] = {value};
  return ir::HostTensor::from(std::span<const uint64_t>(words), Shape{});
}

ir::HostTensor rate(double value) {
  const double words[] = {value};
  return ir::HostTensor::from(std::span<const double>(words), Shape{});
}

void addRngBits(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, uint64_t call, int64_t ordinal) {
    const TypeDesc type{dtype, shape};
    cases.add(core::RngBitsAttrs{ordinal}, {cases.input(key(0xdeadbeef, 0x12345678)), cases.input(counter(call))},
              &type);
  };
  for (DType dtype : {DType::U32, DType::U64})
    for (const Shape &shape : {Shape{}, Shape{0}, Shape{1}, Shape{67}, Shape{3, 5, 7}, Shape{40009}})
      add(dtype, shape, 0xfffffffffffffff0u, 19); // the call wraps into its low word
  add(DType::U32, Shape{9}, 0xffffffffu, 1);
}

void addDropout(OpCases &cases) {
  const auto add = [&](DType dtype, const Shape &shape, double p) {
    cases.add(core::DropoutAttrs{5}, {cases.input(dtype, shape, Fill::Spoilt), cases.input(key(7, 9)),
                                      cases.input(counter(1)), cases.input(rate(p))});
  };
  for (DType dtype : kFloats)
    for (double p : {0.0, 0.25, 0.9, 1.0})
      add(dtype, Shape{9, 31}, p);
  for (const Shape &shape : {Shape{}, Shape{0}, Shape{40009}})
    add(DType::F32, shape, 0.5);
}

} // namespace

void test::addShapeCases(CaseTable &table) {
  table[OpCode::Iota] = addIota;
  table[OpCode::Undef] = addUndef;
  table[OpCode::Broadcast] = addBroadcast;
  table[OpCode::Reshape] = addReshape;
  table[OpCode::Transpose] = addTranspose;
  table[OpCode::Slice] = addSlice;
  table[OpCode::SliceUpdate] = addSliceUpdate;
  table[OpCode::Pad] = addPad;
  table[OpCode::Concat] = addConcat;
  table[OpCode::Reverse] = addReverse;
  table[OpCode::Barrier] = addBarrier;
  table[OpCode::Assert] = addAssert;
  table[OpCode::Print] = addPrint;
  table[OpCode::Name] = addName;
  table[OpCode::RngBits] = addRngBits;
  table[OpCode::Dropout] = addDropout;
}
