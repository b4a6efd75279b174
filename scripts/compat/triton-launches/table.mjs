// Writes the figures of recorded launches into docs/triton-results.md, from docs/lab/compat-triton-launches.json, which
// result.mjs makes. `--check` only reports whether the page is up to date.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { markdownTable, wrap, writeOrCheck } from "../../docs-pages.mjs";

const root = resolve(import.meta.dirname, "../../..");
const BEGIN = "<!-- from docs/lab/compat-triton-launches.json, by scripts/compat/triton-launches/table.mjs -->\n";
const END = "<!-- end of recorded launches -->";

const kernels = JSON.parse(readFileSync(join(root, "docs", "lab", "compat-triton-launches.json"), "utf8"));
const MODES = ["emulated", "cuda"];
const isRight = (mode) => mode !== undefined && ["right", "nothing"].includes(mode.status);
const percent = (part, whole) => (whole === 0 ? "" : `${((100 * part) / whole).toFixed(1)} %`);

/** Of some kernels, by mode: how many were run, and how many agree. */
function counts(list, mode) {
  const run = list.filter(({ modes }) => modes[mode] !== undefined);
  return { run: run.length, right: run.filter(({ modes }) => isRight(modes[mode])).length };
}

const all = Object.values(kernels);
const repositories = [...new Set(all.map(({ repository }) => repository))];
const rows = repositories.map((repository) => {
  const own = all.filter((kernel) => kernel.repository === repository);
  const cells = MODES.map((mode) => counts(own, mode)).map(({ run, right }) => `${right} of ${run}`);
  return [repository, `\`${own[0].commit.slice(0, 10)}\``, ...cells];
});

/** Why a kernel does not count as right. */
function reasonOf({ status, reason }) {
  const isSaid = reason.includes("second run");
  return status === "undetermined" && !isSaid
    ? `Triton itself leaves something else in a second run; ${reason}`
    : reason;
}

const reasons = [];
for (const [name, { modes }] of Object.entries(kernels)) {
  const bad = MODES.filter((mode) => modes[mode] !== undefined && !isRight(modes[mode]));
  if (bad.length === 0) continue;
  const where = bad.length === MODES.length ? "both" : bad[0];
  reasons.push([
    `\`${name.split(":")[1]}\``,
    name.split(":")[0].split("/").slice(0, 2).join("/"),
    where.replace("cuda", "GPU"),
    reasonOf(modes[bad[0]]),
  ]);
}
const shown = reasons.map(([kernel, repository, where, reason]) => [
  kernel,
  repository,
  where,
  reason.replaceAll("|", "\\|").slice(0, 150),
]);

const shareOf = ({ run, right }) => `${right} of ${run} (${percent(right, run)})`;
const [emulated, gpu] = MODES.map((mode) => counts(all, mode));
const refused = all.filter(({ modes }) => Object.values(modes).some(({ status }) => status === "refused")).length;
const section = `
${wrap(
  `**Of ${all.length} kernels of ${repositories.length} repositories, launched as their own tests launch them, ` +
    `${shareOf(emulated)} leave on the emulated device what Triton 3.6 leaves on a Hopper GPU, and ` +
    `${shareOf(gpu)} on the GPU by Heddle's PTX. ` +
    `${all.length - refused} (${percent(all.length - refused, all.length)}) compile.**`,
)}

${markdownTable(["repository", "commit", "emulated", "GPU"], rows)}

Those that do not agree:

${markdownTable(["kernel", "repository", "where", "reason"], shown)}

`;
const path = "docs/triton-results.md";
const page = readFileSync(join(root, path), "utf8");
const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
writeOrCheck({ [path]: `${page.slice(0, begin)}${section}${page.slice(end)}` });
