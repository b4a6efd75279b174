// Public programs that call NVIDIA's libraries (scripts/compat/library-programs.json), built here, run on a GPU and
// judged as scripts/compat/programs.mjs judges them. They are many: --only prepares a part, and results come together.
import { cpSync, existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { editedCopy } from "../../compat/edited-copy.mjs";
import { judge, said } from "../../compat/judge.mjs";
import { readManifest } from "../../compat/manifest.mjs";
import { filesBelow, ROOT } from "../pack.mjs";

const MANIFEST = join(ROOT, "scripts/compat/library-programs.json");
const RESULT = "docs/lab/library-programs-h200.json";
/** Options of `heddle run`, which are not nvcc's: the emulated GPU, how many devices and processes there are. */
const RUN_OPTIONS = ["--gpu", "--devices", "--processes"];
/** A data file that is larger stays here. */
const MOST_DATA = 2 ** 19;
const SOURCES = /\.(?:cu|cuh|h|hpp|c|cc|cpp|inl|md|txt\.in|cmake)$|CMakeLists\.txt$|Makefile$/;

const stepOf = (name) => name.replaceAll(/[^\w.-]+/g, "_");

function split(flags) {
  const [build, run] = [[], []];
  for (let i = 0; i < flags.length; i++)
    if (RUN_OPTIONS.includes(flags[i])) run.push(flags[i], flags[++i]);
    else build.push(flags[i]);
  // Which GPU is emulated is nothing for a real one.
  const at = run.indexOf("--gpu");
  if (at >= 0) run.splice(at, 2);
  return { build, run };
}

async function add(p, program) {
  const checkout = join(p.checkouts, program.repository.replace("/", "+"));
  if (!existsSync(checkout)) return "no checkout";
  const { name, dir, files, args = [], edits = [], sample } = program;
  const { root, folder } = editedCopy({ name, checkout, trees: program.trees ?? [dir], dir, edits });
  const step = stepOf(name);
  try {
    const flags = (program.flags ?? []).map((flag) =>
      flag.replace("@checkouts", resolve(p.checkouts)).replace("@checkout", resolve(checkout)),
    );
    const { build, run } = split(flags);
    await p.program(step, files, build, { cwd: folder, standard: [] });
    for (const path of filesBelow(folder))
      if (!SOURCES.test(path) && statSync(path).size < MOST_DATA)
        cpSync(path, join(p.stage, "data", step, path.slice(folder.length + 1)));
    const list = args.map((text) => `'${text}'`).join(" ");
    const needs = run.includes("--devices") ? "gpus" : "gpu";
    const there = `mkdir -p "$FILES/data/${step}" && cd "$FILES/data/${step}"`;
    const expected = { "program.json": JSON.stringify(program) };
    if (sample !== undefined) expected.sample = readFileSync(join(folder, sample), "utf8");
    p.step(step, `${there} && PROGRAM_OPTIONS="${run.join(" ")}" program ${step} ${list} 2>&1`, {
      seconds: Number(program.timeout ?? 60),
      needs,
      uses: [`programs/${step}`],
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
    const chosen = readManifest(MANIFEST).filter(({ name }) => p.wants(name));
    const problems = await Promise.all(chosen.map(async (program) => [program.name, await add(p, program)]));
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
