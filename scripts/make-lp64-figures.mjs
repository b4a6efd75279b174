// Writes the tables of docs/lab/2026-11-24-lp64.md from what was measured. `--check` only reports whether they are up
// to date.
//
//   npm run bench:engine -- --lp64 --no-rivals --no-extras --json docs/lab/lp64-engine.json
//   node scripts/compat/kernel-times.mjs measure … --models ptx -o docs/lab/lp64-kernel-times-….json
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { asMarkdown, modelsTable, replaceBetween } from "../bench/engine/report.mjs";
import { geometricMean } from "../bench/engine/statistics.mjs";
import { markdownTable, wrap, writeOrCheck } from "./docs-pages.mjs";

const lab = resolve(import.meta.dirname, "../docs/lab");
const read = (name) => {
  const file = join(lab, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
};

function engineSection() {
  const report = read("lp64-engine.json");
  if (report === null) return "Not measured.";
  const { cpu, cores, system } = report.machine;
  const where = `${report.date}, ${cpu}, ${cores} cores, ${system}, ${report.engineDescriptions[0]}.`;
  return `${wrap(where)}\n\n${asMarkdown(modelsTable(report))}`;
}

/** The kernels of some result files, slowest first. */
function kernelsOf(results) {
  return Object.entries(results.programs)
    .flatMap(([program, { kernels = [] }]) => kernels.map((kernel) => ({ program, ...kernel })))
    .filter(({ nvccUs, heddleUs }) => nvccUs !== null && heddleUs !== null)
    .map((kernel) => ({ ...kernel, ratio: kernel.heddleUs / kernel.nvccUs }))
    .toSorted((a, b) => b.ratio - a.ratio);
}

const us = (time) => Number(time.toPrecision(3)).toLocaleString("en-US");

function gpuSection() {
  const files = [
    ["llm.c's dev/cuda", "lp64-kernel-times-llmc.json"],
    ["other public programs", "lp64-kernel-times-programs.json"],
  ].flatMap(([title, name]) => {
    const results = read(name);
    return results === null ? [] : [[title, kernelsOf(results), results.measured]];
  });
  if (files.length === 0) return "Not measured.";
  const rows = files.map(([title, kernels]) => [
    title,
    String(kernels.length),
    geometricMean(kernels.map(({ ratio }) => ratio)).toFixed(3),
    String(kernels.filter(({ ratio }) => ratio <= 1.05).length),
    String(kernels.filter(({ ratio }) => ratio > 1.1).length),
  ]);
  const slow = files.flatMap(([, kernels]) => kernels.filter(({ ratio }) => ratio > 1.05));
  const how = [
    `One ${files[0][2]}, CUDA 13.0. Each program is built twice by nvcc: as it is, and with Heddle's PTX`,
    "(scripts/compat/nvcc-with-ptx.mjs). CUPTI times the kernels of both, in turns. Kernels below 3 µs are left out.",
  ].join(" ");
  const head = ["programs", "kernels", "time over nvcc's, geometric mean", "at most 1.05", "above 1.10"];
  const parts = [wrap(how), markdownTable(head, rows)];
  if (slow.length > 0) {
    const cells = slow.map((row) => [row.program, `\`${row.name}\``, us(row.nvccUs), row.ratio.toFixed(2)]);
    parts.push("Over 5 % longer:", markdownTable(["program", "kernel", "nvcc, µs", "ratio"], cells));
  }
  return parts.join("\n\n");
}

const page = "docs/lab/2026-11-24-lp64.md";
let text = readFileSync(resolve(import.meta.dirname, "..", page), "utf8");
text = replaceBetween(text, "engine", engineSection());
text = replaceBetween(text, "gpu", gpuSection());
writeOrCheck({ [page]: text });
