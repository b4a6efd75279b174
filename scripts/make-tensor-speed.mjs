// Writes docs/tensor-speed.md: steps of training, the host's cost of operations and training to 98 %, beside PyTorch,
// from docs/lab/tensor-speed-h200.json. `node scripts/make-tensor-speed.mjs OURS.json TORCH.json` puts what
// bench/tensor-speed measured there first. How many steps lead to 98 % stays: runs with STEPS do not say.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const page = join(root, "docs", "tensor-speed.md");
const lab = join(root, "docs", "lab", "tensor-speed-h200.json");
const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const table = (head, rows) =>
  [head, head.map((_, i) => (i === 0 ? "---" : "---:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
const mode = (precision, how) =>
  `${precision}, channels_last, ${how === "compile" ? "torch.compile, then " : ""}a graph of the whole step`;

const modeOf = ([, precision, how]) => `${precision} ${how}`;

const times = ({ copied, overlapped, alone }) => [copied, overlapped, alone].map(middle);

/** Heddle's steps beside the best of PyTorch's modes, and all of these. */
function stepTables(heddle, torch) {
  const steps = heddle.steps.map((step) => {
    const [copied, overlapped, alone] = times(step);
    const others = torch.steps.filter(([of]) => of === step.batch).map(([, , , own]) => times(own));
    const best = [0, 1].map((k) => Math.min(...others.map((own) => own[k])));
    const bestAlone = Math.min(...others.map((own) => own[2]));
    const ratio = (own, k) => (best[k] / own).toFixed(2);
    const both = (own, k) => [own.toFixed(0), best[k].toFixed(0), ratio(own, k)];
    return [step.batch, ...both(copied, 0), ...both(overlapped, 1), alone.toFixed(0), bestAlone.toFixed(0)];
  });
  const all = [...torch.steps, ...torch.earlier];
  const modes = [...new Set(all.map(modeOf))].map((key) => {
    const [precision, how] = key.split(" ");
    const at = ({ batch }) => all.find((row) => row[0] === batch && modeOf(row) === key);
    const pair = (step) =>
      at(step) === undefined
        ? ["", ""]
        : times(at(step)[3])
            .slice(0, 2)
            .map((us) => us.toFixed(0));
    const isEarlier = torch.earlier.some((row) => modeOf(row) === key);
    return [`${mode(precision, how)}${isEarlier ? " (earlier)" : ""}`, ...heddle.steps.flatMap(pair)];
  });
  return { steps, modes };
}

/** How many steps several runs took. */
function spread(runs) {
  const steps = runs.map((run) => run.steps).toSorted((a, b) => a - b);
  return `${steps[0]} to ${steps.at(-1)} steps (the median is ${middle(steps)})`;
}

/** The page's text. */
export function speedPage() {
  const { date, restDate, device, heddle, torch, training, accuracy } = JSON.parse(readFileSync(lab, "utf8"));
  const { steps, modes } = stepTables(heddle, torch);
  const operations = Object.entries(heddle.operations).map(([name, us]) => [
    name,
    us.toFixed(1),
    torch.operations[name].toFixed(1),
  ]);
  const dearer = Object.entries(heddle.operations).filter(([name, us]) => us > torch.operations[name]).length;
  const runs = [...new Set(training.map(({ what }) => what))].map((what) => {
    const own = training.filter((run) => run.what === what);
    return [
      what,
      own.length,
      middle(own.map(({ seconds }) => seconds)).toFixed(3),
      middle(own.map(({ measuring }) => measuring)).toFixed(3),
      own[0].fromStart.toFixed(1),
    ];
  });
  const [first] = training;
  const dates = [...new Set([date, restDate])].join(" and ");
  const before = accuracy.find(({ what }) => what === "Heddle");
  const reached = (isOurs) => spread(accuracy.filter(({ what }) => (what === "Heddle") === isOurs));
  return `<!-- Made by scripts/make-tensor-speed.mjs from docs/lab/tensor-speed-h200.json. -->

# How fast tensors are

After this page you know how fast Heddle trains a small network on a GPU, beside PyTorch, and how that was measured.

Steps, operations and training were measured in a run each, on ${dates}, on an ${device} with PyTorch
${torch.torch} beside them: \`bench/tensor-speed\`. Times of a step are medians of three rounds of 300 steps.

## One step of training

The network is that of \`heddle example mnist --net cnn\`: two convolutions with batch norm, ReLU and max pooling, two
linear layers, cross entropy, SGD. Heddle computes under autocast with bfloat16, and records the step with
\`torch.cuda.graph\`. A step includes the copy of a new batch of float32 images from pinned memory. The copy comes
before the step, or the next batch is copied beside it: two graphs take turns, for both. Times are microseconds;
PyTorch's are those of its best mode.

${table(
  ["batch", "copy, then step", "PyTorch", "×", "copy beside the step", "PyTorch", "×", "step alone", "PyTorch"],
  steps,
)}

PyTorch's modes, in microseconds: the copy before the step, and beside it. Those with bfloat16 compute as Heddle does.
Those marked as earlier are of 2026-11-24, on other machines of the kind:

${table(["mode", ...heddle.steps.flatMap(({ batch }) => [`batch ${batch}`, "beside"])], modes)}

## What an operation costs the host

The time of a call on matrices of 64 × 64 float32, without waiting for the GPU, in microseconds. ${dearer} of
${operations.length} ${dearer === 1 ? "is" : "are"} dearer than PyTorch's.

${table(["operation", "Heddle", "PyTorch"], operations)}

## To 98 %

The batch has 64 images. In an earlier run with all of MNIST, 98 % of the 10,000 test images were right

- with Heddle after ${reached(true)},
- with PyTorch after ${reached(false)}.

This run trained ${first.steps} steps, and counted the right images after each 50, by a graph of its own. Its images are
the part of MNIST that comes with Heddle, again and again: the time of a step does not depend on them. They lie on the
GPU; each step gathers its batch there. Seconds are the median of the seeds, from the first batch, with the counting.

The last column is of the first seed, from the start of the process. What torch.compile keeps on disk was there, and of
Heddle's kernels those of the step. In the earlier run Heddle took ${before.fromStart.toFixed(1)} s, with all of its
kernels on disk.

${table(["", "seeds", "seconds", "of it counting", "from the start, s"], runs)}
`;
}

/** Puts what was measured into the lab's file. */
function take(ours, theirs) {
  const [heddle, torch] = [ours, theirs].map((path) => JSON.parse(readFileSync(path, "utf8")));
  const before = JSON.parse(readFileSync(lab, "utf8"));
  const measured = new Set(torch.steps.map(modeOf));
  const earlier = [...(before.torch.earlier ?? []), ...before.torch.steps].filter((row) => !measured.has(modeOf(row)));
  const kept = {
    date: new Date().toISOString().slice(0, 10),
    restDate: new Date().toISOString().slice(0, 10),
    device: heddle.device,
    heddle: { steps: heddle.steps, operations: heddle.operations.at(-1) },
    torch: { torch: torch.torch, steps: torch.steps, operations: torch.operations.at(-1), earlier },
    training: [...heddle.training, ...torch.training],
    accuracy: before.accuracy ?? before.training.filter(({ isCold }) => isCold !== true),
  };
  writeFileSync(lab, `${JSON.stringify(kept, null, 1)}\n`);
}

export const pageOnDisk = () => readFileSync(page, "utf8");
if (process.argv[1] === import.meta.filename) {
  const [ours, theirs] = process.argv.slice(2);
  if (ours !== undefined && theirs !== undefined) take(ours, theirs);
  writeFileSync(page, speedPage());
}
