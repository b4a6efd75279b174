// npm run mutate: makes small changes of meaning in the core, one at a time, and looks whether the tests notice.
//
//   npm run mutate -- [--seed TEXT] [--only TEXT] [--tests TEXT,…] [--state FILE] [--tree FOLDER] [--limit N] [--again]
//                     [--report] [--seconds N] [--prefix "nice -n 10"]
//
// The test files nearest to the changes come first. Each runs once without a change, to learn which of its tests come
// to which changes; then, for each change that is not noticed yet, a few of these tests run with it. What nothing has
// noticed then meets whole test files, the fastest first, since a test may also use what an earlier one has made.
// What is known stands in the state file, which is written after every step: Ctrl-C ends the run, and the next one goes
// on; without a state file it begins with scripts/mutate/results.json. --again: also those that were not noticed
// before. --tests: only test files with one of the texts in their path. --seconds: a change that tests of so long have
// not noticed is left open, for a run without this option. --report writes scripts/mutate/results.json and
// docs/lab/mutants.md from what is known.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { judgeBatch } from "./batch.mjs";
import { choose } from "./choose.mjs";
import { namedMutants } from "./named.mjs";
import { nearestFirst } from "./nearness.mjs";
import { knownResults, writeReport } from "./report.mjs";
import { Tree } from "./tree.mjs";

const root = join(import.meta.dirname, "../..");
const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "15" },
    only: { type: "string", default: "" },
    tests: { type: "string", default: "" },
    state: { type: "string", default: join(root, "node_modules/.cache/heddle-mutants.json") },
    tree: { type: "string", default: join(tmpdir(), "heddle-mutants") },
    limit: { type: "string", default: "100000" },
    again: { type: "boolean", default: false },
    seconds: { type: "string", default: "Infinity" },
    prefix: { type: "string", default: "" },
    report: { type: "boolean", default: false },
  },
});
/** Test files of one dry run. */
const DRY_FILES = 6;
/** Of the tests that come to a change, so many of a file run with it at first, and for so long. */
const SOME_CASES = 12;
const SOME_SECONDS = 6;
/** How many seconds of tests run together, at least: the first are the fastest. */
const GROUP_SECONDS = [0.6, 4, 15, 40];
/** Changes of one batch, and how long its tests may take. */
const BATCH = 60;
const BATCH_SECONDS = 40;
const HANG_SECONDS = 12;
const LIMIT_SECONDS = 900;

/**
 * mutants: what is known of each, by its id. tests: by file, its text's hash, seconds, names and milliseconds of its
 * tests, and by id which of these come to it (-1: what runs outside of tests does). passed: by id, the tests that have
 * not noticed it; passedSome: those of whose tests a few have not. loading: ids of what is decided when modules are
 * loaded.
 */
const state = existsSync(options.state) ? JSON.parse(readFileSync(options.state, "utf8")) : {};
for (const part of ["mutants", "tests", "passed", "passedSome"]) state[part] ??= {};
for (const [id, known] of knownResults(root)) if (known.status === "noticed") state.mutants[id] ??= known;
function save() {
  mkdirSync(dirname(options.state), { recursive: true });
  writeFileSync(`${options.state}.new`, JSON.stringify(state));
  renameSync(`${options.state}.new`, options.state);
}

const mutants = [...namedMutants(root), ...choose(root, options.seed)].map((mutant, number) => ({ ...mutant, number }));
if (options.report) {
  writeReport(root, mutants, state);
  process.exit(0);
}

const tree = new Tree(root, options.tree);
process.on("SIGINT", () => {
  tree.stop();
  process.stderr.write("\nstopped; the next run goes on from here\n");
  process.exit(130);
});
const say = (line) => process.stdout.write(`${line}\n`);
const prefix = options.prefix.split(" ").filter((word) => word !== "");
await tree.make(mutants, process.env.HEDDLE_CACHE_DIR ?? join(process.env.HOME ?? "", ".cache/heddle"));

// ---------------------------------------------------------------- which tests come to which changes

const all = createHash("sha256")
  .update(mutants.map(({ id }) => id).join())
  .digest("hex");
const hashOf = (test) =>
  createHash("sha256")
    .update(readFileSync(join(root, test)))
    .update(all)
    .digest("hex")
    .slice(0, 16);
const listed = tree.tests();
const isAsked = (test) => options.tests === "" || options.tests.split(",").some((text) => test.includes(text));
const tests = listed.map(({ file }) => file);
for (const [test, { hash }] of Object.entries(state.tests))
  if (!tests.includes(test) || hash !== hashOf(test)) {
    delete state.tests[test];
    for (const passed of [...Object.values(state.passed), ...Object.values(state.passedSome)])
      if (passed.includes(test)) passed.splice(passed.indexOf(test), 1);
  }

/** Runs test files without a change. */
async function learn(some) {
  const limits = { hangSeconds: 600, limitSeconds: 3600, prefix };
  const { failed, seconds, cases, hits } = await tree.run(some, null, limits);
  for (const test of some) {
    const broken = failed.find((one) => one.test === test);
    const ms = cases[test] ?? new Map();
    const names = [...ms.keys()];
    const found = [...(hits[test] ?? [])].map(([number, of]) => [
      mutants[number].id,
      Array.from(of, (name) => names.indexOf(name)),
    ]);
    state.tests[test] = {
      hash: hashOf(test),
      seconds: seconds[test] ?? 60,
      sound: broken === undefined,
      names,
      ms: [...ms.values()],
      hits: Object.fromEntries(found),
    };
    if (broken !== undefined) say(`${test} fails without any change, and is left out: ${broken.name}`);
  }
  save();
}

// ---------------------------------------------------------------- the changes

/** The tests that come to a change, in groups: the fastest first, and those that have noticed others beside it. */
function groupsFor(mutant, passed) {
  const folder = (path) => path.slice(0, path.lastIndexOf("/"));
  const noticed = new Map();
  for (const { file, by } of Object.values(state.mutants))
    if (by !== undefined && folder(file) === folder(mutant.file)) noticed.set(by, (noticed.get(by) ?? 0) + 1);
  const cost = ([test, { seconds }]) => (seconds + 0.5) / (1 + (noticed.get(test) ?? 0));
  const found = Object.entries(state.tests)
    .filter(
      ([test, { sound, hits }]) => sound && isAsked(test) && hits[mutant.id] !== undefined && !passed.includes(test),
    )
    .sort((a, b) => cost(a) - cost(b));
  const groups = [];
  let left = 0;
  for (const [test, { seconds }] of found) {
    if (left <= 0) left = GROUP_SECONDS[Math.min(groups.push([]), GROUP_SECONDS.length) - 1];
    groups.at(-1).push(test);
    left -= seconds + 0.5;
  }
  return groups;
}

async function judge(mutant) {
  // A run that was ended goes on behind the tests that have passed.
  const passed = (state.passed[mutant.id] ??= []);
  let seconds = 0;
  for (const group of groupsFor(mutant, passed)) {
    if (seconds > Number(options.seconds)) return { status: "open", ran: passed.length };
    seconds += group.reduce((sum, test) => sum + state.tests[test].seconds + 0.5, 0);
    const { failed } = await tree.run(group, mutant.number, {
      hangSeconds: HANG_SECONDS,
      limitSeconds: LIMIT_SECONDS,
      prefix,
    });
    if (failed.length > 0)
      return { status: "noticed", by: failed[0].test, name: failed[0].name, ran: passed.length + group.length };
    passed.push(...group);
    save();
  }
  return { status: passed.length === 0 ? "not reached" : "unnoticed", ran: passed.length };
}

const isLong = options.seconds === "Infinity";
const isWanted = ({ id, file }) =>
  (options.only === "" || file.includes(options.only) || id === options.only) &&
  (state.mutants[id] === undefined ||
    (state.mutants[id].status === "open" && isLong) ||
    (options.again && state.mutants[id].status !== "noticed"));
// Of every folder some, so that a run that is ended early says something of all.
const folderOf = ({ file }) => file.split("/")[1];
const wanted = mutants
  .map((mutant, i) => {
    const own = mutants.filter((one) => folderOf(one) === folderOf(mutant));
    return { mutant, at: mutant.why === undefined ? own.indexOf(mutant) / own.length : -1 + i / 1000 };
  })
  .sort((a, b) => a.at - b.at)
  .map(({ mutant }) => mutant)
  .filter(isWanted)
  .slice(0, Number(options.limit));
let done = 0;
function conclude(mutant, result, from) {
  const { id, file, line, lineText, operator, original, text, why } = mutant;
  const seconds = Math.round((performance.now() - from) / 100) / 10;
  state.mutants[id] = { file, line, lineText, operator, original, text, why, seconds, ...result };
  save();
  const change = `${JSON.stringify(original).slice(0, 40)} → ${JSON.stringify(text).slice(0, 40)}`;
  say(
    `${++done}/${wanted.length} ${result.status} ${seconds} s  ${id} ${file}:${line} ${operator} ${change}` +
      `${result.by === undefined ? "" : `  by ${result.by}`}`,
  );
}

/** Tests that run in their own process alone. */
const INSIDE = /^src\/(?:base|ir|wasm|machine|analysis|program|ptx|engine|device|instrument|runtime|check)\//;
const isUndecided = ({ id }) => state.mutants[id]?.status !== "noticed";
if (options.again)
  for (const { id } of wanted) {
    delete state.passed[id];
    delete state.passedSome[id];
  }
state.loading ??= (await tree.hitsOfLoading([...new Set(mutants.map(({ file }) => file))])).map((n) => mutants[n].id);

/** The names of those tests of a file that run with a change at first. */
function someCases(test, { id }) {
  const { names, ms, hits } = state.tests[test];
  const reached = hits[id].includes(-1) ? names.map((_, i) => i) : hits[id];
  const order = (i) => createHash("sha256").update(`${id}${names[i]}`).digest("hex");
  const ordered = reached.map((i) => [order(i), i]).sort(([a], [b]) => (a < b ? -1 : 1));
  let left = SOME_SECONDS * 1000;
  const some = ordered.slice(0, SOME_CASES).filter(([, i], at) => (left -= ms[i]) > 0 || at === 0);
  return some.map(([, i]) => names[i]);
}

/** Runs one file, or a few of its tests, with each change that comes to it, many in a process. */
async function meet(test, onlySome) {
  const { seconds, hits, ms } = state.tests[test];
  const left = wanted.filter(
    (mutant) =>
      isUndecided(mutant) &&
      hits[mutant.id] !== undefined &&
      !state.loading.includes(mutant.id) &&
      !state.passed[mutant.id]?.includes(test) &&
      !(onlySome && state.passedSome[mutant.id]?.includes(test)),
  );
  const casesOf = onlySome ? new Map(left.map((mutant) => [mutant.number, someCases(test, mutant)])) : null;
  const each = onlySome ? Math.min(seconds, SOME_SECONDS / 2) : seconds;
  const size = Math.max(1, Math.min(BATCH, Math.floor(BATCH_SECONDS / (each + 0.05))));
  for (let at = 0; at < left.length; at += size) {
    const from = performance.now();
    const some = left.slice(at, at + size);
    const numbers = some.map(({ number }) => number);
    const limits = { hangSeconds: HANG_SECONDS, limitSeconds: LIMIT_SECONDS, prefix };
    const verdicts = await judgeBatch(tree, test, numbers, casesOf, limits);
    for (const mutant of some) {
      const verdict = verdicts.get(mutant.number);
      const isWhole = !onlySome || casesOf.get(mutant.number).length === ms.length;
      if (verdict === "passed") ((isWhole ? state.passed : state.passedSome)[mutant.id] ??= []).push(test);
      else if (verdict !== "unclear")
        conclude(mutant, { status: "noticed", by: test, ...(verdict === "hangs" ? { name: "hangs" } : {}) }, from);
    }
    save();
  }
}

const soundInside = (some) =>
  some
    .filter((test) => state.tests[test]?.sound && INSIDE.test(test) && isAsked(test))
    .sort((a, b) => state.tests[a].seconds - state.tests[b].seconds);
for (const test of soundInside(tests)) await meet(test, true);
for (;;) {
  const files = wanted.filter(isUndecided).map(({ file }) => file);
  // Tests that start no compiler come first.
  const left = listed.filter(({ file }) => state.tests[file] === undefined && isAsked(file));
  const units = left.filter(({ isUnit }) => isUnit);
  const unknown = (units.length > 0 ? units : left).map(({ file }) => file);
  const next = nearestFirst(root, unknown, files).slice(0, DRY_FILES);
  if (next.length === 0 || files.length === 0) break;
  await learn(next);
  say(`${left.length - next.length} test files left to run without a change; ${files.length} changes undecided`);
  for (const test of soundInside(next)) await meet(test, true);
}
for (const test of soundInside(tests))
  if (state.tests[test].seconds <= Number(options.seconds)) await meet(test, false);
for (const mutant of wanted.filter(isUndecided)) {
  // Of some tests alone only "noticed" is a verdict; batches have done all but what is decided when modules are loaded.
  if (options.tests !== "" && !state.loading.includes(mutant.id)) continue;
  const from = performance.now();
  const result = await judge(mutant);
  if (options.tests === "" || result.status === "noticed") conclude(mutant, result, from);
}
const known = mutants.map(({ id }) => state.mutants[id]).filter((one) => one !== undefined);
say(`${known.filter(({ status }) => status === "noticed").length} of ${known.length} changes noticed`);
