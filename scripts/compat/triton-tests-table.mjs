// Writes the figures of Triton's own tests into docs/triton-results.md, from docs/lab/compat-triton-tests.json, which
// triton-tests.mjs makes. `--check` only reports whether the page is up to date.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { markdownTable, wrap, writeOrCheck } from "../docs-pages.mjs";

const root = resolve(import.meta.dirname, "../..");
const BEGIN = "<!-- from docs/lab/compat-triton-tests.json, by scripts/compat/triton-tests-table.mjs -->\n";
const END = "<!-- end of Triton's tests -->";

const { commit, files, missing } = JSON.parse(
  readFileSync(join(root, "docs", "lab", "compat-triton-tests.json"), "utf8"),
);
const rules = JSON.parse(readFileSync(join(import.meta.dirname, "triton-tests", "reasons.json"), "utf8"));

const sum = (tests, key) => Object.values(tests).reduce((total, test) => total + test[key], 0);
const total = (key) => Object.values(files).reduce((all, tests) => all + sum(tests, key), 0);
const percent = (part, whole) => (whole === 0 ? "" : `${((100 * part) / whole).toFixed(1)} %`);

const rows = Object.entries(files).map(([name, tests]) => [
  `\`${name}\``,
  `${sum(tests, "cases")}`,
  `${sum(tests, "interpreter")}`,
  `${sum(tests, "both")}`,
  percent(sum(tests, "both"), sum(tests, "interpreter")),
  `${sum(tests, "passed")}`,
]);

/** The reason of each missing case: a rule's, or what the case itself says. */
const reasons = new Map();
for (const [name, text] of Object.entries(missing)) {
  const test = name.split("[")[0].split("::")[1];
  const rule = rules.find(({ tests, text: pattern = "" }) => tests.includes(test) && new RegExp(pattern).test(text));
  const reason = rule?.reason ?? text;
  const entry = reasons.get(reason) ?? { count: 0, tests: new Set() };
  entry.count++;
  entry.tests.add(test);
  reasons.set(reason, entry);
}

const both = total("both");
const section = `
${wrap(
  `**${both} of the ${total("interpreter")} cases that Triton's interpreter passes pass here ` +
    `(${percent(both, total("interpreter"))}).** These are Triton 3.6's own tests, commit ` +
    `\`${commit.slice(0, 10)}\`, run by CPython and pytest over the pipe, with Heddle's \`torch\`.`,
)}

${markdownTable(["file", "cases", "interpreter passes", "of these here", "share", "all that pass here"], rows)}

${wrap(
  "The interpreter is that of triton 3.6.0, with torch 2.13 for CPUs and NumPy 2.4. Checks of the text of Triton's " +
    "own PTX are left out, as they are for the interpreter. `scripts/compat/triton-tests.mjs` repeats the run. " +
    "Each missing case is named in `docs/lab/compat-triton-tests.json`. Their reasons:",
)}

${markdownTable(
  ["cases", "tests", "reason"],
  [...reasons]
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([reason, { count, tests }]) => [`${count}`, [...tests].map((test) => `\`${test}\``).join(" "), reason]),
)}

`;
const path = "docs/triton-results.md";
const page = readFileSync(join(root, path), "utf8");
const [begin, end] = [page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)];
writeOrCheck({ [path]: `${page.slice(0, begin)}${section}${page.slice(end)}` });
