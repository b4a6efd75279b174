// Runs karpathy/llm.c's dev/cuda programs on a GPU with `--device cuda`, and times each kernel version beside nvcc's
// build of the same file. `--help` says how.
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { NVCC_PLACES, printedTimes, replaced, timedProgram } from "./llmc-copies.mjs";
import { MAX_LAUNCHES, timedHeader } from "./llmc-timed-header.mjs";

const HELP = `node scripts/compat/llmc-gpu.mjs --build FOLDER LLM_C_CHECKOUT   here: everything that needs the compiler
node scripts/compat/llmc-gpu.mjs --built FOLDER -o FILE.json        on the GPU machine: needs Node.js, dist/ and nvcc
node scripts/compat/llmc-gpu.mjs --table FILE.json                  afterwards: the table in docs/compat-gpu.md

Of each version two programs run. One is the file as it is; its own check decides whether the version passes. (Two
programs whose reference takes minutes run at the sizes of llmc.json. Three that need more than 4 GiB run with a batch
of 2.) The other program is a copy that only measures, without the reference on the host and the comparison. Heddle's
and nvcc's builds of the copy take turns. Each block size has at most 200 launches, whose median counts. The GPU is busy
in front of each timed launch until the host has put the launch on the stream, so that the times are those of kernels,
not of launches on the host (npm run bench:gpu measures those). Checks and nvcc's compilations run side by side, timings
one by one.

  --only NAME,…       these programs
  --total SECONDS     what is not done by then is left out and named (480)
  --jobs N            checks at a time (8)
  --times-only        no checks: those in the results file stay
  --checks-only       no times: those in the results file stay
  --arch ARCH         for nvcc (native)
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    build: { type: "string" },
    built: { type: "string" },
    table: { type: "string" },
    only: { type: "string" },
    total: { type: "string", default: "480" },
    jobs: { type: "string", default: "8" },
    "times-only": { type: "boolean", default: false },
    "checks-only": { type: "boolean", default: false },
    arch: { type: "string", default: "native" },
    output: { type: "string", short: "o", default: "llmc-gpu.json" },
    help: { type: "boolean", short: "h", default: false },
  },
});

/** Their references take minutes on one core at the sizes in the files. */
const CHECKED_REDUCED = new Set(["matmul_forward.cu", "matmul_backward.cu"]);
/**
 * At the sizes in the files these ask for more than the 4 GiB that 32-bit pointers can name: both builds, both copies.
 */
const SMALLER = {
  "softmax_forward.cu": [["int B = 8;", "int B = 2;"]],
  "crossentropy_softmax_backward.cu": [["int B = 8;", "int B = 2;"]],
  "classifier_fused.cu": [["int64_t B = 8; ", "int64_t B = 2; "]],
};
/** The references of some take minutes on one core. */
const LONGEST_CHECK_SECONDS = 300;
/** A difference that is told apart from the scatter of two runs. */
const NOTABLE = 1.05;

const heddle = resolve(import.meta.dirname, "../../dist/bin/main.js");
const manifest = JSON.parse(readFileSync(new URL("llmc.json", import.meta.url), "utf8"));
const only = values.only?.split(",");
const programs = manifest.programs.filter(({ file }) => only === undefined || only.includes(file.replace(".cu", "")));
const nameOf = (program) => program.file.replace(".cu", "");
const begun = performance.now();
const elapsed = () => (performance.now() - begun) / 1000;
const left = () => Number(values.total) - elapsed();
/** What a program may take that times a version. */
const timingSeconds = () => Math.max(1, Math.min(60, left()));

// ---------------------------------------------------------------- here

function run(command, args, options = {}) {
  return new Promise((done) => {
    const started = performance.now();
    execFile(
      command,
      args,
      { encoding: "utf8", maxBuffer: 1 << 26, killSignal: "SIGKILL", ...options },
      (error, stdout, stderr) => {
        done({
          status: exitStatus(error),
          text: `${stdout}${stderr}`,
          seconds: Math.round(performance.now() - started) / 1000,
        });
      },
    );
  });
}

async function inParallel(jobs, items, work) {
  const queue = [...items];
  await Promise.all(
    Array.from({ length: jobs }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
    }),
  );
}

async function build(folder, checkout) {
  const source = join(checkout, "dev/cuda");
  for (const kind of ["check", "timed"]) mkdirSync(join(folder, kind), { recursive: true });
  for (const file of readdirSync(source).filter((name) => name.endsWith(".h"))) {
    const text = readFileSync(join(source, file), "utf8");
    cpSync(join(source, file), join(folder, "check", file));
    writeFileSync(join(folder, "timed", file), file === "common.h" ? timedHeader(text) : text);
  }
  await inParallel(2, programs, async (program) => {
    const { file } = program;
    const text = (SMALLER[file] ?? []).reduce(
      (copy, [from, to]) => replaced(copy, from, to, file),
      readFileSync(join(source, file), "utf8"),
    );
    const checked = CHECKED_REDUCED.has(file)
      ? program.reduced.reduce((copy, [from, to]) => replaced(copy, from, to, file), text)
      : text;
    for (const [kind, copy] of [
      ["check", checked],
      ["timed", timedProgram(text, file, MAX_LAUNCHES)],
    ]) {
      writeFileSync(join(folder, kind, file), copy);
      const { status, text: said } = await run(
        process.execPath,
        [heddle, "nvcc", ...(program.flags ?? []), file, "-o", nameOf(program)],
        { cwd: join(folder, kind) },
      );
      if (status !== 0) throw new Error(`${file} does not compile: ${said}`);
    }
    console.log(`${file} is built`);
  });
}

// ---------------------------------------------------------------- on the GPU machine

/** Milliseconds by block size. */
const timesIn = (text) => Object.fromEntries(printedTimes(text).map(({ block, ms }) => [block ?? "only", ms]));

const best = (times) => (Object.keys(times).length === 0 ? null : Math.min(...Object.values(times)));

/** Runs Heddle's build of a program with one of its versions. */
function runOurs(folder, { program, version }, seconds) {
  return run(process.execPath, [heddle, "exec", nameOf(program), ...(version === null ? [] : [String(version)])], {
    cwd: folder,
    env: { ...process.env, HEDDLE_OPTIONS: "--device cuda", NO_COLOR: "1" },
    timeout: Math.floor(seconds * 1000),
  });
}

/** nvcc's build of the copy that only measures. Its name is added to `built` if it compiles. */
async function compileTimed(compiler, program, folder, built) {
  const target = ["-o", `${nameOf(program)}.nvcc`];
  const { status, text } = await run(
    compiler,
    ["-O3", ...(program.flags ?? []), `-arch=${values.arch}`, program.file, ...target, "-lcublas", "-lcublasLt"],
    { cwd: join(folder, "timed"), timeout: 200_000 },
  );
  if (status === 0) built.add(nameOf(program));
  else console.log(`nvcc does not compile ${program.file}: ${text.slice(0, 400)}`);
}

/** The result of a program's own check, and the size that it was run at. */
async function checkVersion(folder, item, limit) {
  const { file, h200 } = item.program;
  const { status, text, seconds } = await runOurs(join(folder, "check"), item, limit);
  const mismatch = /mismatch|not ok/i.test(text);
  // A program validates, reports the result, and then times its kernel. There may be no time left for that.
  const isTiming = status === "timeout" && /All results match|Starting benchmarks/.test(text);
  const passes = (status === 0 || isTiming) && !mismatch;
  const verdict = checkStatus({ passes, mismatch, status });
  const lines = text.trim().split("\n");
  const telling = lines.filter((line) => /mismatch|heddle|error|assert|not ok/i.test(line)).slice(0, 3);
  const said = telling.join(" · ").slice(0, 300) || lines.slice(-2).join(" · ").slice(0, 300);
  if (!passes) console.log(`${item.key}: ${verdict}  ${said}`);
  return {
    status: verdict,
    seconds,
    ...checkedSize(file),
    ...(passes ? {} : { said }),
    nvcc: h200?.[item.version] ?? "passes",
  };
}

/** The milliseconds of Heddle's and nvcc's builds of one version, by block size. */
async function timeVersion(folder, item, hasNvccs) {
  const args = item.version === null ? [] : [String(item.version)];
  const [heddles, nvccs] = [
    await runOurs(join(folder, "timed"), item, timingSeconds()),
    hasNvccs
      ? await run(`./${nameOf(item.program)}.nvcc`, args, {
          cwd: join(folder, "timed"),
          timeout: Math.ceil(timingSeconds() * 1000),
        })
      : null,
  ];
  const [a, b] = [timesIn(heddles.text), nvccs === null ? {} : timesIn(nvccs.text)];
  const [x, y] = [best(a), best(b)];
  const ending = `${heddles.status} ${heddles.text.trim().split("\n").at(-1)?.slice(0, 160)}`;
  const comparison = x !== null && y !== null ? (x / y).toFixed(3) : ending;
  console.log(`${item.key}: ${x ?? "no time"} / ${y ?? "no time"}  ${comparison}`);
  return { heddle: a, nvcc: b, seconds: [heddles.seconds, nvccs?.seconds ?? 0] };
}

async function measure(folder, output) {
  const results = {
    about: "scripts/compat/llmc-gpu.mjs",
    date: new Date().toISOString().slice(0, 10),
    gpu: "",
    nvcc: "",
    versions: {},
    leftOut: [],
  };
  results.gpu = (await run("nvidia-smi", ["--query-gpu=name,driver_version", "--format=csv,noheader"])).text.trim();
  let compiler = null;
  for (const candidate of NVCC_PLACES) {
    const { status, text } = await run(candidate, ["--version"]);
    if (status !== 0) continue;
    compiler = candidate;
    results.nvcc = /release ([\d.]+)/.exec(text)?.[1] ?? "";
    break;
  }
  const work = programs.flatMap((program) =>
    program.versions.map((version) => ({ program, version, key: `${nameOf(program)} ${version ?? ""}`.trim() })),
  );
  // With --times-only the checks of the results file stay, with --checks-only its times.
  const part = values["times-only"] ? "check" : "times";
  const earlier =
    (values["times-only"] || values["checks-only"]) && existsSync(output)
      ? JSON.parse(readFileSync(output, "utf8")).versions
      : {};
  for (const { key } of work) {
    const result = earlier[key]?.[part];
    results.versions[key] = result === undefined ? {} : { [part]: result };
  }
  const save = () => writeFileSync(output, `${JSON.stringify(results, null, 1)}\n`);

  const built = new Set();
  const compile =
    compiler === null || values["checks-only"]
      ? Promise.resolve()
      : inParallel(6, programs, (program) => compileTimed(compiler, program, folder, built));
  // Those of the longest references first.
  const heavy = /^(?:classifier|softmax|attention|trimat|matmul)/;
  const byWeight = work.toSorted((a, b) => Number(heavy.test(b.key)) - Number(heavy.test(a.key)));
  await Promise.all([
    compile,
    inParallel(Number(values.jobs), values["times-only"] ? [] : byWeight, async (item) => {
      const seconds = Math.min(LONGEST_CHECK_SECONDS, left() - 10);
      if (seconds < 5) return void results.leftOut.push(`the check of ${item.key}`);
      results.versions[item.key].check = await checkVersion(folder, item, seconds);
      save();
    }),
  ]);
  const passing = Object.values(results.versions).filter(({ check }) => check?.status === "pass").length;
  console.log(`checked after ${elapsed().toFixed(0)} s: ${passing} of ${work.length} pass`);

  // Those of the longest kernels last.
  const slow = /^attention_(?:forward|backward) [12]$/;
  for (const item of values["checks-only"]
    ? []
    : work.toSorted((a, b) => Number(slow.test(a.key)) - Number(slow.test(b.key)))) {
    if (left() < 15) {
      results.leftOut.push(`the times of ${item.key}`);
      continue;
    }
    results.versions[item.key].times = await timeVersion(folder, item, built.has(nameOf(item.program)));
    save();
  }
  results.seconds = Math.round(elapsed());
  save();
  const ratios = Object.values(results.versions)
    .map(({ times }) => (times ? best(times.heddle) / best(times.nvcc) : NaN))
    .filter((ratio) => Number.isFinite(ratio) && ratio > 0);
  console.log(
    `${ratios.filter((ratio) => ratio <= NOTABLE).length} of ${ratios.length} kernels take at most 5 % longer than ` +
      `nvcc's; ${elapsed().toFixed(0)} s in all` +
      (results.leftOut.length === 0 ? "" : `; left out: ${results.leftOut.join(", ")}`),
  );
}

// ---------------------------------------------------------------- afterwards

const BEGIN = "<!-- llmc-gpu.mjs --table: from here";
const END = "<!-- to here -->";

function table(path) {
  const results = JSON.parse(readFileSync(path, "utf8"));
  const rows = manifest.programs.map((program) => {
    const cells = program.versions.map((version) => {
      const { check, times } = results.versions[`${nameOf(program)} ${version ?? ""}`.trim()] ?? {};
      const [a, b] = times === undefined ? [null, null] : [best(times.heddle), best(times.nvcc)];
      const ratio = a !== null && b !== null ? a / b : null;
      const time = a === null ? "" : `${a.toPrecision(3)} / ${b === null ? "–" : b.toPrecision(3)}`;
      return {
        version,
        passes: check?.status === "pass",
        why: check === undefined ? "not run" : check.status,
        nvcc: check?.nvcc ?? "passes",
        time: ratio !== null && ratio > NOTABLE ? `**${time}**` : time,
      };
    });
    const passing = cells
      .filter(({ passes }) => passes)
      .map(({ version }) => version ?? "it")
      .join(", ");
    const failing = cells
      .filter(({ passes }) => !passes)
      .map(({ version, why, nvcc }) => `${version ?? "it"}: ${why}${nvcc === "passes" ? "" : `, as nvcc's (${nvcc})`}`)
      .join("; ");
    const timed = cells
      .filter(({ time }) => time !== "")
      .map(({ version, time }) => `${version === null ? "" : `${version}: `}${time}`)
      .join(" · ");
    return (
      `| ${nameOf(program)}${SMALLER[program.file] ? " (B = 2)" : ""} | ${passing} | ${failing} | ` +
      `${timed === "" ? "it prints none" : timed} |`
    );
  });
  const document = new URL("../../docs/compat-gpu.md", import.meta.url);
  const text = readFileSync(document, "utf8");
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (start < 0 || end < 0) throw new Error("docs/compat-gpu.md has no place for the table");
  const head = [
    `${BEGIN} -->`,
    `${results.gpu}, nvcc ${results.nvcc}, ${results.date}. The times are milliseconds at the best block size, ` +
      `Heddle / nvcc, in`,
    "one run. nvcc has `-O3` and the file's flags. **Bold**: Heddle takes over 5 % longer.",
    "",
    "| program | passes | does not | ms, Heddle / nvcc |",
    "| --- | --- | --- | --- |",
    "",
  ].join("\n");
  writeFileSync(document, `${text.slice(0, start)}${head}${rows.join("\n")}\n${text.slice(end)}`);
}

if (values.help || (values.build === undefined && values.built === undefined && values.table === undefined)) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 64);
}
if (values.build !== undefined) {
  if (positionals[0] === undefined || !existsSync(join(positionals[0], "dev/cuda")))
    throw new Error("a checkout of llm.c is needed");
  await build(resolve(values.build), positionals[0]);
} else if (values.built !== undefined) await measure(resolve(values.built), resolve(values.output));
else table(values.table);

/** How a process has ended: 0, its exit code, its signal, or "timeout". */
function exitStatus(error) {
  if (error === null) return 0;
  return error.killed ? "timeout" : (error.code ?? error.signal);
}

function checkStatus({ passes, mismatch, status }) {
  if (passes) return "pass";
  if (mismatch) return "mismatch";
  return status === "timeout" ? "timeout" : `exit ${status}`;
}

/** Where a program does not run at the sizes in its file. */
function checkedSize(file) {
  if (CHECKED_REDUCED.has(file)) return { size: "reduced" };
  return SMALLER[file] ? { size: "B = 2" } : {};
}
