// Collects the results of replays by kernel. `--help` says how.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const HELP = `node scripts/compat/triton-launches/result.mjs FOLDER ...

Writes docs/lab/compat-triton-launches.json. A folder has results.jsonl of replay.mjs; and facts.json, what launch.json
of each launch has without its functions, or the launches themselves. Of a kernel, the last folder that has it counts.
+FOLDER has launches of the folder before it that were run again: they take the place of the same launches.`;

const root = join(import.meta.dirname, "..", "..", "..");
const jobs = JSON.parse(readFileSync(join(import.meta.dirname, "jobs.json"), "utf8"));
const rules = JSON.parse(readFileSync(join(import.meta.dirname, "reasons.json"), "utf8"));
const commits = new Map(jobs.map(({ repository, commit }) => [repository, commit]));

function factsOf(folder) {
  const file = join(folder, "facts.json");
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const launches = join(folder, "launches");
  const read = (name) => JSON.parse(readFileSync(join(launches, name, "launch.json"), "utf8"));
  return Object.fromEntries(readdirSync(launches).map((name) => [name, read(name)]));
}

/** Repository, path and name. Kernels that FlagGems writes for each number of dimensions are one. */
function nameOf({ repository, kernel }) {
  return `${repository}/${kernel.replace(/_kernel_rank_\d+$/, "_kernel")}`;
}

/** `float16[4096]`, `64`, `float32 descriptor`: what a launch passes. */
function argumentText([kind, ...rest]) {
  if (kind === "memory") return `${rest[3]}[${rest[2]}]`;
  if (kind === "tuple") return `(${rest[0].map(argumentText).join(", ")})`;
  if (kind === "descriptor") return `descriptor of ${argumentText(rest[0])}`;
  if (kind === "function") return rest[1];
  return kind === "none" ? "None" : `${typeof rest[0] === "object" ? Object.values(rest[0])[0] : rest[0]}`;
}

const WORST = ["crash", "late", "refused", "fault", "differs", "undetermined", "right", "nothing"];

function statusOf(results) {
  return results.map(({ status }) => status).reduce((a, b) => (WORST.indexOf(a) <= WORST.indexOf(b) ? a : b));
}

/** What is known of a kernel that is not right. */
function reasonOf(name, mode, results) {
  const rule = rules.find((one) => new RegExp(one.kernel).test(name) && (one.mode ?? mode) === mode);
  if (rule !== undefined) return rule.reason;
  const bad = results.find(({ status }) => status === statusOf(results));
  if (bad.reason !== undefined) return bad.reason.split("\n")[0].slice(0, 160);
  const by = bad.exact?.ratio == null ? "" : `; ${bad.exact.ratio} × the reference's distance from 64-bit floats`;
  return `${bad.wrong} of ${bad.compared} elements, ${bad.worst} × the bound at worst${by}`;
}

/** Results by kernel, mode and launch. */
function readFolder(folder) {
  const facts = factsOf(folder);
  const kernels = {};
  for (const line of readFileSync(join(folder, "results.jsonl"), "utf8").split("\n")) {
    if (line === "") continue;
    const { launch, mode, ...result } = JSON.parse(line);
    // A process whose GPU had stopped before says nothing of this launch.
    if (/^HeddleError: cuMemAlloc|^the process ended/.test(result.reason ?? "")) continue;
    const fact = facts[launch];
    if (fact === undefined) continue;
    const path = fact.kernel.split(":")[0];
    const kernel = (kernels[nameOf(fact)] ??= { repository: fact.repository, path, launches: {}, results: {} });
    const text = fact.arguments.map(([name, value]) => `${name}=${argumentText(value)}`).join(", ");
    const { num_warps: warps = 4 } = fact.options;
    kernel.launches[launch] = { grid: fact.grid, warps, arguments: text.slice(0, 400) };
    (kernel.results[mode] ??= {})[launch] = result;
  }
  return kernels;
}

function merge(kernels, more) {
  for (const [name, { launches, results }] of Object.entries(more)) {
    const kernel = kernels[name];
    if (kernel === undefined) continue;
    Object.assign(kernel.launches, launches);
    for (const [mode, own] of Object.entries(results)) Object.assign((kernel.results[mode] ??= {}), own);
  }
}

function modesOf(name, results) {
  return Object.fromEntries(
    Object.entries(results).map(([mode, byLaunch]) => {
      const list = Object.values(byLaunch);
      const status = statusOf(list);
      const worst = Math.max(0, ...list.map((one) => (typeof one.worst === "number" ? one.worst : 0)));
      const isRight = ["right", "nothing"].includes(status);
      return [mode, { status, worst, ...(isRight ? {} : { reason: reasonOf(name, mode, list) }) }];
    }),
  );
}

function main() {
  const { values, positionals } = parseArgs({ options: { help: { type: "boolean" } }, allowPositionals: true });
  if (values.help || positionals.length === 0) return console.log(HELP);
  const kernels = {};
  for (const folder of positionals)
    if (folder.startsWith("+")) merge(kernels, readFolder(folder.slice(1)));
    else Object.assign(kernels, readFolder(folder));
  const names = Object.keys(kernels).sort();
  const sorted = Object.fromEntries(
    names.map((name) => {
      const { repository, path, launches, results } = kernels[name];
      const commit = commits.get(repository);
      return [name, { repository, commit, path, launches: Object.values(launches), modes: modesOf(name, results) }];
    }),
  );
  writeFileSync(join(root, "docs", "lab", "compat-triton-launches.json"), `${JSON.stringify(sorted, null, 1)}\n`);
  for (const mode of ["emulated", "gpu-code", "cuda"]) {
    const all = Object.values(sorted).flatMap(({ modes }) => (modes[mode] === undefined ? [] : [modes[mode].status]));
    const right = all.filter((status) => status === "right" || status === "nothing").length;
    console.log(`${mode}: ${right} of ${all.length}`);
  }
}

main();
