// Writes docs/tensor-speed.md: steps of training, the host's cost of operations and training to 98 %, beside PyTorch,
// from docs/lab/tensor-speed-h200.json.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs", "tensor-speed.md");
const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const table = (head, rows) =>
  [head, head.map((_, i) => (i === 0 ? "---" : "---:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const mode = (precision, how) =>
  `${precision}, channels_last, ${how === "compile" ? "torch.compile, then " : ""}a graph of the whole step`;

const times = ({ copied, overlapped, alone }) => [copied, overlapped, alone].map(middle);

/** Heddle's steps beside the best of PyTorch's modes, and all of these. */
function stepTables(heddle, torch) {
  const steps = heddle.steps.map((step) => {
    const [copied, overlapped, alone] = times(step);
    const others = torch.steps.filter(([of]) => of === step.batch).map(([, , , own]) => times(own));
    const best = [0, 1].map((k) => Math.min(...others.map((own) => own[k])));
    const ratio = (own, k) => (best[k] / own).toFixed(2);
    const both = (own, k) => [own.toFixed(0), best[k].toFixed(0), ratio(own, k)];
    return [step.batch, ...both(copied, 0), ...both(overlapped, 1), alone.toFixed(0), step.launches];
  });
  const modes = [...new Set(torch.steps.map(([, precision, how]) => `${precision} ${how}`))].map((key) => {
    const [precision, how] = key.split(" ");
    const at = ({ batch }) => torch.steps.find((row) => row[0] === batch && row[1] === precision && row[2] === how);
    const pair = (step) => times(at(step)[3]).slice(0, 2);
    return [mode(precision, how), ...heddle.steps.flatMap(pair).map((us) => us.toFixed(0))];
  });
  return { steps, modes };
}

/** The page's text. */
export function speedPage() {
  const { date, device, isMended, heddle, torch, training } = JSON.parse(
    readFileSync(join(root, "docs", "lab", "tensor-speed-h200.json"), "utf8"),
  );
  const { steps, modes } = stepTables(heddle, torch);
  const operations = Object.entries(heddle.operations).map(([name, us]) => [
    name,
    us.toFixed(1),
    torch.operations[name].toFixed(1),
  ]);
  const dearer = Object.entries(heddle.operations).filter(([name, us]) => us > torch.operations[name]).length;
  const runs = [...new Set(training.map(({ what }) => what))].map((what) => {
    const own = training.filter((run) => run.what === what && run.isCold !== true);
    const first = own[0];
    const cold = training.find((run) => run.what === what && run.isCold === true);
    return [
      what,
      own.length,
      middle(own.map(({ seconds }) => seconds)).toFixed(3),
      middle(own.map(({ measuring }) => measuring)).toFixed(3),
      middle(own.map(({ steps: count }) => count)),
      first.fromStart.toFixed(1) + (cold === undefined ? "" : ` (caches empty: ${cold.fromStart.toFixed(1)})`),
    ];
  });
  const state = isMended
    ? "Heddle's are of a later call on another machine of the kind."
    : "A kernel of Heddle's backward (`first_layer_gradients`) took 20 to 39 µs of each step in this run.\n" +
      "It was mended afterwards, which is not measured.";
  return `<!-- Made by scripts/make-tensor-speed.mjs from docs/lab/tensor-speed-h200.json. -->

# How fast tensors are

After this page you know how fast Heddle trains a small network on a GPU, beside PyTorch, and how that was measured.

All numbers are of one ${device}, measured on ${date} with PyTorch ${torch.torch} beside it: \`bench/tensor-speed\`.
Times of a step are medians of three rounds of 300 steps. PyTorch's tf32 modes and those without torch.compile are of a
run half an hour before the others.
${state}

## One step of training

The network is that of \`heddle example mnist --net cnn\`: two convolutions with batch norm, ReLU and max pooling, two
linear layers, cross entropy, SGD. Heddle computes under autocast with bfloat16, and records the step with
\`torch.graph\`. A step includes the copy of a new batch of float32 images from pinned memory. The copy comes before the
step, or the next batch is copied beside it: two graphs take turns, for both. Times are microseconds; PyTorch's are
those of its best mode.

${table(
  ["batch", "copy, then step", "PyTorch", "×", "copy beside the step", "PyTorch", "×", "step alone", "launches"],
  steps,
)}

PyTorch's modes, in microseconds: the copy before the step, and beside it. Those with bfloat16 compute as Heddle does:

${table(["mode", ...heddle.steps.flatMap(({ batch }) => [`batch ${batch}`, "beside"])], modes)}

## What an operation costs the host

The time of a call on matrices of 64 × 64 float32, without waiting for the GPU, in microseconds. ${dearer} of
${operations.length} are dearer than PyTorch's.

${table(["operation", "Heddle", "PyTorch"], operations)}

## To 98 %

Training with a batch of 64 until 98 % of the 10,000 test images are right, which both measure after each 50 steps, by a
graph of their own. The images lie on the GPU; each step gathers its batch there. Seconds are the median of the seeds,
from the first batch, with the measuring. The last column is of the first seed, from the start of the process, with what
is compiled. What torch.compile keeps on disk was there already.

${table(["", "seeds", "seconds", "of it measuring", "steps", "from the start, s"], runs)}
`;
}

export const pageOnDisk = () => readFileSync(page, "utf8");
if (process.argv[1] === import.meta.filename) writeFileSync(page, speedPage());
