/** Modules against PyTorch's: initial weights, texts, outputs and gradients. */
import { beforeAll, describe, expect, it } from "vitest";
import { nn, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { expectClose, torchValues, type TorchValues } from "./torch-values.test-helper.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

const MODULES: Record<string, () => nn.Module> = {
  linear: () => new nn.Linear(7, 5),
  "linear without bias": () => new nn.Linear(40, 3, { bias: false }),
  "linear float64": () => new nn.Linear(7, 5, { dtype: "float64" }),
  bilinear: () => new nn.Bilinear(3, 4, 5),
  embedding: () => new nn.Embedding(11, 6, { paddingIdx: 2 }),
  conv1d: () => new nn.Conv1d(4, 6, 3),
  conv2d: () => new nn.Conv2d(4, 6, [3, 5], { stride: 2, padding: 1, groups: 2 }),
  conv3d: () => new nn.Conv3d(2, 3, 2),
  "conv transposed": () => new nn.ConvTranspose2d(4, 6, 3, { stride: 2, outputPadding: 1, groups: 2 }),
  "batch norm": () => new nn.BatchNorm2d(5),
  "layer norm": () => new nn.LayerNorm([3, 4]),
  "group norm": () => new nn.GroupNorm(2, 6),
  "rms norm": () => new nn.RMSNorm([3, 4]),
  rnn: () => new nn.RNN(3, 4, { numLayers: 2, nonlinearity: "relu" }),
  lstm: () => new nn.LSTM(3, 4, { numLayers: 2, batchFirst: true, bidirectional: true }),
  gru: () => new nn.GRU(3, 4),
  attention: () => new nn.MultiheadAttention(8, 2, { batchFirst: true }),
  "encoder layer": () => new nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 12, dropout: 0, batchFirst: true }),
  sequential: () => new nn.Sequential(new nn.Linear(4, 3), new nn.ReLU(), new nn.Dropout(0.2), new nn.Linear(3, 2)),
};

it("all modules that PyTorch was asked for", () =>
  expect(Object.keys(MODULES).sort()).toEqual(Object.keys(torchValues.modules).sort()));

describe("initial weights and texts", () => {
  it.each(Object.entries(MODULES))("%s", (name, make) => {
    torch.manualSeed(42);
    const module = make();
    const { text, state } = torchValues.modules[name] as TorchValues["modules"][string];
    expect(module.toString()).toBe(text);
    const own = module.stateDict();
    expect(Object.keys(own)).toEqual(Object.keys(state));
    for (const [key, some] of Object.entries(state)) expectClose(own[key], some, 2e-6, key);
  });
});

function grid(shape: readonly number[]): Tensor {
  const length = shape.reduce((product, size) => product * size, 1);
  const values = Float32Array.from({ length }, (_, i) => Math.sin(Math.fround(Math.fround(i) * Math.fround(0.37))));
  return torch.tensor(values).view(shape).requiresGrad_();
}

describe("outputs and gradients", () => {
  it.each(Object.keys(torchValues.forwards))("%s", (name) => {
    torch.manualSeed(42);
    const module = MODULES[name]?.() as nn.Module;
    const expected = torchValues.forwards[name] as TorchValues["forwards"][string];
    const inputs = expected.shapes.map(grid);
    const output = (module.forward as (...args: Tensor[]) => Tensor | readonly [Tensor]).call(module, ...inputs);
    const first = Array.isArray(output) ? (output[0] as Tensor) : (output as Tensor);
    expectClose(first, expected.output, 1e-5, "output");
    first.pow(3).sum().backward();
    expectClose(inputs[0]?.grad, expected.input, 5e-5, "gradient of the input");
    const params = Object.fromEntries(module.namedParameters());
    expect(Object.keys(params)).toEqual(Object.keys(expected.gradients));
    for (const [key, some] of Object.entries(expected.gradients)) expectClose(params[key]?.grad, some, 5e-5, key);
    const buffers = Object.fromEntries(module.namedBuffers());
    for (const [key, some] of Object.entries(expected.buffers)) expectClose(buffers[key], some, 1e-5, key);
  });
});
