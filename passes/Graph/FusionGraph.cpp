#include "passes/Graph/FusionGraph.h"

#include "passes/Codegen/RowStrategy.h"
#include "passes/Graph/WindowGradient.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::ClusterKind;

namespace {

// Splat constants up to this size live in the data section; larger ones are filled by a kernel.
constexpr int64_t kLargestSplatData = 1024;

// Kernels beyond this take long to compile, for code whose arithmetic outweighs by far what a buffer in between costs.
constexpr unsigned kGreatestCost = 1024;
// The most of it that arithmetic on scalars may take which a kernel repeats to have a value.
constexpr unsigned kGreatestScalarCost = 256;

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

bool isElementwiseNode(Operation *op) { return isa<ir::ElementwiseOpInterface>(op); }

bool isContraction(Operation *op) { return isa<ir::DotGeneralOp, ir::ConvOp>(op); }

bool isSplatConstant(Value value) {
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  return constant && constant.getValue().isSplat();
}

// Ops that may share a kernel with others.
bool isFusible(Operation *op) {
  return isElementwiseNode(op) || isTransparent(op) || isa<ir::RngBitsOp, ir::ReduceOp>(op);
}

} // namespace

SmallVector<int64_t> Domain::keptShape() const {
  SmallVector<int64_t> kept;
  for (auto [i, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(reduceDims, int64_t(i)))
      kept.push_back(size);
  return kept;
}

FusionGraph::FusionGraph(Block &block, bool fuse, bool convertsOnRead, bool recomputes, bool turnsReductions)
    : block_(block), fuse_(fuse), convertsOnRead_(convertsOnRead), recomputes_(fuse && recomputes) {
  collectNodes(block);
  if (fuse && turnsReductions)
    turnReductions();
  for (Operation *node : nodes_) {
    SmallVector<Access> &accesses = accesses_[node];
    if (auto search = searchOf(node)) {
      accesses = {{search.getInput(), {}, true}, {cast<ir::ScatterOp>(node).getUpdates(), {}, true}};
      continue;
    }
    const auto isSource = [&](Operation *op) { return !fuse_ || nodes_.contains(op) || bare_.contains(op); };
    auto turned = turned_.find(node);
    accesses = turned == turned_.end() ? accessesOf(node, isSource) : accessesOf(turned->second.source, isSource);
    if (fuse_ && convertsOnRead_ && isa<ir::DotGeneralOp>(node))
      for (OpOperand &operand : node->getOpOperands()) {
        accesses[operand.getOperandNumber()].source = readSource(operand);
        for (Operation *op : readChain(operand))
          for (auto [i, number] : llvm::enumerate(op->getOperands()))
            if (i != *readOperandOf(op))
              accesses.push_back({uniformSource(number), {}, true});
      }
  }
}

// Elements that are transposed for reductions alone need no place in the transposed order.
void FusionGraph::turnReductions() {
  for (Operation *node : nodes_) {
    auto reduce = dyn_cast<ir::ReduceOp>(node);
    std::optional<TurnedReduction> turned = reduce ? turnedReductionOf(reduce) : std::nullopt;
    if (!turned || isNode(reduce.getInput().getDefiningOp()))
      continue;
    if (llvm::all_of(reduce.getInput().getUsers(), [](Operation *user) { return isa<ir::ReduceOp>(user); }))
      turned_[node] = std::move(*turned);
  }
}

ArrayRef<int64_t> FusionGraph::iterationShape(Operation *node) const {
  auto turned = turned_.find(node);
  return turned == turned_.end() ? compiler::iterationShape(node) : shapeOf(turned->second.source);
}

// Whether a conversion is no kernel of its own, since the product that reads it converts.
bool FusionGraph::isPartOfProduct(Operation *op) const { return fuse_ && convertsOnRead_ && isReadConverted(op); }

ir::ArgReduceWindowOp FusionGraph::searchOf(Operation *op) const {
  auto scatter = dyn_cast<ir::ScatterOp>(op);
  return recomputes_ && scatter ? windowGradientOf(scatter) : ir::ArgReduceWindowOp();
}

// Whether only gradients need the places, whose kernels find them again.
bool FusionGraph::isPartOfGradients(Operation *op) const {
  if (!recomputes_ || !isa<ir::ArgReduceWindowOp>(op))
    return false;
  SmallVector<Operation *> users(op->user_begin(), op->user_end());
  while (!users.empty()) {
    Operation *user = users.pop_back_val();
    if (isa<ir::ReshapeOp>(user))
      llvm::append_range(users, user->getUsers());
    else if (searchOf(user) != op)
      return false;
  }
  return true;
}

void FusionGraph::collectNodes(Block &block) {
  llvm::DenseMap<Operation *, size_t> order;
  for (auto [i, op] : llvm::enumerate(block.without_terminator()))
    order[&op] = i;
  for (Operation &op : block.without_terminator()) {
    if (isa<ir::ReshapeOp>(op) && !fuse_) {
      bare_.insert(&op);
    } else if (isa<ir::ConstantOp>(op) && (!isTransparent(&op) || (!fuse_ && shapeOf(op.getResult(0)).empty()))) {
      bare_.insert(&op);
    } else if (!fuse_ || !(isTransparent(&op) || isPartOfProduct(&op) || isPartOfGradients(&op))) {
      nodes_.insert(&op);
    }
  }
  if (!fuse_)
    return;
  limitTransparent(block);
  // Whatever leaves the block or enters an op that reads buffers must exist as a buffer.
  for (Value value : block.getTerminator()->getOperands())
    materialize(value);
  for (Operation &op : block.without_terminator()) {
    // A scatter into one number everywhere begins by filling its result.
    auto scatter = recomputes_ ? dyn_cast<ir::ScatterOp>(op) : ir::ScatterOp();
    if (scatter && searchOf(&op)) {
      materialize(scatter.getUpdates());
    } else if (scatter && isSplatConstant(scatter.getInput())) {
      materialize(scatter.getIndices());
      materialize(scatter.getUpdates());
    } else if (!isFusible(&op) && !isa<ir::ConstantOp>(op)) {
      for (Value value : op.getOperands())
        materialize(value);
    }
  }
  SmallVector<Operation *> sorted(nodes_.getArrayRef());
  llvm::sort(sorted, [&](Operation *a, Operation *b) { return order[a] < order[b]; });
  nodes_.clear();
  nodes_.insert_range(sorted);
}

// What a kernel looks through is copied into each that reads it, so there is a limit to how much that is. Each op that
// chooses between operands (padding, concatenation, slice update) multiplies the places that a kernel may read;
// arithmetic on scalars is as long in every kernel. Beyond the limits a value is read from a buffer.
void FusionGraph::limitTransparent(Block &block) {
  constexpr unsigned mostChoices = 2;
  llvm::DenseMap<Operation *, unsigned> choices;
  for (Operation &op : block.without_terminator()) {
    if (nodes_.contains(&op) || bare_.contains(&op) || isPartOfProduct(&op))
      continue;
    unsigned depth = 0, cost = 0;
    llvm::SetVector<Operation *> scalars;
    for (Value operand : op.getOperands())
      if (Operation *source = operand.getDefiningOp()) {
        depth = std::max(depth, choices.lookup(source));
        if (auto behind = scalars_.find(source); behind != scalars_.end())
          scalars.insert_range(behind->second);
      }
    if (isa<ir::PadOp, ir::ConcatOp, ir::SliceUpdateOp>(op))
      ++depth;
    if (isElementwiseNode(&op))
      scalars.insert(&op);
    for (Operation *scalar : scalars)
      cost += payloadCost(scalar);
    if (depth > mostChoices || cost > kGreatestScalarCost) {
      nodes_.insert(&op);
      depth = 0;
      scalars.clear();
    }
    choices[&op] = depth;
    if (!scalars.empty())
      scalars_[&op] = std::move(scalars);
  }
}

void FusionGraph::materialize(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || nodes_.contains(op) || bare_.contains(op))
    return;
  if (isPartOfProduct(op))
    return materialize(op->getOperand(*readOperandOf(op)));
  if (auto reshape = dyn_cast<ir::ReshapeOp>(op)) {
    bare_.insert(op);
    materialize(reshape.getInput());
    return;
  }
  auto constant = dyn_cast<ir::ConstantOp>(op);
  if (constant && constant.getType().getNumElements() <= kLargestSplatData)
    bare_.insert(op);
  else
    nodes_.insert(op);
}

Cluster FusionGraph::clusterOf(Operation *node) const {
  Cluster cluster;
  cluster.nodes.push_back(node);
  cluster.cost = std::max(payloadCost(node), 1u);
  for (Value operand : node->getOperands())
    if (auto behind = scalars_.find(operand.getDefiningOp()); behind != scalars_.end())
      for (Operation *scalar : behind->second)
        if (!isNode(scalar) && cluster.scalars.insert(scalar).second)
          cluster.cost += payloadCost(scalar);
  cluster.domain.shape.assign(iterationShape(node).begin(), iterationShape(node).end());
  if (auto reduce = dyn_cast<ir::ReduceOp>(node)) {
    cluster.kind = ClusterKind::Row;
    if (auto turned = turned_.find(node); turned != turned_.end()) {
      cluster.domain.reduceDims = turned->second.reduceDims;
      cluster.domain.walk = turned->second.walk;
    } else {
      cluster.domain.reduceDims.assign(reduce.getDims().begin(), reduce.getDims().end());
      cluster.split = isSplitReduction(std::span<const int64_t>(cluster.domain.shape),
                                       std::span<const int64_t>(cluster.domain.reduceDims));
    }
  } else if (isContraction(node)) {
    cluster.kind = ClusterKind::Contraction;
  } else if (!isElementwiseNode(node) && !isTransparent(node) && !isa<ir::RngBitsOp>(node)) {
    cluster.kind = ClusterKind::Single;
    if (auto search = searchOf(node))
      cluster.recomputed.insert(search);
  }
  return cluster;
}

bool FusionGraph::readsInPlace(Operation *reader, const Access &access, const Domain &domain) const {
  if (access.conditional)
    return false;
  MLIRContext *context = reader->getContext();
  ArrayRef<int64_t> source = shapeOf(access.source);
  const SmallVector<int64_t> kept = domain.keptShape();
  const bool readerWhole = iterationShape(reader) == ArrayRef<int64_t>(domain.shape);
  const bool sourceWhole = source == ArrayRef<int64_t>(domain.shape);
  if (readerWhole) {
    const SmallVector<AffineExpr> whole = identityIndex(domain.shape, context);
    if (sourceWhole && !isa_and_nonnull<ir::ReduceOp>(access.source.getDefiningOp()))
      return ArrayRef<AffineExpr>(access.index) == ArrayRef<AffineExpr>(whole);
    if (source != ArrayRef<int64_t>(kept) || domain.reduceDims.empty())
      return false;
    SmallVector<AffineExpr> projected;
    for (auto [i, expr] : llvm::enumerate(whole))
      if (!llvm::is_contained(domain.reduceDims, int64_t(i)))
        projected.push_back(expr);
    return ArrayRef<AffineExpr>(access.index) == ArrayRef<AffineExpr>(projected);
  }
  return iterationShape(reader) == ArrayRef<int64_t>(kept) && source == ArrayRef<int64_t>(kept) &&
         ArrayRef<AffineExpr>(access.index) == ArrayRef<AffineExpr>(identityIndex(kept, context));
}

std::optional<Cluster> FusionGraph::merged(const Cluster &producer, const Cluster &consumer) const {
  if (producer.kind == ClusterKind::Single || consumer.kind == ClusterKind::Single)
    return std::nullopt;
  Cluster result;
  result.cost = producer.cost + consumer.cost;
  result.scalars = producer.scalars;
  for (Operation *scalar : consumer.scalars)
    if (!result.scalars.insert(scalar).second)
      result.cost -= payloadCost(scalar);
  if (result.cost > kGreatestCost)
    return std::nullopt;
  result.domain = producer.domain;
  result.split = producer.split || consumer.split;
  const bool producerRow = producer.kind == ClusterKind::Row;
  const bool consumerRow = consumer.kind == ClusterKind::Row;
  const bool producerContracts = producer.kind == ClusterKind::Contraction;
  const bool consumerContracts = consumer.kind == ClusterKind::Contraction;
  if (producerContracts || consumerContracts) {
    // Elementwise ops join on either side: what follows the root, and what feeds that.
    if ((producerContracts && consumerContracts) || producerRow || consumerRow || consumer.domain != producer.domain)
      return std::nullopt;
    result.kind = ClusterKind::Contraction;
  } else if (producerRow || consumerRow) {
    if (producerRow && consumerRow && consumer.domain != producer.domain)
      return std::nullopt;
    result.kind = ClusterKind::Row;
    result.domain = producerRow ? producer.domain : consumer.domain;
    const Cluster &other = producerRow ? consumer : producer;
    if (other.kind != ClusterKind::Row && other.domain.shape != result.domain.shape &&
        other.domain.shape != result.domain.keptShape())
      return std::nullopt;
  } else {
    if (consumer.domain != producer.domain)
      return std::nullopt;
    result.kind = ClusterKind::Elementwise;
  }
  // Where reductions are split, a reader over the whole domain would need their result too early.
  const auto dependsOnReduction = [&](const Access &access) {
    Operation *source = access.source.getDefiningOp();
    return source && ArrayRef<int64_t>(shapeOf(access.source)) != ArrayRef<int64_t>(result.domain.shape);
  };
  const llvm::SmallPtrSet<Operation *, 8> inside(producer.nodes.begin(), producer.nodes.end());
  for (Operation *node : consumer.nodes)
    for (const Access &access : accesses(node)) {
      Operation *source = access.source.getDefiningOp();
      if (!source || !inside.contains(source))
        continue;
      if (!readsInPlace(node, access, result.domain))
        return std::nullopt;
      if (result.split && dependsOnReduction(access) && iterationShape(node) == ArrayRef<int64_t>(result.domain.shape))
        return std::nullopt;
    }
  result.nodes = producer.nodes;
  result.nodes.append(consumer.nodes);
  llvm::sort(result.nodes, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return result;
}

ClusterValues FusionGraph::valuesOf(const Cluster &cluster) const {
  ClusterValues values;
  values.inside.insert_range(cluster.nodes);
  for (Operation *node : cluster.nodes)
    for (Value operand : node->getOperands())
      collect(operand, cluster, values);
  for (Operation *node : cluster.nodes)
    for (Value result : node->getResults())
      if (isReadOutside(result, values.inside))
        values.outputs.push_back(result);
  return values;
}

void FusionGraph::collect(Value value, const Cluster &cluster, ClusterValues &values) const {
  Operation *op = value.getDefiningOp();
  if (op && values.inside.contains(op))
    return;
  const bool isCopied = op && (cluster.recomputed.contains(op) ||
                               (!isNode(op) && !isBare(op) && (isTransparent(op) || isPartOfProduct(op))));
  if (!isCopied) {
    values.inputs.insert(value);
    return;
  }
  values.inside.insert(op);
  for (Value operand : op->getOperands())
    collect(operand, cluster, values);
}

llvm::DenseSet<Value> FusionGraph::storedValues(ArrayRef<Cluster> clusters) const {
  llvm::DenseSet<Value> stored;
  const auto store = [&](ValueRange values) {
    for (Value value : values)
      stored.insert(value);
  };
  for (const Cluster &cluster : clusters)
    if (!cluster.nodes.empty())
      store(ValueRange(valuesOf(cluster).inputs.getArrayRef()));
  for (Operation *op : bare_)
    store(op->getOperands());
  store(block_.getTerminator()->getOperands());
  return stored;
}

// Whether anything but the ops of one cluster reads the value: other nodes may do so through
// transparent ops, so whatever reads it and is no node of this cluster counts, unless it is copied
// there alone.
bool FusionGraph::isReadOutside(Value value, const llvm::SetVector<Operation *> &inside) const {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> stack(value.user_begin(), value.user_end());
  while (!stack.empty()) {
    Operation *user = stack.pop_back_val();
    if (!seen.insert(user).second)
      continue;
    if (user->hasTrait<OpTrait::IsTerminator>() || isBare(user))
      return true;
    if (isNode(user)) {
      if (!inside.contains(user))
        return true;
      continue;
    }
    stack.append(user->user_begin(), user->user_end());
  }
  return false;
}

unsigned FusionGraph::bufferCount(const Cluster &cluster) const {
  const ClusterValues values = valuesOf(cluster);
  unsigned count = values.outputs.size();
  bool hasScalars = false;
  for (Value input : values.inputs) {
    auto argument = dyn_cast<BlockArgument>(input);
    auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
    const bool isScalar = func && func.getArgAttr(argument.getArgNumber(), "burn.scalar");
    hasScalars |= isScalar;
    count += !isScalar;
  }
  // Partial results are bound once for each type that they have.
  llvm::SmallPtrSet<Type, 4> partials;
  for (Operation *node : cluster.nodes)
    if ((cluster.split && isa<ir::ReduceOp>(node)) || isa<ir::DotGeneralOp, ir::ConvOp>(node))
      partials.insert(getElementTypeOrSelf(node->getResult(0).getType()));
  return count + hasScalars + partials.size();
}
