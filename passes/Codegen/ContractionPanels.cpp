#include "passes/Codegen/ContractionPanels.h"

#include "dialects/Burn/Interpreter/Evaluation.h"
#include "passes/Codegen/ContractionDots.h"
#include "passes/Codegen/ContractionLayout.h"

#include <cmath>
#include <limits>

namespace burn::compiler {
namespace {

using Streams = llvm::SmallVector<int64_t, 4>;

// The streams at a linear index over loops of static size.
Streams streamsFrom(Streams at, llvm::ArrayRef<StreamLoop> loops, int64_t linear) {
  for (const StreamLoop &loop : llvm::reverse(loops)) {
    const int64_t i = linear % loop.size;
    linear /= loop.size;
    for (auto [value, stride] : llvm::zip(at, loop.strides))
      value += i * stride;
  }
  return at;
}

// The elements as numbers of this kind, which holds all of theirs.
ir::HostTensor widened(const ir::HostTensor &operand, const ir::ScalarKind &kind) {
  if (byteWidth(operand.type.dtype) * 8 == kind.width)
    return operand;
  const DType dtype = kind.isFloat() ? DType::F32 : kind.width == 16 ? DType::I16 : DType::I32;
  ir::HostTensor result(core::TypeDesc{dtype, operand.type.shape});
  ir::meaning::store(result, ir::meaning::load<double>(operand));
  return result;
}

// Panels of single elements, which are words of the width of sums.
template <typename Word>
void packWords(const ContractionLayout &layout, bool rows, std::span<const Word> from, std::span<Word> to) {
  const Contraction &c = layout.contraction;
  const int64_t size = rows ? layout.tiling.tileRows : layout.tiling.tileLanes,
                pitch = rows ? layout.rowPitch : layout.tiling.tileLanes,
                count = rows ? layout.rowCount : layout.laneCount,
                panels = rows ? layout.allRowPanels : layout.allLanePanels,
                panelElements = rows ? layout.readyRowElements : layout.readyLaneElements;
  const bool isWindow = isConvolved(c, rows);
  Streams start = {rows ? c.rowsBase : c.lanesBase};
  if (isWindow)
    for (const WindowAxis &axis : c.window)
      start.push_back(axis.offset);
  const auto batches = operandStreams(c, rows, LoopGroup::Batch),
             lanes = operandStreams(c, rows, rows ? LoopGroup::Row : LoopGroup::Lane),
             steps = operandStreams(c, rows, LoopGroup::Contracted);
  const auto element = [&](const Streams &step, const Streams &lane) -> Word {
    int64_t offset = step[0] + lane[0];
    if (isWindow)
      for (auto [i, axis] : llvm::enumerate(c.window)) {
        const int64_t coordinate = step[1 + i] + lane[1 + i];
        if (coordinate < 0 || coordinate > (axis.extent - 1) * axis.dilation || coordinate % axis.dilation != 0)
          return Word(0);
        offset += coordinate / axis.dilation * axis.stride;
      }
    return from[offset];
  };
  for (int64_t batch = 0; batch < layout.batchCount; ++batch)
    for (int64_t panel = 0; panel < panels; ++panel) {
      Word *target = to.data() + (batch * panels + panel) * panelElements;
      const int64_t first = panel * size, exist = std::min(size, count - first);
      llvm::SmallVector<Streams> across;
      for (int64_t lane = 0; lane < exist; ++lane)
        across.push_back(streamsFrom(Streams(start.size(), 0), lanes, first + lane));
      const Streams origin = streamsFrom(start, batches, batch);
      for (int64_t step = 0; step < layout.stepCount; ++step) {
        const Streams along = streamsFrom(origin, steps, step);
        for (int64_t lane = 0; lane < exist; ++lane)
          target[step * pitch + lane] = element(along, across[lane]);
      }
    }
}

// Panels of groups of neighbouring steps.
class GroupPanels {
public:
  GroupPanels(const DotLayout &layout, const DotRoles &roles, bool rows, std::span<const std::byte> from,
              std::span<uint32_t> to)
      : layout_(layout), roles_(roles), c_(layout.contraction), rows_(rows), from_(from), to_(to),
        kind_(rows ? roles.rows : roles.lanes) {}

  void pack() {
    const int64_t size = rows_ ? layout_.panelRows : layout_.panelLanes,
                  count = rows_ ? layout_.rowCount : layout_.laneCount,
                  panels = rows_ ? layout_.allRowPanels : layout_.allLanePanels,
                  elements = rows_ ? layout_.rowPanelElements : layout_.lanePanelElements;
    const auto batches = operandStreams(c_, rows_, LoopGroup::Batch);
    for (int64_t batch = 0; batch < layout_.batchCount; ++batch) {
      const int64_t start = streamsFrom({rows_ ? c_.rowsBase : c_.lanesBase}, batches, batch)[0];
      for (int64_t panel = 0; panel < panels; ++panel)
        for (int64_t lane = 0; lane < std::min(size, count - panel * size); ++lane)
          packLane((batch * panels + panel) * elements, lane, start, panel * size + lane);
    }
  }

private:
  void packLane(int64_t panel, int64_t lane, int64_t start, int64_t number) {
    const ContractionLoop &across = (rows_ ? c_.rows : c_.lanes).front(), &along = c_.contracted.front();
    const int64_t first = start + number * (rows_ ? across.rowStride : across.laneStride),
                  stride = rows_ ? along.rowStride : along.laneStride, width = kind_.width / 8;
    uint32_t sum = 0; // of what moving the rows adds, whose end the panel has
    for (int64_t group = 0; group * roles_.group < layout_.stepCount; ++group) {
      const int64_t steps = std::min(roles_.group, layout_.stepCount - group * roles_.group);
      uint32_t word = 0;
      for (int64_t i = 0; i < steps; ++i)
        std::memcpy(reinterpret_cast<std::byte *>(&word) + i * width,
                    from_.data() + (first + (group * roles_.group + i) * stride) * width, size_t(width));
      for (int64_t i = 0; i < steps && roles_.movesRows && !rows_; ++i) {
        const auto bits = static_cast<uint8_t>(word >> (8 * i));
        sum += roles_.lanesFirst ? uint32_t(-128 * int32_t(bits)) : uint32_t(128 * int32_t(static_cast<int8_t>(bits)));
      }
      to_[panel + placeOf(group, lane)] = rows_ && roles_.movesRows ? word ^ 0x80808080u : word;
    }
    if (!rows_ && roles_.movesRows)
      to_[panel + layout_.panelLanes * layout_.groups + lane] = 0u - sum;
  }

  int64_t placeOf(int64_t group, int64_t lane) const {
    if (!rows_)
      return group * layout_.panelLanes + lane;
    if (!layout_.tiles)
      return group * layout_.rowPitch + lane;
    return group / kSquare * kSquare * kSquare + lane * kSquare + group % kSquare;
  }

  const DotLayout &layout_;
  const DotRoles &roles_;
  const Contraction &c_;
  bool rows_;
  std::span<const std::byte> from_;
  std::span<uint32_t> to_;
  ir::ScalarKind kind_;
};

// A panel of a direct convolution: its steps, then what each tap adds where it meets no element, and what those of a
// part do that meet gaps: 0, or NaN.
template <typename Number>
void packKernelPanel(const DirectConvolution &conv, const DirectPanels &panels, int64_t number,
                     std::span<const Number> from, Number *to) {
  const ConvolutionAxis &vertical = conv.axes[0], &horizontal = conv.axes[1];
  const int64_t perGroup = llvm::divideCeil(conv.lanes().size, panels.lanes), first = number % perGroup * panels.lanes,
                start = conv.isDepthwise ? 0 : number / perGroup * conv.groups.kernel,
                exist = std::min(panels.lanes, conv.lanes().size - first), taps = vertical.taps * horizontal.taps,
                steps = conv.channels.size * taps;
  const auto stepAt = [&](int64_t step) {
    const int64_t tap = step % taps;
    return step / taps * conv.channels.kernel + tap / horizontal.taps * vertical.kernelStride +
           tap % horizontal.taps * horizontal.kernelStride;
  };
  for (int64_t step = 0; step < steps; ++step)
    for (int64_t lane = 0; lane < exist; ++lane)
      to[step * panels.lanes + lane] = from[start + stepAt(step) + (first + lane) * conv.lanes().kernel];
  if constexpr (std::is_floating_point_v<Number>) {
    if (panels.elements == steps * panels.lanes)
      return;
    Number *nothing = to + steps * panels.lanes;
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t lane = 0; lane < exist; ++lane)
        if (!std::isfinite(to[step * panels.lanes + lane]))
          nothing[step % taps * panels.lanes + lane] = std::numeric_limits<Number>::quiet_NaN();
    const auto verticalParts = conv.parts(0), horizontalParts = conv.parts(1);
    if (verticalParts.size() * horizontalParts.size() == 1)
      return;
    Number *gaps = nothing + taps * panels.lanes;
    for (const AxisPart &v : verticalParts)
      for (const AxisPart &h : horizontalParts) {
        for (int64_t tap = 0; tap < taps; ++tap) {
          const bool meets =
              tap / horizontal.taps % v.tapStride == v.firstTap && tap % horizontal.taps % h.tapStride == h.firstTap;
          for (int64_t lane = 0; lane < exist && !meets; ++lane)
            gaps[lane] += nothing[tap * panels.lanes + lane];
        }
        gaps += panels.lanes;
      }
  }
}

template <typename Number>
void packKernel(const DirectConvolution &conv, const DirectPanels &panels, const ir::HostTensor &kernel,
                std::vector<std::byte> &to) {
  for (int64_t number = 0; number * panels.elements < panels.all(conv); ++number)
    packKernelPanel<Number>(conv, panels, number, kernel.data<Number>(),
                            reinterpret_cast<Number *>(to.data()) + number * panels.elements);
}

} // namespace

std::vector<std::byte> packedKernel(const DirectConvolution &conv, const DirectPanels &panels,
                                    const ContractionKinds &kinds, const ir::HostTensor &kernel) {
  const ir::HostTensor source = widened(kernel, kinds.sum);
  std::vector<std::byte> packed(size_t(panels.all(conv)) * (kinds.sum.width / 8));
  if (kinds.sum.isFloat() && kinds.sum.width == 64)
    packKernel<double>(conv, panels, source, packed);
  else if (kinds.sum.isFloat())
    packKernel<float>(conv, panels, source, packed);
  else if (kinds.sum.width == 64)
    packKernel<uint64_t>(conv, panels, source, packed);
  else
    packKernel<uint32_t>(conv, panels, source, packed);
  return packed;
}

std::vector<std::byte> packedPanels(const Contraction &contraction, const ContractionTiling &tiling,
                                    const ContractionKinds &kinds, bool rows, const ir::HostTensor &operand) {
  const int64_t elements = readyPanelElements(contraction, tiling, rows);
  std::vector<std::byte> panels(size_t(elements) * (kinds.sum.width / 8));
  if (tiling.dot != DotInstruction::None) {
    const DotLayout layout(contraction, tiling);
    const DotRoles roles = dotRoles(tiling.dot, kinds, layout.contraction.lhsIsRows);
    const ir::HostTensor source = widened(operand, rows ? roles.rows : roles.lanes);
    GroupPanels(layout, roles, rows, source.bytes, {reinterpret_cast<uint32_t *>(panels.data()), size_t(elements)})
        .pack();
    return panels;
  }
  const ContractionLayout layout(contraction, tiling);
  const ir::HostTensor source = widened(operand, kinds.sum);
  if (kinds.sum.width == 64)
    packWords<uint64_t>(layout, rows, source.data<uint64_t>(),
                        {reinterpret_cast<uint64_t *>(panels.data()), size_t(elements)});
  else
    packWords<uint32_t>(layout, rows, source.data<uint32_t>(),
                        {reinterpret_cast<uint32_t *>(panels.data()), size_t(elements)});
  return panels;
}

} // namespace burn::compiler
