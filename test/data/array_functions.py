#!/usr/bin/env python3
"""Writes array_functions.json: figures of NumPy for functions of the tensor interface.

Where NumPy has no function of that name the definition stands here, written with loops or plain array formulas. The
form is that of tensor_functions.json, without gradients.
"""

import json
import math
import pathlib

import numpy as np

random = np.random.default_rng(7)
cases = []


def number(value):
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    value = float(value)
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value


def array(value):
    value = np.asarray(value)
    return {"dtype": str(value.dtype), "shape": list(value.shape), "data": [number(v) for v in value.reshape(-1)]}


def case(op, inputs, outputs, **attrs):
    """One case; the outputs may be a function of the inputs."""
    outputs = outputs(*inputs.values()) if callable(outputs) else outputs
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    cases.append({"op": op, "attrs": attrs, "inputs": {k: array(v) for k, v in inputs.items()},
                  "outputs": [array(v) for v in outputs]})


def normal(*shape):
    return np.round(random.standard_normal(shape), 3)


def positive(*shape):
    return np.round(random.uniform(0.1, 2.0, shape), 3)


def sign(*shape):
    return np.where(random.standard_normal(shape) > 0, 1.0, -1.0)


INF, NAN = math.inf, math.nan
a, b, c = normal(3, 4), normal(3, 4), normal(3, 4)
x34, cube = normal(3, 4), normal(2, 3, 4)
special = np.array([0.0, -1.5, INF, -INF, NAN, 2.5])

# ---- elementwise ----
case("addcmul", {"x": a, "a": b, "b": c}, a + 0.3 * b * c, value=0.3)
d = positive(3, 4)
case("addcdiv", {"x": a, "a": b, "b": d}, a - 0.7 * b / d, value=-0.7)
case("lerp_tensor", {"a": a, "b": b, "w": d}, a + d * (b - a))
case("logaddexp", {"a": a * 5, "b": b * 5}, np.logaddexp(a * 5, b * 5))
case("logaddexp", {"a": np.array([INF, -INF, -INF, 800.0, 1.0, NAN]), "b": np.array([INF, -INF, 2.0, 800.0, -INF, 0.0])},
     np.array([INF, -INF, 2.0, 800.0 + math.log(2), 1.0, NAN]))
case("logaddexp2", {"a": a * 5, "b": b * 5}, np.logaddexp2(a * 5, b * 5))
case("xlogy", {"a": np.array([0.0, 0.0, 0.0, 2.0, -1.0, NAN, 0.0]), "b": np.array([0.0, -1.0, INF, 3.0, 0.5, 1.0, NAN])},
     np.array([0.0, 0.0, 0.0, 2 * math.log(3), math.log(2), NAN, NAN]))
case("xlog1py", {"a": np.array([0.0, 0.0, 2.0, -1.0]), "b": np.array([-1.0, INF, 3.0, -0.5])},
     np.array([0.0, 0.0, 2 * math.log(4), math.log(2)]))
case("logit", {"x": np.array([0.25, 0.5, 0.9])}, np.log(np.array([1 / 3, 1.0, 9.0])))
case("logit", {"x": np.array([0.0, 0.5, 1.0])}, np.log(np.array([0.1 / 0.9, 1.0, 9.0])), eps=0.1)
case("deg2rad", {"x": a * 90}, np.deg2rad(a * 90))
case("rad2deg", {"x": a}, np.rad2deg(a))
case("heaviside", {"x": np.array([-1.5, 0.0, 2.0, NAN]), "v": np.array([0.5, 0.25, 0.5, 0.5])},
     np.heaviside(np.array([-1.5, 0.0, 2.0, NAN]), np.array([0.5, 0.25, 0.5, 0.5])))
case("nan_to_num", {"x": special}, np.nan_to_num(special, nan=1.0, posinf=5.0, neginf=-6.0), nan=1.0, posinf=5.0,
     neginf=-6.0)
case("isposinf", {"x": special}, np.isposinf(special))
case("isneginf", {"x": special}, np.isneginf(special))
near = np.array([1.0, 1.0 + 1e-9, 1.1, INF, -INF, NAN]), np.array([1.0, 1.0, 1.0, INF, INF, NAN])
case("isclose", {"a": near[0], "b": near[1]}, np.isclose(*near), equal_nan=False)
case("isclose", {"a": near[0], "b": near[1]}, np.isclose(*near, equal_nan=True), equal_nan=True)
case("fmax", {"a": special, "b": special[::-1].copy()}, np.fmax(special, special[::-1]))
case("fmin", {"a": special, "b": special[::-1].copy()}, np.fmin(special, special[::-1]))
ints = random.integers(-100, 100, (2, 5)), random.integers(-100, 100, (2, 5))
case("bitwise_and", {"a": ints[0], "b": ints[1]}, ints[0] & ints[1])
case("bitwise_or", {"a": ints[0], "b": ints[1]}, ints[0] | ints[1])
case("bitwise_xor", {"a": ints[0], "b": ints[1]}, ints[0] ^ ints[1])
case("bitwise_not", {"x": ints[0]}, ~ints[0])
case("clamp_tensor", {"x": a, "low": b - 0.5, "high": b + 0.5}, np.clip(a, b - 0.5, b + 0.5))
case("softmin", {"x": a}, np.exp(-a) / np.exp(-a).sum(1, keepdims=True), dim=1)

# ---- moving elements ----
case("unflatten", {"x": normal(2, 12)}, lambda x: x.reshape(2, 3, 4), dim=1, sizes=[3, -1])
case("movedim", {"x": cube}, np.moveaxis(cube, [0, 2], [2, 0]), source=[0, 2], destination=[2, 0])
case("movedim", {"x": cube}, np.moveaxis(cube, 0, -1), source=[0], destination=[-1])
case("rot90", {"x": cube}, np.rot90(cube, 1, (1, 2)), k=1, dims=[1, 2])
case("rot90", {"x": x34}, np.rot90(x34, -1), k=-1, dims=[0, 1])
case("rot90", {"x": x34}, np.rot90(x34, 2), k=2, dims=[0, 1])
case("roll", {"x": x34}, np.roll(x34, 5), shifts=[5], dims=[])
case("roll", {"x": x34}, np.roll(x34, (-7, 1), (1, 0)), shifts=[-7, 1], dims=[1, 0])
case("repeat", {"x": x34}, np.tile(x34, (2, 1, 3)), repeats=[2, 1, 3])
case("tile", {"x": cube}, np.tile(cube, (2, 2)), repeats=[2, 2])
case("repeat_interleave", {"x": cube}, np.repeat(cube, 2, 0), repeats=2, dim=0)
case("fliplr", {"x": cube}, np.fliplr(cube))
case("flipud", {"x": cube}, np.flipud(cube))
case("vstack", {"a": normal(3), "b": normal(3)}, lambda a, b: np.vstack([a, b]))
case("hstack", {"a": x34, "b": a}, np.hstack([x34, a]))
case("dstack", {"a": x34, "b": a}, np.dstack([x34, a]))
case("column_stack", {"a": a[0], "b": x34.T[:, :2].copy()}, np.column_stack([a[0], x34.T[:, :2]]))
case("block_diag", {"a": a, "b": b[0], "c": np.array(7.0)},
     np.block([[a, np.zeros((3, 5))], [np.zeros((1, 4)), b[:1], np.zeros((1, 1))], [np.zeros((1, 8)), np.full((1, 1), 7.0)]]))
case("meshgrid", {"a": a[0], "b": b[:, 0].copy()}, np.meshgrid(a[0], b[:, 0], indexing="ij"), indexing="ij")
case("meshgrid", {"a": a[0], "b": b[:, 0].copy()}, np.meshgrid(a[0], b[:, 0], indexing="xy"), indexing="xy")
case("cartesian_prod", {"a": a[0], "b": b[:, 0].copy()}, np.array([[p, q] for p in a[0] for q in b[:, 0]]))
case("tensor_split", {"x": normal(7, 2)}, lambda x: np.array_split(x, 3), sections=3)
case("chunk", {"x": x34}, [x34[:, :2], x34[:, 2:]], chunks=3, dim=1)
case("split", {"x": x34}, [x34[:2], x34[2:]], size=2, dim=0)
case("unbind", {"x": x34}, list(x34.T), dim=1)
case("diagonal", {"x": cube}, np.diagonal(cube, -1, 2, 0), offset=-1, dim1=2, dim2=0)
case("diagonal", {"x": x34}, np.diagonal(x34, 9), offset=9, dim1=0, dim2=1)
case("diag_embed", {"x": x34}, np.stack([np.diag(row, 1) for row in x34]), offset=1)
case("diag_embed", {"x": x34}, np.stack([np.diag(row, -2) for row in x34]), offset=-2)
case("diag", {"x": a[0]}, np.diag(a[0], -1), diagonal=-1)
case("diag", {"x": x34}, np.diag(x34, 1), diagonal=1)
case("diagflat", {"x": x34}, np.diagflat(x34))
case("tril", {"x": cube}, np.tril(cube, -1), diagonal=-1)
case("triu", {"x": cube}, np.triu(cube, 2), diagonal=2)
case("tril_indices", {}, np.stack(np.tril_indices(4, -1, 3)), rows=4, columns=3, offset=-1)
case("triu_indices", {}, np.stack(np.triu_indices(3, 1, 5)), rows=3, columns=5, offset=1)
case("pad", {"x": normal(5)}, lambda x: np.pad(x, (4, 3), "reflect"), mode="reflect", last_dim=[4, 3])
case("pad", {"x": normal(2)}, lambda x: np.pad(x, (5, 0), "edge"), mode="replicate", last_dim=[5, 0])
case("pad", {"x": normal(3)}, lambda x: np.pad(x, (3, 2), "wrap"), mode="circular", last_dim=[3, 2])
images = normal(2, 8, 3, 2)
shuffled = np.zeros((2, 2, 6, 4))
for n, f, i, j, y, x in np.ndindex(2, 2, 2, 2, 3, 2):
    shuffled[n, f, y * 2 + i, x * 2 + j] = images[n, f * 4 + i * 2 + j, y, x]
case("pixel_shuffle", {"x": images}, shuffled, r=2)
case("pixel_unshuffle", {"x": shuffled}, images, r=2)
case("channel_shuffle", {"x": images}, images[:, [0, 4, 1, 5, 2, 6, 3, 7]], groups=2)
long = normal(2, 9)
case("tensor_unfold", {"x": long}, np.stack([long[:, i:i + 4] for i in (0, 3)], 1), dim=1, size=4, step=3)

# ---- picking ----
case("take", {"x": x34, "i": np.array([[0, 11], [-1, 5]])}, np.take(x34, [[0, 11], [-1, 5]]))
case("index_fill", {"x": x34, "i": np.array([2, 0])}, np.where(np.isin(np.arange(4), [2, 0]), 9.5, x34), dim=1, value=9.5)
copied = x34.copy()
copied[:, [3, 1]] = a[:, :2]
case("index_copy", {"x": x34, "i": np.array([3, 1]), "s": a[:, :2].copy()}, copied, dim=1)
replaced = x34.copy()
replaced[:, -2] = a[:, 0]
case("select_scatter", {"x": x34, "s": a[:, 0].copy()}, replaced, dim=1, index=-2)
replaced = x34.copy()
replaced[1:, :] = a[:2]
case("slice_scatter", {"x": x34, "s": a[:2].copy()}, replaced, dim=0, start=1, stop=9)
edges = np.array([-1.0, 0.0, 0.0, 0.5, 2.0])
probe = np.array([[-2.0, -1.0, 0.0], [0.4, 2.0, 3.0]])
case("bucketize", {"x": probe, "s": edges}, np.searchsorted(edges, probe, "left"), right=False)
case("bucketize", {"x": probe, "s": edges}, np.searchsorted(edges, probe, "right"), right=True)
rows = np.sort(normal(2, 6), 1)
case("searchsorted", {"x": probe, "s": rows}, np.stack([np.searchsorted(r, p) for r, p in zip(rows, probe)]), right=False)

# ---- reductions ----
holes = np.where(a > 0.6, NAN, a)
case("nansum", {"x": holes}, np.nansum(holes, 1), dim=[1], keepdim=False)
case("nanmean", {"x": holes}, np.nanmean(holes, 0, keepdims=True), dim=[0], keepdim=True)
case("count_nonzero", {"x": np.array([[0.0, 1.0, NAN], [0.0, -0.0, 2.0]])}, np.array([2, 1]), dim=[1])
case("var_mean", {"x": cube}, [cube.var((0, 2), ddof=1), cube.mean((0, 2))], dim=[0, 2], correction=1)
case("std_mean", {"x": cube}, [cube.std(1), cube.mean(1)], dim=[1], correction=0)
case("aminmax", {"x": cube}, [cube.min(1), cube.max(1)], dim=[1])
case("vector_norm", {"x": cube}, np.sum(np.abs(cube) ** 2.5, (0, 2)) ** 0.4, ord=2.5, dim=[0, 2])
case("vector_norm", {"x": cube}, np.sum(np.abs(cube) ** -1.0, 1) ** -1.0, ord=-1.0, dim=[1])
case("vector_norm", {"x": cube}, np.abs(cube).min(1), ord="-inf", dim=[1])
case("vector_norm", {"x": np.array([[0.0, 2.0], [0.0, 0.0]])}, np.array([1.0, 0.0]), ord=0.0, dim=[1])
case("vector_norm", {"x": np.array([[0.0, 0.0], [0.0, -4.0]])}, np.array([0.0, 4.0]), ord=0.5, dim=[1])
case("dist", {"a": a, "b": b}, np.sum(np.abs(a - b) ** 3) ** (1 / 3), p=3.0)
case("diff", {"x": cube}, np.diff(cube, 2, 1), n=2, dim=1)
case("diff", {"x": np.array([True, True, False])}, np.diff([True, True, False]), n=1, dim=0)
case("trapezoid", {"x": x34}, np.trapezoid(x34, dx=0.5, axis=0), dx=0.5, dim=0)
ticks = np.array([0.0, 0.5, 2.0, 2.25])
case("trapezoid", {"x": x34, "t": ticks}, np.trapezoid(x34, ticks), dim=-1)
case("cov", {"x": x34}, np.cov(x34))
case("cov", {"x": a[0]}, np.cov(a[0]))
case("corrcoef", {"x": x34}, np.corrcoef(x34))
spread = normal(40)
case("histc", {"x": np.append(spread, [1.0, -1.0, NAN])},
     np.histogram(np.append(spread, [1.0, -1.0]), 8, (-1.0, 1.0))[0].astype(float), bins=8, low=-1.0, high=1.0)

# ---- products ----
m, v = normal(4, 5), normal(4)
case("mv", {"a": m.T.copy(), "b": v}, m.T @ v)
case("outer", {"a": v, "b": a[:, 0].copy()}, np.outer(v, a[:, 0]))
case("inner", {"a": cube, "b": x34}, np.inner(cube, x34))
case("addmm", {"x": normal(5), "a": a, "b": m}, lambda x, a, b: 0.5 * x + 2 * (a @ b), beta=0.5, alpha=2.0)
case("addmm", {"x": np.full((3, 5), NAN), "a": a, "b": m}, a @ m, beta=0, alpha=1)
case("addmv", {"x": a[:, 0].copy(), "a": a, "b": v}, a[:, 0] - a @ v, beta=1, alpha=-1)
case("addr", {"x": x34, "a": a[:, 0].copy(), "b": v}, x34 + 3 * np.outer(a[:, 0], v), beta=1, alpha=3)
batch = normal(2, 4, 5)
case("addbmm", {"x": normal(3, 5), "a": cube, "b": batch}, lambda x, a, b: x + np.einsum("bij,bjk->ik", a, b), beta=1,
     alpha=1)
case("baddbmm", {"x": np.array(1.5), "a": cube, "b": batch}, 3.0 + cube @ batch, beta=2, alpha=1)
case("tensordot", {"a": cube, "b": batch}, np.tensordot(cube, batch, ([2, 0], [1, 0])), dims_a=[2, 0], dims_b=[1, 0])
case("tensordot", {"a": cube, "b": x34}, np.tensordot(cube, x34, 2), dims=2)
case("tensordot", {"a": a[0], "b": b[0]}, np.tensordot(a[0], b[0], 0), dims=0)
for equation, tensors in [("...ij,jk", [cube, m]), ("ij,...jk->...ik", [a, normal(2, 4, 2)]), ("iij->j", [normal(3, 3, 2)]),
                          ("ij,jk,kl", [a, m, normal(5, 2)]), ("ij,kl->ljki", [normal(2, 3), normal(4, 2)]),
                          ("ab,b->a", [a, v]), ("abc,abc", [cube, cube]), ("i,ij->", [a[:, 0].copy(), x34]),
                          ("bij,bkj,b->ki", [cube, normal(2, 5, 4), normal(2)]), ("ba", [x34]),
                          ("i,i->i", [v, a[0]]), ("...,...", [a, b]), (",ij->ij", [np.array(2.0), a])]:
    case("einsum", {f"x{i}": t for i, t in enumerate(tensors)}, np.einsum(equation, *tensors), equation=equation)
case("kron", {"a": a[:2], "b": m[:, :2].copy()}, np.kron(a[:2], m[:, :2]))
case("kron", {"a": v, "b": x34}, np.kron(v, x34))
case("cross", {"a": a, "b": b}, np.cross(a, b, axis=0), dim=0)
square = normal(3, 3)
case("trace", {"x": x34}, np.trace(x34))
case("matrix_power", {"x": square}, np.linalg.matrix_power(square, 5), n=5)
case("matrix_power", {"x": square}, np.eye(3), n=0)
case("multi_dot", {"a": a, "b": m, "c": normal(5, 2)}, lambda a, b, c: a @ b @ c)
weight = normal(2, 4, 5)
case("bilinear", {"a": a, "b": (b @ m), "w": weight, "bias": np.array([0.5, -0.5])},
     np.einsum("bi,oij,bj->bo", a, weight, b @ m) + np.array([0.5, -0.5]))
points, others = normal(2, 4, 3), normal(2, 5, 3)
gaps = points[:, :, None] - others[:, None]
for p in (1.0, 2.0, 3.0):
    case("cdist", {"a": points, "b": others}, np.sum(np.abs(gaps) ** p, -1) ** (1 / p), p=p)
case("cdist", {"a": points, "b": others}, np.abs(gaps).max(-1), p="inf")
case("pairwise_distance", {"a": a, "b": b}, np.sqrt(np.sum((a - b + 1e-6) ** 2, -1)))
case("normalize", {"x": cube}, cube / np.abs(cube).sum(1, keepdims=True), p=1.0, dim=[1])
norms = np.sqrt((cube ** 2).sum((0, 2), keepdims=True))
case("renorm", {"x": cube}, cube * np.where(norms > 2.5, 2.5 / (norms + 1e-7), 1.0), p=2.0, dim=1, maxnorm=2.5)
case("vander", {"x": a[0]}, np.vander(a[0]))
case("vander", {"x": a[0]}, np.vander(a[0], 3, True), n=3, increasing=True)
case("logspace", {}, np.logspace(-1.0, 2.0, 7), start=-1.0, stop=2.0, count=7, base=10.0)

# ---- losses, by their definitions ----
p, t = np.round(random.uniform(0.05, 0.95, (3, 4)), 3), np.round(random.uniform(0, 1, (3, 4)), 3)
bce = -(t * np.log(p) + (1 - t) * np.log(1 - p))
case("binary_cross_entropy", {"x": p, "t": t}, bce.mean(), reduction="mean")
case("binary_cross_entropy", {"x": p, "t": t, "w": d}, bce * d, reduction="none")
case("binary_cross_entropy", {"x": np.array([0.0, 1.0]), "t": np.array([1.0, 0.0])}, np.array([100.0, 100.0]), reduction="none")
sigma = 1 / (1 + np.exp(-a))
pw = positive(4)
case("binary_cross_entropy_with_logits", {"x": a, "t": t, "w": d, "pw": pw},
     np.sum(-d * (pw * t * np.log(sigma) + (1 - t) * np.log(1 - sigma))), reduction="sum")
case("poisson_nll_loss", {"x": a, "t": t * 3}, (np.exp(a) - t * 3 * a).mean(), log_input=True, full=False, reduction="mean")
n = t * 3
stirling = np.where(n > 1, n * np.log(n) - n + np.log(2 * math.pi * n) / 2, 0)
case("poisson_nll_loss", {"x": d, "t": n}, d - n * np.log(d + 1e-8) + stirling, log_input=False, full=True, reduction="none")
case("gaussian_nll_loss", {"x": a, "t": b, "v": d}, ((np.log(d) + (a - b) ** 2 / d) / 2 + math.log(2 * math.pi) / 2).mean(),
     full=True, reduction="mean")
s = sign(3, 4)
case("hinge_embedding_loss", {"x": a, "t": s}, np.where(s == 1, a, np.maximum(0, 0.8 - a)).mean(), margin=0.8, reduction="mean")
case("margin_ranking_loss", {"a": a, "b": b, "t": s}, np.maximum(0, 0.2 - s * (a - b)).sum(), margin=0.2, reduction="sum")
case("soft_margin_loss", {"x": a, "t": s}, np.log(1 + np.exp(-s * a)).mean(), reduction="mean")
labels = np.array([2, 0, 3])
for power, w in ((1, None), (2, pw)):
    terms = np.zeros(3)
    for i, label in enumerate(labels):
        terms[i] = sum(max(0, 0.9 - a[i, label] + a[i, k]) ** power * (1 if w is None else w[label])
                       for k in range(4) if k != label) / 4
    case("multi_margin_loss", {"x": a, "t": labels} | ({} if w is None else {"w": w}), terms.mean(), p=power, margin=0.9,
         reduction="mean")
case("multilabel_soft_margin_loss", {"x": a, "t": (t > 0.5).astype(float)},
     -np.where(t > 0.5, np.log(sigma), np.log(1 - sigma)).mean(1), reduction="none")
cosine = (a * b).sum(1) / np.sqrt((a * a).sum(1) * (b * b).sum(1))
signs = np.array([1.0, -1.0, -1.0])
case("cosine_embedding_loss", {"a": a, "b": b, "t": signs}, np.where(signs == 1, 1 - cosine, np.maximum(0, cosine + 0.3)),
     margin=-0.3, reduction="none")


def distance(u, w):
    return np.sqrt(((u - w + 1e-6) ** 2).sum(-1))


case("triplet_margin_loss", {"a": a, "b": b, "c": c},
     np.maximum(0, distance(a, b) - np.minimum(distance(a, c), distance(b, c)) + 1.5).mean(), margin=1.5, swap=True,
     reduction="mean")
weights = positive(4)
logp = np.log(np.exp(a) / np.exp(a).sum(1, keepdims=True))
picked = -logp[np.arange(3), labels] * weights[labels]
case("nll_loss", {"x": logp, "t": labels, "w": weights}, picked.sum() / weights[labels].sum(), reduction="mean")
soft = t / t.sum(1, keepdims=True)
case("cross_entropy", {"x": a, "t": soft, "w": weights}, -((soft * 0.8 + 0.2 / 4) * weights * logp).sum(1).mean(),
     label_smoothing=0.2, reduction="mean")

path = pathlib.Path(__file__).with_suffix(".json")
lines = ",\n".join(json.dumps(each) for each in cases)
path.write_text('{"source": "NumPy ' + np.__version__ + '", "cases": [\n' + lines + "\n]}\n")
print(len(cases), "cases")
