/** A training loop: its memory, mixed precision, loaders with threads, and files. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as heddle from "../../tensor.ts";
import { data, nn, openTensors, optim, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
const folder = mkdtempSync(join(tmpdir(), "heddle-training-"));
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});
afterAll(() => rmSync(folder, { recursive: true }));

const network = (): nn.Sequential => new nn.Sequential(new nn.Linear(4, 8), new nn.ReLU(), new nn.Linear(8, 3));

it("1000 steps hold their memory", () => {
  torch.manualSeed(1);
  const model = network();
  const optimizer = new optim.Adam(model.parameters(), { lr: 0.01 });
  const [x, y] = [torch.randn(16, 4), torch.randint(0, 3, [16])];
  let first = 0;
  for (let step = 0; step < 1000; step++) {
    torch.tidy(() => {
      optimizer.zeroGrad();
      nn.functional.crossEntropy(model.forward(x), y).backward();
      nn.utils.clipGradNorm_(model.parameters(), 1);
      optimizer.step();
    });
    const { allocatedBytes } = torch.memoryStatistics();
    if (step === 0) first = allocatedBytes;
    if (allocatedBytes !== first) expect(allocatedBytes, `step ${step}`).toBe(first);
  }
});

describe("mixed precision", () => {
  it("products are of small floats, losses of float32, gradients of the weights' type", () => {
    const model = network();
    const x = torch.randn(5, 4);
    const output = torch.autocast({ dtype: "bfloat16" }, () => model.forward(x));
    expect(output.dtype).toBe("bfloat16");
    const loss = torch.autocast({}, () => nn.functional.crossEntropy(model.forward(x), torch.zeros(5).long()));
    expect(loss.dtype).toBe("float32");
    loss.backward();
    for (const parameter of model.parameters()) expect(parameter.grad?.dtype).toBe("float32");
    const exact = nn.functional.crossEntropy(model.forward(x), torch.zeros(5).long());
    expect(Math.abs(loss.item() - exact.item())).toBeLessThan(0.03);
    expect(torch.autocast({ enabled: false }, () => model.forward(x)).dtype).toBe("float32");
  });

  it("a scaled loss has the same step, and an infinite gradient none", () => {
    const weight = new nn.Parameter(torch.tensor([1, 2]));
    const optimizer = new optim.SGD([weight], { lr: 0.5 });
    const scaler = new optim.GradScaler({ initScale: 1024, growthInterval: 1 });
    scaler.scale(weight.square().sum()).backward();
    scaler.step(optimizer);
    scaler.update();
    expect(weight.tolist()).toEqual([0, 0]);
    expect(scaler.getScale()).toBe(2048);
    optimizer.zeroGrad();
    scaler.scale(weight.mul(Infinity).sum()).backward();
    scaler.step(optimizer);
    scaler.update();
    expect(weight.tolist()).toEqual([0, 0]);
    expect(scaler.getScale()).toBe(1024);
  });
});

describe("loaders", () => {
  it("threads make examples, in order; what one throws is reported", async () => {
    const path = join(folder, "examples.mjs");
    writeFileSync(
      path,
      "export default (i, { scale }) => { if (i === 99) throw new Error('no example'); " +
        "return [Float32Array.of(i, i * scale), i]; };",
    );
    const threads = heddle.workers(pathToFileURL(path), { count: 2, data: { scale: 3 } });
    const seen: unknown[] = [];
    const get = (index: number): number => index;
    for await (const batch of new data.DataLoader({ length: 5, get }, { batchSize: 2, workers: threads })) {
      const [x, i] = batch as unknown as [Tensor, Tensor];
      seen.push([x.tolist(), [...i.values()]]);
    }
    expect(seen).toEqual([
      [
        [
          [0, 0],
          [1, 3],
        ],
        [0, 1],
      ],
      [
        [
          [2, 6],
          [3, 9],
        ],
        [2, 3],
      ],
      [[[4, 12]], [4]],
    ]);
    await expect(threads.fetch([99])).rejects.toThrow("a worker could not make an example");
    await threads.close();
  });

  it("the last batch is left out if it is asked for; datasets are joined", () => {
    const part = (begin: number): data.Dataset<number> => ({ length: 3, get: (index) => begin + index });
    const all = new data.ConcatDataset([part(0), part(10)]);
    const loader = new data.DataLoader(all, { batchSize: 4, dropLast: true, collate: (items) => [...items] });
    expect(loader.length).toBe(1);
    expect([...loader]).toEqual([[0, 1, 2, 10]]);
  });
});

describe("files", () => {
  it.each(["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"] as const)(
    "%s survives a file",
    (dtype) => {
      const x = torch.tensor([[0, 1, 2.5]], { dtype });
      const { tensors, metadata } = heddle.decodeSafetensors(heddle.encodeSafetensors({ x }, { by: "me" }));
      expect([tensors["x"]?.dtype, tensors["x"]?.shape]).toEqual([dtype, [1, 3]]);
      expect(tensors["x"]?.tolist()).toEqual(x.tolist());
      expect(metadata).toEqual({ by: "me" });
    },
  );

  it("a network and its optimiser go on from a checkpoint", () => {
    const path = join(folder, "net.safetensors");
    const [x, y] = [torch.randn(6, 4), torch.randint(0, 3, [6])];
    const step = (model: nn.Sequential, optimizer: optim.Adam): number => {
      optimizer.zeroGrad();
      const loss = nn.functional.crossEntropy(model.forward(x), y);
      loss.backward();
      optimizer.step();
      return loss.item();
    };
    const model = network();
    const optimizer = new optim.Adam(model.parameters());
    for (let i = 0; i < 3; i++) step(model, optimizer);
    heddle.save({ model: model.stateDict(), optimizer: optimizer.stateDict(), epoch: 3 }, path);
    const saved = heddle.load(path) as { model: nn.StateDict; optimizer: optim.OptimizerState; epoch: number };
    const other = network();
    const later = new optim.Adam(other.parameters(), { lr: 7 });
    other.loadStateDict(saved.model);
    later.loadStateDict(saved.optimizer);
    expect(saved.epoch).toBe(3);
    expect(later.paramGroups[0]?.lr).toBe(0.001);
    for (let i = 0; i < 3; i++) expect(step(other, later)).toBe(step(model, optimizer));
  });

  it("names and shapes that do not fit are all reported", () => {
    const model = network();
    const { "0.weight": weight, ...rest } = model.stateDict();
    expect(() => model.loadStateDict({ ...rest, "2.weight": weight as Tensor, more: weight as Tensor })).toThrow(
      /Unexpected key.*"more".*\n.*Missing key.*"0.weight".*\n.*size mismatch for 2.weight.*\[8, 4\].*\[3, 8\]/,
    );
    expect(model.loadStateDict(rest, { strict: false })).toEqual({ missingKeys: ["0.weight"], unexpectedKeys: [] });
  });

  const header = (text: string, length = text.length): Uint8Array => {
    const bytes = new Uint8Array(8 + text.length);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
    bytes.set(new TextEncoder().encode(text), 8);
    return bytes;
  };
  it.each([
    ["no header", new Uint8Array(5), /header's length alone takes 8/],
    ["a long header", header("{}", 1000), /its header has 1000 bytes, but the file ends after 10/],
    ["no JSON", header("nonsense"), /its header is not JSON/],
    ["an unknown type", header('{"x":{"dtype":"F7","shape":[],"data_offsets":[0,1]}}'), /"x" has the dtype "F7"/],
    ["a wrong size", header('{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}'), /F32 of shape \[2\] takes 8/],
    ["a tensor beside the file", header('{"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'), /0 bytes follow/],
    ["a hole", header('{"x":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}}'), /begins at byte 3/],
  ])("%s is a clear error", (_, bytes, message) => {
    expect(() => heddle.decodeSafetensors(bytes)).toThrow(message);
  });
});
