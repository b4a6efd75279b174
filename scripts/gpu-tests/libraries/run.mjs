// Runs the programs of random descriptors twice on a GPU: as nvcc builds them, with NVIDIA's libraries, and as `heddle
// nvcc` built them, whose calls are handed over to the same libraries. Writes what both printed and how they differ.
//
//   node scripts/gpu-tests/libraries/run.mjs FOLDER RESULTS SECONDS
//
// FOLDER is what prepare.mjs made. RESULTS/summary.json.gz and RESULTS/native.json.gz come of it.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { distances } from "./compare.mjs";

const [folder, results, seconds] = process.argv.slice(2);
// Of it the measurements at the end have 25 seconds.
let deadline = Date.now() + 1000 * (Number(seconds) - 25);
const PROGRAMS = JSON.parse(readFileSync(join(folder, "programs.json"), "utf8"));
const include = (process.env.NATIVE_INCLUDE ?? "").split(":").filter(Boolean);
const libraries = (process.env.NATIVE_LIBRARIES ?? "").split(":").filter(Boolean);
const built = join(tmpdir(), "heddle-native-programs");
mkdirSync(built, { recursive: true });
mkdirSync(results, { recursive: true });
const log = [];
const DEVICE = process.env.HEDDLE_DEVICE ?? "cuda";

/** @returns {Promise<{ status: number | null, out: string, err: string }>} */
function run(command, args, env = {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { env: { ...process.env, NO_COLOR: "1", ...env } });
    const parts = { out: [], err: [] };
    child.stdout.on("data", (data) => parts.out.push(data));
    child.stderr.on("data", (data) => parts.err.push(data));
    const timer = setTimeout(() => child.kill("SIGKILL"), Math.max(1000, deadline - Date.now()));
    child.on("error", (error) => parts.err.push(Buffer.from(String(error))));
    child.on("close", (status) => {
      clearTimeout(timer);
      done({ status, out: Buffer.concat(parts.out).toString(), err: Buffer.concat(parts.err).toString() });
    });
  });
}

async function build({ name, source, flags }) {
  const to = join(built, name);
  const found = await run("nvcc", [
    "-std=c++17",
    "-O1",
    "-arch=sm_90",
    "-o",
    to,
    ...include.map((path) => `-I${path}`),
    ...libraries.flatMap((path) => [`-L${path}`, "-Xlinker", `-rpath=${path}`]),
    join(folder, source),
    ...flags,
  ]);
  if (found.status !== 0) log.push(`${name}: nvcc: ${found.status} ${found.err.slice(0, 3000)}`);
  return found.status === 0 ? to : null;
}

/** A program on cases; where it stops, that case is a fault, and it goes on behind it. */
async function answers(name, cases, start, env) {
  const lines = [];
  let faults = 0;
  while (lines.length < cases.length && faults < 25 && Date.now() < deadline - 2000) {
    const path = join(built, `${name}-${lines.length}.txt`);
    writeFileSync(path, `${cases.slice(lines.length).join("\n")}\n`);
    const { status, out, err } = await start(path, env);
    const found = out.split("\n").slice(0, -1);
    if (status === 0 && found.length === cases.length - lines.length) return { lines: [...lines, ...found], faults };
    faults++;
    log.push(`${name}: exit ${status} after ${lines.length + found.length}: ${err.slice(0, 600)}`);
    lines.push(...found.slice(0, cases.length - lines.length), "fault");
  }
  return { lines: lines.slice(0, cases.length), faults };
}

const summary = { libraries: {}, costs: {}, statuses: {}, log };
const native = {};
const times = {};
async function library(program) {
  const { name, cases: file } = program;
  const began = Date.now();
  const path = await build(program);
  times[`${name} build`] = Date.now() - began;
  const cases = readFileSync(join(folder, file), "utf8").trimEnd().split("\n");
  const heddle = (path, env) => run(process.execPath, [process.env.HEDDLE_MAIN, "exec", join(folder, name), path], env);
  const [theirs, ours] = await Promise.all([
    path === null ? { lines: [], faults: 0 } : answers(`${name}-native`, cases, (file) => run(path, [file]), {}),
    answers(`${name}-heddle`, cases, heddle, { HEDDLE_OPTIONS: `--device ${DEVICE} --exit-code program` }),
  ]);
  times[name] = Date.now() - began;
  native[name] = theirs.lines;
  // which functions were handed over, and which kernels were Heddle's own
  const sample = join(built, `${name}-sample.txt`);
  writeFileSync(sample, `${cases.slice(0, 400).join("\n")}\n`);
  const counted = join(built, `${name}-counts.json`);
  await heddle(sample, { HEDDLE_OPTIONS: `--device ${DEVICE} --exit-code program --json=${counted}` });
  let launches = null;
  try {
    launches = JSON.parse(readFileSync(counted, "utf8"));
  } catch (error) {
    log.push(`${name}: no counts: ${error}`);
  }
  summary.libraries[name] = {
    cases: cases.length,
    native: theirs.lines.length,
    faults: { native: theirs.faults, heddle: ours.faults },
    launches,
    handOver: distances(cases, theirs.lines, ours.lines),
  };
}

await Promise.all(PROGRAMS.filter((program) => program.cases !== undefined).map(library));
deadline = Math.max(deadline, Date.now()) + 25_000;
for (const program of PROGRAMS.filter((program) => program.cases === undefined)) {
  const path = await build(program);
  const rounds = [];
  for (let i = 0; i < (program.isTimed ? 2 : 1); i++) {
    const theirs = path === null ? null : await run(path, []);
    const ours = await run(process.execPath, [process.env.HEDDLE_MAIN, "exec", join(folder, program.name)], {
      HEDDLE_OPTIONS: `--device ${DEVICE} --exit-code program`,
    });
    rounds.push({
      native: theirs && { status: theirs.status, out: theirs.out.slice(0, 6000), err: theirs.err.slice(0, 1000) },
      heddle: { status: ours.status, out: ours.out.slice(0, 6000), err: ours.err.slice(0, 2000) },
    });
  }
  (program.isTimed ? summary.costs : summary.statuses)[program.name] = rounds;
}
summary.times = times;
summary.machine = spawnSync("nvidia-smi", ["--query-gpu=name,driver_version", "--format=csv,noheader"], {
  encoding: "utf8",
}).stdout;
writeFileSync(join(results, "summary.json.gz"), gzipSync(JSON.stringify(summary, null, 1)));
writeFileSync(join(results, "native.json.gz"), gzipSync(JSON.stringify(native)));
console.log(readdirSync(results).join(" "), JSON.stringify(times));
