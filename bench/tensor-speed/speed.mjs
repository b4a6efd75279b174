// How fast tensors are: `node bench/tensor-speed/speed.mjs RESULT.json steps operations train:1-2-3 kernels:64`.
// Beside it: torch_speed.py, the same with PyTorch. DATA is the folder of MNIST's four files, as they are or with .gz.
// STEPS=1250 trains that many steps instead of to 98 %: the time of the same work, whatever the images are.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { operations } from "./operations.mjs";
import { recorded } from "./recorded.mjs";

const start = performance.now() - process.uptime() * 1000;
const root = process.env.HEDDLE_ROOT ?? new URL("../..", import.meta.url).pathname;
const { openDevice } = await import(`${root}/dist/index.js`);
const { openTensors, functional: F, nn, optim } = await import(`${root}/dist/tensor.js`);
const [path, ...parts] = process.argv.slice(2);
const gpu = await openDevice({ device: "cuda" });
const torch = await openTensors({ device: gpu });
const openMs = performance.now() - start;
const result = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
result.device = gpu.properties.name;
const save = () => writeFileSync(path, JSON.stringify(result));
const STEPS = process.env.STEPS === undefined ? null : Number(process.env.STEPS);
const say = (...words) => console.log(...words);
const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const rounded = (_, own) => (typeof own === "number" ? Math.round(own * 100) / 100 : own);

/** Microseconds of a call on the device, in three rounds. */
async function timed(work, count = 300) {
  for (let i = 0; i < 20; i++) work();
  const rounds = [];
  for (let round = 0; round < 3; round++) {
    const [start, end] = [gpu.event(), gpu.event()];
    start.record();
    for (let i = 0; i < count; i++) work();
    end.record();
    rounds.push(((await end.since(start)) * 1000) / count);
    start.close();
    end.close();
  }
  return rounds;
}

class Cnn extends nn.Sequential {
  constructor() {
    const block = (channels, filters) => [
      new nn.Conv2d(channels, filters, 3, { padding: 1 }),
      new nn.BatchNorm2d(filters),
      new nn.ReLU(),
      new nn.MaxPool2d(2),
    ];
    super(
      ...block(1, 32),
      ...block(32, 64),
      new nn.Flatten(),
      new nn.Linear(3136, 128),
      new nn.ReLU(),
      new nn.Linear(128, 10),
    );
  }
}

function build(seed = 1) {
  torch.manualSeed(seed);
  const model = new Cnn();
  const optimizer = new optim.SGD(model.parameters(), { lr: 0.01 });
  const step = (x, y) => {
    optimizer.zeroGrad();
    const loss = torch.autocast({ dtype: "bfloat16" }, () => F.crossEntropy(model.forward(x), y));
    loss.backward();
    optimizer.step();
    return loss.detach();
  };
  return { model, step };
}

/** A batch on the device, and its values in pinned memory. */
function slot(batch) {
  const { memory, tensors, offsets } = torch.packed([
    { shape: [batch, 1, 28, 28] },
    { shape: [batch], dtype: "int64" },
  ]);
  const values = new Uint8Array(memory.numel());
  const images = new Float32Array(values.buffer, offsets[0], batch * 784);
  const labels = new BigInt64Array(values.buffer, offsets[1], batch);
  for (let i = 0; i < images.length; i++) images[i] = ((i * 7919) % 1000) / 1000;
  for (let i = 0; i < batch; i++) labels[i] = BigInt((i * 7) % 10);
  gpu.pin(values);
  torch.upload(memory, values);
  return { memory, x: tensors[0], y: tensors[1], values };
}

async function measureSteps(batches) {
  result.steps ??= [];
  for (const batch of batches) {
    const { step } = build();
    const slots = [slot(batch), slot(batch)];
    const [{ memory, x, y, values }] = slots;
    const before = performance.now();
    torch.tidy(() => void step(x, y).item());
    const row = { batch, firstMs: performance.now() - before };
    const eager = () => torch.tidy(() => void step(x, y));
    for (let i = 0; i < 5; i++) eager();
    torch.synchronize();
    const begin = performance.now();
    for (let i = 0; i < 50; i++) eager();
    row.eagerHostUs = ((performance.now() - begin) * 1000) / 50;
    torch.synchronize();
    row.eagerUs = ((performance.now() - begin) * 1000) / 50;
    const graph = recorded(torch, () => torch.tidy(() => step(x, y)));
    row.alone = await timed(() => graph.launch());
    row.copied = await timed(() => {
      torch.upload(memory, values);
      graph.launch();
    });
    if (typeof torch.beside === "function") {
      // The next batch is copied while this one is computed: two graphs that take turns.
      const graphs = [0, 1].map((own) =>
        recorded(torch, () =>
          torch.tidy(() => {
            const other = slots[1 - own];
            torch.beside(() => torch.upload(other.memory, other.values));
            return step(slots[own].x, slots[own].y);
          }),
        ),
      );
      let turn = 0;
      row.overlapped = await timed(() => graphs[turn++ & 1].launch());
      row.lossOverlapped = graphs[0].result.item();
      for (const own of graphs) own.close();
    }
    row.loss = graph.result.item();
    graph.close();
    result.steps.push(row);
    say(JSON.stringify(row, rounded));
    save();
  }
}

/** One step without a graph, for a profiler. */
function showKernels(batch) {
  const { step } = build();
  const { x, y } = slot(batch);
  for (let i = 0; i < 3; i++) torch.tidy(() => void step(x, y));
  torch.synchronize();
}

function measureOperations() {
  const found = {};
  for (const [name, work] of Object.entries(operations(torch))) {
    for (let i = 0; i < 3000; i++) work();
    const rounds = [];
    for (let round = 0; round < 9; round++) {
      torch.synchronize();
      const begin = performance.now();
      for (let i = 0; i < 400; i++) work();
      rounds.push(((performance.now() - begin) * 1000) / 400);
    }
    found[name] = middle(rounds);
  }
  (result.operations ??= []).push(found);
  say(JSON.stringify(found, rounded));
  save();
}

const idx = (name, offset) => {
  const path = join(process.env.DATA, name);
  const bytes = existsSync(path) ? readFileSync(path) : gunzipSync(readFileSync(`${path}.gz`));
  return new Uint8Array(bytes.buffer, bytes.byteOffset + offset, bytes.length - offset).slice();
};

function images(kind) {
  const pixels = torch.tensor(idx(`${kind}-images-idx3-ubyte`, 16)).view(-1, 784);
  const x = pixels
    .float()
    .mul(1 / (255 * 0.3081))
    .sub(0.1307 / 0.3081);
  return { x, y: torch.tensor(idx(`${kind}-labels-idx1-ubyte`, 8)).long() };
}

function train(seeds) {
  result.training ??= [];
  const train = images("train");
  const test = images("t10k");
  const dataMs = performance.now() - start;
  for (const seed of seeds) {
    const { model, step } = build(seed);
    const initial = Object.entries(model.stateDict()).map(([name, value]) => [name, value.clone()]);
    const order = torch.randperm(60000).to("int64").contiguous();
    const host = new BigInt64Array(60000);
    host.set(order.toArray().map(BigInt));
    gpu.pin(host);
    const indices = torch.zeros([64], { dtype: "int64" });
    const graph = recorded(torch, () =>
      torch.tidy(() => {
        const x = train.x.indexSelect(0, indices).view(64, 1, 28, 28);
        return step(x, train.y.indexSelect(0, indices));
      }),
    );
    model.eval();
    const evaluate = () =>
      torch.tidy(() =>
        torch.noGrad(() =>
          torch.autocast({ dtype: "bfloat16" }, () =>
            model
              .forward(test.x.view(-1, 1, 28, 28))
              .argmax(1)
              .eq(test.y)
              .sum(),
          ),
        ),
      );
    const measuring = recorded(torch, evaluate);
    measuring.launch();
    model.train();
    const state = model.stateDict();
    torch.noGrad(() => {
      for (const [name, value] of initial) state[name].copy_(value);
    });
    graph.launch();
    torch.noGrad(() => {
      for (const [name, value] of initial) state[name].copy_(value);
    });
    torch.synchronize();
    const firstBatchMs = performance.now() - start;
    const begin = performance.now();
    let [steps, measuringMs, accuracy] = [0, 0, 0];
    while (STEPS === null ? accuracy < 0.98 && steps < 5000 : steps < STEPS) {
      for (let i = 0; i < 50; i++) {
        const at = (steps * 64) % (60000 - 64);
        torch.upload(indices, host.subarray(at, at + 64));
        graph.launch();
        steps++;
      }
      torch.synchronize();
      const before = performance.now();
      measuring.launch();
      accuracy = measuring.result.item() / 10000;
      measuringMs += performance.now() - before;
    }
    const seconds = (performance.now() - begin) / 1000;
    const row = {
      what: "Heddle",
      seed,
      steps,
      accuracy,
      seconds,
      measuring: measuringMs / 1000,
      fromStart: firstBatchMs / 1000 + seconds,
      openMs,
      dataMs,
      ...(process.env.COLD === "1" ? { isCold: true } : {}),
    };
    result.training.push(row);
    say(JSON.stringify(row, rounded));
    save();
    graph.close();
    measuring.close();
  }
}

for (const part of parts) {
  const [name, given = ""] = part.split(":");
  const numbers = given === "" ? null : given.split("-").map(Number);
  if (name === "steps") await measureSteps(numbers ?? [64, 256, 1024]);
  else if (name === "kernels") showKernels(numbers?.[0] ?? 64);
  else if (name === "operations") measureOperations();
  else if (name === "train") train(numbers ?? [1, 2, 3, 4, 5]);
}
process.exit(0);
