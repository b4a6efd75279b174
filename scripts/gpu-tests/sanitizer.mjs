// NVIDIA's compute-sanitizer over the pairs of src/check/suite, on a machine with a GPU and CUDA's toolkit: what it
// finds, misses and accuses.
//
//   node scripts/gpu-tests/sanitizer.mjs [--out RESULTS.json] [--jobs N] [--limit SECONDS] [--timeout SECONDS]
//                                        [--only TEXT] [--pairs FILE:NAME,…]
//
// Each suite file is compiled with nvcc, together with a main() made here that launches the kernels it is told to, as
// the test helper launches them for Heddle (all take int* out, const int* in, int n). Then, a process each, several at
// once:
//   - each wrong kernel under the tool of its kind, and each right one too: found, missed, falsely accused;
//   - all right kernels of a file under the other tools: falsely accused. A kernel that does not end within --timeout
//     is stopped: a deadlock that the tool has not told is missed. Nothing new is begun after --limit seconds, and what
//     was not run is in the results as such. --only takes the files whose name contains TEXT, --pairs some pairs alone,
//     FILE:NAME each. Needs Node.js 24 (it reads TypeScript) and no packages; nvcc and compute-sanitizer are taken from
//     HEDDLE_NVCC and HEDDLE_SANITIZER, PATH, or /usr/local/cuda/bin. sanitizer-table.mjs puts the results into
//     a page of docs/lab.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";

const root = join(import.meta.dirname, "..", "..");
export const SUITE_FOLDER = join(root, "src", "check", "suite");
export const TOOLS = ["memcheck", "racecheck", "synccheck", "initcheck"];
/** The tool of a file, by how its name begins. Kinds that compute-sanitizer has no tool for are left out. */
const TOOL_OF = { memory: "memcheck", mem: "memcheck", race: "racecheck", sync: "synccheck", init: "initcheck" };

/** The first words of the tools' reports. */
const FIRST_WORDS = "Invalid|Uninitialized|Race|Potential|Barrier|Divergent|Malloc|Address|Misaligned|Unused|Host";

/** Of a kernel that is wrong or right: whether the tool has accused it as it should. */
export function verdictOf(side, isAccused) {
  if (side === "wrong") return isAccused ? "found" : "missed";
  return isAccused ? "false" : "silent";
}

/** @returns the suite files that a tool of compute-sanitizer is for: [{ name, text, tool, pairs }] */
export async function readSuites(folder = SUITE_FOLDER) {
  const { readSuite } = await import("../../src/check/suite.test-helper.ts");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".cu"))
    .sort()
    .flatMap((name) => {
      const tool = TOOL_OF[/^[a-z]+/.exec(name)?.[0]];
      const text = readFileSync(join(folder, name), "utf8");
      return tool === undefined ? [] : [{ name, text, tool, pairs: readSuite(text) }];
    });
}

/** A program that launches the kernels of a suite file that its arguments name, one after the other. */
export function programOf({ path, pairs }) {
  const dim = ({ x, y, z }) => `dim3(${x}, ${y}, ${z})`;
  const entries = pairs.flatMap((pair) =>
    ["wrong", "right"].map((side) => {
      const has = (word) => pair.settings.includes(word);
      return (
        `  {"${pair.name}_${side}", (const void *)${pair.name}_${side}, ${dim(pair.grid)}, ` +
        `${dim(pair.block)}, ${pair.sharedBytes}, ${pair.n}, ${has("raw-in")}, ${has("raw-out")}, ` +
        `${has("cooperative")}},`
      );
    }),
  );
  // Heddle knows the device's printf without a header; nvcc does not.
  return `#include <cstdio>
#include ${JSON.stringify(path)}
#include <cstring>
#include <vector>

struct Entry {
  const char *name;
  const void *kernel;
  dim3 grid, block;
  unsigned sharedBytes;
  int n;
  bool rawIn, rawOut, cooperative;
};
static const Entry entries[] = {
${entries.join("\n")}
};

static int run(const Entry &e) {
  int *out, *in, n = e.n;
  if (cudaMalloc(&out, n * sizeof(int)) != cudaSuccess || cudaMalloc(&in, n * sizeof(int)) != cudaSuccess) return 2;
  if (!e.rawIn) {
    std::vector<int> values(n);
    for (int i = 0; i < n; i++) values[i] = i;
    cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  }
  if (!e.rawOut) cudaMemset(out, 0, n * sizeof(int));
  void *args[] = {&out, &in, &n};
  if (e.sharedBytes > 48 * 1024)
    cudaFuncSetAttribute(e.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, e.sharedBytes);
  cudaError_t launched = e.cooperative
      ? cudaLaunchCooperativeKernel(e.kernel, e.grid, e.block, args, e.sharedBytes, 0)
      : cudaLaunchKernel(e.kernel, e.grid, e.block, args, e.sharedBytes, 0);
  cudaError_t ended = cudaDeviceSynchronize();
  printf("@@ %s launch: %s, end: %s\\n", e.name, cudaGetErrorName(launched), cudaGetErrorName(ended));
  fflush(stdout);
  if (launched != cudaSuccess) return 3;
  // Its results are used, as a program would: initcheck of some versions looks at nothing else.
  std::vector<int> result(n);
  cudaMemcpy(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(out);
  cudaFree(in);
  return 0;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    const Entry *found = nullptr;
    for (const Entry &e : entries) if (!strcmp(e.name, argv[i])) found = &e;
    if (!found) { printf("@@ no kernel %s\\n", argv[i]); return 4; }
    if (int code = run(*found)) return code;
  }
  return 0;
}
`;
}

/**
 * What compute-sanitizer has printed. `errors` is what its last line counts, warnings of racecheck included (it calls
 * some hazards so); null when there is no such line: it was stopped, or did not start. `lines` are the places in the
 * suite file that it names.
 */
export function parseOutput(text, file) {
  const summary = /========= (?:ERROR SUMMARY: (\d+) errors?|RACECHECK SUMMARY: (\d+) hazards? displayed)/.exec(text);
  const escaped = file.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const lines = [...text.matchAll(new RegExp(`${escaped}:(\\d+)`, "g"))].map((match) => Number(match[1]));
  const told = [...text.matchAll(new RegExp(`^========= (?:Error: |Warning: )?((?:${FIRST_WORDS})[^\\n]*)`, "gm"))].map(
    (match) => match[1].trim(),
  );
  return {
    errors: summary === null ? null : Number(summary[1] ?? summary[2]),
    lines: [...new Set(lines)],
    told: [...new Set(told)].slice(0, 4),
    launched: [...text.matchAll(/^@@ (\w+) launch: (\w+), end: (\w+)$/gm)].map(([, kernel, launch, end]) => ({
      kernel,
      launch,
      end,
    })),
  };
}

function findTool(variable, name) {
  const given = process.env[variable];
  const candidates =
    given !== undefined
      ? [given]
      : [
          ...(process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)),
          `/usr/local/cuda/bin/${name}`,
        ];
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path === undefined)
    throw new Error(`${name} is not here: it comes with the CUDA toolkit; ${variable} may name it`);
  return path;
}

/** Runs a program in a process group of its own, so that what it started ends with it. */
function start(command, args, timeoutMs) {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      process.kill(-child.pid, "SIGKILL");
    }, timeoutMs);
    child.stdout.on("data", (data) => (output += data));
    child.stderr.on("data", (data) => (output += data));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output, timedOut, seconds: (performance.now() - began) / 1000 });
    });
  });
}

async function inParallel(tasks, jobs) {
  const pending = [...tasks];
  const worker = async () => {
    for (let task = pending.shift(); task !== undefined; task = pending.shift()) await task();
  };
  await Promise.all(Array.from({ length: jobs }, worker));
}

/** What the tool's output says of one kernel of a pair. @param line of the mistake. */
function judged({ output, timedOut, seconds }, file, side, line) {
  const { errors, lines, told, launched } = parseOutput(output, file);
  const accused = (errors ?? 0) > 0 || (errors === null && told.length > 0);
  const ran = errors !== null || timedOut || launched.length > 0;
  return {
    errors,
    told: ran ? told : [output.slice(-400)],
    seconds: Number(seconds.toFixed(2)),
    rightLine: lines.includes(line),
    timedOut,
    status: ran ? verdictOf(side, accused) : "fails",
  };
}

function commandOf(tool, program, kernels) {
  const leaks = tool === "memcheck" ? ["--leak-check", "no"] : [];
  return ["--tool", tool, "--report-api-errors", "no", ...leaks, program, ...kernels];
}

/** A row of the results before its kernel has run. */
function newRow(about) {
  return { ...about, status: "not run", errors: null, rightLine: false, told: [], seconds: 0 };
}

/** The program of each suite that nvcc compiles, by the suite's name. */
async function compileSuites({ suites, folder, nvcc, jobs, log }) {
  const built = new Map();
  await inParallel(
    suites.map((suite) => async () => {
      const source = join(folder, `${suite.name}.main.cu`);
      writeFileSync(source, programOf({ path: join(SUITE_FOLDER, suite.name), pairs: suite.pairs }));
      const program = join(folder, suite.name.replace(/\.cu$/, ""));
      const { code, output, seconds } = await start(
        nvcc,
        [
          "-std=c++17",
          "-lineinfo",
          `-arch=${process.env.HEDDLE_NVCC_ARCH ?? "native"}`,
          "-rdc=true",
          "-lcudadevrt",
          "-o",
          program,
          source,
        ],
        240_000,
      );
      log(`${suite.name}: compiled in ${seconds.toFixed(0)} s${code === 0 ? "" : `, fails:\n${output.slice(-2000)}`}`);
      if (code === 0) built.set(suite.name, program);
    }),
    jobs,
  );
  return built;
}

/**
 * @returns { device, sanitizer, kernels: [{ file, kernel, tool, side, expected, line, status, errors, rightLine, told,
 * seconds }], seconds }
 */
export async function runSanitizer({
  suites,
  jobs = availableParallelism(),
  limitS = 450,
  timeoutS = 30,
  log = () => {},
}) {
  const [nvcc, sanitizer] = [findTool("HEDDLE_NVCC", "nvcc"), findTool("HEDDLE_SANITIZER", "compute-sanitizer")];
  const began = performance.now();
  const isLate = () => (performance.now() - began) / 1000 > limitS;
  const folder = mkdtempSync(join(tmpdir(), "heddle-sanitizer-"));
  const kernels = [];
  const built = await compileSuites({ suites, folder, nvcc, jobs, log });
  const underTool = (suite, tool, names) =>
    start(sanitizer, commandOf(tool, built.get(suite.name), names), timeoutS * 1000 + 500 * names.length);
  const tasks = [];
  for (const suite of suites) {
    for (const pair of suite.pairs) {
      for (const side of ["wrong", "right"]) {
        const { expected, line } = pair;
        const row = newRow({
          file: suite.name,
          kernel: `${pair.name}_${side}`,
          side,
          tool: suite.tool,
          expected,
          line,
        });
        kernels.push(row);
        if (!built.has(suite.name)) {
          row.status = "does not compile";
          continue;
        }
        tasks.push(async () => {
          if (isLate()) return;
          const outcome = await underTool(suite, suite.tool, [row.kernel]);
          Object.assign(row, judged(outcome, suite.name, side, line));
        });
      }
    }
    // The right kernels under the other tools: one process for all of them, since none should end it.
    for (const tool of TOOLS.filter((other) => other !== suite.tool)) {
      const kernel = "all right ones";
      const row = newRow({ file: suite.name, kernel, side: "right", tool, expected: "", line: 0 });
      kernels.push(row);
      if (!built.has(suite.name)) {
        row.status = "does not compile";
        continue;
      }
      tasks.push(async () => {
        if (isLate()) return;
        const { output, seconds } = await underTool(
          suite,
          tool,
          suite.pairs.map(({ name }) => `${name}_right`),
        );
        const { errors, told, launched } = parseOutput(output, suite.name);
        Object.assign(row, {
          errors,
          told,
          seconds: Number(seconds.toFixed(2)),
          status: errors === null ? "fails" : verdictOf("right", errors > 0),
          launched: launched.length,
        });
      });
    }
  }
  await inParallel(tasks, jobs);
  const version = (await start(sanitizer, ["--version"], 20_000)).output.match(/version\s+([\d.]+)/i)?.[1] ?? "unknown";
  return { sanitizer: version, seconds: Number(((performance.now() - began) / 1000).toFixed(1)), kernels };
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      out: { type: "string", default: "sanitizer.json" },
      jobs: { type: "string" },
      limit: { type: "string", default: "450" },
      timeout: { type: "string", default: "30" },
      only: { type: "string", default: "" },
      pairs: { type: "string" },
    },
  });
  const wanted = values.pairs?.split(",");
  const suites = (await readSuites())
    .filter(({ name }) => name.includes(values.only))
    .map((suite) => ({
      ...suite,
      pairs: suite.pairs.filter(
        ({ name }) => wanted === undefined || wanted.includes(`${suite.name.replace(".cu", "")}:${name}`),
      ),
    }))
    .filter(({ pairs }) => pairs.length > 0);
  const results = await runSanitizer({
    suites,
    ...(values.jobs === undefined ? {} : { jobs: Number(values.jobs) }),
    limitS: Number(values.limit),
    timeoutS: Number(values.timeout),
    log: console.log,
  });
  writeFileSync(values.out, `${JSON.stringify(results, null, 1)}\n`);
  const { tableOf } = await import("./sanitizer-table.mjs");
  console.log(tableOf(results, null));
  const failed = results.kernels.filter(({ status }) => ["fails", "not run", "does not compile"].includes(status));
  console.log(
    `${results.kernels.length} rows in ${results.seconds} s, compute-sanitizer ${results.sanitizer}; ` +
      `${failed.length} could not be judged; ${values.out}`,
  );
}
