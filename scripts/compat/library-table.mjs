// Writes the public programs of docs/libraries.md from docs/lab/library-programs.json. `--check` only reports whether
// the page is up to date.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { markdownTable, writeOrCheck } from "../docs-pages.mjs";
import { readManifest } from "./manifest.mjs";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/libraries.md"), "utf8");
const results = JSON.parse(readFileSync(join(root, "docs/lab/library-programs.json"), "utf8"));
const programs = readManifest(join(import.meta.dirname, "library-programs.json"));
// The round "programs" of scripts/gpu-rounds writes these.
const there = join(root, "docs/lab/library-programs-h200.json");
const onGpu = existsSync(there) ? JSON.parse(readFileSync(there, "utf8")) : null;

const libraries = [...new Set(programs.map(({ library }) => library))];
const cell = (text) => String(text).replaceAll("\n", " ").replaceAll("|", "/").replaceAll("<", "&lt;").slice(0, 90);
const counts = libraries.map((library) => {
  const all = programs.filter((program) => program.library === library);
  const run = all.filter(({ name }) => results[name] !== undefined);
  const right = run.filter(({ name }) => results[name].status === "pass");
  const figures = [all, run, right].map(({ length }) => String(length));
  if (onGpu === null) return [library, ...figures];
  const known = all.filter(({ name }) => onGpu[name] !== undefined);
  const passed = known.filter(({ name }) => onGpu[name].status === "pass").length;
  return [library, ...figures, known.length === 0 ? "–" : `${passed} of ${known.length}`];
});
const allKnown = programs.filter(({ name }) => onGpu?.[name] !== undefined);
const rightThere = allKnown.filter(({ name }) => onGpu[name].status === "pass").length;
const head = ["library", "listed", "run so far", "right", ...(onGpu === null ? [] : ["right on an H200"])];
const wrong = programs.flatMap(({ name, reason }) => {
  const result = results[name];
  if (result === undefined || result.status === "pass") return [];
  return [[name.replace("CUDALibrarySamples/", ""), result.status, cell(reason ?? result.said)]];
});
const WRONG = ["program", "result", "what stops it"];
const told = (text, rows) => (rows.length === 0 ? "" : `${text}\n\n${markdownTable(WRONG, rows)}\n`);
const wrongTable = told("What stops the others on the emulated device:", wrong);
const wrongThere = programs.flatMap(({ name, reasonOnGpu }) => {
  const result = onGpu?.[name];
  if (result === undefined || result.status === "pass") return [];
  return [[name.replace("CUDALibrarySamples/", ""), result.status, cell(reasonOnGpu ?? result.said)]];
});
const countThere = `On an H200 ${rightThere} of ${allKnown.length} are right.`;
const thereTable = told(`\n${countThere} What stops the others there:`, wrongThere);
const part = `${markdownTable(head, counts)}

${onGpu === null ? "The programs ran on the emulated device. " : ""}A program is right if its own check passes, or if
its output has the numbers of the sample output in its README.

${wrongTable}${thereTable}`;
const [before, rest] = page.split(/(?<=-- programs:.*\n)/);
const after = rest.slice(rest.indexOf("<!-- end of programs -->"));
writeOrCheck({ "docs/libraries.md": `${before}${part}${after}` });
