// Writes docs/tensor-speed.md: steps of training, the host's cost of operations and training to 98 %, beside PyTorch,
// from docs/lab/tensor-speed-h200.json.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs", "tensor-speed.md");
const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const table = (head, rows) =>
  [head, head.map((_, i) => (i === 0 ? "---" : "---:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const mode = (text) =>
  text
    .replace("compile:default:graph", "torch.compile, then a graph of the whole step")
    .replace("compile:", "torch.compile, ")
    .replace(":graph", ", then a graph")
    .replace(/^graph$/, "graph of the whole step");

/** The page's text. */
export function speedPage() {
  const { date, device, heddle, torch, training } = JSON.parse(
    readFileSync(join(root, "docs", "lab", "tensor-speed-h200.json"), "utf8"),
  );
  const best = (batch) => torch.steps.filter(([of]) => of === batch).toSorted((a, b) => a[4] - b[4])[0];
  const steps = heddle.steps.map((step) => {
    const [, precision, layout, how, us] = best(step.batch);
    const own = middle(step.withCopyUs);
    return [
      step.batch,
      own.toFixed(0),
      us.toFixed(0),
      `${precision}, ${layout}, ${mode(how)}`,
      (us / own).toFixed(2),
      step.launches,
      middle(step.graphUs).toFixed(0),
    ];
  });
  const modes = [...new Set(torch.steps.map(([, precision, layout, how]) => [precision, layout, how].join()))].map(
    (key) => {
      const [precision, layout, how] = key.split(",");
      const at = (batch) =>
        torch.steps.find((row) => row[0] === batch && row.slice(1, 4).join() === key)?.[4].toFixed(0) ?? "";
      return [`${precision}, ${layout}, ${mode(how)}`, ...heddle.steps.map(({ batch }) => at(batch))];
    },
  );
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
      middle(own.map(({ seconds }) => seconds)).toFixed(2),
      middle(own.map(({ steps: count }) => count)),
      first.fromStart.toFixed(1) + (cold === undefined ? "" : ` (caches empty: ${cold.fromStart.toFixed(1)})`),
    ];
  });
  return `<!-- Made by scripts/make-tensor-speed.mjs from docs/lab/tensor-speed-h200.json. -->

# How fast tensors are

After this page you know how fast Heddle trains a small network on a GPU, beside PyTorch, and how that was measured.

All numbers are of one ${device}, measured on ${date} with PyTorch ${torch.torch} in the same run.
Times of a step are medians of three rounds of 300 steps.

## One step of training

The network is that of \`heddle example mnist --net cnn\`: two convolutions with batch norm, ReLU and max pooling, two
linear layers, cross entropy, SGD. A step includes the copy of a new batch of float32 images from pinned memory. Heddle
computes under autocast with bfloat16, and records the step with \`torch.graph\`.

${table(["batch", "Heddle, µs", "PyTorch's best, µs", "its mode", "×", "launches", "without the copy, µs"], steps)}

PyTorch's other modes, in microseconds:

${table(["mode", ...heddle.steps.map(({ batch }) => `batch ${batch}`)], modes)}

## What an operation costs the host

The time of a call on matrices of 64 × 64 float32, without waiting for the GPU, in microseconds. ${dearer} of
${operations.length} are dearer than PyTorch's.

${table(["operation", "Heddle", "PyTorch"], operations)}

## To 98 %

Training with a batch of 64 until 98 % of the 10,000 test images are right, which both measure after each 50 steps. The
images lie on the GPU; each step gathers its batch there. Seconds are the median of the seeds, from the first batch,
with the measuring. The last column is of the first seed, from the start of the process, with what is compiled.

${table(["", "seeds", "seconds", "steps", "from the start, s"], runs)}
`;
}

export const pageOnDisk = () => readFileSync(page, "utf8");
if (process.argv[1] === import.meta.filename) writeFileSync(page, speedPage());
