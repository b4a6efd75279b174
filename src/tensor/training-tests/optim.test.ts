/** Steps, schedules, shuffled orders and initial numbers against PyTorch's. */
import { beforeAll, describe, expect, it } from "vitest";
import { data, nn, openTensors, optim, type Tensor, type Tensors } from "../../tensor.ts";
import { expectClose, torchValues } from "./torch-values.test-helper.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

class Network extends nn.Module {
  readonly first: nn.Linear = new nn.Linear(4, 6);
  readonly second: nn.Linear = new nn.Linear(6, 1);

  override forward(x: Tensor): Tensor {
    return this.second.forward(this.first.forward(x).tanh());
  }
}
const named: Record<string, string> = { "0": "first", "2": "second" };
const keyOf = (key: string): string => key.replace(/^\d/, (number) => named[number] as string);

function grid(rows: number, columns: number): Tensor {
  const values = Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(Math.fround(i) * Math.fround(0.37)));
  return torch.tensor(values).view(rows, columns);
}

function lossOf(model: Network, step: number): Tensor {
  const x = grid(8, 4).add(0.1 * step);
  return model
    .forward(x)
    .sub(x.sum(1, { keepdim: true }).sin())
    .square()
    .mean();
}

const { SGD, Adam, AdamW, RMSprop, Adagrad } = optim;
const OPTIMIZERS: Record<string, (params: Tensor[]) => optim.SGD | optim.Adam | optim.RMSprop | optim.Adagrad> = {
  sgd: (params) => new SGD(params, { lr: 0.1 }),
  "sgd momentum": (params) => new SGD(params, { lr: 0.05, momentum: 0.9, weightDecay: 0.01 }),
  "sgd dampening": (params) => new SGD(params, { lr: 0.05, momentum: 0.9, dampening: 0.3, maximize: true }),
  "sgd nesterov": (params) => new SGD(params, { lr: 0.05, momentum: 0.9, nesterov: true, weightDecay: 0.01 }),
  adam: (params) => new Adam(params, { lr: 0.02 }),
  "adam decay": (params) => new Adam(params, { lr: 0.02, betas: [0.8, 0.9], weightDecay: 0.1, amsgrad: true }),
  adamw: (params) => new AdamW(params, { lr: 0.02, weightDecay: 0.1 }),
  "adamw amsgrad": (params) => new AdamW(params, { lr: 0.02, amsgrad: true, maximize: true }),
  rmsprop: (params) => new RMSprop(params, { lr: 0.01 }),
  "rmsprop centered": (params) => new RMSprop(params, { lr: 0.01, momentum: 0.8, centered: true, weightDecay: 0.1 }),
  adagrad: (params) => new Adagrad(params, { lr: 0.05 }),
  "adagrad decay": (params) =>
    new Adagrad(params, { lr: 0.05, lrDecay: 0.1, weightDecay: 0.1, initialAccumulatorValue: 0.2 }),
};

describe("20 steps are PyTorch's", () => {
  it("of all optimisers that PyTorch was asked for", () =>
    expect(Object.keys(OPTIMIZERS).sort()).toEqual(Object.keys(torchValues.trajectories).sort()));

  it.each(Object.entries(OPTIMIZERS))("%s", (name, make) => {
    torch.manualSeed(7);
    const model = new Network();
    const optimizer = make(model.parameters());
    const expected = torchValues.trajectories[name] as (typeof torchValues.trajectories)[string];
    for (let step = 0; step < 20; step++) {
      optimizer.zeroGrad();
      const loss = lossOf(model, step % 3);
      loss.backward();
      optimizer.step();
      const want = expected.losses[step] as number;
      expect(Math.abs(loss.item() - want), `loss ${step}`).toBeLessThanOrEqual(3e-5 * Math.max(1, Math.abs(want)));
    }
    const state = model.stateDict();
    for (const [key, some] of Object.entries(expected.weights)) expectClose(state[keyOf(key)], some, 3e-5, key);
    const own = optimizer.stateDict().state["0"] ?? {};
    for (const [key, some] of Object.entries(expected.state)) expectClose(own[key] as Tensor, some, 1e-4, key);
  });
});

const scheduled = optim.lrScheduler;
const SCHEDULES: Record<string, (o: optim.SGD) => { step(): void }> = {
  step: (o) => new scheduled.StepLR(o, 5, 0.5),
  milestones: (o) => new scheduled.MultiStepLR(o, [3, 8, 9], 0.3),
  exponential: (o) => new scheduled.ExponentialLR(o, 0.9),
  lambda: (o) => new scheduled.LambdaLR(o, (epoch) => 1 / (1 + epoch)),
  linear: (o) => new scheduled.LinearLR(o, { startFactor: 0.1, endFactor: 1, totalIters: 6 }),
  cosine: (o) => new scheduled.CosineAnnealingLR(o, 12, 0.01),
  "one cycle": (o) => new scheduled.OneCycleLR(o, { maxLr: 1, totalSteps: 20 }),
  "one cycle linear": (o) =>
    new scheduled.OneCycleLR(o, {
      maxLr: 1,
      totalSteps: 20,
      annealStrategy: "linear",
      threePhase: true,
      pctStart: 0.25,
    }),
  "warm-up": (o) =>
    new scheduled.SequentialLR(
      o,
      [new scheduled.LinearLR(o, { startFactor: 0.1, totalIters: 4 }), new scheduled.CosineAnnealingLR(o, 10)],
      [4],
    ),
};

describe("learning rates are PyTorch's", () => {
  it.each(Object.entries(SCHEDULES))("%s", (name, make) => {
    const { rates, momenta = [] } = torchValues.schedules[name] as (typeof torchValues.schedules)[string];
    const optimizer = new SGD([torch.zeros(1, { requiresGrad: true })], { lr: 0.2, momentum: 0.9 });
    const schedule = make(optimizer);
    for (const [step, rate] of rates.entries()) {
      const [{ lr, momentum }] = optimizer.paramGroups as unknown as [{ lr: number; momentum: number }];
      expect(lr, `step ${step}`).toBeCloseTo(rate, 12);
      expect(momentum, `step ${step}`).toBeCloseTo(momenta[step] as number, 12);
      optimizer.step();
      schedule.step();
    }
  });

  it("plateau", () => {
    const { metrics = [], rates } = torchValues.schedules["plateau"] as (typeof torchValues.schedules)[string];
    const optimizer = new SGD([torch.zeros(1, { requiresGrad: true })], { lr: 0.2 });
    const schedule = new scheduled.ReduceLROnPlateau(optimizer, { factor: 0.5, patience: 2, cooldown: 1 });
    const own = metrics.map((metric) => {
      schedule.step(metric);
      return optimizer.paramGroups[0]?.lr;
    });
    expect(own).toEqual(rates);
  });
});

it("gradients are clipped as PyTorch clips them", () => {
  torch.manualSeed(7);
  const model = new Network();
  lossOf(model, 0).backward();
  const norm = nn.utils.clipGradNorm_(model.parameters(), 0.5);
  expect(norm?.item()).toBeCloseTo(torchValues.clipping.norm, 5);
  const params = Object.fromEntries(model.namedParameters());
  for (const [key, some] of Object.entries(torchValues.clipping.gradients))
    expectClose(params[keyOf(key)]?.grad, some, 2e-6, key);
  nn.utils.clipGradValue_(model.parameters(), 0.01);
  for (const { grad } of model.parameters())
    for (const value of grad?.values() ?? []) expect(Math.abs(value)).toBeLessThanOrEqual(0.01 + 1e-9);
});

it("shuffled orders and random parts are PyTorch's, and so are the numbers behind them", () => {
  torch.manualSeed(5);
  const ids = torch.arange(10, undefined, 1, { device: null });
  const dataset = new data.TensorDataset(ids, ids.mul(2));
  const loader = new data.DataLoader(dataset, { batchSize: 3, shuffle: true });
  const epoch = (): number[][] =>
    [...loader].map(([x, y]) => {
      expect(y?.tolist()).toEqual(x?.mul(2).tolist());
      return [...(x?.values() ?? [])];
    });
  expect([epoch(), epoch()]).toEqual(torchValues.data.epochs);
  expect(data.randomSplit(dataset, [6, 4]).map(({ indices }) => indices)).toEqual(torchValues.data.parts);
  const after = [...torch.rand(2, { device: null }).values()];
  for (const [i, value] of after.entries()) expect(value).toBeCloseTo(torchValues.data.after[i] as number, 6);
});

const INITS: Record<string, (tensor: Tensor) => Tensor> = {
  xavier_uniform_: (t) => nn.init.xavierUniform_(t),
  xavier_normal_: (t) => nn.init.xavierNormal_(t, 2),
  kaiming_uniform_: (t) => nn.init.kaimingUniform_(t, { nonlinearity: "relu", mode: "fan_out" }),
  kaiming_normal_: (t) => nn.init.kaimingNormal_(t, { a: 0.2 }),
  uniform_: (t) => nn.init.uniform_(t, -2, 3),
  normal_: (t) => nn.init.normal_(t, 1, 0.5),
  trunc_normal_: (t) => nn.init.truncNormal_(t, 0, 0.5, -0.6, 0.4),
};

describe("initial numbers are PyTorch's", () => {
  it.each(Object.entries(INITS))("%s", (name, fill) => {
    torch.manualSeed(3);
    expectClose(fill(torch.empty(5, 7)), torchValues.inits[name] as (typeof torchValues.inits)[string], 2e-6, name);
  });
});
