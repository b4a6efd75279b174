// Runs the samples of NVIDIA's cudnn-frontend and keeps what became of each case. `--help` says how.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import {
  byFolder,
  listedCases,
  resultOf,
  sampleArguments,
  sampleFiles,
  sourcesOf,
  writeCatchHeaders,
} from "./cudnn-samples.mjs";

const HELP = `node scripts/compat/cudnn-frontend.mjs CHECKOUT CATCH2 [options]

  git clone https://github.com/NVIDIA/cudnn-frontend /tmp/cudnn-frontend
  git clone https://github.com/catchorg/Catch2 /tmp/Catch2
  npm run build && node scripts/compat/cudnn-frontend.mjs /tmp/cudnn-frontend /tmp/Catch2
  node scripts/compat/cudnn-frontend-table.mjs      afterwards: the table of docs/library-details.md

Compiling the front end takes most of the time, so that all files of a folder are compiled as one: a file that includes
each of them, unmodified, in a name space of its own. Files that call one another are compiled by themselves. Then each
case runs by itself, from the cached compilation.

Options
  --only TEXT,…      files whose path contains one of these
  --each             every file by itself, as docs/library-details.md says
  --case TEXT,…      cases whose name contains one of these
  --timeout SECONDS  for one case (1200)
  --work FOLDER      where the program's own files are written; the cached compilation is found again if it is the same
                     (a new folder below the system's for temporary files)
  --heddle FILE      the command to test (dist/bin/main.js)
  -o, --output FILE  results; new ones are added to those already in it (docs/lab/cudnn-frontend.json)
`;
const root = resolve(import.meta.dirname, "../..");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h", default: false },
    only: { type: "string" },
    each: { type: "boolean", default: false },
    case: { type: "string" },
    timeout: { type: "string", default: "1200" },
    work: { type: "string" },
    heddle: { type: "string", default: join(root, "dist/bin/main.js") },
    output: { type: "string", short: "o", default: join(root, "docs/lab/cudnn-frontend.json") },
  },
});
if (values.help || positionals.length !== 2) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}
const [checkout, catch2] = positionals.map((path) => resolve(path));
const samples = join(checkout, "samples/cpp");
const work = resolve(values.work ?? mkdtempSync(join(tmpdir(), "heddle-cudnn-frontend-")));

/** A run of the program with these arguments; `seconds` of time, or as long as it takes. */
function run(sources, args, seconds) {
  const { stdout, stderr, status, signal, error } = spawnSync(
    process.execPath,
    [values.heddle, "run", "--gpu", "h100", ...sampleArguments(checkout, sources, work), "--", "-r", "xml", ...args],
    { encoding: "utf8", maxBuffer: 1 << 30, timeout: seconds && seconds * 1000 },
  );
  appendFileSync(join(work, "log"), `${args.join(" ")}\n${stdout}\n${stderr}\n`);
  return { stdout, stderr, isOver: error?.code === "ETIMEDOUT", ended: signal ?? status };
}

/** The names of the program's cases and the files that they are in. */
function list(sources) {
  const { stdout, stderr } = run(sources, ["--list-tests"]);
  const cases = listedCases(stdout);
  if (cases.length === 0) console.log(stderr.slice(-3000));
  return cases;
}

/** What became of one case. */
function result({ stdout, isOver, ended }) {
  return isOver ? { status: "failed", said: `not at its end after ${values.timeout} s` } : resultOf(stdout, ended);
}

writeCatchHeaders(catch2, work);
const only = values.only?.split(",");
const files = sampleFiles(checkout, (file) => only?.some((text) => file.includes(text)) ?? true);
const groups = values.each ? files.map((file) => [file]) : byFolder(files);
const namesWanted = values.case?.split(",");
for (const group of groups) {
  const sources = values.each ? [join(samples, group[0])] : sourcesOf(checkout, group, work);
  const counts = { passed: 0, skipped: 0, failed: 0 };
  for (const { name, file } of list(sources)) {
    if (namesWanted?.some((text) => name.includes(text)) === false) continue;
    const started = Date.now();
    const found = result(run(sources, [name.replaceAll(/[\\,[\]"*~]/g, "\\$&")], Number(values.timeout)));
    counts[found.status]++;
    console.log(`${file}: ${name}: ${found.status}, ${Math.round((Date.now() - started) / 1000)} s`);
    const results = existsSync(values.output) ? JSON.parse(readFileSync(values.output, "utf8")) : {};
    const cases = { ...results[file]?.cases, [name]: found };
    results[file] = { date: new Date().toISOString().slice(0, 10), cases };
    const sorted = Object.fromEntries(Object.entries(results).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(values.output, `${JSON.stringify(sorted, null, 1)}\n`);
  }
  const { passed, skipped, failed } = counts;
  const what = group.length === 1 ? group[0] : group[0].split("/")[0];
  console.log(`${what}: ${passed} passed, ${skipped} skipped, ${failed} failed`);
}
console.log(`output: ${work}`);
