// Writes the parts of docs/libraries.md that rounds on a GPU fill: random cases against NVIDIA's libraries, and what a
// call that is handed over costs. `--check` only reports whether the page is up to date.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { markdownTable, wrap, writeOrCheck } from "../docs-pages.mjs";
import { percent } from "./numbers.mjs";
import { openRounds, ROUND_NAMES } from "./rounds.mjs";

const root = resolve(import.meta.dirname, "../..");
const PAGE = "docs/libraries.md";
const { libraries, costs } = JSON.parse(readFileSync(join(root, "docs/lab/library-differential.json"), "utf8"));

const COUNTS = ["cases", "statuses", "computed", "near"];
const differential = markdownTable(
  ["library", "cases", "same status", "computed", "near"],
  Object.entries(libraries).map(([library, counts]) => [library, ...COUNTS.map((key) => String(counts[key]))]),
);

/** "axpy 3.20 → 5.10 µs", or what was known before calls were measured one by one. */
function handOver() {
  const { rows, machine, date } = costs;
  if (rows === undefined)
    return wrap(
      "A handed-over call costs 1.2 to 2.3 µs more than the same call in a program that nvcc built: `axpy` takes 5.1 " +
        "µs instead of 3.2, `SpMV` 10.3 instead of 9.1. For a product of 1.3 ms that is 1.4 % (H200, 2026-11-24).",
    );
  const table = markdownTable(
    ["call", "nvcc's program, µs", "Heddle's, µs", "more"],
    rows.map(({ name, native, heddle }) => {
      const more = heddle - native;
      const says = native > 200 ? percent(more, native) : `${more.toFixed(2)} µs`;
      return [`\`${name}\``, native.toFixed(2), heddle.toFixed(2), says];
    }),
  );
  const what = wrap(
    `Microseconds a call: both programs take turns, the lower quartile of nine turns counts (${machine}, ${date}). ` +
      '"More" is in per cent for calls of more than 200 µs. The goal is 2 µs, or 3 % if that is more. NCCL has one ' +
      "rank here, for which Heddle's own copy does the work: nothing is handed over.",
  );
  return `${what}\n\n${table}`;
}

/** CUTLASS's examples, which time themselves: milliseconds of nvcc's build and of Heddle's. */
function cutlass() {
  const results = JSON.parse(readFileSync(join(root, "docs/lab/cutlass-h200.json"), "utf8"));
  const rows = Object.entries(results)
    .map(([name, { native, heddle }]) => ({ name, native, heddle, speed: native / heddle }))
    .toSorted((a, b) => b.speed - a.speed);
  const reached = rows.filter(({ speed }) => speed >= CUTLASS_GOAL).length;
  const { gpu, date } = Object.values(results)[0];
  const what = wrap(
    `Milliseconds that the examples print, the least of two runs of each program (${gpu}, ${date}). All checks of ` +
      `the examples pass. ${reached} of ${rows.length} reach ${CUTLASS_GOAL} of the speed of nvcc's build.`,
  );
  const table = markdownTable(
    ["example", "nvcc's build, ms", "Heddle's, ms", "speed"],
    rows.map(({ name, native, heddle, speed }) => [
      `\`${name}\``,
      native.toFixed(4),
      heddle.toFixed(4),
      speed.toFixed(2),
    ]),
  );
  return `${what}\n\n${table}`;
}
const CUTLASS_GOAL = 0.97;

/** Each round with what it measures, when it was taken in, and how many of its steps were right. */
async function roundsTable() {
  const taken = JSON.parse(readFileSync(join(root, "docs/lab/gpu-rounds.json"), "utf8"));
  const rounds = await openRounds(ROUND_NAMES);
  return markdownTable(
    ["round", "what it measures", "on", "steps that were right", "problems"],
    rounds.map(({ name, row }) => {
      const { gpu, date, steps, right, wrong } = taken[name] ?? {};
      if (gpu === undefined) return [`\`${name}\``, row, "not yet", "", ""];
      return [`\`${name}\``, row, `${gpu}, ${date}`, `${right} of ${steps}`, String(wrong)];
    }),
  );
}

/** The page with the text between two marks replaced. */
function replaced(page, name, text) {
  const [begin, end] = [new RegExp(`<!-- ${name}: .*-->\n`).exec(page), page.indexOf(`<!-- end of ${name} -->`)];
  if (begin === null || end < 0) throw new Error(`${PAGE} has no place for ${name}`);
  return `${page.slice(0, begin.index + begin[0].length)}${text}\n${page.slice(end)}`;
}

/** Rows of the first table, by how they begin: the rounds' libraries whose cases are added up. */
const ADDED_UP = {
  cuBLAS: ["blas"],
  "[cuFFT]": ["fft"],
  "[cuRAND]": ["rand"],
  "[cuSPARSE]": ["sparse", "blocks"],
  "[cuSOLVER]": ["solver", "solver-sparse", "solver-forms"],
  "[cuDNN]": ["dnn"],
};

/** The page with the random cases of a library: those that are near, of those that were computed. */
function withCases(page, begin, names) {
  const sum = (key) => names.reduce((all, name) => all + libraries[name][key], 0);
  const row = page.split("\n").find((line) => line.startsWith(`| ${begin}`) && / \d+ of \d+ \|/.test(line));
  if (row === undefined) throw new Error(`${PAGE} has no row for ${begin}`);
  return page.replace(row, row.replace(/ \d+ of \d+ \|/, ` ${sum("near")} of ${sum("computed")} |`));
}

let page = readFileSync(join(root, PAGE), "utf8");
for (const [begin, names] of Object.entries(ADDED_UP)) page = withCases(page, begin, names);
const parts = { differential, "hand-over": handOver(), cutlass: cutlass(), rounds: await roundsTable() };
for (const [name, text] of Object.entries(parts)) page = replaced(page, name, text);
writeOrCheck({ [PAGE]: page });
