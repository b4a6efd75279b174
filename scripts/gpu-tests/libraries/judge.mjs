// Compares what the programs of random descriptors print on the emulated device with what run.mjs brought back from a
// GPU, and writes docs/lab/library-differential.json
// and the table of docs/libraries.md.
//
//   node scripts/gpu-tests/libraries/judge.mjs FOLDER RESULTS ANSWERS
//
// FOLDER is what prepare.mjs made, RESULTS what run.mjs wrote, ANSWERS a folder with blas.out and so on: what
// `FOLDER/blas FOLDER/blas.txt` prints on the emulated device.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { markdownTable, writeOrCheck } from "../../docs-pages.mjs";
import { distances, isResult } from "./compare.mjs";

const [folder, results, answers] = process.argv.slice(2);
const read = (name) => JSON.parse(gunzipSync(readFileSync(join(results, name))));
const native = read("native.json.gz");
const summary = read("summary.json.gz");
const path = resolve(import.meta.dirname, "../../../docs/lab/library-differential.json");

const table = {};
for (const [library, lines] of Object.entries(native)) {
  const output = join(answers, `${library}.out`);
  if (!existsSync(output)) continue;
  const cases = readFileSync(join(folder, `${library}.txt`), "utf8")
    .trimEnd()
    .split("\n");
  const ours = readFileSync(output, "utf8").split("\n").filter(isResult);
  const { operations, different, some } = distances(library, cases, lines.filter(isResult), ours);
  const total = { cases: 0, computed: 0, statuses: 0, near: 0 };
  for (const counts of Object.values(operations)) for (const key in total) total[key] += counts[key];
  const handed = summary.libraries[library];
  table[library] = {
    ...total,
    operations,
    different,
    handOver: handed && { cases: handed.cases, faults: handed.faults, operations: handed.handOver.operations },
  };
  console.log(library, JSON.stringify(total));
  for (const { descriptor, status, far } of some.slice(0, 40))
    console.log(`  ${descriptor}: ${status.join(", ")} ${far}`);
}
writeFileSync(
  path,
  `${JSON.stringify({ machine: summary.machine?.trim() ?? null, libraries: table, costs: summary.costs }, null, 1)}\n`,
);

const page = readFileSync(resolve(path, "../../libraries.md"), "utf8");
const rows = Object.entries(table).map(([library, counts]) => [
  library,
  ...["cases", "statuses", "computed", "near"].map((key) => String(counts[key])),
]);
const [before, rest] = page.split(/(?<=-- differential:.*\n)/);
const after = rest.slice(rest.indexOf("<!-- end of differential -->"));
const made = `${markdownTable(["library", "cases", "same status", "computed", "near"], rows)}\n`;
writeOrCheck({ "docs/libraries.md": `${before}${made}${after}` });
