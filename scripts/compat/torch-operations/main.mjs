// Compares operations of heddle/tensor with PyTorch: values and gradients of PyTorch's own sample inputs and of random
// cases, and errors of its error inputs.
//
//     node scripts/compat/torch-operations/main.mjs PYTHON [--kernels] [--only NAME] [--cases FOLDER] [--random N]
//       [--device cuda] [--shard 0/4] [--result FILE] [--failing FILE] [--seconds N]
//
// PYTHON has PyTorch; "-": the cases are there. Cases are written once, an operation a file, and stay in FOLDER;
// results go into docs/lab/torch-operations.json (with --kernels, where every operation is a kernel of the emulated
// device that has one, into docs/lab/torch-operations-kernels.json), or into FILE of --result; without that, --only
// writes none. What is there already is not done again.
// Exit code 9: a fault ended the work on the device; start it again.
// FILE of --failing gets the cases that differ, one of each kind a line. After N seconds no other operation begins.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDevice } from "../../../dist/index.js";
import { openTensors } from "../../../dist/tensor.js";
import { tensorDeviceOf } from "../../../dist/tensor/kernels/tensor-device.js";
import { compare } from "./compare.mjs";
import { session, table } from "./helpers.mjs";
import "./algebra.mjs";
import "./elements.mjs";
import "./layers.mjs";
import "./losses.mjs";
import "./shapes.mjs";

const LOST = 9;
const root = join(import.meta.dirname, "..", "..", "..");
const argv = process.argv.slice(2);
const option = (name) => (argv.includes(name) ? argv[argv.indexOf(name) + 1] : null);
const python = argv[0];
const isKernels = argv.includes("--kernels");
const only = option("--only");
const folder = option("--cases") ?? join(tmpdir(), "heddle-torch-operations");
const failing = option("--failing");
const end = performance.now() + Number(option("--seconds") ?? Infinity) * 1000;
const result = option("--result") ?? join(root, "docs", "lab", `torch-operations${isKernels ? "-kernels" : ""}.json`);

const gpu = await openDevice({ device: option("--device") ?? "emulated" });
const torch = await openTensors({ device: gpu });
if (isKernels && gpu.raw.kind === "emulated") tensorDeviceOf(gpu.raw).leastElements = 1;
session.torch = torch;

mkdirSync(folder, { recursive: true });
const names = join(folder, "names.txt");
const known = existsSync(result) ? JSON.parse(readFileSync(result, "utf8")) : {};
const [shard, shards] = (option("--shard") ?? "0/1").split("/").map(Number);
const wanted = Object.keys(table).filter((name, i) => (only === null || name === only) && i % shards === shard);
writeFileSync(names, JSON.stringify(Object.fromEntries(wanted.map((name) => [name, table[name].random]))));
if (python !== "-") {
  const script = join(import.meta.dirname, "cases.py");
  const { status } = spawnSync(python, [script, folder, names, "--random", option("--random") ?? "40"], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(1);
}
for (const name of wanted) {
  if (performance.now() > end) break;
  const path = join(folder, `${name.replaceAll(".", "-")}.json`);
  if (!existsSync(path) || (known[name] !== undefined && only === null)) continue;
  const { cases, skipped } = JSON.parse(readFileSync(path, "utf8"));
  const begin = performance.now();
  known[name] = compare(table[name], cases, isKernels);
  if (failing !== null) {
    for (const [why, { first }] of Object.entries(known[name].different))
      appendFileSync(failing, `${JSON.stringify({ name, why, case: cases[first] })}\n`);
    appendFileSync(failing, `${JSON.stringify({ name, seconds: (performance.now() - begin) / 1000 })}\n`);
  }
  if (Object.keys(skipped).length > 0) known[name].skipped = skipped;
  const { same, different } = known[name];
  if (Object.keys(different).length > 0) console.log(name, same, JSON.stringify(different, null, 1));
  if (only === null || option("--result") !== null) write();
  try {
    torch.synchronize();
  } catch (error) {
    // Nothing else works on this device in this process: the next one goes on behind this operation.
    console.log(`${name}: ${error.message}`);
    process.exit(LOST);
  }
}
if (only === null) summary();
gpu.close();

function write() {
  const sorted = Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1)));
  const lines = Object.entries(sorted).map(([name, own]) => `  ${JSON.stringify(name)}: ${JSON.stringify(own)}`);
  writeFileSync(result, `{\n${lines.join(",\n")}\n}\n`);
}

function summary() {
  const all = Object.values(known);
  const count = (kind) => all.reduce((sum, { same }) => sum + (same[kind] ?? 0), 0);
  const differing = all.reduce(
    (sum, { different }) => sum + Object.values(different).reduce((n, { count: c }) => n + c, 0),
    0,
  );
  console.log(
    `${all.length} operations: ${count("sample")} samples, ${count("random")} random cases and ${count("error")} ` +
      `errors agree, ${differing} differ`,
  );
}
