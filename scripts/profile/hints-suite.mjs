#!/usr/bin/env node
// The profiler's hints over src/profile/suite: kernels with one flaw each, their repaired twins, and good ones.
//
//   node scripts/profile/hints-suite.mjs             prints what each kernel gets
//   node scripts/profile/hints-suite.mjs --table     also writes docs/lab/profile-hints.json and the page's table
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { load } from "../../dist/index.js";
import { profile } from "../../dist/profile.js";
import { suiteLaunches, suiteInput, SUITE_N } from "./suite-launches.mjs";

const ROOT = new URL("../../", import.meta.url);
const SUITE = new URL("src/profile/suite/", ROOT);
const RESULT = new URL("docs/lab/profile-hints.json", ROOT);
const PAGE = new URL("docs/profiling-accuracy.md", ROOT);

const { values: options } = parseArgs({ options: { table: { type: "boolean" }, only: { type: "string" } } });

const rows = [];
for (const file of readdirSync(SUITE)) {
  const name = basename(file, ".cu");
  if (options.only !== undefined && !name.includes(options.only)) continue;
  const source = readFileSync(new URL(file, SUITE), "utf8");
  for (const { kernel, grid, block, hint, at } of suiteLaunches(source)) {
    const { launches } = await profile(async (device) => {
      const program = await load(new URL(file, SUITE).pathname, { device });
      const [out, input] = [SUITE_N * SUITE_N + 8, SUITE_N * SUITE_N].map((n) => device.array(n, "float32"));
      input.write(suiteInput());
      await (await program.kernel(kernel)).launch({ grid, block }, out, input, SUITE_N);
    });
    const { hints, predicted } = launches[0];
    const [first] = hints;
    const line = first?.place === null || first === undefined ? "" : (source.split("\n")[first.place.line - 1] ?? "");
    const isRight = hint === null ? first === undefined : first?.kind === hint && (at === "" || line.includes(at));
    rows.push({
      name,
      kernel,
      wanted: hint,
      isRight,
      microseconds: Number(predicted.microseconds.toPrecision(3)),
      hints: hints.map(({ kind, place, what, gain }) => ({
        kind,
        line: place?.line ?? null,
        what,
        gain: Number(gain.toPrecision(3)),
      })),
    });
    const { hints: found } = rows.at(-1);
    console.log(
      `${isRight ? "ok    " : "WRONG "} ${`${name} ${kernel}`.padEnd(36)} ${predicted.limiter.padEnd(12)} ` +
        found.map((h) => `${h.kind}:${h.line ?? ""} ×${h.gain}`).join(", "),
    );
    if (!isRight) for (const h of found) console.log(`         ${h.what}`);
  }
}
const part = (accept) => {
  const of = rows.filter(accept);
  return { right: of.filter(({ isRight }) => isRight).length, of: of.length };
};
const sum = {
  flawed: part(({ kernel }) => kernel === "flawed"),
  repaired: part(({ kernel }) => kernel === "repaired"),
  good: part(({ kernel }) => kernel === "good"),
};
console.log(sum);
if (options.table) {
  writeFileSync(RESULT, `${JSON.stringify({ ...sum, rows }, null, 1)}\n`);
  writeTable();
}

/** The page's table: each flaw with its first hint and its gain, and the model's time before and after. */
function writeTable() {
  const lines = rows
    .filter(({ kernel }) => kernel === "flawed")
    .toSorted((a, b) => String(a.wanted).localeCompare(b.wanted) || a.name.localeCompare(b.name))
    .map(({ name, hints, microseconds }) => {
      const after = rows.find((row) => row.name === name && row.kernel === "repaired");
      const first = hints[0];
      const where = first?.line === null ? "" : `, line ${first?.line}`;
      const kind = first === undefined ? "none" : `[${first.kind}](hints.md#${first.kind})${where}`;
      const file = `[${name}](../src/profile/suite/${name}.cu)`;
      return `| ${file} | ${kind} | ${first?.what ?? ""} | ${microseconds} µs, ${after?.microseconds} µs |`;
    });
  const text = [
    `Of ${sum.flawed.of} kernels with a flaw the flaw is the first hint in ${sum.flawed.right};`,
    `${sum.repaired.right} of ${sum.repaired.of} repaired twins and ${sum.good.right} of ${sum.good.of} good kernels ` +
      "get none.",
    "",
    "| kernel | first hint | what it says | predicted before, after |",
    "| --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
  const page = readFileSync(PAGE, "utf8");
  const [from, to] = ["<!-- hints-suite.mjs --table: from here -->", "<!-- to here: hints -->"];
  const begin = page.indexOf(from);
  const end = page.indexOf(to);
  if (begin < 0 || end < begin) throw new Error(`${PAGE.pathname} lacks its marks`);
  writeFileSync(PAGE, `${page.slice(0, begin + from.length)}\n${text}\n${page.slice(end)}`);
}
