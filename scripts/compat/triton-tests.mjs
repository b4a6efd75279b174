// Runs Triton's own tests over the pipe, as triton-tests/list.json lists them. `--help` says how.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";

const HELP = `node scripts/compat/triton-tests.mjs --checkout FOLDER --state FOLDER [options]

Runs Triton's own tests by this machine's CPython and pytest, with our modules over the pipe, and writes
docs/lab/compat-triton-tests.json. What was run already is kept in the state folder: a run that was stopped goes on.

  --checkout FOLDER      a clone that has the listed commit
  --state FOLDER         for the test files and for the results so far, a line a case
  --interpreter PYTHON   first runs the cases by Triton's interpreter: a Python with triton, torch, NumPy, pytest
  --only REGEX           cases whose names match; they are run again
  --missing              runs those cases again that the interpreter passes and we do not
  --chunk N              cases for each process of pytest (400)
  --result               runs nothing: writes the result file from the state
  --reasons              then lists what is missing, by how often`;

const { values: options } = parseArgs({
  options: {
    checkout: { type: "string" },
    state: { type: "string" },
    interpreter: { type: "string" },
    only: { type: "string" },
    missing: { type: "boolean", default: false },
    chunk: { type: "string", default: "400" },
    result: { type: "boolean", default: false },
    reasons: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const root = resolve(import.meta.dirname, "../..");
const own = join(import.meta.dirname, "triton-tests");
const resultFile = join(root, "docs", "lab", "compat-triton-tests.json");
const list = JSON.parse(readFileSync(join(own, "list.json"), "utf8"));

/** The test files of the listed commit, in the state folder. */
function extract(state) {
  const folder = join(state, list.commit);
  if (existsSync(folder)) return folder;
  const clone = existsSync(join(options.checkout, "repo")) ? join(options.checkout, "repo") : options.checkout;
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync("git", ["-C", clone, "archive", list.commit, list.folder, list.helper], {
    maxBuffer: 1 << 28,
  });
  execFileSync("tar", ["x", "-C", folder], { input: archive });
  return folder;
}

/** Runs pytest over cases, or lists all cases if there are none. */
function pytest(folder, side, cases, results) {
  const tests = join(folder, list.folder);
  const caseFile = join(folder, "cases.txt");
  writeFileSync(caseFile, (cases ?? []).join("\n"));
  const isOurs = side === "heddle";
  const environment = {
    ...process.env,
    PYTHONPATH: isOurs ? [join(root, "python", "modules"), own].join(delimiter) : own,
    PYTHONDONTWRITEBYTECODE: "1",
    OMP_NUM_THREADS: "1",
    HEDDLE_CASES: caseFile,
    HEDDLE_RESULTS: results,
    HEDDLE_TRITON_PACKAGE: join(folder, list.helper, ".."),
    ...(isOurs ? {} : { TRITON_INTERPRET: "1" }),
  };
  const files = cases === null ? list.files : list.files.filter((file) => cases.some((name) => name.startsWith(file)));
  const python = isOurs ? process.env.HEDDLE_PYTHON || "python3" : options.interpreter;
  const args = ["-m", "pytest", "-q", "-p", "heddle_report", "-p", "no:cacheprovider", "--tb=line", "--device"];
  args.push(isOurs ? "cuda" : "cpu", `--confcutdir=${tests}`, `--rootdir=${tests}`);
  if (cases === null) args.push("--collect-only");
  return spawnSync(python, [...args, ...files], { cwd: tests, env: environment, encoding: "utf8", maxBuffer: 1 << 28 });
}

function collect(folder, side) {
  const { stdout } = pytest(folder, side, null, join(folder, "none.jsonl"));
  return stdout.split("\n").filter((line) => /^unit\/.*::/.test(line));
}

/** The last line of each case. */
function readResults(file) {
  const results = new Map();
  if (!existsSync(file)) return results;
  for (const line of readFileSync(file, "utf8").split("\n"))
    if (line !== "") {
      const result = JSON.parse(line);
      results.set(result.case, result);
    }
  return results;
}

function run(folder, side, cases, file) {
  const size = Number(options.chunk);
  for (let begin = 0; begin < cases.length; begin += size) {
    const chunk = cases.slice(begin, begin + size);
    const before = readResults(file).size;
    const { stdout } = pytest(folder, side, chunk, file);
    const done = readResults(file);
    // A case that ends the whole process counts as failed; the rest of the chunk is run without it.
    const left = chunk.filter((name) => !done.has(name));
    if (left.length > 0 && done.size > before) run(folder, side, dropFirst(left, file), file);
    else if (left.length > 0) throw new Error(`pytest runs nothing of ${left[0]}:\n${stdout.slice(-2000)}`);
    console.log(`${side}: ${begin + chunk.length} of ${cases.length}`);
  }
}

function dropFirst([first, ...rest], file) {
  const result = { case: first, outcome: "failed", seconds: 0, text: "the process of the tests ended in this case" };
  appendFileSync(file, `${JSON.stringify(result)}\n`);
  return rest;
}

const testOf = (name) => name.split("[")[0];
const fileOf = (name) => name.split("::")[0].split("/").at(-1);

/** The error in a line: Triton's own errors begin with a place. */
function reasonOf({ outcome, text }) {
  if (outcome === "skipped") return `left out by the test: ${/Skipped: (.*?)'?\)?$/.exec(text)?.[1] ?? text}`;
  const lines = text.split("\n").filter((line) => !/^\S*(Error|Failure): at \d+:\d+: of |^at \d+:\d+:/.test(line));
  return (lines[0] ?? "").slice(0, 160);
}

/** By file and test: cases, those that the interpreter passes, and those of them that pass here. */
function summary(state) {
  const ours = readResults(join(state, "heddle.jsonl"));
  const theirs = readResults(join(state, "interpreter.jsonl"));
  const files = {};
  const missing = {};
  for (const [name, { outcome }] of theirs) {
    const tests = (files[fileOf(name)] ??= {});
    const test = (tests[testOf(name).split("::")[1]] ??= { cases: 0, interpreter: 0, both: 0, passed: 0 });
    const result = ours.get(name) ?? { outcome: "failed", text: "not run" };
    test.cases++;
    if (result.outcome === "passed") test.passed++;
    if (outcome !== "passed") continue;
    test.interpreter++;
    if (result.outcome === "passed") test.both++;
    else missing[name.split("/").at(-1)] = reasonOf(result);
  }
  return { commit: list.commit, files, missing };
}

function printReasons({ missing }) {
  const groups = new Map();
  for (const [name, reason] of Object.entries(missing)) {
    const key = `${testOf(name)}: ${reason.replaceAll(/\d+/g, "#")}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  for (const [key, names] of [...groups].sort(([, a], [, b]) => b.length - a.length))
    console.log(`${names.length}  ${key}\n      ${names[0]}`);
}

function main() {
  const state = resolve(options.state);
  if (!options.result) {
    const folder = extract(state);
    const theirs = join(state, "interpreter.jsonl");
    if (options.interpreter !== undefined) {
      const done = readResults(theirs);
      const cases = collect(folder, "interpreter").filter((name) => !done.has(name));
      run(folder, "interpreter", cases, theirs);
    }
    const ours = join(state, "heddle.jsonl");
    const done = readResults(ours);
    const passed = (results, name) => results.get(name)?.outcome === "passed";
    const expected = readResults(theirs);
    const only = options.only === undefined ? null : new RegExp(options.only);
    const isWanted = (name) => {
      if (only !== null) return only.test(name);
      return options.missing ? passed(expected, name) && !passed(done, name) : !done.has(name);
    };
    run(folder, "heddle", collect(folder, "heddle").filter(isWanted), ours);
  }
  const result = summary(state);
  writeFileSync(resultFile, `${JSON.stringify(result, null, 1)}\n`);
  if (options.reasons) printReasons(result);
  const tests = Object.values(result.files).flatMap((file) => Object.values(file));
  const sum = (key) => tests.reduce((total, test) => total + test[key], 0);
  console.log(`${sum("both")} of ${sum("interpreter")} cases that the interpreter passes`);
}

if (options.help || options.state === undefined || (!options.result && options.checkout === undefined))
  console.log(HELP);
else main();
