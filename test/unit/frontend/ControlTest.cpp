// Control flow and custom operations of the tensor interface, compiled and interpreted, against closed forms.
#include "test/unit/frontend/Backends.h"

#include <burn/burn.h>
#include <burn/parallel.h>

#include <catch2/catch.hpp>

#include <cmath>
#include <thread>

using namespace burn;
using namespace burn::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// Runs a case on compiled code, then on the reference interpreter.
template <typename Case> void compiledAndInterpreted(const Case &run) {
  SECTION("compiled") { run(); }
  SECTION("interpreted") {
    SpyBackend backend;
    run();
  }
}

template <typename Fn> std::string errorOf(const Fn &fn, unsigned *line = nullptr) {
  try {
    fn();
  } catch (const Error &error) {
    if (line)
      *line = error.line();
    return error.message();
  }
  return "no error";
}

} // namespace

TEST_CASE("control: fori_loop, with bounds of the host and of tensors") {
  compiledAndInterpreted([] {
    // c + max(c), five times.
    const Tensor start = tensor({1.f, 2.f});
    const auto step = [](const Tensor &, const Tensor &c) { return c + c.max(); };
    CHECK(fori_loop(0, 5, step, start).to_vector<float>() == std::vector<float>{63, 64});
    CHECK(fori_loop(0, 0, step, start).to_vector<float>() == std::vector<float>{1, 2});
    const Tensor count = tensor(int64_t(2));
    CHECK(fori_loop(0, count, step, start).to_vector<float>() == std::vector<float>{7, 8});
    // The index counts: 2 + 5 + 8.
    const Tensor sums = for_loop(2, 10, 3, [](const Tensor &i, const Tensor &c) { return c + i; }, tensor(int64_t(0)));
    CHECK(sums.item<int64_t>() == 15);
  });
}

TEST_CASE("control: another number of iterations compiles nothing") {
  SpyBackend backend;
  for (int64_t n : {3, 4, 5}) {
    const Tensor r = fori_loop(0, n, [](const Tensor &, const Tensor &c) { return c * 2; }, tensor(1.f));
    CHECK(r.item<float>() == float(1 << n));
  }
  CHECK(backend.graphs.size() == 1);
}

TEST_CASE("control: cond runs one branch and captures what it uses") {
  compiledAndInterpreted([] {
    const Tensor x = tensor({1.f, 2.f, 3.f});
    const Tensor doubled = x * 2; // recorded, not computed
    const float number = 10;
    for (bool positive : {true, false}) {
      const Tensor p = tensor(positive ? 1.f : -1.f) > 0;
      const Tensor r = cond(p, [&] { return doubled + number; }, [&] { return -x; });
      CHECK(r.to_vector<float>() == (positive ? std::vector<float>{12, 14, 16} : std::vector<float>{-1, -2, -3}));
    }
    // A branch may give what it captures as it stands; a number decides by not being 0; several results.
    const TensorList both =
        cond(tensor({3}), [&] { return TensorList{x, doubled}; }, [&] { return TensorList{doubled, x}; });
    CHECK(both[0].to_vector<float>() == std::vector<float>{1, 2, 3});
    CHECK(both[1].to_vector<float>() == std::vector<float>{2, 4, 6});
  });
}

TEST_CASE("control: while_loop, regions in regions") {
  compiledAndInterpreted([] {
    // Steps of the Collatz sequence from 27.
    const TensorList r = while_loop(
        [](TensorSpan v) { return v[0] != 1; },
        [](TensorSpan v) {
          const Tensor n = v[0];
          const Tensor odd = (n & 1) == 1;
          return TensorList{cond(odd, [&] { return 3 * n + 1; }, [&] { return (n / 2).to(DType::I64); }), v[1] + 1};
        },
        {tensor(int64_t(27)), tensor(int64_t(0))});
    CHECK(r[0].item<int64_t>() == 1);
    CHECK(r[1].item<int64_t>() == 111);
    // The square root of 2 by Newton's method, until the step is small.
    const Tensor root = while_loop([](const Tensor &x) { return abs(x * x - 2) > 1e-12; },
                                   [](const Tensor &x) { return (x + 2 / x) / 2; }, tensor(1.0));
    CHECK(std::fabs(root.item<double>() - std::sqrt(2.0)) < 1e-12);
  });
}

TEST_CASE("control: scan carries and collects") {
  compiledAndInterpreted([] {
    const Tensor x = tensor({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {3, 2});
    // Sums of rows so far; the collected ones are the sums before, which keep a negative zero.
    const ScanStep r =
        scan([](TensorSpan carry,
                TensorSpan slices) { return ScanStep{{carry[0] + slices[0]}, {carry[0], sum(slices[0])}}; },
             {tensor({-0.f, 0.f})}, {x});
    CHECK(r.carry[0].to_vector<float>() == std::vector<float>{9, 12});
    REQUIRE(r.outputs.size() == 2);
    CHECK(r.outputs[0].shape() == Shape{3, 2});
    CHECK(r.outputs[0].to_vector<float>() == std::vector<float>{0, 0, 1, 2, 4, 6});
    CHECK(std::signbit(r.outputs[0].to_vector<float>()[0]));
    CHECK(r.outputs[1].to_vector<float>() == std::vector<float>{3, 7, 11});
    // No slices: the carry as it was, nothing collected.
    const ScanStep none =
        scan([](TensorSpan c, TensorSpan s) { return ScanStep{{c[0] + s[0]}, {s[0]}}; }, {tensor(1.f)}, {zeros({0})});
    CHECK(none.carry[0].item<float>() == 1);
    CHECK(none.outputs[0].shape() == Shape{0});
  });
}

TEST_CASE("control: gradient descent inside of a loop") {
  compiledAndInterpreted([] {
    // x - 0.25 d/dx (x - 3)^2 = (x + 3) / 2: the distance to 3 halves in each step.
    const Tensor x = fori_loop(
        0, 10,
        [](const Tensor &, const Tensor &start) {
          Tensor x = start.detach().requires_grad_();
          const Tensor loss = (x - 3) * (x - 3);
          return (x - 0.25f * grad(std::vector{loss}, std::vector{x})[0]).detach();
        },
        tensor(11.f));
    CHECK(x.item<float>() == 3 + 8.f / 1024);
  });
}

TEST_CASE("control: errors name the user's line") {
  unsigned line = 0;
  const Tensor x = tensor({1.f, 2.f});
  CHECK_THAT(errorOf([&] { x.item<float>(); }), Contains("")); // warms up
  const unsigned branches = __LINE__ + 1;
  const auto unequal = [&] { cond(x[0] > 0, [&] { return x; }, [&] { return x[0]; }); };
  CHECK_THAT(errorOf(unequal, &line),
             Contains("cond: the branches give values of different types, (f32[2]) and (f32[])"));
  CHECK(line == branches);
  CHECK_THAT(errorOf([&] { cond(x > 0, [&] { return x; }, [&] { return x; }); }), Contains("predicate of one element"));
  CHECK_THAT(errorOf([&] { fori_loop(0, 3, [](const Tensor &, const Tensor &c) { return c[0]; }, x); }),
             Contains("fori_loop") || Contains("for_loop: the body turns values of types (f32[2]) into (f32[])"));
  CHECK_THAT(errorOf([&] { fori_loop(0, 1.5, [](const Tensor &, const Tensor &c) { return c; }, x); }),
             Contains("expects integers"));
  // A value that is asked for while the region is recorded.
  CHECK_THAT(
      errorOf([&] { fori_loop(0, 3, [](const Tensor &, const Tensor &c) { return c * c[0].item<float>(); }, x); }),
      Contains("control flow is being recorded: its tensors have no values until the program runs") &&
          !Contains("ops at most"));
  // A tensor that leaves its region by another way than as a result.
  Tensor leaked;
  fori_loop(0, 3, [&](const Tensor &, const Tensor &c) { return leaked = c + 1; }, x).data();
  CHECK_THAT(errorOf([&] { (leaked + 1).data(); }), Contains("belongs to a region"));
  // An exception of the body ends the recording.
  CHECK_THROWS_AS(fori_loop(
                      0, 3,
                      [](const Tensor &, const Tensor &c) -> Tensor {
                        throw std::runtime_error("mine");
                        return c;
                      },
                      x),
                  std::runtime_error);
  CHECK((x + 1).to_vector<float>() == std::vector<float>{2, 3});
  // Errors of the run.
  const unsigned step = __LINE__ + 1;
  const Tensor never = for_loop(0, 3, 0, [](const Tensor &, const Tensor &c) { return c + 1; }, x);
  CHECK_THAT(errorOf([&] { never.data(); }, &line), Contains("expects a positive step"));
  CHECK(line == step);
  const Tensor far = tensor({int64_t(7)});
  unsigned inside = 0;
  const Tensor outside = fori_loop(
      0, 3,
      [&](const Tensor &, const Tensor &c) {
        inside = __LINE__ + 1;
        return c + x.index_select(0, far);
      },
      x);
  CHECK_THAT(errorOf([&] { outside.data(); }, &line), Contains("index"));
  CHECK(line == inside);
}

TEST_CASE("control: regions nested or filled beyond their limits are errors at the user's line") {
  unsigned line = 0, expected = 0;
  std::function<Tensor(const Tensor &, int)> nested = [&](const Tensor &x, int deep) -> Tensor {
    if (deep == 0)
      return x + 1;
    expected = __LINE__ + 1;
    return fori_loop(0, 1, [&](const Tensor &, const Tensor &c) { return nested(c, deep - 1); }, x);
  };
  CHECK(nested(ones({}), 8).item<float>() == 2);
  CHECK(errorOf([&] { nested(ones({}), 40); }, &line) == "for_loop: control flow is nested more than 32 deep");
  CHECK(line == expected);

  const auto filled = [&](int ops) {
    return fori_loop(
        0, 1,
        [&](const Tensor &, Tensor c) {
          for (int i = 0; i < ops; ++i) {
            expected = __LINE__ + 1;
            c = c + 1;
          }
          return c;
        },
        ones({}));
  };
  CHECK(errorOf([&] { filled(70000); }, &line) == "add: control flow is being recorded, which holds 65536 ops at most");
  CHECK(line == expected);
  CHECK(filled(3).item<float>() == 4); // the thread goes on
}

TEST_CASE("control: a gradient through a loop is an error at the loop") {
  Tensor x = tensor(2.f).requires_grad_();
  const unsigned expected = __LINE__ + 1;
  const Tensor y = fori_loop(0, 3, [](const Tensor &, const Tensor &c) { return c * c; }, x);
  const Tensor beside = x * 3;
  unsigned line = 0;
  const std::string message = errorOf([&] { y.backward(); }, &line);
  CHECK(message == "'burn.for' op has no derivative, but a gradient flows through it");
  CHECK(line == expected);
  // At the call, so nothing else that was recorded fails.
  CHECK(beside.item<float>() == 6);
  CHECK(y.item<float>() == 256);
}

TEST_CASE("control: a loop beside the gradient is none of its business") {
  Tensor x = tensor(2.f).requires_grad_(), w = tensor(3.f).requires_grad_();
  const Tensor y = fori_loop(0, 3, [](const Tensor &, const Tensor &c) { return c * c; }, x);
  CHECK(grad(y * w, w).item<float>() == 256); // by what the loop does not depend on
  sum(floor(y) * w).backward(true);           // nothing flows back through floor
  CHECK(w.grad().item<float>() == 256);
  CHECK(x.grad().item<float>() == 0);
  w.zero_grad();
  sum(copysign(w, y)).backward(); // nor to what gives a sign
  CHECK(w.grad().item<float>() == 1);
}

TEST_CASE("control: a gradient through a branch or an open loop is one line of text at the call") {
  Tensor x = tensor(2.f).requires_grad_();
  const auto failing = [&](const Tensor &y, unsigned &line) {
    return errorOf([&] { grad(std::vector{y}, std::vector{x}); }, &line);
  };
  unsigned line = 0, expected = __LINE__ + 1;
  const Tensor branch = cond(x > 1, [&] { return x * 2; }, [&] { return x * 3; });
  CHECK(failing(branch, line) == "'burn.if' op has no derivative, but a gradient flows through it");
  CHECK(line == expected);
  expected = __LINE__ + 1;
  const Tensor loop = while_loop([](const Tensor &c) { return c < 9; }, [](const Tensor &c) { return c * 2; }, x);
  CHECK(failing(loop, line) == "'burn.while' op has no derivative, but a gradient flows through it");
  CHECK(line == expected);
}

TEST_CASE("control: checkpoint, checkpoint_name and barrier keep values and gradients") {
  compiledAndInterpreted([] {
    Tensor x = tensor({0.5f, -1.f}).requires_grad_(), w = tensor({2.f, 3.f}).requires_grad_();
    const Tensor y = checkpoint([&](const Tensor &v) { return tanh(checkpoint_name(v, "in") * w); }, x);
    const Tensor z = barrier({y, x})[0];
    sum(z * z).backward();
    for (int i = 0; i < 2; ++i) {
      const double a = i ? -1 : 0.5, b = i ? 3 : 2, t = std::tanh(a * b), outer = 2 * t * (1 - t * t);
      CHECK(y.to_vector<float>()[i] == Approx(t).epsilon(1e-6));
      CHECK(x.grad().to_vector<float>()[i] == Approx(outer * b).epsilon(1e-5));
      CHECK(w.grad().to_vector<float>()[i] == Approx(outer * a).epsilon(1e-5)); // captured
    }
  });
}

TEST_CASE("control: what a checkpoint keeps changes no bit") {
  compiledAndInterpreted([] {
    std::vector<std::vector<float>> gradients;
    // Without a checkpoint, and under each policy.
    for (int way = -1; way <= 2; ++way) {
      Tensor x = linspace(-1, 1, 12).reshape({3, 4}).requires_grad_();
      Tensor w = linspace(-2, 1, 16).reshape({4, 4}).requires_grad_();
      const auto body = [&](const Tensor &v) {
        const Tensor h = checkpoint_name(tanh(matmul(v, w)), "hidden");
        return sigmoid(matmul(h, w)) * h;
      };
      const Tensor y = way < 0 ? body(x) : checkpoint(body, x, static_cast<CheckpointPolicy>(way));
      sum(y * y).backward();
      gradients.push_back(x.grad().to_vector<float>());
      const std::vector<float> ofWeight = w.grad().to_vector<float>();
      gradients.back().insert(gradients.back().end(), ofWeight.begin(), ofWeight.end());
      CHECK(gradients.back() == gradients.front());
    }
  });
}

TEST_CASE("control: what a forward pass keeps is counted, and is what the policy of a checkpoint allows") {
  const auto saved = [](std::optional<CheckpointPolicy> policy) {
    Tensor x = ones({8, 16}), w = full({16, 16}, 0.1f).requires_grad_();
    flush();
    const auto body = [&](const Tensor &v) { return softmax(matmul(softmax(matmul(v, w), 1), w), 1); };
    const Tensor y = policy ? checkpoint(body, x, *policy) : body(x);
    sum(y * y).backward();
    const uint64_t before = stats().saved_bytes;
    w.grad().to_vector<float>();
    return stats().saved_bytes - before;
  };
  const uint64_t matrix = 8 * 16 * sizeof(float);
  // The outer cotangent is the forward pass's own work here, and counts as kept: it is read by the backward pass alone.
  const uint64_t nothing = saved(CheckpointPolicy::SaveNothing), all = saved(std::nullopt);
  CHECK(nothing <= matrix);
  CHECK(saved(CheckpointPolicy::SaveContractions) == nothing + 2 * matrix);
  CHECK(all > nothing);
}

TEST_CASE("control: assert_all gives its value, or fails at its line, in loops too") {
  compiledAndInterpreted([] {
    Tensor x = tensor({0.5f, 2.f}).requires_grad_();
    const Tensor y = assert_all(x > 0, x * x, "x is positive");
    sum(y).backward();
    CHECK(y.to_vector<float>() == std::vector<float>{0.25f, 4});
    CHECK(x.grad().to_vector<float>() == std::vector<float>{1, 4});
    unsigned line = 0, expected = __LINE__ + 1;
    const Tensor failing = assert_all(x > 1, x, "x is greater than 1");
    CHECK_THAT(errorOf([&] { (failing + 1).data(); }, &line), Contains("burn.assert: x is greater than 1"));
    CHECK(line == expected);
    // 1, 2, 4, then 8, which is too much.
    const auto doubled = [&](const Tensor &, const Tensor &c) {
      expected = __LINE__ + 1;
      return assert_all(c < 8, c * 2, "less than 8");
    };
    CHECK(fori_loop(0, 3, doubled, tensor(1.f)).item<float>() == 8);
    const Tensor outside = fori_loop(0, 4, doubled, tensor(1.f));
    CHECK_THAT(errorOf([&] { outside.data(); }, &line), Contains("less than 8"));
    CHECK(line == expected);
    CHECK(assert_all(zeros({0, 3}), tensor(1.f), "holds of nothing").item<float>() == 1);
    CHECK_THAT(errorOf([&] { assert_all(x > 0, x, ""); }), Contains("expects a message that is not empty"));
    CHECK_THAT(errorOf([&] { debug_print(x, ""); }), Contains("expects a label that is not empty"));
  });
}

TEST_CASE("custom op: a decomposition alone is as the functions it is made of") {
  SpyBackend backend;
  const CustomOp square =
      custom_op("test.square", {.decomposition = [](TensorSpan in) { return TensorList{in[0] * in[0]}; }});
  Tensor x = tensor({1.f, 2.f}).requires_grad_();
  sum(square({x})).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{2, 4});
  for (const core::Graph &graph : backend.graphs)
    for (const core::GraphOp &op : graph.ops)
      CHECK(op.regions.empty());
}

TEST_CASE("custom op: its own derivative, of first and second order, and captured values") {
  compiledAndInterpreted([] {
    const Tensor scale = tensor(3.f);
    // scale * x^2, whose gradient is said to be g * x * scale: half of the true one, so that it shows.
    const CustomOp half =
        custom_op("test.half",
                  {.decomposition = [&](TensorSpan in) { return TensorList{in[0] * in[0] * scale}; },
                   .vjp = [&](TensorSpan in, TensorSpan, TensorSpan g) { return TensorList{g[0] * in[0] * scale}; }});
    Tensor x = tensor({1.f, 2.f}).requires_grad_();
    const Tensor y = half({x});
    CHECK(y.to_vector<float>() == std::vector<float>{3, 12});
    const Tensor first = grad(std::vector{sum(half({x}))}, std::vector{x})[0];
    CHECK(first.to_vector<float>() == std::vector<float>{3, 6});
    const Tensor again = grad(std::vector{sum(half({x}))}, std::vector{x})[0];
    const Tensor second = grad(std::vector{sum(again * again)}, std::vector{x})[0];
    CHECK(second.to_vector<float>() == std::vector<float>{18, 36}); // d/dx (3x)^2
  });
}

TEST_CASE("custom op: a kernel of the host") {
  int calls = 0;
  const CustomOp twice =
      custom_op("test.twice", {.version = 4,
                               .decomposition = [](TensorSpan in) { return TensorList{in[0] + in[0]}; },
                               .kernel =
                                   [&](const HostCall &call) {
                                     ++calls;
                                     const auto x = call.input<float>(0);
                                     for (size_t i = 0; i < x.size(); ++i)
                                       call.output<float>()[i] = 2 * x[i];
                                   },
                               .vjp = [](TensorSpan, TensorSpan, TensorSpan g) { return TensorList{g[0] * 2}; }});
  Tensor x = tensor({1.f, 2.f, 3.f}).requires_grad_();
  const Tensor y = exp(twice({x * 1}) * 0) + twice({x});
  CHECK(y.to_vector<float>() == std::vector<float>{3, 5, 7});
  CHECK(calls == 2);
  sum(twice({x * x})).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{4, 8, 12});
  // In a loop, once an iteration.
  calls = 0;
  CHECK(fori_loop(0, 5, [&](const Tensor &, const Tensor &c) { return twice({c}); }, tensor(1.f)).item<float>() == 32);
  CHECK(calls == 5);
  SECTION("interpreted, it is its decomposition") {
    SpyBackend backend;
    calls = 0;
    CHECK(twice({x}).to_vector<float>() == std::vector<float>{2, 4, 6});
    CHECK(calls == 0);
  }
}

TEST_CASE("custom op: kernels that fail or are missing are errors at the call") {
  const auto types = [](TensorSpan in) { return std::vector{TensorType{in[0].dtype(), in[0].shape()}}; };
  const CustomOp failing =
      custom_op("test.failing", {.kernel = [](const HostCall &call) { call.input<double>(0); }, .results = types});
  const Tensor x = tensor({1.f, 2.f});
  unsigned line = 0, expected = __LINE__ + 1;
  const Tensor y = failing({x});
  CHECK_THAT(errorOf([&] { y.data(); }, &line),
             Contains("host kernel 'test.failing' of version 1 failed: the buffer holds f32, not f64"));
  CHECK(line == expected);
  CHECK_THAT(errorOf([&] { (y + 1).data(); }), Contains("test.failing")); // poisoned
  CHECK_THAT(errorOf([&] { custom_op("", {}); }), Contains("expects a name"));
  CHECK_THAT(errorOf([&] { custom_op("test.empty", {}); }), Contains("neither a decomposition nor a kernel"));
  CHECK_THAT(errorOf([&] { custom_op("test.untyped", {.kernel = [](const HostCall &) {}}); }),
             Contains("types of its results"));

  // The name taken by another version.
  const CustomOp old = custom_op("test.versions", {.version = 1, .kernel = [](const HostCall &) {}, .results = types});
  const Tensor z = old({x});
  register_host_kernel("test.versions", 2, [](const HostCall &) {});
  CHECK_THAT(errorOf([&] { z.data(); }),
             Contains("'test.versions' of version 1 is not registered in this process: it has version 2"));

  Tensor w = tensor({1.f, 2.f}).requires_grad_();
  const CustomOp opaque = custom_op("test.opaque", {.kernel = [](const HostCall &) {}, .results = types});
  CHECK_THAT(errorOf([&] {
               sum(opaque({w})).backward();
               w.grad().data();
             }),
             Contains("'burn.custom_kernel' op has no derivative"));
}

TEST_CASE("custom op: results of no type are errors at the call") {
  const auto give = [](DType dtype, Shape shape) {
    return custom_op("test.typeless", {.kernel = [](const HostCall &) {},
                                       .results = [=](TensorSpan) { return std::vector{TensorType{dtype, shape}}; }});
  };
  for (const CustomOp &op : {give(static_cast<DType>(200), {2}), give(static_cast<DType>(99), {2}),
                             give(DType::F32, {-1}), give(DType::F32, {int64_t(1) << 40, int64_t(1) << 40})}) {
    unsigned line = 0, expected = __LINE__ + 1;
    const std::string text = errorOf([&] { op({ones({2})}); }, &line);
    CHECK_THAT(text, StartsWith("test.typeless: ") && Contains("of a result"));
    CHECK(line == expected);
  }
}

TEST_CASE("custom op: a kernel without a vjp has the gradient of its decomposition") {
  const CustomOp scaled = custom_op(
      "test.scaled", {.decomposition = [](TensorSpan in) { return TensorList{in[0] * in[0] * in[1], in[0] * 5}; },
                      .kernel =
                          [](const HostCall &call) {
                            const auto x = call.input<float>(0), w = call.input<float>(1);
                            for (size_t i = 0; i < x.size(); ++i) {
                              call.output<float>(0)[i] = x[i] * x[i] * w[i];
                              call.output<float>(1)[i] = x[i] * 5;
                            }
                          }});
  compiledAndInterpreted([&] {
    Tensor x = tensor({1.f, 2.f}).requires_grad_(), w = tensor({3.f, 4.f}).requires_grad_();
    const TensorList y = scaled.call({x, w});
    sum(y[0] + y[1]).backward();
    CHECK(y[0].to_vector<float>() == std::vector<float>{3, 16});
    CHECK(x.grad().to_vector<float>() == std::vector<float>{11, 21}); // 2 x w + 5
    CHECK(w.grad().to_vector<float>() == std::vector<float>{1, 4});
    const Tensor first = grad(std::vector{sum(scaled.call({x, w})[0])}, std::vector{x})[0];
    const Tensor second = grad(std::vector{sum(first * first)}, std::vector{x})[0];
    CHECK(second.to_vector<float>() == std::vector<float>{72, 256}); // d/dx (2 x w)^2 = 8 x w^2
  });
}

TEST_CASE("custom op: a kernel that calls functions on tensors is an error, not a wait without end") {
  const auto types = [](TensorSpan in) { return std::vector{TensorType{in[0].dtype(), in[0].shape()}}; };
  Tensor pending;
  const Tensor pair = ones({2});
  const std::vector<std::pair<std::string, std::function<void()>>> misuses = {
      {"add: a kernel of the host is running", [&] { pair + pair; }},
      {"reading a tensor: a kernel of the host is running", [&] { pending.data(); }},
      {"flush: a kernel of the host is running", [] { flush(); }},
      {"control flow: a kernel of the host is running",
       [&] { fori_loop(0, 2, [](const Tensor &, const Tensor &c) { return c; }, pair); }},
      {": a kernel of the host is running",
       [&] {
         std::atomic<bool> failed{false};
         std::string text;
         parallel_for(64, [&](int64_t i, int64_t) {
           try {
             pending.data();
           } catch (const Error &error) {
             if (i == 0)
               text = error.message();
             failed = true;
           }
         });
         if (failed)
           throw Error(ErrorCode::InvalidArgument, text);
       }},
  };
  for (const auto &[message, misuse] : misuses) {
    INFO(message);
    const CustomOp op = custom_op("test.recording", {.kernel = [&](const HostCall &) { misuse(); }, .results = types});
    pending = ones({3}) * 2;
    unsigned line = 0, expected = __LINE__ + 1;
    const Tensor y = op({ones({2})});
    const std::string text = errorOf([&] { y.data(); }, &line);
    CHECK_THAT(text, Contains("host kernel 'test.recording' of version 1 failed: ") && Contains(message));
    CHECK(line == expected);
    CHECK((ones({2}) + 1).to_vector<float>() == std::vector<float>{2, 2}); // the thread goes on
  }
}

TEST_CASE("custom op: a kernel that calls functions on tensors is an error on a thread that has recorded nothing") {
  const auto types = [](TensorSpan in) { return std::vector{TensorType{in[0].dtype(), in[0].shape()}}; };
  Tensor ofAnEndedThread;
  std::thread([&] {
    const CustomOp op = custom_op("test.orphan", {.kernel = [](const HostCall &) { ones({2}); }, .results = types});
    ofAnEndedThread = op({ones({2})});
  }).join();
  std::string text;
  std::thread([&] { text = errorOf([&] { ofAnEndedThread.data(); }); }).join();
  CHECK_THAT(text, Contains("ones: a kernel of the host is running"));
}

TEST_CASE("custom op: what a kernel is said to compute may hold kernels, branches and loops") {
  const auto square = [](const HostCall &call) {
    const auto in = call.input<float>(0);
    const auto out = call.output<float>();
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = in[i] * in[i];
  };
  const CustomOp inner = custom_op(
      "test.square", {.decomposition = [](TensorSpan in) { return TensorList{in[0] * in[0]}; }, .kernel = square});
  const auto nested = [&](TensorSpan in) { return TensorList{inner({in[0]})}; };
  const auto branch = [](TensorSpan in) {
    return cond(in[0].sum() > 0, [&] { return TensorList{in[0] * in[0]}; }, [&] { return TensorList{in[0] * in[0]}; });
  };
  const auto loop = [](TensorSpan in) {
    return TensorList{fori_loop(0, 1, [&](const Tensor &, const Tensor &x) { return x * x; }, in[0])};
  };
  for (const std::function<TensorList(TensorSpan)> &decomposition :
       std::initializer_list<std::function<TensorList(TensorSpan)>>{nested, branch, loop}) {
    const CustomOp op = custom_op("test.outer", {.decomposition = decomposition, .kernel = square});
    CHECK(op({tensor({1.0f, 2.0f, -3.0f})}).to_vector<float>() == std::vector<float>{1, 4, 9});
  }
  // The derivative of what it is said to compute.
  Tensor x = tensor({1.0f, 2.0f, -3.0f}).requires_grad_();
  custom_op("test.outer", {.decomposition = nested, .kernel = square})({x}).sum().backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{2, 4, -6});
}
