// Lists what ptxas says of the kernels of a training step of MNIST's CNN: registers, spills, shared memory, and what
// their PTX has. No GPU is needed, ptxas is. `node bench/tensor-speed/registers.mjs [--batch 1024] [--ptx FOLDER]`
// Kernels are those of the first texts: a GPU chooses among several at its first launch. `--warps 8` is for all.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openDevice } from "../../dist/index.js";
import { functional as F, openTensors, optim } from "../../dist/tensor.js";
import { networkOf } from "../../dist/cli/mnist/networks.js";
import { TensorDevice, tensorDeviceOf } from "../../dist/tensor/kernels/tensor-device.js";
import { tritonPtx } from "../../dist/library/triton-ptx-node.js";
import { TritonKernel } from "../../dist/library/triton.js";

const { values } = parseArgs({
  options: { batch: { type: "string", default: "1024" }, ptx: { type: "string" }, warps: { type: "string" } },
});
const batch = Number(values.batch);

const device = await openDevice({ device: "emulated", gpu: "H100" });
const torch = await openTensors({ device });
tensorDeviceOf(device.raw).leastElements = 0;

// Kernels are compiled for a GPU, and nothing is launched.
const lowered = [];
const { compileBlocking } = TritonKernel.prototype;
TritonKernel.prototype.compileBlocking = function (options, args, unspecialised) {
  const name = this.function.name;
  const warps = values.warps === undefined ? options.numWarps : Number(values.warps);
  const kernel = this.lowered({ ...options, grid: 1, numWarps: warps }, args, true).lowered;
  lowered.push({ name, warps, kernel });
  return compileBlocking.call(this, options, args, unspecialised);
};
TensorDevice.prototype.launch = () => {};

const model = networkOf("cnn");
model.train();
const optimizer = new optim.SGD(model.parameters(), { lr: 0.1, momentum: 0.9 });
const images = torch.zeros([batch, 1, 28, 28]);
const labels = torch.zeros([batch], { dtype: "int64" });
torch.tidy(() => {
  optimizer.zeroGrad();
  const loss = torch.autocast({}, () => F.crossEntropy(model.forward(images), labels));
  loss.backward();
  optimizer.step();
});

const folder = values.ptx ?? mkdtempSync(join(tmpdir(), "heddle-registers-"));
mkdirSync(folder, { recursive: true });
const count = (text, pattern) => String(text.match(pattern)?.length ?? 0);
const rows = [
  ["kernel", "warps", "registers", "spilled bytes", "shared", "ld.global", "st.global", "mma", "bar", "lines"],
];
for (const [i, { name, warps, kernel }] of lowered.entries()) {
  const ptx = await tritonPtx(kernel, { major: 9, minor: 0 });
  const path = join(folder, `${i}-${name}.ptx`);
  writeFileSync(path, ptx);
  const report = reportOf(path);
  rows.push([
    name,
    String(warps),
    /Used (\d+) registers/.exec(report)?.[1] ?? "?",
    /(\d+) bytes spill stores/.exec(report)?.[1] ?? "?",
    String(kernel.sharedBytes),
    count(ptx, /\bld\.global/g),
    count(ptx, /\bst\.global/g),
    count(ptx, /\b(?:mma|wgmma)\.\w*sync/g),
    count(ptx, /\bbar(?:rier)?\.sync/g),
    String(ptx.split("\n").length),
  ]);
}
if (values.ptx === undefined) rmSync(folder, { recursive: true });
const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows) console.log(row.map((cell, column) => cell.padEnd(widths[column])).join("  "));
process.exit();

/** ptxas reports on stderr. */
function reportOf(path) {
  return execFileSync("bash", ["-c", 'ptxas -v -arch=sm_90 "$0" -o /dev/null 2>&1', path], { encoding: "utf8" });
}
