//! Times the nets of `burn-bench steps` in Burn, on its flex backend, from the same weights and data.
//!
//! usage: steps [--filter TEXT] [--quick] [--json FILE]; RAYON_NUM_THREADS sets the threads.

use std::time::Instant;

use burn::module::{Module, Param};
use burn::nn::attention::{MhaInput, MultiHeadAttention, MultiHeadAttentionConfig};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::loss::{CrossEntropyLossConfig, MseLoss, Reduction};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{BatchNorm, BatchNormConfig, Dropout, DropoutConfig, LayerNorm, LayerNormConfig, Linear, LinearConfig};
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::activation::{gelu, relu};
use burn::tensor::{Device, Int, Tensor, TensorData};

/// The formula of tools/burn-bench/Nets.h.
fn hashes(name: &str, count: usize) -> Vec<u32> {
    let start = name.bytes().fold(2166136261u32, |hash, letter| {
        (hash ^ letter as u32).wrapping_mul(16777619)
    });
    let finalize = |i: u32| {
        let hash = start.wrapping_add(i.wrapping_mul(0x9E3779B9));
        let hash = (hash ^ (hash >> 16)).wrapping_mul(0x85EBCA6B);
        let hash = (hash ^ (hash >> 13)).wrapping_mul(0xC2B2AE35);
        hash ^ (hash >> 16)
    };
    (0..count as u32).map(finalize).collect()
}

fn formula(name: &str, count: usize, bound: f32) -> Vec<f32> {
    let unit = |hash: u32| (hash >> 8) as f32 * (-23f32).exp2() - 1.0;
    hashes(name, count).into_iter().map(|hash| unit(hash) * bound).collect()
}

fn bound(inputs: usize) -> f32 {
    (1.0 / (inputs as f64).sqrt()) as f32
}

fn data<const D: usize>(name: &str, shape: [usize; D], device: &Device) -> Tensor<D> {
    Tensor::from_data(
        TensorData::new(formula(name, shape.iter().product(), 1.0), shape),
        device,
    )
}

fn labels(count: usize, device: &Device) -> Tensor<1, Int> {
    let values: Vec<i64> = hashes("labels", count)
        .into_iter()
        .map(|hash| (hash % 10) as i64)
        .collect();
    Tensor::from_data(TensorData::new(values, [count]), device)
}

/// A layer whose weight is that of `rows` of the [outputs, inputs] matrix called `name`, without its bias. Burn keeps
/// the transpose.
fn linear_of(name: &str, rows: std::ops::Range<usize>, all: usize, inputs: usize, device: &Device) -> Linear {
    let values = formula(name, all * inputs, bound(inputs));
    let outputs = rows.len();
    let mut transposed = vec![0.0; inputs * outputs];
    for (output, row) in rows.enumerate() {
        for input in 0..inputs {
            transposed[input * outputs + output] = values[row * inputs + input];
        }
    }
    let mut layer = LinearConfig::new(inputs, outputs).init(device);
    layer.weight = Param::from_data(TensorData::new(transposed, [inputs, outputs]), device);
    layer.bias = Some(Param::from_data(
        TensorData::new(vec![0f32; outputs], [outputs]),
        device,
    ));
    layer
}

fn linear(name: &str, inputs: usize, outputs: usize, device: &Device) -> Linear {
    linear_of(&format!("{name}.weight"), 0..outputs, outputs, inputs, device)
}

fn convolution(name: &str, inputs: usize, outputs: usize, device: &Device) -> Conv2d {
    let mut layer = Conv2dConfig::new([inputs, outputs], [3, 3]).init(device);
    let values = formula(&format!("{name}.weight"), outputs * inputs * 9, bound(inputs * 9));
    layer.weight = Param::from_data(TensorData::new(values, [outputs, inputs, 3, 3]), device);
    layer.bias = Some(Param::from_data(
        TensorData::new(vec![0f32; outputs], [outputs]),
        device,
    ));
    layer
}

/// A net with its loss; `Target` are labels or values.
trait Net: Module {
    type Input: Clone;
    type Target: Clone;
    fn loss(&self, input: Self::Input, target: Self::Target) -> Tensor<1>;
}

fn cross_entropy(logits: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
    CrossEntropyLossConfig::new()
        .init(&logits.device())
        .forward(logits, labels)
}

#[derive(Module, Debug)]
struct Mlp {
    fc1: Linear,
    fc2: Linear,
    fc3: Linear,
}

impl Mlp {
    fn new(device: &Device) -> Self {
        Self {
            fc1: linear("fc1", 784, 512, device),
            fc2: linear("fc2", 512, 512, device),
            fc3: linear("fc3", 512, 10, device),
        }
    }
}

impl Net for Mlp {
    type Input = Tensor<2>;
    type Target = Tensor<1, Int>;

    fn loss(&self, rows: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
        let x = relu(self.fc1.forward(rows));
        cross_entropy(self.fc3.forward(relu(self.fc2.forward(x))), labels)
    }
}

#[derive(Module, Debug)]
struct Mnist {
    conv1: Conv2d,
    bn1: BatchNorm,
    conv2: Conv2d,
    bn2: BatchNorm,
    fc1: Linear,
    fc2: Linear,
    fc3: Linear,
    pool: MaxPool2d,
    dropout: Dropout,
}

impl Mnist {
    fn new(dropout: f64, device: &Device) -> Self {
        Self {
            conv1: convolution("conv1", 1, 64, device),
            bn1: BatchNormConfig::new(64).init(device),
            conv2: convolution("conv2", 64, 64, device),
            bn2: BatchNormConfig::new(64).init(device),
            fc1: linear("fc1", 1600, 128, device),
            fc2: linear("fc2", 128, 128, device),
            fc3: linear("fc3", 128, 10, device),
            pool: MaxPool2dConfig::new([2, 2]).init(),
            dropout: DropoutConfig::new(dropout).init(),
        }
    }

    fn logits(&self, images: Tensor<4>) -> Tensor<2> {
        let x = self.pool.forward(relu(self.bn1.forward(self.conv1.forward(images))));
        let x = self.pool.forward(relu(self.bn2.forward(self.conv2.forward(x))));
        let x = self.dropout.forward(gelu(self.fc1.forward(x.flatten::<2>(1, 3))));
        let x = self.dropout.forward(gelu(self.fc2.forward(x)));
        self.fc3.forward(x)
    }
}

impl Net for Mnist {
    type Input = Tensor<4>;
    type Target = Tensor<1, Int>;

    fn loss(&self, images: Tensor<4>, labels: Tensor<1, Int>) -> Tensor<1> {
        cross_entropy(self.logits(images), labels)
    }
}

#[derive(Module, Debug)]
struct EncoderLayer {
    norm1: LayerNorm,
    attention: MultiHeadAttention,
    norm2: LayerNorm,
    fc1: Linear,
    fc2: Linear,
}

impl EncoderLayer {
    fn new(name: &str, device: &Device) -> Self {
        let mut attention = MultiHeadAttentionConfig::new(256, 4).with_dropout(0.0).init(device);
        let projection = |part: usize| {
            let name = format!("{name}.attention.in_proj_weight");
            linear_of(&name, part * 256..(part + 1) * 256, 768, 256, device)
        };
        attention.query = projection(0);
        attention.key = projection(1);
        attention.value = projection(2);
        attention.output = linear(&format!("{name}.attention.out_proj"), 256, 256, device);
        Self {
            norm1: LayerNormConfig::new(256).init(device),
            attention,
            norm2: LayerNormConfig::new(256).init(device),
            fc1: linear(&format!("{name}.fc1"), 256, 1024, device),
            fc2: linear(&format!("{name}.fc2"), 1024, 256, device),
        }
    }

    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let normed = self.norm1.forward(x.clone());
        let x = x + self.attention.forward(MhaInput::self_attn(normed)).context;
        x.clone() + self.fc2.forward(gelu(self.fc1.forward(self.norm2.forward(x))))
    }
}

#[derive(Module, Debug)]
struct Encoder {
    layers: Vec<EncoderLayer>,
}

impl Encoder {
    fn new(device: &Device) -> Self {
        Self {
            layers: (0..4)
                .map(|i| EncoderLayer::new(&format!("layer{i}"), device))
                .collect(),
        }
    }
}

impl Net for Encoder {
    type Input = Tensor<3>;
    type Target = Tensor<3>;

    fn loss(&self, tokens: Tensor<3>, target: Tensor<3>) -> Tensor<1> {
        let output = self.layers.iter().fold(tokens, |x, layer| layer.forward(x));
        MseLoss::new().forward(output, target, Reduction::Mean)
    }
}

fn number<const D: usize>(tensor: Tensor<D>) -> f64 {
    tensor.into_data().convert::<f32>().try_to_vec::<f32>().expect("f32")[0] as f64
}

/// A net with its optimizer and data.
struct Training<N: Net> {
    net: Option<N>,
    optimizer: ModuleOptimizer,
    input: N::Input,
    target: N::Target,
}

impl<N: Net> Training<N> {
    fn new(net: N, input: N::Input, target: N::Target) -> Self {
        let optimizer = AdamWConfig::new().with_epsilon(1e-5).with_weight_decay(5e-5).init();
        Self {
            net: Some(net),
            optimizer,
            input,
            target,
        }
    }

    fn step(&mut self) -> Tensor<1> {
        let net = self.net.take().expect("a net between steps");
        let loss = net.loss(self.input.clone(), self.target.clone());
        let gradients = GradientsParams::from_grads(loss.backward(), &net);
        self.net = Some(self.optimizer.step(1e-3, net, gradients));
        loss
    }
}

struct Options {
    filter: String,
    seconds: f64,
}

/// Seconds, as `burn-bench` reports them: the spread is the distance between the quartiles over the median.
struct Summary {
    best: f64,
    median: f64,
    spread: f64,
}

fn summary(mut times: Vec<f64>) -> Summary {
    times.sort_by(f64::total_cmp);
    let half = times.len() / 2;
    let median = if times.len() % 2 == 1 {
        times[half]
    } else {
        (times[half - 1] + times[half]) / 2.0
    };
    let spread = (times[times.len() * 3 / 4] - times[times.len() / 4]) / median;
    Summary {
        best: times[0],
        median,
        spread,
    }
}

fn measure(seconds: f64, mut run: impl FnMut()) -> Summary {
    for _ in 0..3 {
        run();
    }
    let mut times = Vec::new();
    while times.len() < 5 || times.iter().sum::<f64>() < seconds {
        let start = Instant::now();
        run();
        times.push(start.elapsed().as_secs_f64());
    }
    summary(times)
}

fn report(cases: &mut Vec<String>, name: &str, losses: Vec<f64>, step: Summary) {
    println!("{name:<20} best {:.2} ms", step.best * 1e3);
    let Summary { best, median, spread } = step;
    let times = format!("{{\"best\": {best:e}, \"median\": {median:e}, \"spread\": {spread:e}}}");
    cases.push(format!("\"{name}\": {{\"losses\": {losses:?}, \"step\": {times}}}"));
}

/// `make` builds the case with this probability of dropout.
fn train<N: Net>(cases: &mut Vec<String>, options: &Options, name: &str, make: impl Fn(f64) -> Training<N>) {
    if !name.contains(&options.filter) {
        return;
    }
    let mut exact = make(0.0);
    let losses = (0..5).map(|_| number(exact.step())).collect();
    let mut training = make(0.25);
    let step = measure(options.seconds, || {
        training.step();
    });
    report(cases, name, losses, step);
}

fn infer(cases: &mut Vec<String>, options: &Options, name: &str) {
    if !name.contains(&options.filter) {
        return;
    }
    let device = Device::flex();
    let net = Mnist::new(0.25, &device).valid();
    let images = data("images", [256, 1, 28, 28], &device);
    let square = number(net.logits(images.clone()).square().mean());
    let step = measure(options.seconds, || {
        net.logits(images.clone());
    });
    report(cases, name, vec![square], step);
}

fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find(|line| line.starts_with("model name"));
    name.and_then(|line| line.split(": ").nth(1))
        .unwrap_or("unknown")
        .to_string()
}

fn threads() -> usize {
    let chosen = std::env::var("RAYON_NUM_THREADS")
        .ok()
        .and_then(|text| text.parse().ok());
    chosen.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |count| count.get()))
}

fn main() {
    let mut options = Options {
        filter: String::new(),
        seconds: 1.0,
    };
    let mut path = None;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--filter" => options.filter = arguments.next().expect("--filter TEXT"),
            "--json" => path = Some(arguments.next().expect("--json FILE")),
            "--quick" => options.seconds = 0.2,
            _ => panic!("no option {argument}"),
        }
    }
    let device = &Device::flex().autodiff();
    let mut cases = Vec::new();
    for (name, batch) in [("mlp-64", 64), ("mlp-1024", 1024)] {
        train(&mut cases, &options, name, |_| {
            Training::new(
                Mlp::new(device),
                data("rows", [batch, 784], device),
                labels(batch, device),
            )
        });
    }
    for (name, batch) in [("mnist-64", 64), ("mnist-256", 256)] {
        train(&mut cases, &options, name, |dropout| {
            let images = data("images", [batch, 1, 28, 28], device);
            Training::new(Mnist::new(dropout, device), images, labels(batch, device))
        });
    }
    infer(&mut cases, &options, "mnist-inference-256");
    train(&mut cases, &options, "encoder-8", |_| {
        let shape = [8, 256, 256];
        Training::new(
            Encoder::new(device),
            data("tokens", shape, device),
            data("target", shape, device),
        )
    });
    let report = format!(
        "{{\"version\": \"0.22.1\", \"processor\": \"{}\", \"steps\": {{\"unit\": \"s\", \"mode\": \"flex\", \"threads\": {}, \
         \"cases\": {{{}}}}}}}\n",
        processor(),
        threads(),
        cases.join(", ")
    );
    if let Some(path) = path {
        std::fs::write(path, report).expect("a file that can be written");
    }
}
