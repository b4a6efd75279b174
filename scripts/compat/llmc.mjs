// Runs every kernel version of karpathy/llm.c's dev/cuda programs and keeps what became of each. `--help` says how.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { editedCopy } from "./edited-copy.mjs";

const HELP = `node scripts/compat/llmc.mjs LLM_C_CHECKOUT [options]

Runs every kernel version of the programs in dev/cuda, at the sizes in the files, and writes each result.
A version passes if the program ends with exit code 0 and prints no mismatch: its own check decides.
These programs check first, and then launch their kernel 10 to 2,000 times to time it. If the timing
would take over ten minutes here, it is stopped after a minute, and the result says so.

  git clone https://github.com/karpathy/llm.c /tmp/llm.c
  npm run build && node scripts/compat/llmc.mjs /tmp/llm.c --only gelu_forward,encoder_forward
  node scripts/compat/llmc.mjs /tmp/llm.c --reduced     smaller sizes, by scripts/compat/llmc.json:
                                                        minutes instead of hours
  node scripts/compat/table.mjs                         afterwards: docs/compatibility.md

On another machine, without the compiler (it needs Node.js and dist/ alone):
  node scripts/compat/llmc.mjs /tmp/llm.c --build FOLDER     here
  node scripts/compat/llmc.mjs /tmp/llm.c --built FOLDER --jobs 8

Options
  --only NAME,…       these programs
  --missing           only versions that have not passed yet at these sizes, by the results file
  --reduced           smaller sizes, by edits of a copy
  --timeout SECONDS   of wall-clock time for a version, compilation included (900)
  --total SECONDS     what is not done by then is left out
  --jobs N            versions at a time (1)
  --build FOLDER      compiles the programs into FOLDER and runs none
  --built FOLDER      runs those
  -o, --output FILE   results; new ones are added to those already in it
                      (docs/lab/compat-llmc.json)
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string" },
    timeout: { type: "string", default: "900" },
    total: { type: "string", default: "Infinity" },
    jobs: { type: "string", default: "1" },
    build: { type: "string" },
    built: { type: "string" },
    reduced: { type: "boolean", default: false },
    missing: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
    output: { type: "string", short: "o", default: "docs/lab/compat-llmc.json" },
  },
});
/** A benchmark may take so long in all; it is looked at after a minute. */
const LOOP_SECONDS = 600;
const LOOK_SECONDS = 60;
/** The programs' folder in a checkout. */
const SOURCES = "dev/cuda";

const root = positionals[0];
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
if (root === undefined || !existsSync(join(root, SOURCES))) {
  console.error("a checkout of llm.c is needed: node scripts/compat/llmc.mjs --help");
  process.exit(64);
}
const manifest = JSON.parse(readFileSync(new URL("llmc.json", import.meta.url), "utf8"));
const heddle = resolve(import.meta.dirname, "../../dist/bin/main.js");
const only = values.only?.split(",");
const programs = manifest.programs.filter(({ file }) => only === undefined || only.includes(file.replace(".cu", "")));
const jobs = Number(values.jobs);
const workers = Math.max(1, Math.floor(availableParallelism() / jobs));

/** What the program prints: a line for each passed check, then one for each timed block size. */
function linesExpected(file) {
  const text = readFileSync(join(root, SOURCES, file), "utf8");
  const blockSizes =
    /block_sizes\[\] = \{([^}]*)\}/
      .exec(text)?.[1]
      ?.replaceAll(/\/\*.*?\*\//g, "")
      .split(",").length ?? 1;
  return { checks: /All results match for block_size/.test(text) ? blockSizes : 1, timings: blockSizes };
}

const seconds = (since) => (performance.now() - since) / 1000;

/** Runs one version; stops a benchmark that would take too long. */
function run(args, cwd, { checks, timings }) {
  return new Promise((done) => {
    const start = performance.now();
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, HEDDLE_WORKERS: String(workers) } });
    let text = "";
    let checked = null;
    let stopped = null;
    const stop = (why) => {
      stopped ??= why;
      child.kill("SIGKILL");
    };
    const timeout = setTimeout(
      () => stop("timeout"),
      Math.min(Number(values.timeout), Number(values.total) - seconds(begun)) * 1000,
    );
    let look = null;
    const lookAtLoop = () => {
      const timed = text.match(/block_size +\d+[ |]+time/g)?.length ?? 0;
      const projected = (timings * LOOK_SECONDS) / Math.max(timed, 0.5);
      if (projected > LOOP_SECONDS)
        stop(
          `its check has passed; its benchmark would take ` +
            `${timed === 0 ? "over " : "about "}${Math.round(projected / 60)} minutes and was stopped`,
        );
    };
    const hear = (chunk) => {
      text += chunk;
      if (checked !== null || (text.match(/All results match/g)?.length ?? 0) < checks) return;
      checked = seconds(start);
      look = setTimeout(lookAtLoop, LOOK_SECONDS * 1000);
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    child.on("close", (code, signal) => {
      clearTimeout(timeout);
      if (look !== null) clearTimeout(look);
      const mismatch = /mismatch|not ok/i.test(text);
      const afterCheck = stopped !== null && checked !== null && !mismatch;
      const status = statusOf({ afterCheck, stopped, mismatch, code, signal });
      const said = saidBy({ afterCheck, stopped, status, text });
      done({
        status,
        seconds: Math.round(seconds(start) * 10) / 10,
        ...(checked === null ? {} : { checkedAfter: Math.round(checked * 10) / 10 }),
        said,
      });
    });
  });
}

function statusOf({ afterCheck, stopped, mismatch, code, signal }) {
  if (afterCheck) return "pass";
  if (stopped === "timeout") return "timeout";
  if (code !== 0) return `exit ${code ?? signal}`;
  return mismatch ? "mismatch" : "pass";
}

function saidBy({ afterCheck, stopped, status, text }) {
  if (afterCheck) return stopped === "timeout" ? "its check has passed; the time was up in its benchmark" : stopped;
  if (status === "pass") return "";
  const lines = text.trim().split("\n");
  const telling = lines.filter((line) => /mismatch|heddle|error|assert|not ok/i.test(line)).slice(0, 3);
  return telling.join(" · ").slice(0, 300) || lines.slice(-2).join(" · ").slice(0, 300);
}

const begun = performance.now();
if (values.build !== undefined) {
  mkdirSync(values.build, { recursive: true });
  for (const program of programs) {
    const output = resolve(values.build, program.file.replace(".cu", ""));
    const { status, stderr } = spawnSync(
      process.execPath,
      [heddle, "nvcc", ...(program.flags ?? []), program.file, "-o", output],
      { cwd: join(root, SOURCES), encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`${program.file} does not compile: ${stderr}`);
    console.log(output);
  }
  process.exit(0);
}

const results = existsSync(values.output) ? JSON.parse(readFileSync(values.output, "utf8")) : {};
const work = programs.flatMap((program) => program.versions.map((version) => ({ program, version })));
async function worker() {
  for (let next = work.shift(); next !== undefined; next = work.shift()) {
    const { program, version } = next;
    const name = program.file.replace(".cu", "");
    const edits = values.reduced ? (program.reduced ?? []) : [];
    const size = edits.length > 0 ? "reduced" : "full";
    const key = `${name} ${version ?? ""}`.trim();
    if ((values.missing && results[key]?.[size]?.status === "pass") || seconds(begun) > Number(values.total) - 10)
      continue;
    const copy =
      edits.length > 0
        ? editedCopy({
            name: key,
            checkout: root,
            trees: [SOURCES],
            dir: SOURCES,
            edits: edits.map(([from, to]) => [program.file, from, to]),
          })
        : null;
    const command =
      values.built === undefined
        ? ["run", ...(program.flags ?? []), program.file]
        : ["exec", resolve(values.built, name)];
    const result = await run(
      [heddle, ...command, ...(version === null ? [] : [String(version)])],
      copy?.folder ?? join(root, SOURCES),
      linesExpected(program.file),
    );
    results[key] = {
      ...results[key],
      h200: program.h200?.[version] ?? "passes",
      [size]: { ...result, ...(edits.length > 0 ? { edits } : {}), threads: workers },
    };
    console.log(
      `${key}: ${result.status} (${result.seconds} s)${result.said === "" ? "" : `  ${result.said.slice(0, 160)}`}`,
    );
    writeFileSync(values.output, `${JSON.stringify(results, null, 1)}\n`);
    if (copy !== null) rmSync(copy.root, { recursive: true });
  }
}
await Promise.all(Array.from({ length: jobs }, worker));
