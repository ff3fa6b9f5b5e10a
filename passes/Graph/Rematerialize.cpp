#include "passes/Graph/Rematerialize.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace burn;
using namespace burn::compiler;
using ir::ClusterKind;

namespace {

// What smaller values cost is not worth the code.
constexpr int64_t kLeastBytes = 1024;
// Ops that cost more an element are not repeated, nor chains that cost more.
constexpr unsigned kMostOpCost = 12, kMostChainCost = 48;
// Ops whose time is that of moving a number of 4 bytes: from memory, and from a cache.
constexpr int64_t kOpsOfMemory = 24, kOpsOfCache = 8;
// Values from here on come from memory.
constexpr int64_t kMemoryBytes = 4 << 20;
// A donated argument of no more bytes may be read once more, though its update then needs another place.
constexpr int64_t kSmallBytes = 65536;

int64_t sizeOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

int64_t bytesOf(Value value) { return ir::toTypeDesc(value.getType())->byteSize(); }

class Rematerialization {
public:
  Rematerialization(const FusionGraph &graph, MutableArrayRef<Cluster> clusters) : graph_(graph), clusters_(clusters) {
    for (const Cluster &cluster : clusters) {
      inputs_.push_back(cluster.nodes.empty() ? llvm::SetVector<Value>() : graph.valuesOf(cluster).inputs);
    }
    // What is read by more than clusters stays.
    for (Cluster &cluster : clusters)
      if (!cluster.nodes.empty() && standsAlone(cluster.nodes.front()))
        fixed_.insert_range(inputs_[&cluster - clusters.data()]);
    fixed_.insert_range(graph.storedValues({}));
    for (const llvm::SetVector<Value> &inputs : inputs_)
      stored_.insert_range(inputs);
    stored_.insert_range(fixed_);
  }

  void run() {
    // Operands first: a chain then ends at what is still stored.
    for (Operation *node : graph_.nodes())
      if (node->getNumResults() == 1 && isCheap(node))
        consider(node->getResult(0));
  }

private:
  /// Ops to repeat, and the buffers that they read.
  struct Chain {
    llvm::SetVector<Operation *> ops;
    llvm::SetVector<Value> leaves;
    unsigned cost = 0;
  };

  static bool isCheap(Operation *op) { return isa<ir::ElementwiseOpInterface>(op) && payloadCost(op) <= kMostOpCost; }

  void consider(Value value) {
    const int64_t bytes = bytesOf(value);
    if (bytes < kLeastBytes || fixed_.contains(value) || !stored_.contains(value))
      return;
    Chain chain;
    extend(value, chain);
    if (chain.cost > kMostChainCost)
      return;
    SmallVector<size_t> readers;
    const int64_t elements = sizeOf(value);
    const int64_t ops = elements * 4 < kMemoryBytes ? kOpsOfCache : kOpsOfMemory;
    int64_t saved = bytes;
    for (Value leaf : chain.leaves)
      if (!stored_.contains(leaf))
        saved -= bytesOf(leaf);
    for (auto [slot, inputs] : llvm::enumerate(inputs_)) {
      if (!inputs.contains(value))
        continue;
      const int64_t times = timesComputed(clusters_[slot], value);
      if (times == 0)
        return;
      saved += bytes - times * costIn(clusters_[slot], chain) * elements * 4 / ops;
      for (Value leaf : chain.leaves)
        if (!inputs.contains(leaf)) {
          if (isOverwritten(leaf))
            return;
          saved -= bytesOf(leaf);
        }
      readers.push_back(slot);
    }
    if (saved <= 0 || readers.empty())
      return;
    stored_.erase(value);
    stored_.insert_range(chain.leaves);
    for (size_t slot : readers) {
      clusters_[slot].recomputed.insert_range(chain.ops);
      inputs_[slot] = graph_.valuesOf(clusters_[slot]).inputs;
    }
  }

  /// What the chain costs where some of its ops are repeated already.
  static int64_t costIn(const Cluster &cluster, const Chain &chain) {
    int64_t cost = 0;
    for (Operation *op : chain.ops)
      cost += cluster.recomputed.contains(op) ? 0 : payloadCost(op);
    return cost;
  }

  /// Adds what computes the value from others that are stored, or that cost more to compute.
  void extend(Value value, Chain &chain) {
    Operation *op = value.getDefiningOp();
    if (!chain.ops.insert(op))
      return;
    chain.cost += payloadCost(op);
    SmallVector<Value> pending(op->getOperands());
    llvm::SmallPtrSet<Operation *, 8> seen;
    while (!pending.empty()) {
      Value operand = pending.pop_back_val();
      Operation *source = operand.getDefiningOp();
      const bool isSource = !source || graph_.isNode(source) || graph_.isBare(source);
      if (!isSource) {
        if (seen.insert(source).second)
          llvm::append_range(pending, source->getOperands());
      } else if (source && graph_.isNode(source) && !stored_.contains(operand) && isCheap(source) &&
                 sizeOf(operand) >= sizeOf(value)) {
        extend(operand, chain);
      } else {
        chain.leaves.insert(operand);
      }
    }
  }

  /// How often the cluster's kernel would compute each element of the value, 0 where it cannot.
  int64_t timesComputed(const Cluster &cluster, Value value) const {
    if (cluster.kind == ClusterKind::Single) {
      ArrayRef<int64_t> window, strides;
      for (Operation *op : llvm::concat<Operation *const>(cluster.nodes, cluster.recomputed)) {
        Value input;
        if (auto reduce = dyn_cast<ir::ReduceWindowOp>(op))
          input = reduce.getInput(), window = reduce.getWindow(), strides = reduce.getStrides();
        else if (auto search = dyn_cast<ir::ArgReduceWindowOp>(op))
          input = search.getInput(), window = search.getWindow(), strides = search.getStrides();
        else if (auto scatter = dyn_cast<ir::ScatterOp>(op); scatter && scatter.getUpdates() == value)
          return 0;
        if (input && input != value)
          return 0;
      }
      if (window.empty())
        return 0;
      return std::max<int64_t>(1, ShapedType::getNumElements(window) / ShapedType::getNumElements(strides));
    }
    for (Operation *node : cluster.nodes)
      for (const Access &access : graph_.accesses(node))
        if (access.source == value && !graph_.readsInPlace(node, access, cluster.domain))
          return 0;
    return cluster.kind == ClusterKind::Row ? sweepsOf(cluster) : 1;
  }

  /// Sweeps over its rows that a row kernel makes: one for each reduction of a chain, and one for results behind them.
  int64_t sweepsOf(const Cluster &cluster) const {
    llvm::DenseMap<Value, int64_t> levels; // of what depends on reductions
    int64_t sweeps = 1;
    for (Operation *node : cluster.nodes) {
      int64_t level = 0;
      SmallVector<Value> pending(node->getOperands());
      llvm::SmallPtrSet<Operation *, 8> seen;
      while (!pending.empty()) {
        Value operand = pending.pop_back_val();
        if (auto found = levels.find(operand); found != levels.end())
          level = std::max(level, found->second);
        else if (Operation *source = operand.getDefiningOp();
                 source && isTransparent(source) && seen.insert(source).second)
          llvm::append_range(pending, source->getOperands());
      }
      const bool whole = graph_.iterationShape(node) == ArrayRef<int64_t>(cluster.domain.shape);
      if (whole)
        sweeps = std::max(sweeps, level + 1);
      level += isa<ir::ReduceOp>(node);
      for (Value result : node->getResults())
        levels[result] = level;
    }
    return sweeps;
  }

  /// Whether the value's memory may be that of a result: one more reader would keep it from that.
  static bool isOverwritten(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
    return func && func.getArgAttr(argument.getArgNumber(), "burn.donated") && bytesOf(value) > kSmallBytes;
  }

  const FusionGraph &graph_;
  MutableArrayRef<Cluster> clusters_;
  SmallVector<llvm::SetVector<Value>> inputs_;
  llvm::DenseSet<Value> stored_, fixed_;
};

} // namespace

void compiler::rematerialize(const FusionGraph &graph, MutableArrayRef<Cluster> clusters) {
  Rematerialization(graph, clusters).run();
}
