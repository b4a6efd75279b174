/** One network three times: by scalars (examples/micrograd.ts), by tensors, and by kernels written by hand. */
import { expect, it } from "vitest";
import { MLP } from "../../../examples/micrograd.ts";
import { compile, openDevice } from "../../index.ts";
import { nn, openTensors, optim, type Tensor } from "../../tensor.ts";

const IN = 3;
const HIDDEN = 4;
const X = [
  [2, 3, -1],
  [3, -1, 0.5],
  [0.5, 1, 1],
  [1, 1, -1],
];
const Y = [1, -1, -1, 1];
const RATE = 0.02;
const STEPS = 10;

/** Numbers between 0 and 1 that are the same each time. */
function randomNumbers(): () => number {
  let state = 12345;
  return () => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648;
}

function byScalars(): { losses: number[]; weights: number[]; initial: number[] } {
  const net = new MLP(IN, [HIDDEN, 1], randomNumbers());
  const initial = net.parameters().map(({ data }) => data);
  const losses = Array.from({ length: STEPS }, () => {
    net.zeroGrad();
    const errors = X.map((x, i) =>
      net
        .call(x)[0]
        ?.sub(Y[i] as number)
        .pow(2),
    );
    const loss = errors.reduce((sum, error) => sum?.add(error ?? 0));
    loss?.backward();
    for (const parameter of net.parameters()) parameter.data -= RATE * parameter.grad;
    return loss?.data as number;
  });
  return { losses, initial, weights: net.parameters().map(({ data }) => data) };
}

/** Micrograd has each neuron's weights and its bias together. */
const weightsOf = (all: readonly number[]): { w1: number[]; b1: number[]; w2: number[]; b2: number[] } => {
  const rows = Array.from({ length: HIDDEN }, (_, i) => all.slice(i * (IN + 1), (i + 1) * (IN + 1)));
  const last = all.slice(HIDDEN * (IN + 1));
  return {
    w1: rows.flatMap((row) => row.slice(0, IN)),
    b1: rows.map((row) => row[IN] as number),
    w2: last.slice(0, HIDDEN),
    b2: last.slice(HIDDEN),
  };
};
const together = (
  w1: readonly number[],
  b1: readonly number[],
  w2: readonly number[],
  b2: readonly number[],
): number[] => [...b1.flatMap((bias, i) => [...w1.slice(i * IN, (i + 1) * IN), bias]), ...w2, ...b2];

async function byTensors(initial: readonly number[]): Promise<{ losses: number[]; weights: number[] }> {
  const torch = await openTensors({ device: "emulated" });
  const net = new nn.Sequential(new nn.Linear(IN, HIDDEN), new nn.ReLU(), new nn.Linear(HIDDEN, 1));
  const { w1, b1, w2, b2 } = weightsOf(initial);
  net.loadStateDict({
    "0.weight": torch.tensor(w1).view(HIDDEN, IN),
    "0.bias": torch.tensor(b1),
    "2.weight": torch.tensor(w2).view(1, HIDDEN),
    "2.bias": torch.tensor(b2),
  });
  const optimizer = new optim.SGD(net.parameters(), { lr: RATE });
  const [x, y] = [torch.tensor(X), torch.tensor(Y).view(4, 1)];
  const losses = Array.from({ length: STEPS }, () => {
    optimizer.zeroGrad();
    const loss = net.forward(x).sub(y).square().sum();
    loss.backward();
    optimizer.step();
    return loss.item();
  });
  const parts = net.parameters().map((tensor: Tensor) => [...tensor.values()]) as [
    number[],
    number[],
    number[],
    number[],
  ];
  torch.device.close();
  return { losses, weights: together(...parts) };
}

/** One thread an example; gradients are added by atomics. */
const KERNELS = `
constexpr int IN = ${IN}, HIDDEN = ${HIDDEN};

__global__ void gradients(const float *x, const float *y, const float *w1, const float *b1, const float *w2,
                          const float *b2, float *gradient, float *loss, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  float h[HIDDEN], out = b2[0];
  for (int j = 0; j < HIDDEN; j++) {
    float sum = b1[j];
    for (int k = 0; k < IN; k++) sum += w1[j * IN + k] * x[i * IN + k];
    h[j] = fmaxf(sum, 0.0f);
    out += w2[j] * h[j];
  }
  float error = out - y[i], slope = 2.0f * error;
  atomicAdd(loss, error * error);
  float *g1 = gradient, *gb1 = g1 + HIDDEN * IN, *g2 = gb1 + HIDDEN, *gb2 = g2 + HIDDEN;
  atomicAdd(gb2, slope);
  for (int j = 0; j < HIDDEN; j++) {
    atomicAdd(&g2[j], slope * h[j]);
    float back = h[j] > 0.0f ? slope * w2[j] : 0.0f;
    atomicAdd(&gb1[j], back);
    for (int k = 0; k < IN; k++) atomicAdd(&g1[j * IN + k], back * x[i * IN + k]);
  }
}

__global__ void step(float *weights, float *gradient, float rate, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  weights[i] -= rate * gradient[i];
  gradient[i] = 0.0f;
}`;

async function byKernels(initial: readonly number[]): Promise<{ losses: number[]; weights: number[] }> {
  const device = await openDevice({ device: "emulated" });
  const module = await compile(KERNELS, { device });
  const [gradients, step] = [await module.kernel("gradients"), await module.kernel("step")];
  const { w1, b1, w2, b2 } = weightsOf(initial);
  const all = [...w1, ...b1, ...w2, ...b2];
  const weights = device.array(Float32Array.from(all));
  const gradient = device.array(all.length, "float32");
  const [x, y] = [device.array(Float32Array.from(X.flat())), device.array(Float32Array.from(Y))];
  const loss = device.array(1, "float32");
  const at = (begin: number, length: number): typeof weights => weights.subarray(begin, begin + length);
  const parts = [at(0, 12), at(12, 4), at(16, 4), at(20, 1)] as const;
  const losses: number[] = [];
  for (let i = 0; i < STEPS; i++) {
    await loss.write(Float32Array.of(0));
    await gradients.launch({ grid: 1, block: 32 }, x, y, ...parts, gradient, loss, X.length);
    await step.launch({ grid: 1, block: 32 }, weights, gradient, RATE, all.length);
    losses.push((await loss.read())[0] as number);
  }
  const end = [...((await weights.read()) as Float32Array)];
  device.close();
  return { losses, weights: together(end.slice(0, 12), end.slice(12, 16), end.slice(16, 20), end.slice(20)) };
}

it("scalars, tensors and kernels by hand learn the same", async () => {
  const scalars = byScalars();
  expect(scalars.losses.at(-1)).toBeLessThan(scalars.losses[0] as number);
  for (const other of [await byTensors(scalars.initial), await byKernels(scalars.initial)]) {
    for (const [i, loss] of scalars.losses.entries()) expect(other.losses[i]).toBeCloseTo(loss, 4);
    for (const [i, weight] of scalars.weights.entries()) expect(other.weights[i]).toBeCloseTo(weight, 5);
  }
});
