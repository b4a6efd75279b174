// Writes docs/kernel-times.md from docs/lab/kernel-times-h200.json, which kernel-times.mjs makes. `--check` only
// reports whether the page is up to date.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { markdownTable, wrap, writeOrCheck } from "../docs-pages.mjs";
import { LEAST_US } from "./kernel-times-summary.mjs";

const file = join(resolve(import.meta.dirname, "../../docs/lab"), "kernel-times-h200.json");
if (!existsSync(file)) process.exit(0);
const { measured, programs } = JSON.parse(readFileSync(file, "utf8"));
const reasons = JSON.parse(readFileSync(join(import.meta.dirname, "kernel-times-reasons.json"), "utf8"));

const LIMIT = 1.1;
const all = Object.entries(programs);
const timed = all.filter(([, { ratio }]) => ratio !== undefined);
const within = timed.filter(([, { ratio }]) => ratio <= LIMIT);
const slow = timed.filter(([, { ratio }]) => ratio > LIMIT).sort(([, a], [, b]) => b.ratio - a.ratio);
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const share = (part, whole) => `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)`;
const kernels = timed.flatMap(([, result]) => result.kernels);
const kernelsWithin = kernels.filter(({ nvccUs, heddleUs }) => heddleUs <= LIMIT * nvccUs);
const us = (time) => Number(time.toPrecision(3)).toLocaleString("en-US");
const slowest = ({ kernels: [first, ...rest] }) =>
  rest.reduce((a, b) => (b.heddleUs / b.nvccUs > a.heddleUs / a.nvccUs ? b : a), first);

const untimed = new Map();
for (const [name, result] of all) {
  if (result.ratio !== undefined) continue;
  let why = result.failed ?? "no kernel that both sides launch";
  if (result.tooShort) why = `every kernel takes less than ${LEAST_US} µs`;
  else if (/longer than/.test(why)) why = "the run takes longer than the limit";
  else if (result.failed?.startsWith("nvcc")) why = "nvcc's build does not run to its end on this GPU";
  else if (result.failed !== undefined) why = "Heddle's run ends without kernel times";
  untimed.set(why, [...(untimed.get(why) ?? []), name]);
}

const introduction = [
  `${timed.length} programs of ${new Set(timed.map(([, { repository }]) => repository)).size} repositories`,
  `were timed on one ${measured}.`,
  `**${share(within.length, timed.length)} take at most ${LIMIT.toFixed(2)} times as long as with nvcc.**`,
  `The median of the ratios is ${median(timed.map(([, { ratio }]) => ratio)).toFixed(2)}.`,
  `Kernel by kernel, ${share(kernelsWithin.length, kernels.length)} are within ${LIMIT.toFixed(2)}.`,
].join(" ");

const page = `# Kernel times beside nvcc's

On this page you see how long the kernels of public programs take on a GPU that Heddle compiles for, beside the same
kernels compiled by nvcc.

${wrap(introduction)}

- The list: every program of [compatibility.md](compatibility.md) that passes there, is built from a list of files,
  needs no library of NVIDIA's, and compiles with nvcc 13.0. Programs run at their own sizes.
- nvcc has \`-O3 -arch=sm_90\` and the program's own flags. Heddle runs \`heddle run --device cuda\`.
- One library times the kernels of both, by CUPTI. The runs of the two sides take turns.
- A kernel's time is the median over the runs of its mean time a launch. A program's ratio is that of the sums.
- Kernels below ${LEAST_US} µs are left out: they measure the launch.
- A ratio far below 1 is seldom better code. With nvcc, pages of managed and mapped memory move while the kernel runs;
  Heddle keeps them on the GPU and copies around the kernel. Device \`printf\` waits for the host under nvcc. Kernels
  that overlap on several streams are each slower than alone; Heddle's streams take turns.

\`scripts/compat/kernel-times.mjs\` repeats the measurement.

## Slower than 1.10

${
  slow.length === 0
    ? "None."
    : markdownTable(
        ["program", "ratio", "its slowest kernel, Heddle / nvcc, µs", "reason"],
        slow.map(([name, result]) => {
          const worst = slowest(result);
          const times = `${us(worst.heddleUs)} / ${us(worst.nvccUs)}`;
          return [
            name,
            result.ratio.toFixed(2),
            `\`${worst.name.slice(0, 60)}\` ${times}`,
            reasons[name] ?? "not known",
          ];
        }),
      )
}

## Every program

${markdownTable(
  ["program", "kernels", "nvcc, µs", "ratio"],
  timed.map(([name, result]) => [
    name,
    String(result.kernels.length),
    us(result.nvccUs),
    result.ratio > LIMIT ? `**${result.ratio.toFixed(2)}**` : result.ratio.toFixed(2),
  ]),
)}

## Not timed

${[...untimed].map(([why, names]) => wrap(`${why}: ${names.join(", ")}`, "  ", "- ")).join("\n")}
`;
writeOrCheck({ "docs/kernel-times.md": page });
