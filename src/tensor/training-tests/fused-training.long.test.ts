/** Networks whose layers are fused, and steps that are recorded as graphs, against the same training without. */
import { beforeAll, describe, expect, it } from "vitest";
import { openDevice, type Gpu } from "../../index.ts";
import { functional as F, nn, openTensors, optim, type Tensor, type Tensors } from "../../tensor.ts";
import { lowPrecisionCopies } from "../autograd/low-precision.ts";
import { tensorDeviceOf, type TensorDevice } from "../kernels/tensor-device.ts";

let gpu: Gpu;
let torch: Tensors;
let device: TensorDevice;
beforeAll(async () => {
  gpu = await openDevice({ device: "emulated" });
  torch = await openTensors({ device: gpu });
  device = tensorDeviceOf(gpu.raw) as TensorDevice;
  device.leastElements = 0;
});

function network(): nn.Sequential {
  torch.manualSeed(3);
  return new nn.Sequential(
    new nn.Conv2d(1, 16, 3, { padding: 1 }),
    new nn.BatchNorm2d(16),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Conv2d(16, 32, 3, { padding: 1 }),
    new nn.BatchNorm2d(32),
    new nn.ReLU(),
    new nn.MaxPool2d(2),
    new nn.Flatten(),
    new nn.Linear(128, 32),
    new nn.ReLU(),
    new nn.Linear(32, 10),
  );
}

const BATCH = 12;
const data = (step: number): { images: Float32Array; labels: BigInt64Array } => {
  const labels = BigInt64Array.from({ length: BATCH }, (_, i) => BigInt((i * 7 + step) % 10));
  const images = Float32Array.from({ length: BATCH * 64 }, (_, i) => {
    const label = Number(labels[Math.floor(i / 64)]);
    return (i % 64) % (label + 2) === 0 ? 1 : Math.sin(i * 0.7 + step) * 0.3;
  });
  return { images, labels };
};

/** Trains for some steps. @returns the losses and the parameters */
function train(
  steps: number,
  isFused: boolean,
  isGraph: boolean,
  momentum: number,
): { losses: number[]; model: nn.Sequential } {
  const model = network();
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.05, momentum });
  const images = torch.zeros([BATCH, 1, 8, 8]);
  const labels = torch.zeros([BATCH], { dtype: "int64" });
  const step = (): Tensor =>
    torch.tidy(() => {
      optimizer.zeroGrad();
      const output = torch.autocast({ enabled: isFused }, () => model.forward(images));
      const loss = F.crossEntropy(output.float(), labels);
      loss.backward();
      optimizer.step();
      return loss.detach();
    });
  const give = (at: number): void => {
    const { images: own, labels: digits } = data(at);
    torch.upload(images, own);
    torch.upload(labels, digits);
  };
  const losses: number[] = [];
  give(0);
  if (!isGraph) {
    for (let at = 0; at < steps; at++) {
      give(at);
      losses.push(step().item());
    }
    return { losses, model };
  }
  let first = Number.NaN;
  using graph = torch.graph(() => {
    const loss = step();
    if (Number.isNaN(first)) first = loss.item();
    return loss;
  });
  losses.push(first);
  for (let at = 1; at < steps; at++) {
    give(at);
    graph.launch();
    losses.push(graph.result.item());
  }
  return { losses, model };
}

const valuesOf = (model: nn.Sequential): number[] => Object.values(model.stateDict()).flatMap((of) => [...of.values()]);

describe("training with fused layers", () => {
  it("follows float32", () => {
    const [fused, plain] = [train(8, true, false, 0.9), train(8, false, false, 0.9)];
    expect(fused.losses.at(-1)).toBeLessThan(0.7 * (fused.losses[0] as number));
    for (const [i, loss] of fused.losses.entries())
      expect(Math.abs(loss - (plain.losses[i] as number))).toBeLessThan(0.05);
    // Each step doubles what rounding has changed: the statistics are compared after four.
    const [early, exact] = [train(4, true, false, 0.9), train(4, false, false, 0.9)];
    const statistics = ["1.running_mean", "1.running_var", "5.running_mean", "1.num_batches_tracked"];
    for (const name of statistics) {
      const [own, other] = [early, exact].map(({ model }) => model.stateDict()[name] as Tensor) as [Tensor, Tensor];
      for (const [i, value] of own.values().entries())
        expect(Math.abs(value - (other.values()[i] as number)), name).toBeLessThan(0.01);
    }
  });

  it("as a graph is the same, bit by bit", () => {
    const [graph, eager] = [train(6, true, true, 0.9), train(6, true, false, 0.9)];
    expect(graph.losses).toEqual(eager.losses);
    const counts = (model: nn.Sequential): number[] => valuesOf(model).filter((value) => !Number.isInteger(value));
    expect(counts(graph.model)).toEqual(counts(eager.model));
  });

  it("keeps copies of weights that a step writes along", () => {
    const { model } = train(2, true, false, 0);
    let checked = 0;
    for (const parameter of model.parameters())
      for (const { tensor, version, layout } of lowPrecisionCopies(parameter)) {
        expect(version).toBe(parameter.storage.version);
        const { shape } = parameter;
        const own = layout === "same" ? parameter : parameter.permute(0, 2, 3, 1);
        expect(tensor.shape).toEqual(layout === "same" ? shape : [shape[0], shape[2], shape[3], shape[1]]);
        expect([...tensor.values()]).toEqual([...own.detach().to("bfloat16").values()]);
        checked++;
      }
    expect(checked).toBe(4);
  });
});

describe("a graph", () => {
  it("refuses what the host computes, and works on", () => {
    const x = torch.ones([4]);
    expect(() => torch.graph(() => x.add(1).tolist())).toThrow(/reads memory of the device from the host, in a graph/);
    expect(x.add(1).tolist()).toEqual([2, 2, 2, 2]);
  });

  it("owns its memory until it is closed", () => {
    const x = torch.ones([4]);
    const graph = torch.graph(() => torch.tidy(() => x.mul(3).add(1)));
    const other = torch.zeros([4]);
    graph.launch();
    expect(graph.result.tolist()).toEqual([4, 4, 4, 4]);
    torch.upload(x, Float32Array.of(1, 2, 3, 4));
    graph.launch();
    expect([graph.result.tolist(), other.tolist()]).toEqual([
      [4, 7, 10, 13],
      [0, 0, 0, 0],
    ]);
    graph.close();
    expect(() => graph.launch()).toThrow(/closed/);
  });

  it("takes a batch from one upload", () => {
    const { memory, tensors, offsets } = torch.packed([{ shape: [3] }, { shape: [2], dtype: "int64" }]);
    const batch = new Uint8Array(memory.numel());
    const digits = new BigInt64Array(batch.buffer, offsets[1], 2);
    const [x, y] = tensors as [Tensor, Tensor];
    new Float32Array(batch.buffer, offsets[0], 3).set([1, 2, 3]);
    digits.set([7n, -1n]);
    using graph = torch.graph(() => {
      torch.upload(memory, batch);
      return torch.tidy(() => x.sum().add(y.sum()));
    });
    digits.set([1n, 1n]);
    graph.launch();
    expect([graph.result.item(), y.tolist()]).toEqual([8, [1n, 1n]]);
  });

  it("upload takes as many bytes as the tensor has", () => {
    expect(() => torch.upload(torch.zeros([3]), new Float32Array(2))).toThrow(/8 bytes are given for float32 \[3\]/);
  });
});
