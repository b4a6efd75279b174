// Public programs that call NVIDIA's libraries (scripts/compat/library-programs.json), built here, run on a GPU and
// judged as scripts/compat/programs.mjs judges them. They are many: --only prepares a part, and results come together.
import { cpSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { editedCopy } from "../../compat/edited-copy.mjs";
import { judge, said } from "../../compat/judge.mjs";
import { makeFiles } from "../../compat/made-files.mjs";
import { readManifest, splitFlags, titleOf } from "../../compat/manifest.mjs";
import { CompiledAhead } from "../compiled-ahead.mjs";
import { filesBelow, ROOT } from "../pack.mjs";

const MANIFEST = join(ROOT, "scripts/compat/library-programs.json");
const HEDDLE = join(ROOT, "dist/bin/main.js");
const RESULT = "docs/lab/library-programs-h200.json";
/** A data file that is larger stays here. */
const MOST_DATA = 2 ** 19;
/** The GPU that a program is for which compiles for the device that it finds. */
const GPU = "h200";
const SOURCES = /\.(?:cu|cuh|h|hpp|c|cc|cpp|inl|md|txt\.in|cmake)$|CMakeLists\.txt$|Makefile$/;

const stepOf = (name) => name.replaceAll(/[^\w.-]+/g, "_");

/** Runs a program here, so that what it compiles there is in the cache. Its folder is another one there. */
async function compileAhead(p, ahead, step, program, folder) {
  const args = [HEDDLE, "exec", join(p.stage, "programs", step), ...(program.args ?? [])];
  const options = { HEDDLE_MAIN: HEDDLE, HEDDLE_OPTIONS: `--gpu ${GPU} --exit-code program` };
  const { status, out, err } = await ahead.add((cache) =>
    p.execute(args, { cwd: folder, env: { ...process.env, ...options, HEDDLE_CACHE_DIR: cache } }),
  );
  const verdict = judge(program, { timedOut: false, code: status, text: out + err }, () => "");
  if (verdict !== "pass") throw new Error(`here it is not right: ${verdict}; ${said(out + err)}`);
}

async function add(p, ahead, program) {
  const checkout = join(p.checkouts, program.repository.replace("/", "+"));
  if (!existsSync(checkout)) return "no checkout";
  const { name, dir, files, args = [], edits = [], sample } = program;
  const { root, folder } = editedCopy({ name, checkout, trees: program.trees ?? [dir], dir, edits });
  const step = stepOf(name);
  try {
    const flags = (program.flags ?? []).map((flag) =>
      flag.replace("@checkouts", resolve(p.checkouts)).replace("@checkout", resolve(checkout)),
    );
    const { build, run } = splitFlags(flags);
    // Which GPU is emulated is nothing for a real one.
    const at = run.indexOf("--gpu");
    if (at >= 0) run.splice(at, 2);
    makeFiles(program, folder, { heddle: HEDDLE, flags: build });
    await p.program(step, files, build, { cwd: folder, standard: [] });
    // What it reads there: with NVRTC also sources.
    const compiles = program.library === "nvrtc";
    const data = [...filesBelow(folder)].filter(
      (path) => (compiles || !SOURCES.test(path)) && statSync(path).size < MOST_DATA,
    );
    const uses = [`programs/${step}`];
    for (const path of data) {
      const name = `data/${step}/${path.slice(folder.length + 1)}`;
      cpSync(path, join(p.stage, name));
      if (compiles) uses.push(name);
    }
    if (compiles) await compileAhead(p, ahead, step, program, folder);
    const list = args.map((text) => `'${text}'`).join(" ");
    const needs = run.includes("--devices") ? "gpus" : "gpu";
    const there = `mkdir -p "$FILES/data/${step}" && cd "$FILES/data/${step}"`;
    const cache = compiles ? 'flock "$FILES/cache" cp -rn "$FILES/cache/." "$HEDDLE_CACHE_DIR/"; ' : "";
    const expected = { "program.json": JSON.stringify(program) };
    if (sample !== undefined) expected.sample = readFileSync(join(folder, sample), "utf8");
    p.step(step, `${cache}${there} && PROGRAM_OPTIONS="${run.join(" ")}" program ${step} ${list} 2>&1`, {
      seconds: Number(program.timeout ?? 60),
      needs,
      uses,
      expected,
    });
    return null;
  } catch (error) {
    return error.message.slice(0, 200);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export default {
  row: "public programs that use the libraries (goal: 95 % right)",
  minutes: 10,
  jobs: 8,
  async prepare(p) {
    if (p.checkouts === null) throw new Error("the round programs needs --checkouts FOLDER");
    const chosen = readManifest(MANIFEST).filter((program) => p.wants(titleOf(program)));
    const ahead = new CompiledAhead(join(p.stage, "cache"));
    const problems = await Promise.all(chosen.map(async (program) => [program.name, await add(p, ahead, program)]));
    await ahead.close();
    for (const [name, problem] of problems) if (problem !== null) console.log(`${name} is left out: ${problem}`);
    if (problems.every(([, problem]) => problem !== null)) throw new Error("no program was prepared");
  },
  take({ steps, save }) {
    const file = join(ROOT, RESULT);
    const results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    const wrong = [];
    for (const step of steps.values()) {
      // A program for more GPUs than the machine has was not run.
      if (step.status === 77 || /^heddle: this machine has \d+ GPUs?, number/m.test(step.out)) continue;
      const program = JSON.parse(readFileSync(step.expected("program.json"), "utf8"));
      const run = { timedOut: step.status === 124, code: step.status, text: step.out };
      const status = judge(program, run, () => readFileSync(step.expected("sample"), "utf8"));
      if (status !== "pass") wrong.push(`${program.name}: ${status}; ${said(step.out)}`);
      results[program.name] = {
        library: program.library,
        status,
        seconds: step.seconds,
        said: status === "pass" ? "" : said(step.out),
        date: step.machine.date,
        gpu: step.machine.gpu,
      };
    }
    const sorted = Object.fromEntries(Object.entries(results).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const all = Object.values(sorted);
    console.log(`${all.filter(({ status }) => status === "pass").length} of ${all.length} pass`);
    if (all.length > 0) save(RESULT, `${JSON.stringify(sorted, null, 1)}\n`);
    return { wrong };
  },
};
