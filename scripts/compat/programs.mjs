// Runs public CUDA programs that lie on this machine, as a manifest lists them, and keeps what became of each. `--help`
// says how.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { editedCopy } from "./edited-copy.mjs";
import { judge, said } from "./judge.mjs";
import { makeFiles } from "./made-files.mjs";
import { readManifest, splitFlags, titleOf } from "./manifest.mjs";

const HELP = `node scripts/compat/programs.mjs CHECKOUTS [options]

Builds and runs public CUDA programs, and writes each result. The programs are unmodified except for
smaller sizes where a run would take hours. A program passes if its own check passes, by exit code and
output.

  git clone --recurse-submodules https://github.com/NVIDIA/cuda-samples /tmp/programs/NVIDIA+cuda-samples
                                             and so on: OWNER+NAME for each repository
  npm run build && node scripts/compat/programs.mjs /tmp/programs --only cuda-samples/scan
  node scripts/compat/table.mjs              afterwards: docs/compatibility.md from the results

Options
  --manifest FILE     the programs (scripts/compat/programs.json)
  --only TEXT,…       programs whose name contains one of these; "nvrtc:" has all of a library
  --failed            only programs that do not pass yet, by the results file
  --new               only programs without a result: goes on where an earlier run ended
  --seconds N         starts no program after that time
  --cheapest RESULTS  those that took the shortest time in this results file first
  --part I/N          every N-th program from the I-th on, for several processes; each has its own results
  --device NAME       the device on which "heddle run" runs them (its default)
  --model NAME        the data model, lp64 or ilp32 (the default of "heddle run")
  --timeout SECONDS   wall-clock time for a program, without its compilation (120)
  --cpu SECONDS       processor time (600)
  --patience N        all limits of wall-clock time N times as long, for a busy machine (1)
  --heddle FILE       the command to test (dist/bin/main.js)
  --verbose           print the programs' output
  -o, --output FILE   results; new ones are added to those already in it
                      (docs/lab/compat-programs.json)

The collections, each with its commit, are listed in collections.json before their first run.

The manifest is a JSON list of { name, repository, branch?, dir, files | each, flags?, args?, make?, command?,
trees?, edits?, ptx?, printed?, headers?, stdin?, expect?, reject?, exit?, timeout?, needs?, needsData?, comment? }:
  branch           a branch or tag of the repository: its checkout is OWNER+NAME@BRANCH
  dir              the folder in the checkout in which the program is built and run
  files            what "heddle run" gets
  each             instead of files: paths below dir, each of them a program with the entry's other
                   fields; they are run where they are, and their names are the entry's and the path
  with             beside each: further files of all of them
  make, command    instead of files: arguments of make, in which "@nvcc" stands for "heddle nvcc"; and
                   the command that is run then
  trees            folders and files of the checkout that a build needs ([dir] by default); they are
                   copied, so that the checkout does not change
  edits            [file below dir, text, replacement], for a smaller size; every text must occur
  ptx              { file: source }: files below dir with the PTX of a source, which the program loads
  printed          { file: [source, arguments] }: what a program of the checkout prints, which the build needs
  headers          headers of the toolkit that the program's build copies into dir, for NVRTC
  expect, reject   regular expressions that the output must, and must not, match (without either:
                   words of failure)
  exit             the exit code (0)
  sample           a text file below dir: after "example output" it has the output of a right run (of example2.cu
                   after the second one), whose numbers must
                   all occur, in this order, up to their signs (vectors may point either way) and rounding
  needs, needsData a library that Heddle has not, data that the repository has not; such programs are
                   run, and counted, like all others, and stand in a figure of their own
  flags            options of nvcc; "@checkout" in them is the checkout's folder, "@checkouts" the
                   folder of all of them
  reduced, reason  for the table: what was made smaller; what stops the program, if it fails
  comment          for the table, of a program whose own check says failure everywhere: how it ends right
`;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h", default: false },
    manifest: { type: "string", default: new URL("programs.json", import.meta.url).pathname },
    only: { type: "string" },
    failed: { type: "boolean", default: false },
    new: { type: "boolean", default: false },
    seconds: { type: "string", default: "Infinity" },
    cheapest: { type: "string" },
    part: { type: "string", default: "1/1" },
    device: { type: "string" },
    model: { type: "string" },
    timeout: { type: "string", default: "120" },
    cpu: { type: "string", default: "600" },
    patience: { type: "string", default: "1" },
    output: { type: "string", short: "o", default: "docs/lab/compat-programs.json" },
    heddle: { type: "string", default: resolve(import.meta.dirname, "../../dist/bin/main.js") },
    verbose: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const checkouts = positionals[0];
if (checkouts === undefined || !existsSync(checkouts)) {
  console.error("a folder of checkouts is needed: node scripts/compat/programs.mjs --help");
  process.exit(64);
}
const heddle = resolve(values.heddle);
const device = values.device === undefined ? [] : ["--device", values.device];
const model = values.model === undefined ? [] : ["--model", values.model];
const nvcc = [process.execPath, heddle, "nvcc", ...model].join(" ");
const [part, parts] = values.part.split("/").map(Number);
const programs = readManifest(values.manifest).filter((_, i) => i % parts === part - 1);
if (values.cheapest !== undefined) {
  const times = JSON.parse(readFileSync(values.cheapest, "utf8"));
  const secondsOf = ({ name }) => times[name]?.seconds ?? Infinity;
  programs.sort((a, b) => secondsOf(a) - secondsOf(b));
}
const readResults = () => (existsSync(values.output) ? JSON.parse(readFileSync(values.output, "utf8")) : {});

/**
 * Compiles in this process, where Clang stays loaded; "heddle run" then finds the result in the cache. Returns what
 * went wrong, if anything did.
 */
let opened;
async function compileHere(program, folder) {
  const module = (name) => import(pathToFileURL(join(dirname(heddle), "..", name)).href);
  const [
    { openCompiler },
    { chooseModel },
    { parseRunCommand },
    { programSource },
    { buildProgram },
    { nodeSourceReader },
  ] = await Promise.all(
    [
      "session/compiler-node.js",
      "cli/data-model.js",
      "cli/options/run-options.js",
      "cli/program-inputs.js",
      "session/build-program.js",
      "frontend/clang/clang-loader-node.js",
    ].map(module),
  );
  opened ??= await openCompiler();
  const back = process.cwd();
  process.chdir(folder);
  try {
    const { nvcc } = parseRunCommand([...model, ...(program.flags ?? []), ...program.files, "--"]);
    const chosen = await chooseModel(nvcc.compile.model, nvcc.objects);
    const source = programSource(nvcc, { ...nvcc.compile, color: false, model: chosen });
    await buildProgram(source, { compiler: opened.compiler, reader: nodeSourceReader });
    return null;
  } catch (error) {
    // This thread's stack is smaller than that of "heddle run", which compiles it then.
    if (error instanceof RangeError) return null;
    return `heddle: ${error.message}\n${error.report ?? error.details ?? ""}`;
  } finally {
    process.chdir(back);
  }
}

/** Runs a command in a process group of its own, so that a timeout ends all of it. */
function execute(command, args, folder, seconds, stdin) {
  return new Promise((done) => {
    // on a busy machine, processor time says more than time
    const limited = ["-c", `ulimit -t ${values.cpu}; exec "$@"`, "sh", command, ...args];
    const child = spawn("/bin/sh", limited, {
      cwd: folder,
      detached: command === "make",
      stdio: ["pipe", "pipe", "pipe"],
    });
    let text = "";
    const take = (chunk) => void (text.length < 1 << 24 && (text += chunk));
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.stdin.on("error", () => undefined); // a program need not read its input
    child.stdin.end(stdin ?? "");
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      if (command === "make") process.kill(-child.pid, "SIGKILL");
      else child.kill("SIGKILL");
    }, seconds * 1000);
    child.on("error", (error) => (text += String(error)));
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      done({ code: code ?? signal, text, timedOut });
    });
  });
}

/** Copies the program's tree, edits it, builds and runs it. */
async function tryProgram(program) {
  const at = program.branch === undefined ? "" : `@${program.branch}`;
  const checkout = join(checkouts, program.repository.replace("/", "+") + at);
  const { root, folder } = program.inPlace
    ? { root: null, folder: join(checkout, program.dir) }
    : editedCopy({
        name: program.name,
        checkout,
        trees: program.trees ?? [program.dir],
        dir: program.dir,
        edits: program.edits ?? [],
      });
  const flags = (program.flags ?? []).map((flag) =>
    flag.replace("@checkouts", resolve(checkouts)).replace("@checkout", resolve(checkout)),
  );
  try {
    const start = performance.now();
    const seconds = () => Math.round((performance.now() - start) / 100) / 10;
    const limit = Number(values.patience) * Number(program.timeout ?? values.timeout);
    if (program.make) {
      const built = await execute(
        "make",
        program.make.map((word) => word.replace("@nvcc", nvcc)),
        folder,
        limit,
        "",
      );
      if (built.timedOut) return { status: "timeout in the build", seconds: seconds(), text: built.text };
      if (built.code !== 0) return { status: "does not build", seconds: seconds(), text: built.text };
    }
    try {
      makeFiles(program, folder, { heddle, flags: [...model, ...splitFlags(flags).build] });
    } catch (error) {
      return { status: "does not compile", seconds: seconds(), text: error.message };
    }
    if (!program.make) {
      const wrong = await compileHere({ ...program, flags }, folder);
      if (wrong !== null) return { status: "does not compile", seconds: seconds(), text: wrong };
    }
    const [command, ...args] = program.make
      ? program.command
      : [
          process.execPath,
          heddle,
          "run",
          ...device,
          ...model,
          ...flags,
          ...program.files,
          "--",
          ...(program.args ?? []),
        ];
    const run = await execute(command, args, folder, limit, program.stdin);
    const status = judge(program, run, () => readFileSync(join(folder, program.sample), "utf8"));
    return { status, seconds: seconds(), text: run.text };
  } finally {
    if (root !== null) rmSync(root, { recursive: true, force: true });
  }
}

const only = values.only?.split(",");
const started = performance.now();
for (const program of programs) {
  if (only && !only.some((part) => titleOf(program).includes(part))) continue;
  if (values.failed && readResults()[program.name]?.status === "pass") continue;
  if (values.new && readResults()[program.name] !== undefined) continue;
  if (performance.now() - started > 1000 * Number(values.seconds)) break;
  const { status, seconds, text } = await tryProgram(program);
  const why = status === "pass" ? "" : said(text);
  const results = readResults(); // read again: another run may write the same file
  results[program.name] = {
    repository: program.repository,
    ...(program.library ? { library: program.library } : {}),
    status,
    seconds,
    reduced: program.reduced ?? "",
    said: why,
    date: new Date().toISOString().slice(0, 10),
    ...(values.model ? { model: values.model } : {}),
    ...(program.needs ? { needs: program.needs } : {}),
    ...(program.needsData ? { needsData: program.needsData } : {}),
    ...(program.reason && status !== "pass" ? { reason: program.reason } : {}),
  };
  console.log(`${program.name}: ${status} (${seconds} s)${why ? `  ${why.slice(0, 200)}` : ""}`);
  if (values.verbose) console.log(text.slice(0, 4000));
  const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(values.output, `${JSON.stringify(sorted, null, 1)}\n`);
}
const all = Object.values(readResults());
console.log(`${all.filter((result) => result.status === "pass").length} of ${all.length} pass`);
