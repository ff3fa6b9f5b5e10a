#include "passes/Codegen/WindowRows.h"

#include "dialects/Burn/ScalarPayloads.h"
#include "passes/Codegen/IndexMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;

namespace {

constexpr int64_t kTaskElements = 8192;
// Windows of no more elements are written out, and rows are dealt out in steps of no more.
constexpr int64_t kMostElements = 16, kMostStep = 4;
constexpr int64_t kMostLanes = 16, kLeastLanes = 4;

} // namespace

bool WindowRows::fit(ArrayRef<int64_t> shape, ArrayRef<int64_t> window, ArrayRef<int64_t> strides,
                     ArrayRef<int64_t> padLow, ArrayRef<int64_t> padHigh, ArrayRef<int64_t> baseDilation,
                     ArrayRef<int64_t> windowDilation, bool singles) {
  const auto are = [](ArrayRef<int64_t> numbers, int64_t wanted) {
    return llvm::all_of(numbers, [&](int64_t number) { return number == wanted; });
  };
  if (shape.empty() || llvm::is_contained(shape, 0) || !are(padLow, 0) || !are(padHigh, 0) || !are(baseDilation, 1) ||
      !are(windowDilation, 1))
    return false;
  for (auto [size, extent] : llvm::zip_equal(shape, window))
    if (extent > size)
      return false;
  return ShapedType::getNumElements(window) <= kMostElements && (singles || strides.back() > 1) &&
         strides.back() <= kMostStep && window.back() <= strides.back();
}

WindowRows::WindowRows(ArrayRef<int64_t> shape, ArrayRef<int64_t> result, ArrayRef<int64_t> window,
                       ArrayRef<int64_t> strides, bool covering)
    : shape_(shape), result_(result), window_(window), strides_(strides), blocks_(result) {
  if (covering)
    for (auto [i, count] : llvm::enumerate(blocks_))
      count = ceilDivide(shape[i], strides[i]);
  lanes_ = std::clamp<int64_t>(llvm::PowerOf2Ceil(blocks_.back()), kLeastLanes, kMostLanes);
}

SmallVector<int64_t> WindowRows::sizes() const {
  SmallVector<int64_t> sizes(ArrayRef<int64_t>(blocks_).drop_back());
  sizes.push_back(result_.back());
  sizes.push_back(shape_.back());
  return sizes;
}

int64_t WindowRows::forWindows(OpBuilder &b, Location loc, ElementEmitter &emitter, const PhaseArguments &arguments,
                               llvm::function_ref<void()> atWindows, llvm::function_ref<void()> outside) {
  b_ = &b, loc_ = &loc, emitter_ = &emitter;
  const ArrayRef<int64_t> outer = ArrayRef<int64_t>(blocks_).drop_back();
  const int64_t units = ShapedType::getNumElements(outer);
  const int64_t each = shape_.back() * ShapedType::getNumElements(strides_.drop_back());
  const int64_t unitsPerTask = std::max<int64_t>(1, kTaskElements / each);
  Value perTask = indexConstant(b, loc, unitsPerTask);
  Value begin = arith::MulIOp::create(b, loc, arguments.begin, perTask);
  Value end = arith::MinUIOp::create(b, loc, arith::MulIOp::create(b, loc, arguments.end, perTask),
                                     indexConstant(b, loc, units));
  scf::ForOp loop = openLoop(b, loc, begin, end, indexConstant(b, loc, 1));
  SmallVector<std::pair<unsigned, Value>> dims;
  Value real; // whether there are windows
  for (auto [i, value] : llvm::enumerate(delinearize(b, loc, loop.getInductionVar(), outer))) {
    dims.push_back({unsigned(i), value});
    if (outer[i] == result_[i])
      continue;
    Value within = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, value, indexConstant(b, loc, result_[i]));
    real = real ? Value(arith::AndIOp::create(b, loc, real, within)) : within;
  }
  if (!real) {
    emitter.openScope(dims, loop);
    forVectorsOfRow(atWindows);
    emitter.closeScope();
    closeLoop(b, loop);
    return ceilDivide(units, unitsPerTask);
  }
  // The dims have values inside of the branches alone: nothing is read beyond the operand's end.
  emitter.openScope({}, loop);
  auto choice = scf::IfOp::create(b, loc, real, /*withElseRegion=*/true);
  b.setInsertionPoint(choice.thenBlock()->getTerminator());
  emitter.openScope(dims, choice);
  forVectorsOfRow(atWindows);
  emitter.closeScope(choice);
  b.setInsertionPoint(choice.elseBlock()->getTerminator());
  emitter.openScope(dims, choice);
  forVectorsOfRow(outside);
  emitter.closeScope(choice);
  b.setInsertionPointAfter(choice);
  emitter.closeScope();
  closeLoop(b, loop);
  return ceilDivide(units, unitsPerTask);
}

void WindowRows::forVectorsOfRow(llvm::function_ref<void()> atVector) {
  OpBuilder &b = *b_;
  const Location loc = *loc_;
  const int64_t step = strides_.back();
  // Whole vectors, then what is left under masks.
  const int64_t whole = std::min(result_.back(), shape_.back() / step) / lanes_ * lanes_;
  if (whole != 0) {
    scf::ForOp loop =
        openLoop(b, loc, indexConstant(b, loc, 0), indexConstant(b, loc, whole), indexConstant(b, loc, lanes_));
    emitter_->openScope({}, loop);
    first_ = loop.getInductionVar();
    windowMask_ = columnMask_ = Value();
    atVector();
    emitter_->closeScope(loop);
    closeLoop(b, loop);
  }
  const int64_t columns = std::min(shape_.back(), blocks_.back() * step);
  for (int64_t from = whole; from < blocks_.back(); from += lanes_) {
    first_ = indexConstant(b, loc, from);
    windowMask_ = leadingMask(b, loc, lanes_, std::max<int64_t>(result_.back() - from, 0));
    columnMask_ = leadingMask(b, loc, lanes_ * step, columns - from * step);
    emitter_->openScope({});
    atVector();
    emitter_->closeScope();
  }
}

void WindowRows::forPlaces(ArrayRef<int64_t> box, llvm::function_ref<void(ArrayRef<int64_t>)> at) {
  SmallVector<int64_t> place(box.size(), 0);
  for (int64_t left = ShapedType::getNumElements(box); left != 0; --left) {
    at(place);
    for (size_t i = box.size(); i-- != 0 && ++place[i] == box[i];)
      place[i] = 0;
  }
}

ElementIndex WindowRows::operandIndex(ArrayRef<int64_t> within) const {
  MLIRContext *context = b_->getContext();
  ElementIndex index;
  for (unsigned i = 0; i + 1 < rank(); ++i)
    index.push_back(getAffineDimExpr(i, context) * strides_[i] + within[i]);
  index.push_back(getAffineDimExpr(columnDim(), context));
  return index;
}

void WindowRows::inColumns(llvm::function_ref<void()> emit) {
  Value column = arith::MulIOp::create(*b_, *loc_, first_, indexConstant(*b_, *loc_, strides_.back()));
  emitter_->openScope({{columnDim(), column}}, nullptr, LaneDim{columnDim(), lanes_ * strides_.back(), columnMask_});
  emit();
  emitter_->closeScope();
}

void WindowRows::inWindows(llvm::function_ref<void(ArrayRef<AffineExpr>)> emit) {
  SmallVector<AffineExpr> index;
  for (unsigned i = 0; i != rank(); ++i)
    index.push_back(getAffineDimExpr(i, b_->getContext()));
  emitter_->openScope({{windowDim(), first_}}, nullptr, LaneDim{windowDim(), lanes_, windowMask_});
  emit(index);
  emitter_->closeScope();
}

SmallVector<Value> WindowRows::deal(Value input, ArrayRef<int64_t> within) {
  Value row;
  inColumns([&] { row = emitter_->emitVector(input, operandIndex(within)); });
  SmallVector<Value> dealt;
  if (!row)
    return dealt;
  for (int64_t place = 0; place != window_.back(); ++place) {
    SmallVector<int64_t> chosen;
    for (int64_t lane = 0; lane != lanes_; ++lane)
      chosen.push_back(lane * strides_.back() + place);
    dealt.push_back(vector::ShuffleOp::create(*b_, *loc_, row, row, chosen));
  }
  return dealt;
}

void WindowRows::storeRow(ArrayRef<Value> dealt, Value otherwise, Value buffer, ArrayRef<int64_t> within) {
  OpBuilder &b = *b_;
  const Location loc = *loc_;
  const int64_t step = strides_.back(), columns = lanes_ * step;
  auto type = VectorType::get({columns}, getElementTypeOrSelf(otherwise.getType()));
  const ElementIndex index = operandIndex(within);
  // Rows of the last step may lie beyond the operand.
  Value exists;
  for (unsigned i = 0; i + 1 < rank(); ++i) {
    if ((blocks_[i] - 1) * strides_[i] + within[i] < shape_[i])
      continue;
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, emitter_->emitIndex(index[i]),
                                         indexConstant(b, loc, shape_[i]));
    exists = exists ? Value(arith::AndIOp::create(b, loc, exists, inside)) : inside;
  }
  scf::IfOp choice;
  if (exists) {
    choice = scf::IfOp::create(b, loc, exists, /*withElseRegion=*/false);
    b.setInsertionPoint(choice.thenBlock()->getTerminator());
    emitter_->openScope({}, choice);
  }
  Value row;
  if (dealt.size() == 2 && step == 2) {
    SmallVector<int64_t> zipped;
    for (int64_t lane = 0; lane != lanes_; ++lane)
      llvm::append_values(zipped, lane, lanes_ + lane);
    row = vector::ShuffleOp::create(b, loc, dealt[0], dealt[1], zipped);
  } else {
    row = vector::BroadcastOp::create(b, loc, type, otherwise);
    SmallVector<int64_t> spread;
    for (int64_t column = 0; column != columns; ++column)
      spread.push_back(column / step);
    for (auto [place, part] : llvm::enumerate(dealt)) {
      SmallVector<bool> own;
      for (int64_t column = 0; column != columns; ++column)
        own.push_back(column % step == int64_t(place));
      Value chosen =
          arith::ConstantOp::create(b, loc, DenseElementsAttr::get(VectorType::get({columns}, b.getI1Type()), own));
      row = arith::SelectOp::create(b, loc, chosen, vector::ShuffleOp::create(b, loc, part, part, spread), row);
    }
  }
  inColumns([&] { emitter_->store(row, buffer, linearIndex(index, shape_, b.getContext())); });
  if (choice) {
    emitter_->closeScope(choice);
    b.setInsertionPointAfter(choice);
  }
}
