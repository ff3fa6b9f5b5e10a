#include "test/unit/frontend/ArrayFunctions.h"

namespace golden {

using namespace burn;

namespace {

// A function of all inputs as a list.
Function joining(Tensor (*function)(std::span<const Tensor>, Where)) {
  return one([function](const Call &call) {
    std::vector<Tensor> list;
    for (const auto &[name, tensor] : call.inputs)
      list.push_back(tensor);
    return function(list, Where::current());
  });
}
Function loss(std::function<Tensor(const Call &, Reduction)> function) {
  return one([function](const Call &call) {
    const std::string name = call.text("reduction");
    return function(call, name == "mean" ? Reduction::Mean : name == "sum" ? Reduction::Sum : Reduction::None);
  });
}
std::optional<double> optionalReal(const Call &call, const std::string &name) {
  return call.has(name) ? std::optional(call.real(name)) : std::nullopt;
}

Table elementwise() {
  return {
      {"addcdiv", one([](const Call &c) { return addcdiv(c["x"], c["a"], c["b"], c.real("value")); })},
      {"addcmul", one([](const Call &c) { return addcmul(c["x"], c["a"], c["b"], c.real("value")); })},
      {"bitwise_and", binary(bitwise_and)},
      {"bitwise_not", unary(bitwise_not)},
      {"bitwise_or", binary(bitwise_or)},
      {"bitwise_xor", binary(bitwise_xor)},
      {"clamp_tensor", one([](const Call &c) { return clamp(c["x"], c["low"], c["high"]); })},
      {"deg2rad", unary(deg2rad)},
      {"fmax", binary(fmax)},
      {"fmin", binary(fmin)},
      {"heaviside", one([](const Call &c) { return heaviside(c["x"], c["v"]); })},
      {"isclose", one([](const Call &c) { return isclose(c["a"], c["b"], 1e-5, 1e-8, c.flag("equal_nan")); })},
      {"isneginf", unary(isneginf)},
      {"isposinf", unary(isposinf)},
      {"lerp_tensor", one([](const Call &c) { return lerp(c["a"], c["b"], c["w"]); })},
      {"logaddexp", binary(logaddexp)},
      {"logaddexp2", binary(logaddexp2)},
      {"logit", one([](const Call &c) { return logit(c["x"], optionalReal(c, "eps")); })},
      {"nan_to_num",
       one([](const Call &c) { return nan_to_num(c["x"], c.real("nan"), c.real("posinf"), c.real("neginf")); })},
      {"rad2deg", unary(rad2deg)},
      {"softmin", one([](const Call &c) { return softmin(c["x"], c.integer("dim")); })},
      {"xlog1py", binary(xlog1py)},
      {"xlogy", binary(xlogy)},
  };
}

Table movements() {
  return {
      {"block_diag", joining(block_diag)},
      {"cartesian_prod", joining(cartesian_prod)},
      {"channel_shuffle", one([](const Call &c) { return channel_shuffle(c["x"], c.integer("groups")); })},
      {"chunk", [](const Call &c) { return c["x"].chunk(c.integer("chunks"), c.integer("dim")); }},
      {"column_stack", joining(column_stack)},
      {"diag", one([](const Call &c) { return c["x"].diag(c.integer("diagonal")); })},
      {"diag_embed", one([](const Call &c) { return c["x"].diag_embed(c.integer("offset")); })},
      {"diagflat", one([](const Call &c) { return diagflat(c["x"]); })},
      {"diagonal",
       one([](const Call &c) { return c["x"].diagonal(c.integer("offset"), c.integer("dim1"), c.integer("dim2")); })},
      {"dstack", joining(dstack)},
      {"fliplr", unary(fliplr)},
      {"flipud", unary(flipud)},
      {"hstack", joining(hstack)},
      {"logspace", one([](const Call &c) {
         return logspace(c.real("start"), c.real("stop"), c.integer("count"), c.real("base"), DType::F64);
       })},
      {"meshgrid",
       [](const Call &c) {
         return meshgrid({c["a"], c["b"]}, c.text("indexing") == "ij" ? GridIndexing::IJ : GridIndexing::XY);
       }},
      {"movedim", one([](const Call &c) { return c["x"].movedim(c.dims("source"), c.dims("destination")); })},
      {"pad", one([](const Call &c) {
         const std::string mode = c.text("mode");
         return pad(c["x"], c.dims("last_dim"),
                    mode == "reflect"     ? PadMode::Reflect
                    : mode == "replicate" ? PadMode::Replicate
                                          : PadMode::Circular);
       })},
      {"pixel_shuffle", one([](const Call &c) { return pixel_shuffle(c["x"], c.integer("r")); })},
      {"pixel_unshuffle", one([](const Call &c) { return pixel_unshuffle(c["x"], c.integer("r")); })},
      {"repeat", one([](const Call &c) { return c["x"].repeat(c.dims("repeats")); })},
      {"repeat_interleave",
       one([](const Call &c) { return c["x"].repeat_interleave(c.integer("repeats"), c.integer("dim")); })},
      {"roll", one([](const Call &c) { return c["x"].roll(c.dims("shifts"), c.dims("dims")); })},
      {"rot90", one([](const Call &c) { return c["x"].rot90(c.integer("k"), c.dims("dims")); })},
      {"split", [](const Call &c) { return c["x"].split(c.integer("size"), c.integer("dim")); }},
      {"tensor_split", [](const Call &c) { return c["x"].tensor_split(c.integer("sections")); }},
      {"tensor_unfold",
       one([](const Call &c) { return c["x"].unfold(c.integer("dim"), c.integer("size"), c.integer("step")); })},
      {"tile", one([](const Call &c) { return c["x"].tile(c.dims("repeats")); })},
      {"tril", one([](const Call &c) { return c["x"].tril(c.integer("diagonal")); })},
      {"tril_indices",
       one([](const Call &c) { return tril_indices(c.integer("rows"), c.integer("columns"), c.integer("offset")); })},
      {"triu", one([](const Call &c) { return c["x"].triu(c.integer("diagonal")); })},
      {"triu_indices",
       one([](const Call &c) { return triu_indices(c.integer("rows"), c.integer("columns"), c.integer("offset")); })},
      {"unbind", [](const Call &c) { return c["x"].unbind(c.integer("dim")); }},
      {"unflatten", one([](const Call &c) { return c["x"].unflatten(c.integer("dim"), c.dims("sizes")); })},
      {"vstack", joining(vstack)},
  };
}

Table picking() {
  return {
      {"bucketize", one([](const Call &c) { return bucketize(c["x"], c["s"], c.flag("right")); })},
      {"index_copy", one([](const Call &c) { return c["x"].index_copy(c.integer("dim"), c["i"], c["s"]); })},
      {"index_fill", one([](const Call &c) { return c["x"].index_fill(c.integer("dim"), c["i"], c.real("value")); })},
      {"searchsorted", one([](const Call &c) { return searchsorted(c["s"], c["x"], c.flag("right")); })},
      {"select_scatter",
       one([](const Call &c) { return c["x"].select_scatter(c["s"], c.integer("dim"), c.integer("index")); })},
      {"slice_scatter", one([](const Call &c) {
         return c["x"].slice_scatter(c["s"], c.integer("dim"), c.integer("start"), c.integer("stop"));
       })},
      {"take", one([](const Call &c) { return c["x"].take(c["i"]); })},
  };
}

Table reductions() {
  return {
      {"aminmax",
       [](const Call &c) {
         const auto [min, max] = aminmax(c["x"], c.dims("dim"));
         return Results{min, max};
       }},
      {"corrcoef", unary(corrcoef)},
      {"count_nonzero", one([](const Call &c) { return c["x"].count_nonzero(c.dims("dim")); })},
      {"cov", one([](const Call &c) { return cov(c["x"]); })},
      {"diff", one([](const Call &c) { return c["x"].diff(c.integer("n"), c.integer("dim")); })},
      {"dist", one([](const Call &c) { return c["a"].dist(c["b"], c.real("p")); })},
      {"histc", one([](const Call &c) { return histc(c["x"], c.integer("bins"), c.real("low"), c.real("high")); })},
      {"nanmean", one([](const Call &c) { return c["x"].nanmean(c.dims("dim"), c.flag("keepdim")); })},
      {"nansum", one([](const Call &c) { return c["x"].nansum(c.dims("dim"), c.flag("keepdim")); })},
      {"std_mean",
       [](const Call &c) {
         const auto [deviation, mean] = std_mean(c["x"], c.dims("dim"), c.integer("correction"));
         return Results{deviation, mean};
       }},
      {"trapezoid", one([](const Call &c) {
         return c.has("dx") ? trapezoid(c["x"], c.real("dx"), c.integer("dim"))
                            : trapezoid(c["x"], c["t"], c.integer("dim"));
       })},
      {"var_mean",
       [](const Call &c) {
         const auto [variance, mean] = var_mean(c["x"], c.dims("dim"), c.integer("correction"));
         return Results{variance, mean};
       }},
      {"vector_norm", one([](const Call &c) { return vector_norm(c["x"], c.real("ord"), c.dims("dim")); })},
  };
}

Table products() {
  const auto added = [](auto function) {
    return one([function](const Call &c) {
      return function(c["x"], c["a"], c["b"], Scalar(c.real("beta")), Scalar(c.real("alpha")), Where::current());
    });
  };
  return {
      {"addbmm", added(addbmm)},
      {"addmm", added(addmm)},
      {"addmv", added(addmv)},
      {"addr", added(addr)},
      {"baddbmm", added(baddbmm)},
      {"bilinear", one([](const Call &c) { return bilinear(c["a"], c["b"], c["w"], c["bias"]); })},
      {"cdist", one([](const Call &c) { return cdist(c["a"], c["b"], c.real("p")); })},
      {"cross", one([](const Call &c) { return c["a"].cross(c["b"], c.integer("dim")); })},
      {"einsum", one([](const Call &c) {
         std::vector<Tensor> tensors;
         for (size_t i = 0; i < c.inputs.size(); ++i)
           tensors.push_back(c["x" + std::to_string(i)]);
         return einsum(c.text("equation"), tensors);
       })},
      {"inner", one([](const Call &c) { return c["a"].inner(c["b"]); })},
      {"kron", one([](const Call &c) { return c["a"].kron(c["b"]); })},
      {"matrix_power", one([](const Call &c) { return c["x"].matrix_power(c.integer("n")); })},
      {"multi_dot", joining(multi_dot)},
      {"mv", one([](const Call &c) { return c["a"].mv(c["b"]); })},
      {"normalize", one([](const Call &c) { return normalize(c["x"], c.real("p"), c.dims("dim")); })},
      {"outer", one([](const Call &c) { return c["a"].outer(c["b"]); })},
      {"pairwise_distance", one([](const Call &c) { return pairwise_distance(c["a"], c["b"]); })},
      {"renorm", one([](const Call &c) { return c["x"].renorm(c.real("p"), c.integer("dim"), c.real("maxnorm")); })},
      {"tensordot", one([](const Call &c) {
         return c.has("dims") ? tensordot(c["a"], c["b"], c.integer("dims"))
                              : tensordot(c["a"], c["b"], c.dims("dims_a"), c.dims("dims_b"));
       })},
      {"trace", one([](const Call &c) { return c["x"].trace(); })},
      {"vander", one([](const Call &c) {
         return vander(c["x"], c.has("n") ? std::optional(c.integer("n")) : std::nullopt,
                       c.attrs.value("increasing", false));
       })},
  };
}

Table losses() {
  return {
      {"binary_cross_entropy",
       loss([](const Call &c, Reduction r) { return binary_cross_entropy(c["x"], c["t"], c["w"], r); })},
      {"binary_cross_entropy_with_logits", loss([](const Call &c, Reduction r) {
         return binary_cross_entropy_with_logits(c["x"], c["t"], c["w"], r, c["pw"]);
       })},
      {"cosine_embedding_loss", loss([](const Call &c, Reduction r) {
         return cosine_embedding_loss(c["a"], c["b"], c["t"], c.real("margin"), r);
       })},
      {"cross_entropy", loss([](const Call &c, Reduction r) {
         return cross_entropy(c["x"], c["t"], c["w"], r, -100, c.real("label_smoothing"));
       })},
      {"gaussian_nll_loss", loss([](const Call &c, Reduction r) {
         return gaussian_nll_loss(c["x"], c["t"], c["v"], c.flag("full"), 1e-6, r);
       })},
      {"hinge_embedding_loss",
       loss([](const Call &c, Reduction r) { return hinge_embedding_loss(c["x"], c["t"], c.real("margin"), r); })},
      {"margin_ranking_loss", loss([](const Call &c, Reduction r) {
         return margin_ranking_loss(c["a"], c["b"], c["t"], c.real("margin"), r);
       })},
      {"multi_margin_loss", loss([](const Call &c, Reduction r) {
         return multi_margin_loss(c["x"], c["t"], c.integer("p"), c.real("margin"), c["w"], r);
       })},
      {"multilabel_soft_margin_loss",
       loss([](const Call &c, Reduction r) { return multilabel_soft_margin_loss(c["x"], c["t"], Tensor(), r); })},
      {"nll_loss", loss([](const Call &c, Reduction r) { return nll_loss(c["x"], c["t"], c["w"], r); })},
      {"poisson_nll_loss", loss([](const Call &c, Reduction r) {
         return poisson_nll_loss(c["x"], c["t"], c.flag("log_input"), c.flag("full"), 1e-8, r);
       })},
      {"soft_margin_loss", loss([](const Call &c, Reduction r) { return soft_margin_loss(c["x"], c["t"], r); })},
      {"triplet_margin_loss", loss([](const Call &c, Reduction r) {
         return triplet_margin_loss(c["a"], c["b"], c["c"], c.real("margin"), 2.0, 1e-6, c.flag("swap"), r);
       })},
  };
}

} // namespace

const Table &arrayFunctions() {
  static const Table all = [] {
    Table table;
    for (Table family : {elementwise(), movements(), picking(), reductions(), products(), losses()})
      table.merge(family);
    return table;
  }();
  return all;
}

} // namespace golden
