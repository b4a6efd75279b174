// Writes docs/kernels.md and its plots, docs/images/kernels-*.svg, from the measured figures in
// docs/lab/kernels-h200.json. `--check` only reports whether they are up to date.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { barPlot } from "./bar-plot.mjs";
import { markdownTable, wrap, writeOrCheck } from "./docs-pages.mjs";

const root = join(import.meta.dirname, "..");
const data = JSON.parse(readFileSync(join(root, "docs", "lab", "kernels-h200.json"), "utf8"));

/** Longer is better for a rate, shorter for a time: both become a number of which more is better. */
function speedOf(text) {
  const [value, unit] = text.split(" ");
  const factors = { "GB/s": 1, "TFLOP/s": 1, ms: -1, µs: -1 };
  if (factors[unit] === undefined) throw new Error(`unknown unit: ${text}`);
  return Number(value) ** factors[unit];
}

/** Heddle's speed over the rival's. Both are given in the same unit. */
const ratioOf = ({ speed, rival }) => speedOf(speed) / speedOf(rival.speed);
const percent = (share) => `${share < 9.95 ? Number(share.toFixed(1)) : Math.round(share)} %`;

function comparison(kernel) {
  if (kernel.rival === null) return "not measured";
  const ratio = ratioOf(kernel);
  if (Math.abs(ratio - 1) < 0.0025) return "same speed";
  if (ratio < 1) return `${percent(100 * (1 - ratio))} slower`;
  if (ratio < 1.5) return `${percent(100 * (ratio - 1))} faster`;
  return `${ratio.toPrecision(2)} times as fast`;
}

function kernelTable(kind) {
  const rows = data.kernels.filter((kernel) => kernel.kind === kind);
  return markdownTable(
    ["kernel", "what it does", "size", "best version", "speed", "of the limit", "fastest rival", "Heddle is", "run"],
    rows.map((kernel) => [
      `[${kernel.title ?? kernel.ladder}](../kernels/${kernel.ladder})`,
      kernel.does,
      kernel.shape,
      kernel.version,
      kernel.speed,
      kernel.share === null ? "–" : `${kernel.share} %`,
      kernel.rival === null ? "–" : `${kernel.rival.name} ${kernel.rival.speed}`,
      comparison(kernel),
      String(kernel.run),
    ]),
  );
}

const notes = () =>
  data.kernels
    .filter(({ note }) => note !== undefined)
    .map(({ title, ladder, note }) => {
      const linked = note.replaceAll(/(?<![[(/])hopper\.md/g, "[hopper.md](hopper.md)");
      return wrap(`*${title ?? ladder}*: ${linked}`, "  ", "- ");
    })
    .join("\n");

/** Runs that a row or a note names. */
const namedRuns = () =>
  Object.entries(data.runs).filter(([run]) =>
    data.kernels.some((kernel) => String(kernel.run) === run || new RegExp(`run ${run}\\b`).test(kernel.note ?? "")),
  );

/** Kernels with a share of a limit, the greatest share first. */
function plotRows(kind, limits) {
  return data.kernels
    .filter((kernel) => kernel.kind === kind && limits.includes(kernel.limit) && kernel.share !== null)
    .sort((a, b) => b.share - a.share)
    .map((kernel) => ({
      name: kernel.title ?? kernel.ladder,
      figure: `${kernel.speed} · ${kernel.share} %`,
      ours: kernel.share,
      rival: kernel.rival === null ? null : kernel.share / ratioOf(kernel),
    }));
}

const images = {
  "kernels-memory.svg": barPlot({
    title: "Kernels that memory limits, NVIDIA H200",
    legend: ["Heddle's best version", "the fastest rival, where measured"],
    ceiling: "100 %: the speed of a copy",
    maximum: 110,
    rows: plotRows("memory", ["copy"]),
  }),
  "kernels-compute.svg": barPlot({
    title: "Kernels that arithmetic limits, NVIDIA H200",
    legend: ["Heddle's best version", "the fastest rival"],
    ceiling: "100 %: multiply-adds or matrix instructions alone",
    maximum: 130,
    rows: plotRows("compute", ["fma", "mma"]),
  }),
  "kernels-llmc.svg": barPlot({
    title: "Time beside llm.c's best kernel, NVIDIA H200",
    legend: ["Heddle's time: the shorter, the faster"],
    ceiling: "100 %: the time of llm.c's kernel",
    maximum: 110,
    rows: [...data.llmc]
      .sort((a, b) => a.ratio - b.ratio)
      .map(({ llmc, us, hot, ratio }) => ({
        name: llmc,
        figure: `${hot} of ${us} µs`,
        ours: 100 * Number(ratio),
        rival: null,
      })),
  }),
};

const memory = data.kernels.filter(({ kind }) => kind === "memory");
const reached = memory.filter(({ share }) => share >= 85).length;
const compared = data.kernels.filter(({ rival }) => rival !== null);
const ahead = compared.filter((kernel) => ratioOf(kernel) > 0.9975).length;

const text = `# Kernels, measured on an NVIDIA H200

After reading this page you know how fast Heddle's own kernels are, and how near they are to what the hardware can do.

- In ${reached} of ${memory.length} measurements, a kernel that memory limits reaches at least 85 % of the speed of a
  copy.
- In ${ahead} of ${compared.length} measurements beside rivals, Heddle is at least as fast. The rivals are PyTorch,
  torch.compile, Triton, CuPy, mamba-ssm, and NVIDIA's cuBLAS and cuDNN. llm.c's kernels have
  [a section of their own](#beside-llmc).
- Every result was compared with a reference before and during the measurement.

Each kernel is a *ladder*: a folder with several versions, from a simple one to the best one. [ladders.md](ladders.md)
explains ladders and how \`heddle bench\` measures them. \`heddle bench --device cuda kernels/NAME\` measures one again.

## Kernels that memory limits

Such a kernel can hardly be faster than a copy of the same bytes. The red line is the speed of that copy, measured in
the same run. "Of the limit" is the share of that speed. A result slightly above 100 % is possible: a kernel that reads
more than it writes can be faster than a copy. GB/s counts the bytes that the kernel must read and write. A size of two
numbers is rows x columns.

![Speed of kernels that memory limits, as a share of the speed of a copy](images/kernels-memory.svg)

${kernelTable("memory")}

## Kernels that arithmetic limits

The limit is a loop of multiply-adds, measured in the same run. For bfloat16 it is a loop of the tensor core
instruction \`wgmma\` with operands close to zero: 977 TFLOP/s, measured on the same kind of GPU on 2026-11-23. A loop
of \`mma.sync\` reaches 626 TFLOP/s. For e4m3 the loop of \`wgmma\` reached 1961 TFLOP/s in the same run. A multiply-add
is two operations.

![Speed of kernels that arithmetic limits, as a share of the speed of multiply-adds](images/kernels-compute.svg)

${kernelTable("compute")}

## Notes

\`NAME=VALUE\` are the parameters of the best version, as \`heddle bench\` found them.

${notes()}

## Beside llm.c

The kernels of [karpathy/llm.c](https://github.com/karpathy/llm.c), \`dev/cuda\`, were built by nvcc ${data.cuda} and
measured on the same GPU, at the same shapes and in the same types. Each program ran in its best version and block
size. *Hot* means that a part of the data is still in the cache, as in llm.c's own measurement; *cold* means that the
cache was flushed. A value of "hot / llm.c" below 1 means that Heddle is faster.

![Time of Heddle's kernels as a share of the time of llm.c's kernels](images/kernels-llmc.svg)

${markdownTable(
  ["llm.c", "its best, µs", "Heddle's kernel", "cold, µs", "hot, µs", "hot / llm.c"],
  data.llmc.map(({ llmc, us, ladder, version, cold, hot, ratio }) => [
    llmc,
    us,
    `${ladder} ${version}`,
    cold,
    hot,
    ratio,
  ]),
)}

## How it was measured

- ${data.device}, driver ${data.driver}, CUDA ${data.cuda}; ${data.host}.
- Runs without a date are of ${data.date}.
- The GPU's clock was ${data.clock} before and after each ladder, and nothing was throttled.
- The measurements were made in several runs, because time on the machine was limited:
${namedRuns()
  .map(([run, what]) => wrap(`run ${run}: ${what}`, "    ", "  - "))
  .join("\n")}
- A flush by writing costs a kernel that only reads up to a tenth of its speed
  ([why](rationale.md#why-is-the-l2-cache-flushed-by-reading)). \`heddle bench\` flushes by reading since the evening of
  ${data.date}.

Runs 1 to 4: [all tables as the tool printed them](lab/2026-11-22-kernels-h200.txt), and
[what was wanted, missed and tried](lab/2026-11-22-kernels-h200.md).
Run 6: [figures](lab/2026-11-28-kernels-h200.txt), [what was tried](lab/2026-11-28-kernels-h200.md). The same kernels on
the emulated device: [lab/2026-11-22-kernels-emulated.md](lab/2026-11-22-kernels-emulated.md).

This page is made by \`npm run docs\` from [lab/kernels-h200.json](lab/kernels-h200.json).
`;

writeOrCheck({
  "docs/kernels.md": text,
  ...Object.fromEntries(Object.entries(images).map(([name, image]) => [`docs/images/${name}`, image])),
});
