// Times the kernels of public programs on a GPU, as nvcc builds them and as Heddle runs them. `--help` says how.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { editedCopy } from "./edited-copy.mjs";
import { candidates, llmcVersions, nativeFlags, slug } from "./kernel-times-programs.mjs";
import { kernelsOf, summary } from "./kernel-times-summary.mjs";
import { timedProgram, uncheckedHeader } from "./llmc-copies.mjs";

const HELP = `node scripts/compat/kernel-times.mjs build CHECKOUTS WORK [--jobs N] [--nvcc-flags TEXT]
node scripts/compat/kernel-times.mjs prepare WORK [--models LIST]
node scripts/compat/kernel-times.mjs measure WORK [options]

Times the kernels of the public programs of programs.json that pass, twice on one GPU: built with
nvcc -O3 -arch=sm_90, and run with "heddle run --device cuda". Both sides run the same way, with a
library that asks CUPTI for the duration of each kernel (kernel-times.c).

build      copies each program from its checkout to WORK, at its own sizes, and builds it with nvcc.
           Needs no GPU. CHECKOUTS is as for programs.mjs. A program that is in WORK already is kept.
prepare    compiles what is built for Heddle, too, and keeps it in WORK/cache. Needs no GPU.
measure    runs each program once on each side without timing, which fills the caches, and then in
           rounds, where the sides take turns. A result is the median of the rounds. All runs are kept
           in WORK/runs.json: another "measure" continues there.

  npm run build && node scripts/compat/kernel-times.mjs build /tmp/programs /tmp/kernel-times
  node scripts/compat/kernel-times.mjs measure /tmp/kernel-times --seconds 900
  npm run docs                      afterwards: docs/kernel-times.md from the results

Options
  --only TEXT,…       programs whose name contains one of these
  --llmc              karpathy/llm.c's dev/cuda, each version, without its checks on the host
  --models LIST       of lp64, ilp32 and ptx: the results are the first one's, and the others stand
                      beside them (ilp32). ptx is nvcc's build with Heddle's 64-bit device code
                      (nvcc-with-ptx.mjs); give it to "build", too
  --rounds N          (3)
  --seconds N         stop after this time; what is measured until then is written
  --jobs N            programs that are built, or prepared, at the same time (2); the GPU runs one at a time
  --limit SECONDS     the longest time that a run may use the GPU (10)
  --nvcc-flags TEXT   more flags for nvcc, such as a -I of CCCL
  --gpu TEXT          the GPU's name, for the page (NVIDIA H200)
  -o, --output FILE   (docs/lab/kernel-times-h200.json)
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h", default: false },
    only: { type: "string" },
    llmc: { type: "boolean", default: false },
    models: { type: "string", default: "ilp32" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "100000" },
    jobs: { type: "string", default: "2" },
    limit: { type: "string", default: "10" },
    "nvcc-flags": { type: "string", default: "" },
    gpu: { type: "string", default: "NVIDIA H200" },
    output: { type: "string", short: "o", default: "docs/lab/kernel-times-h200.json" },
  },
});
const [command, ...folders] = positionals;
if (values.help || !["build", "prepare", "measure"].includes(command)) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 64);
}
const work = resolve(folders.at(-1));
const start = performance.now();
const timeLeft = () => Number(values.seconds) - (performance.now() - start) / 1000;
const only = values.only?.split(",");
const models = values.models.split(",");
/** Those that Heddle compiles when they run. */
const compiled = models.filter((model) => model !== "ptx");
const programs = (values.llmc ? llmcVersions() : candidates()).filter(
  ({ name }) => !only || only.some((part) => name.includes(part)),
);
/** Versions of one program share its folder. */
const folderOf = ({ name, folder = name }) => join(work, slug(folder));
const readJson = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {});

/** A copy of llm.c's folder, in which one program only measures. */
const MAX_LAUNCHES = 60;
function measuringCopy(folder, file) {
  for (const [name, changed] of [
    ["common.h", uncheckedHeader],
    [file, (text) => timedProgram(text, file, MAX_LAUNCHES)],
  ]) {
    const path = join(folder, name);
    writeFileSync(path, changed(readFileSync(path, "utf8")));
  }
}

/** Runs a command; resolves to its exit code and the end of its output. */
function execute(file, args, { cwd, env = process.env, seconds }) {
  return new Promise((done) => {
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk) => void (text = (text + chunk).slice(-2000)));
    const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
    child.on("error", (error) => (text += String(error)));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      done({ code: code ?? signal, text });
    });
  });
}

/** Calls a function for each item, several at a time. */
async function inParallel(items, count, work) {
  const rest = [...items];
  const one = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: count }, one));
}

// ---------------------------------------------------------------- build

/** What nvcc is given, up to the files. */
function nvccFlags(program) {
  return [
    "--expt-relaxed-constexpr",
    "--extended-lambda",
    "-DcudaThreadSynchronize=cudaDeviceSynchronize",
    "-O3",
    "-arch=sm_90",
    "-cudart",
    "shared",
    "-w",
    ...nativeFlags(program),
    ...values["nvcc-flags"].split(" ").filter((flag) => flag !== ""),
  ];
}

async function build(program) {
  const to = folderOf(program);
  if (!existsSync(to)) await buildWithNvcc(program, to);
  const [ours, state] = [join(to, "ours"), join(to, "build.json")];
  if (!models.includes("ptx") || !existsSync(state) || existsSync(ours)) return;
  const { failed, ptxFailed } = readJson(state);
  if (failed !== undefined || ptxFailed !== undefined) return;
  const args = [join(import.meta.dirname, "nvcc-with-ptx.mjs"), ...nvccFlags(program), ...program.files, "-o", ours];
  const built = await execute(process.execPath, args, { cwd: join(to, program.dir), seconds: 300 });
  if (built.code !== 0) writeFileSync(state, JSON.stringify({ ptxFailed: built.text }));
  console.log(`${program.name}, ptx: ${built.code === 0 ? "built" : built.text.slice(0, 300)}`);
}

async function buildWithNvcc(program, to) {
  let copy;
  try {
    copy = editedCopy({
      name: program.name,
      checkout: join(resolve(folders[0]), program.repository.replace("/", "+")),
      trees: program.trees ?? [program.dir],
      dir: program.dir,
      edits: program.reduced ? [] : (program.edits ?? []),
    });
  } catch (error) {
    console.log(`${program.name}: ${error.message}`);
    return;
  }
  if (values.llmc) measuringCopy(copy.folder, program.files[0]);
  const native = join(copy.root, "native");
  const args = [...nvccFlags(program), ...program.files, "-o", native];
  const built = await execute("nvcc", args, { cwd: copy.folder, seconds: 300 });
  writeFileSync(join(copy.root, "build.json"), JSON.stringify(built.code === 0 ? {} : { failed: built.text }));
  renameSync(copy.root, to);
  console.log(`${program.name}: ${built.code === 0 ? "built" : built.text.slice(0, 300)}`);
}

// ---------------------------------------------------------------- measure

const runsFile = join(work, "runs.json");
const library = join(work, "libkernel-times.so");
const heddle = resolve(import.meta.dirname, "../../dist/bin/main.js");

/** @param side "nvcc", "ptx" or a data model */
function commandOf(program, side) {
  const { flags = [], files, args = [] } = program;
  if (side === "nvcc") return [join(folderOf(program), "native"), args];
  if (side === "ptx") return [join(folderOf(program), "ours"), args];
  const options = ["--device", "cuda", "--model", side];
  return [process.execPath, [heddle, "run", ...options, ...flags, ...files, "--", ...args]];
}

const isFirstOfFolder = (program, i, all) => all.findIndex((other) => folderOf(other) === folderOf(program)) === i;

const isBuilt = (program) => {
  const state = join(folderOf(program), "build.json");
  return existsSync(state) && readJson(state).failed === undefined;
};

/** One run: the kernels' times, or why there are none. */
async function run(program, side, timed) {
  const [file, args] = commandOf(program, side);
  const times = join(work, `${slug(program.name)}.${side}.times`);
  rmSync(times, { force: true });
  const env = { ...process.env, HEDDLE_CACHE_DIR: join(work, "cache") };
  if (timed)
    Object.assign(env, {
      CUDA_INJECTION64_PATH: library,
      KERNEL_TIMES_FILE: times,
      KERNEL_TIMES_LOCK: join(work, "gpu.lock"),
      KERNEL_TIMES_SECONDS: values.limit,
    });
  const cwd = join(folderOf(program), program.dir);
  const { code, text } = await execute(file, args, { cwd, env, seconds: timed ? 120 : 60 });
  if (!timed) return null;
  if (!existsSync(times)) return { failed: code === "SIGALRM" ? `longer than ${values.limit} s` : `${code}: ${text}` };
  return { code, kernels: kernelsOf(readFileSync(times, "utf8")) };
}

async function measure() {
  const include = ["-I/usr/local/cuda/include", "-I/usr/local/cuda/extras/CUPTI/include"];
  const lib = ["-L/usr/local/cuda/lib64", "-L/usr/local/cuda/extras/CUPTI/lib64", "-L/usr/local/cuda/lib"];
  const source = join(import.meta.dirname, "kernel-times.c");
  const args = ["-O2", "-shared", "-fPIC", ...include, "-o", library, source, ...lib, "-lcupti"];
  const made = existsSync(library) ? { code: 0 } : await execute("gcc", args, { seconds: 60 });
  if (made.code !== 0) throw new Error(`the library does not build: ${made.text}`);
  const built = programs.filter(isBuilt);
  const runs = readJson(runsFile);
  const keep = () => {
    writeFileSync(runsFile, JSON.stringify(runs));
    const results = { measured: values.gpu, models, programs: summary(runs, programs, models) };
    writeFileSync(values.output, `${JSON.stringify(results, null, 1)}\n`);
  };
  const untried = built.filter(({ name }) => runs[name] === undefined);
  await inParallel(untried, Number(values.jobs) * 3, async (program) => {
    for (const model of compiled) if (timeLeft() > 0) await run(program, model, false);
  });
  console.log(`prepared ${untried.length} programs, ${Math.round(timeLeft())} s left`);
  for (let round = 0; round < Number(values.rounds); round++) {
    await inParallel(built, Number(values.jobs), async (program) => {
      const kept = (runs[program.name] ??= { nvcc: [] });
      if (kept.nvcc.length > round || kept.nvcc.some(({ failed }) => failed)) return;
      if (timeLeft() <= 0) return;
      const nvcc = await run(program, "nvcc", true);
      // A program that nvcc's build cannot run within the limit says nothing of Heddle.
      const ours = [];
      for (const model of nvcc.failed ? [] : models)
        if (model !== "ptx" || existsSync(join(folderOf(program), "ours")))
          ours.push([model, await run(program, model, true)]);
      kept.nvcc.push(nvcc);
      for (const [model, result] of ours) (kept[model] ??= []).push(result);
    });
    keep();
    console.log(`round ${round + 1}, ${Math.round(timeLeft())} s left`);
  }
}

mkdirSync(work, { recursive: true });
if (command === "build") await inParallel(programs, Number(values.jobs), build);
else if (command === "prepare")
  // Without a GPU a run ends when all is compiled. Versions of a program are compiled once.
  await inParallel(programs.filter(isBuilt).filter(isFirstOfFolder), Number(values.jobs), async (program) => {
    for (const model of compiled) await run(program, model, false);
  });
else await measure();
