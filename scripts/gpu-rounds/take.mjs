// Takes in what rounds have brought back: judges it, and writes the files that docs are made from.
//
//   node scripts/gpu-rounds/take.mjs NAME… FOLDER [--dry] [--to FOLDER]
//
// FOLDER has rounds.tar.gz.00 and so on. With --dry, and for results that are not of a GPU, nothing is written outside
// .gpu-results.
// Exit codes: 0 all was right, 1 something was not.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "./pack.mjs";
import { addResults, takenSteps } from "./results.mjs";
import { openRounds } from "./rounds.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { dry: { type: "boolean", default: false }, to: { type: "string", default: ROOT } },
});
const from = positionals.pop();
if (from === undefined || positionals.length === 0) {
  console.error("usage: node scripts/gpu-rounds/take.mjs NAME… FOLDER [--dry]");
  process.exit(64);
}
const WORDS = { 0: "right", 77: "not run here", 124: "longer than its limit", 137: "longer than its limit" };

/** What page.mjs makes its table of: of each round the machine, its steps, and what is wrong. */
const SUMMARY = "docs/lab/gpu-rounds.json";
const MOST_PROBLEMS = 20;
function withRound({ name, row }, steps, wrong) {
  const rounds = JSON.parse(readFileSync(join(ROOT, SUMMARY), "utf8"));
  const all = [...steps.values()];
  const { gpu, driver, date } = all.map(({ machine }) => machine).toSorted((a, b) => (a.date < b.date ? 1 : -1))[0];
  const right = all.filter(({ status }) => status === 0).length;
  const problems = wrong.slice(0, MOST_PROBLEMS).map((text) => text.slice(0, 300));
  rounds[name] = { row, gpu, driver, date, steps: all.length, right, wrong: wrong.length, problems };
  return `${JSON.stringify(rounds, null, 1)}\n`;
}

for (const round of await openRounds(positionals)) {
  const kept = join(resolve(values.to), ".gpu-results", round.name);
  addResults(round.name, resolve(from), kept);
  const steps = takenSteps(kept);
  for (const [name, { status, seconds, machine, out, err }] of steps) {
    console.log(
      `${round.name} ${name}: ${WORDS[status] ?? `exit ${status}`}, ${seconds} s, ${machine.gpu || "no GPU"}`,
    );
    if (status !== 0) console.log(`${err || out}`.trim().split("\n").slice(-3).join("\n").slice(0, 400));
  }
  const isReal = [...steps.values()].every(({ machine }) => machine.device === "cuda");
  const writes = isReal && !values.dry;
  /** Writes a file of the repository, by its path. */
  const save = (path, text) => {
    if (!writes) return console.log(`${path} is not written: ${isReal ? "--dry" : "the results are of no GPU"}`);
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(`${path} is written`);
  };
  const { wrong } = await round.take({ steps, save, writes });
  for (const problem of wrong) console.log(`${round.name}: ${problem}`);
  save(SUMMARY, withRound(round, steps, wrong));
  if (wrong.length > 0) process.exitCode = 1;
}
