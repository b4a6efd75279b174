// Writes docs/compatibility.md from the results of the two compatibility runs. `--help` says how.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeOrCheck } from "../docs-pages.mjs";

if (process.argv.includes("--help") || process.argv.includes("-h")) {
  process.stdout.write(`node scripts/compat/table.mjs

Writes docs/compatibility.md from docs/compat-llmc.json and docs/compat-programs.json, which scripts/compat/llmc.mjs and
scripts/compat/programs.mjs make (their --help says how), and docs/compat-gpu.md, which is written by hand. No options.
`);
  process.exit(0);
}

const docs = resolve(import.meta.dirname, "../../docs");
const read = (name) => (existsSync(join(docs, name)) ? JSON.parse(readFileSync(join(docs, name), "utf8")) : {});
// A version may have been run at the sizes in the file, at reduced ones, or both: the first counts where it is there.
const llmc = Object.entries(read("compat-llmc.json")).map(([name, result]) => [name, chosen(result)]);
const programs = Object.entries(read("compat-programs.json"));

/**
 * The run at full sizes where it passed, or failed in another way than for want of memory or time; else the reduced
 * one, with what became of the other.
 */
function chosen({ full, reduced, h200 }) {
  const noRoom = full !== undefined && /out of device memory/.test(full.said ?? "");
  const isFull = full !== undefined && (reduced === undefined || !(full.status === "timeout" || noRoom));
  if (isFull) return { ...full, h200, sizes: "as in the file" };
  const why =
    full === undefined
      ? ""
      : noRoom
        ? "as in the file: more than 4 GiB"
        : `as in the file: not done after ${Math.round(full.seconds)} s`;
  return { ...reduced, h200, sizes: "reduced", said: [reduced.said, why].filter((text) => text !== "").join(" · ") };
}

const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ").replaceAll("<", "&lt;");
const share = (passed, all) => `${passed} of ${all} (${all === 0 ? "–" : Math.round((100 * passed) / all)} %)`;
const row = (...cells) => `| ${cells.map(cell).join(" | ")} |`;
/** Counts of results by a key, the most frequent first. */
function count(results, key) {
  const counts = new Map();
  for (const [name, result] of results) counts.set(key(name, result), (counts.get(key(name, result)) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

const lines = ["# What runs", ""];
const passedPrograms = programs.filter(([, result]) => result.status === "pass");
const onTheCard = llmc.filter(([, result]) => result.h200 === "passes");
const passedLlmc = onTheCard.filter(([, result]) => result.status === "pass");
lines.push(
  "Unmodified public CUDA programs, run by Heddle on a machine without a GPU; what decides is each program's own check, by its output and exit code.",
  "",
);
lines.push("| | run correctly |", "| --- | --- |");
if (llmc.length > 0) {
  const full = passedLlmc.filter(([, result]) => result.sizes === "as in the file");
  lines.push(
    row(
      "llm.c `dev/cuda`: versions that pass their own check on an H200",
      `${share(passedLlmc.length, onTheCard.length)}, ${full.length} of them at the sizes in the file`,
    ),
  );
}
lines.push(row("other public programs", share(passedPrograms.length, programs.length)), "");
lines.push(
  "Times are wall-clock, the compilation included, partly on a machine with two cores that did other work too, partly on sixteen cores with nine programs at a time: they tell minutes from seconds, no more.",
  "",
);

if (programs.length > 0) {
  const dates = count(programs, (_, result) => result.date ?? "before 2026-11-22").map(
    ([date, number]) => `${number} ${date.startsWith("before") ? date : `on ${date}`}`,
  );
  lines.push(
    "## Other public programs",
    "",
    `Made by \`node scripts/compat/programs.mjs CHECKOUTS\`, as scripts/compat/programs.json lists them. Run: ${dates.join(", ")}.`,
    "",
    "By collection:",
    "",
    "| collection | run correctly |",
    "| --- | --- |",
  );
  for (const [repository, all] of count(programs, (_, result) => result.repository)) {
    lines.push(
      row(
        `[${repository}](https://github.com/${repository})`,
        share(passedPrograms.filter(([, result]) => result.repository === repository).length, all),
      ),
    );
  }
  const failed = programs.filter(([, result]) => result.status !== "pass");
  lines.push("", "What stops the rest:", "");
  if (failed.length === 0) lines.push("Nothing.");
  else {
    lines.push("| program | result | what stops it |", "| --- | --- | --- |");
    for (const [name, result] of failed) lines.push(row(name, result.status, result.reason ?? result.said));
  }
  lines.push("", "All of them:", "", "| program | result | seconds | reduced to |", "| --- | --- | --- | --- |");
  for (const [name, result] of programs) lines.push(row(name, result.status, result.seconds, result.reduced));
  lines.push("");
}
lines.push(
  "## On a real GPU",
  "",
  readFileSync(join(docs, "compat-gpu.md"), "utf8")
    .replace(/^<!--.*?-->\s*/s, "")
    .trimEnd(),
  "",
);
if (llmc.length > 0) {
  lines.push(
    "## karpathy/llm.c, `dev/cuda`",
    "",
    "Made by `node scripts/compat/llmc.mjs CHECKOUT` (sizes as in the file) and with `--reduced` (the edits shown). All results, times of both included, are in compat-llmc.json. At the sizes in the files softmax_forward, crossentropy_softmax_backward and classifier_fused ask for more than 4 GiB of memory, which 32-bit pointers cannot have. A check stands before the benchmark in these programs: where it has passed and the benchmark alone would take over ten minutes, that was stopped.",
    "",
  );
  lines.push(
    "| program and version | here | on an H200 | seconds | sizes | what it says |",
    "| --- | --- | --- | --- | --- | --- |",
  );
  for (const [name, result] of llmc) {
    const edits = (result.edits ?? []).map(([from, to]) => `\`${from}\` → \`${to}\``).join(", ");
    lines.push(row(name, result.status, result.h200, result.seconds, edits || result.sizes, result.said));
  }
  lines.push("");
}
writeOrCheck({ "docs/compatibility.md": lines.join("\n") });
