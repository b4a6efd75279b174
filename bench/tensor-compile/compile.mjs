// Chains of elements and sums, compiled: `node bench/tensor-compile/compile.mjs RESULT.json`. What RESULT.json has
// already is not measured again. Beside it: torch_compile.py, the same with PyTorch.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { recorded } from "../tensor-speed/recorded.mjs";
const root = process.env.HEDDLE_ROOT ?? new URL("../..", import.meta.url).pathname;
const { openDevice } = await import(`${root}/dist/index.js`);
const { openTensors, functional: F } = await import(`${root}/dist/tensor.js`);

const [path = "/tmp/compile.json"] = process.argv.slice(2);
const kind = process.env.HEDDLE_KIND ?? "cuda";
const small = kind === "emulated";
const gpu = await openDevice({ device: kind });
const torch = await openTensors({ device: gpu });
const result = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : { device: gpu.properties.name, cases: {} };
const say = (...words) => console.log(...words);

/** Microseconds of a call on the device; the fastest of some rounds. */
async function time(work, calls) {
  const times = [];
  for (let round = 0; round < (small ? 1 : 5); round++) {
    const [start, end] = [gpu.event(), gpu.event()];
    start.record();
    for (let i = 0; i < calls; i++) work();
    end.record();
    times.push(((await end.since(start)) * 1000) / calls);
    start.close();
    end.close();
  }
  return Math.min(...times);
}

const leaf = (tensor) => tensor.detach().requiresGrad_();
const random = (shape, dtype) =>
  torch
    .rand(shape.at(-1))
    .sub(0.5)
    .expand(...shape)
    .contiguous()
    .to(dtype);
const rows = small ? 4 : 8192;
const [wide, hidden, classes] = small ? [24, 40, 57] : [768, 3072, 50257];

/** Bytes that have to be read and written, each once. */
const CASES = {
  layer_norm: (dtype, size) => {
    const [x, w, b] = [leaf(random([rows, wide], dtype)), leaf(random([wide], dtype)), leaf(random([wide], dtype))];
    const fn = (a, weight, bias) => F.layerNorm(a, [wide], { weight, bias });
    const n = rows * wide * size;
    return { fn, inputs: [x, w, b], gradient: random([rows, wide], dtype), forward: 2 * n, backward: 3 * n };
  },
  gelu_bias_dropout: (dtype, size) => {
    const [x, b] = [leaf(random([rows, hidden], dtype)), leaf(random([hidden], dtype))];
    const fn = (a, bias) => F.dropout(F.gelu(a.add(bias), "tanh"), { p: 0.1 });
    const n = rows * hidden * size;
    return { fn, inputs: [x, b], gradient: random([rows, hidden], dtype), forward: 2 * n, backward: 3 * n };
  },
  cross_entropy: (dtype, size) => {
    const x = leaf(random([rows, classes], dtype));
    const target = torch.arange(rows).remainder(classes).to("int64");
    const n = rows * classes * size;
    return { fn: (a) => F.crossEntropy(a, target), inputs: [x], gradient: null, forward: n, backward: 2 * n };
  },
};

async function measure(name, dtype) {
  const { fn, inputs, gradient, forward, backward } = CASES[name](dtype, dtype === "float32" ? 4 : 2);
  const found = { bytes: { forward, both: forward + backward } };
  const compiled = torch.compile(fn, { silent: true });
  // Without a kernel for random numbers, dropout of so many elements takes the host minutes.
  const kinds =
    name === "gelu_bias_dropout"
      ? [["compiled", compiled]]
      : [
          ["compiled", compiled],
          ["eager", fn],
        ];
  for (const [kind, own] of kinds) {
    const step = () => {
      const y = own(...inputs);
      const gradients = torch.grad(y, inputs, gradient === null ? {} : { gradOutputs: [gradient] });
      for (const tensor of [y, ...gradients]) tensor.dispose();
    };
    const ahead = () => own(...inputs).dispose();
    for (const [what, work] of [
      ["both", step],
      ["forward", ahead],
    ]) {
      const key = `${kind}_${what}`;
      try {
        work();
        found[`${key}_host`] = await time(work, small ? 1 : 50);
        const graph = recorded(torch, work);
        found[key] = await time(() => graph.launch(), small ? 1 : 50);
        graph.close();
      } catch (error) {
        found[`${key}_error`] = String(error.message ?? error).slice(0, 300);
      }
    }
  }
  found.kernels = compiled.explain().kernels;
  found.tilings = compiled.source.triton.match(/tl\.arange\(0, \d+\)\S*/g)?.join(" ");
  if (process.env.SHOW === "1") say(compiled.source.triton);
  for (const tensor of [...inputs, gradient]) tensor?.dispose();
  torch.emptyCache();
  return found;
}

/** How far results and gradients are from those without compile, at most. */
function differences() {
  const found = {};
  const far = (a, b) => a.float().sub(b.float()).abs().max().item();
  const x = leaf(torch.rand([33, 100]).sub(0.5));
  const [w, b] = [leaf(torch.rand([100])), leaf(torch.rand([100]))];
  const target = torch.arange(33).to("int64");
  for (const [name, fn, inputs] of [
    ["layer_norm", (a, weight, bias) => F.layerNorm(a, [100], { weight, bias }), [x, w, b]],
    ["gelu_bias_dropout", (a, bias) => F.dropout(F.gelu(a.add(bias), "tanh"), { p: 0.1 }), [x, b]],
    ["cross_entropy", (a) => F.crossEntropy(a, target), [x]],
    ["column sums", (a) => a.exp().sum(0), [x]],
    ["matmul", (a) => a.mul(2).matmul(a.t()).gelu(), [x]],
  ]) {
    try {
      const of = (work) => {
        torch.manualSeed(5);
        const y = work(...inputs);
        return [y, ...torch.grad(y, inputs, { gradOutputs: [torch.onesLike(y)] })];
      };
      const [ours, theirs] = [of(torch.compile(fn, { silent: true })), of(fn)];
      found[name] = Math.max(...ours.map((tensor, i) => far(tensor, theirs[i])));
    } catch (error) {
      found[name] = String(error.message ?? error).slice(0, 300);
    }
  }
  return found;
}

if (result.differences === undefined) result.differences = differences();
say(JSON.stringify(result.differences));
for (const name of Object.keys(CASES))
  for (const dtype of ["float32", "bfloat16"]) {
    const key = `${name} ${dtype}`;
    if (result.cases[key] !== undefined) continue;
    try {
      result.cases[key] = await measure(name, dtype);
    } catch (error) {
      result.cases[key] = { error: String(error.stack ?? error).slice(0, 600) };
    }
    say(
      key,
      JSON.stringify(result.cases[key], (_, own) => (typeof own === "number" ? Math.round(own * 10) / 10 : own)),
    );
    writeFileSync(path, JSON.stringify(result));
  }
process.exit(0);
