// burn-fuse: groups ops into kernels.
#include "passes/Graph/Fuse.h"
#include "passes/Graph/FusionGraph.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Rematerialize.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/PriorityQueue.h"

namespace burn::compiler {
#define GEN_PASS_DEF_FUSE
#include "passes/Graph/Passes.h.inc"
} // namespace burn::compiler

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::ClusterKind;

namespace {

// Clusters of a function, merged step by step. A cluster is named by its slot; merging empties one.
class Clustering {
public:
  /// No merge makes a kernel of more than `mostBuffers` buffers; 0: any number.
  Clustering(const FusionGraph &graph, unsigned mostBuffers) : graph_(graph), mostBuffers_(mostBuffers) {
    for (Operation *node : graph.nodes()) {
      slotOf_[node] = clusters_.size();
      clusters_.push_back(graph.clusterOf(node));
    }
    for (size_t slot = 0; slot < clusters_.size(); ++slot)
      addEdges(slot);
    orderEffects();
  }

  // Merges along edges whose producer and consumer `wanted` accepts, until nothing changes.
  template <typename Wanted> void mergeEdges(Wanted wanted) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (Operation *node : graph_.nodes()) {
        const size_t consumer = slotOf_[node];
        for (size_t producer : SmallVector<size_t>(producers_[consumer].begin(), producers_[consumer].end())) {
          if (wanted(clusters_[producer], clusters_[consumer]) && tryMerge(producer, consumer)) {
            changed = true;
            break;
          }
        }
      }
    }
  }

  // Merges clusters that do not depend on each other, run over one domain and read a common value; of row clusters
  // also those that read values of one kernel, or what a kernel makes of a value that the other reads.
  void mergeSiblings(ClusterKind kind) {
    for (size_t a = 0; a < clusters_.size(); ++a)
      for (size_t b = a + 1; b < clusters_.size(); ++b) {
        if (clusters_[a].nodes.empty())
          break;
        const Cluster &left = clusters_[a], &right = clusters_[b];
        if (right.nodes.empty() || left.kind != kind || right.kind != kind || left.domain != right.domain ||
            !readCommonValue(left, right))
          continue;
        if (!reaches(a, b, false) && !reaches(b, a, false))
          tryMerge(a, b);
      }
  }

  // The clusters in an order that respects dependences and otherwise keeps that of their last ops:
  // an update of a parameter stays behind the last read of its old value.
  SmallVector<size_t> schedule() const {
    llvm::DenseMap<Operation *, size_t> order;
    for (auto [i, node] : llvm::enumerate(graph_.nodes()))
      order[node] = i;
    using Entry = std::pair<size_t, size_t>; // last op, slot
    llvm::PriorityQueue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
    SmallVector<size_t> waiting(clusters_.size(), 0);
    const auto push = [&](size_t slot) { ready.push({order.lookup(clusters_[slot].nodes.back()), slot}); };
    for (size_t slot = 0; slot < clusters_.size(); ++slot) {
      waiting[slot] = producers_[slot].size();
      if (!clusters_[slot].nodes.empty() && waiting[slot] == 0)
        push(slot);
    }
    SmallVector<size_t> scheduled;
    while (!ready.empty()) {
      const size_t slot = ready.top().second;
      ready.pop();
      scheduled.push_back(slot);
      for (size_t consumer : consumers_[slot])
        if (--waiting[consumer] == 0)
          push(consumer);
    }
    return scheduled;
  }

  MutableArrayRef<Cluster> clusters() { return clusters_; }

private:
  // Slots that provide a value which a node of the cluster reads, bare ops looked through.
  void addProducer(Value value, size_t consumer) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return;
    if (graph_.isBare(op)) {
      for (Value operand : op->getOperands())
        addProducer(operand, consumer);
      return;
    }
    auto it = slotOf_.find(op);
    if (it == slotOf_.end() || it->second == consumer)
      return;
    producers_[consumer].insert(it->second);
    consumers_[it->second].insert(consumer);
  }

  void addEdges(size_t slot) {
    if (producers_.size() < clusters_.size()) {
      producers_.resize(clusters_.size());
      consumers_.resize(clusters_.size());
    }
    for (Operation *node : clusters_[slot].nodes)
      for (const Access &access : graph_.accesses(node))
        addProducer(access.source, slot);
  }

  // What prints or ends the run does so in the order of the program, though nothing else connects it.
  void orderEffects() {
    Operation *previous = nullptr;
    for (Operation *node : graph_.nodes()) {
      if (!isa<ir::PrintOp, ir::AssertOp>(node))
        continue;
      if (previous) {
        producers_[slotOf_[node]].insert(slotOf_[previous]);
        consumers_[slotOf_[previous]].insert(slotOf_[node]);
      }
      previous = node;
    }
  }

  // Whether a path leads from one cluster to another; with `indirect` only paths through a third.
  bool reaches(size_t from, size_t to, bool indirect) const {
    SmallVector<size_t> stack;
    llvm::SmallBitVector seen(clusters_.size());
    for (size_t next : consumers_[from])
      if (!(indirect && next == to))
        stack.push_back(next);
    while (!stack.empty()) {
      const size_t slot = stack.pop_back_val();
      if (slot == to)
        return true;
      if (seen.test(slot))
        continue;
      seen.set(slot);
      stack.append(consumers_[slot].begin(), consumers_[slot].end());
    }
    return false;
  }

  // Whether the consumer reads a reshape between buffers of what the producer computes: that buffer
  // must then be complete before the consumer starts.
  bool readsThroughBuffer(size_t producer, size_t consumer) const {
    for (Operation *node : clusters_[consumer].nodes)
      for (const Access &access : graph_.accesses(node)) {
        Operation *source = access.source.getDefiningOp();
        const bool bare = source && graph_.isBare(source);
        while (source && graph_.isBare(source))
          source = source->getNumOperands() ? source->getOperand(0).getDefiningOp() : nullptr;
        if (bare && source && slotOf_.lookup(source) == producer && slotOf_.contains(source))
          return true;
      }
    return false;
  }

  bool tryMerge(size_t producer, size_t consumer) {
    std::optional<Cluster> merged = graph_.merged(clusters_[producer], clusters_[consumer]);
    if (!merged || readsThroughBuffer(producer, consumer) || reaches(producer, consumer, /*indirect=*/true))
      return false;
    if (mostBuffers_ && graph_.bufferCount(*merged) > mostBuffers_)
      return false;
    clusters_[consumer] = std::move(*merged);
    clusters_[producer].nodes.clear();
    for (Operation *node : clusters_[consumer].nodes)
      slotOf_[node] = consumer;
    producers_[consumer].remove(producer);
    for (size_t slot : producers_[producer]) {
      consumers_[slot].remove(producer);
      if (slot != consumer) {
        consumers_[slot].insert(consumer);
        producers_[consumer].insert(slot);
      }
    }
    for (size_t slot : consumers_[producer]) {
      producers_[slot].remove(producer);
      if (slot != consumer) {
        producers_[slot].insert(consumer);
        consumers_[consumer].insert(slot);
      }
    }
    producers_[producer].clear();
    consumers_[producer].clear();
    return true;
  }

  bool readCommonValue(const Cluster &a, const Cluster &b) const {
    const Sources of = sourcesOf(a), by = sourcesOf(b);
    const auto meet = [](const auto &left, const auto &right) {
      return llvm::any_of(left, [&](auto each) { return right.contains(each); });
    };
    if (meet(of.values, by.values))
      return true;
    return a.kind == ClusterKind::Row &&
           (meet(of.kernels, by.kernels) || meet(of.behind, by.values) || meet(by.behind, of.values));
  }

  struct Sources {
    llvm::DenseSet<Value> values;   // but for scalars
    llvm::DenseSet<size_t> kernels; // that compute those which are as large as the domain
    llvm::DenseSet<Value> behind;   // values of that size which these kernels read
  };

  Sources sourcesOf(const Cluster &cluster) const {
    const int64_t size = ShapedType::getNumElements(cluster.domain.shape);
    const auto isWhole = [&](Value value) { return cast<RankedTensorType>(value.getType()).getNumElements() == size; };
    Sources sources;
    for (Operation *node : cluster.nodes)
      for (const Access &access : graph_.accesses(node)) {
        if (!cast<RankedTensorType>(access.source.getType()).getShape().empty())
          sources.values.insert(access.source);
        auto slot = slotOf_.find(access.source.getDefiningOp());
        if (slot == slotOf_.end() || !isWhole(access.source) || !sources.kernels.insert(slot->second).second)
          continue;
        for (Operation *behind : clusters_[slot->second].nodes)
          for (const Access &read : graph_.accesses(behind))
            if (isWhole(read.source))
              sources.behind.insert(read.source);
      }
    return sources;
  }

  const FusionGraph &graph_;
  const unsigned mostBuffers_;
  SmallVector<Cluster, 0> clusters_;
  llvm::DenseMap<Operation *, size_t> slotOf_;
  SmallVector<llvm::SetVector<size_t>> producers_, consumers_;
};

// Writes the clusters as burn.fused ops.
class Outliner {
public:
  /// `stored`: what has a buffer.
  Outliner(Block &block, const FusionGraph &graph, const llvm::DenseSet<Value> &stored)
      : graph_(graph), stored_(stored), block_(block), builder_(block_.getTerminator()) {}

  void outline(const Cluster &cluster) {
    if (standsAlone(cluster.nodes.front()))
      return keep(cluster.nodes.front());
    const auto [inputs, outputs, ops] = neededBy(cluster);
    if (outputs.empty()) // all who need the values compute them again
      return;

    SmallVector<Value> operands;
    for (Value input : inputs)
      operands.push_back(materialized(input));
    SmallVector<Location> locations;
    for (Operation *node : cluster.nodes)
      locations.push_back(node->getLoc());
    auto fused = ir::FusedOp::create(builder_, builder_.getFusedLoc(locations), TypeRange(ValueRange(outputs)),
                                     cluster.kind, operands);
    if (cluster.kind == ClusterKind::Row) {
      fused->setAttr("domain", builder_.getDenseI64ArrayAttr(cluster.domain.shape));
      fused->setAttr("reduce_dims", builder_.getDenseI64ArrayAttr(cluster.domain.reduceDims));
      if (!cluster.domain.walk.empty())
        fused->setAttr(walkAttrName, builder_.getDenseI64ArrayAttr(cluster.domain.walk));
    }
    OpBuilder::InsertionGuard guard(builder_);
    Block *body = builder_.createBlock(&fused.getBody());
    IRMapping mapping;
    for (Value input : inputs)
      mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
    for (Operation *op : ops)
      builder_.clone(*op, mapping);
    SmallVector<Value> yielded;
    for (Value output : outputs)
      yielded.push_back(mapping.lookup(output));
    ir::YieldOp::create(builder_, fused.getLoc(), yielded);
    for (auto [output, result] : llvm::zip_equal(outputs, fused.getResults()))
      replacement_[output] = result;
  }

  // Replaces what is left of the old ops.
  void finish() {
    Operation *end = block_.getTerminator();
    for (OpOperand &operand : end->getOpOperands())
      operand.set(materialized(operand.get()));
    SmallVector<Operation *> old;
    for (Operation &op : block_.without_terminator())
      if (!isa<ir::FusedOp>(op) && !kept_.contains(&op))
        old.push_back(&op);
    for (Operation *op : llvm::reverse(old))
      op->erase();
  }

private:
  struct Needed {
    SmallVector<Value> inputs, outputs;
    SmallVector<Operation *> ops;
  };

  // The cluster without what serves values that others compute for themselves.
  Needed neededBy(const Cluster &cluster) const {
    const ClusterValues values = graph_.valuesOf(cluster);
    Needed needed;
    for (Operation *node : cluster.nodes)
      for (Value result : node->getResults())
        if (stored_.contains(result))
          needed.outputs.push_back(result);
    llvm::DenseSet<Value> reached;
    SmallVector<Value> pending(needed.outputs);
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!reached.insert(value).second)
        continue;
      Operation *op = value.getDefiningOp();
      if (!op || !values.inside.contains(op))
        continue;
      needed.ops.push_back(op);
      llvm::append_range(pending, op->getOperands());
    }
    llvm::sort(needed.ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    needed.ops.erase(llvm::unique(needed.ops), needed.ops.end());
    llvm::copy_if(values.inputs, std::back_inserter(needed.inputs),
                  [&](Value value) { return reached.contains(value); });
    return needed;
  }

  // Leaves an op outside of kernels, at its place in the schedule.
  void keep(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      operand.set(materialized(operand.get()));
    op->moveBefore(block_.getTerminator());
    kept_.insert(op);
    for (Value result : op->getResults())
      replacement_[result] = result;
  }

  // The value as it stands in the new program; bare ops are copied when they are first read.
  Value materialized(Value value) {
    if (Value replaced = replacement_.lookup(value))
      return replaced;
    Operation *op = value.getDefiningOp();
    if (!op)
      return value;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, materialized(operand));
    Operation *copy = builder_.clone(*op, mapping);
    kept_.insert(copy);
    replacement_[value] = copy->getResult(0);
    return copy->getResult(0);
  }

  const FusionGraph &graph_;
  const llvm::DenseSet<Value> &stored_;
  Block &block_;
  OpBuilder builder_;
  llvm::DenseMap<Value, Value> replacement_;
  llvm::SmallPtrSet<Operation *, 16> kept_;
};

// A returned constant or host scalar needs a buffer of its own: returns a copy of it instead.
void copyReturnedScalars(func::FuncOp func) {
  Operation *end = func.getBody().front().getTerminator();
  OpBuilder builder(end);
  for (OpOperand &operand : end->getOpOperands()) {
    Value source = bufferOf(operand.get());
    auto argument = dyn_cast<BlockArgument>(source);
    const bool isScalar = argument && func.getArgAttr(argument.getArgNumber(), "burn.scalar");
    if (!isScalar && !source.getDefiningOp<ir::ConstantOp>())
      continue;
    auto type = cast<RankedTensorType>(operand.get().getType());
    SmallVector<int64_t> none(type.getRank(), 0), ones(type.getRank(), 1);
    operand.set(ir::SliceOp::create(builder, end->getLoc(), operand.get(), none, type.getShape(), ones));
  }
}

struct Fuse : compiler::impl::FuseBase<Fuse> {
  using FuseBase::FuseBase;
  Fuse() = default;
  Fuse(const Fuse &other) : FuseBase(other) {}

  Option<unsigned> mostBuffers{*this, "most-buffers",
                               llvm::cl::desc("Most buffers of a kernel that is merged; 0: any number."),
                               llvm::cl::init(0)};

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    if (!func.getBody().hasOneBlock()) {
      func.emitOpError("expects a body of one block");
      return signalPassFailure();
    }
    copyReturnedScalars(func);
    SmallVector<Block *> blocks{&func.getBody().front()};
    func.walk([&](Operation *op) {
      if (isa<ir::IfOp, ir::ForOp, ir::WhileOp>(op))
        for (Region &region : op->getRegions())
          blocks.push_back(&region.front());
    });
    for (Block *block : blocks)
      fuse(*block);
  }

private:
  // Gives every product a conversion of its own for each operand that it can convert as it reads.
  static void separateConversions(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!isa<ir::DotGeneralOp>(op))
        continue;
      for (OpOperand &operand : op.getOpOperands()) {
        Operation *source = operand.get().getDefiningOp();
        if (source && source->getBlock() == &block && canConvertOnRead(source) && !source->hasOneUse())
          operand.set(OpBuilder(&op).clone(*source)->getResult(0));
      }
    }
  }

  void fuse(Block &block) {
    if (enabled && convertOnRead)
      separateConversions(block);
    const FusionGraph graph(block, enabled, convertOnRead, recompute, turnReductions);
    Clustering clustering(graph, mostBuffers);
    if (enabled) {
      // Contractions take what follows them first: their results are the most expensive to store.
      clustering.mergeEdges(
          [](const Cluster &producer, const Cluster &) { return producer.kind == ClusterKind::Contraction; });
      clustering.mergeEdges([](const Cluster &producer, const Cluster &consumer) {
        return producer.kind == ClusterKind::Row || consumer.kind == ClusterKind::Row;
      });
      clustering.mergeEdges([](const Cluster &, const Cluster &) { return true; });
      clustering.mergeSiblings(ClusterKind::Row);
      clustering.mergeSiblings(ClusterKind::Elementwise);
      if (recompute)
        rematerialize(graph, clustering.clusters());
    }
    const llvm::DenseSet<Value> stored = graph.storedValues(clustering.clusters());
    Outliner outliner(block, graph, stored);
    for (size_t slot : clustering.schedule())
      outliner.outline(clustering.clusters()[slot]);
    outliner.finish();
  }
};

} // namespace

std::unique_ptr<Pass> compiler::createFuse(const FuseOptions &options, unsigned mostBuffers) {
  auto pass = std::make_unique<Fuse>(options);
  pass->mostBuffers = mostBuffers;
  return pass;
}
