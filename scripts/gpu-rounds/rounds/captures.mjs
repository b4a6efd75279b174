// What the calls of NVIDIA's libraries do while a stream is captured, call by call and mode by mode: in nvcc's program,
// in Heddle's on the GPU, and on the emulated device. A line that differs is a problem, unless REASONS has a reason.
const SOURCE = "src/cli/test-programs/library-captures-statuses.cu";
const HEADERS = ["", "-blas", "-dnn", "-fft", "-nccl", "-rand", "-solver", "-sparse"];
const RESULT = "docs/lab/library-captures-h200.json";
const LIBRARIES = ["cublas", "cublasLt", "cudnn", "cufft", "curand", "cusparse", "cusolver", "nccl"];
const FLAGS = "-lcublas -lcublasLt -lcudnn -lcufft -lcurand -lcusparse -lcusolver -lnccl";
const WAYS = ["nvcc", "gpu", "emulated"];
/** How often a library is called again, behind a call that has ended the process. */
const TRIES = 12;

/** Why a call may differ from nvcc's program: [call, ways, reason]. */
const NUMBERS = "Heddle's generators make their numbers on the host: a graph cannot have them";
const KEPT = "NVIDIA's library still had the error of the call before";
const COUNT = "Heddle's library waits for a count of elements that its next step needs";
export const REASONS = [
  ["curand Generate", ["gpu", "emulated"], NUMBERS],
  ["curand ", ["gpu", "emulated"], KEPT],
  ["cufft Plan1d, of a prime length", ["gpu", "emulated"], "NVIDIA's library has other statuses in each mode"],
  ["cusolver Sgetrf, on the default stream", ["gpu", "emulated"], "NVIDIA's library drops the error of its kernel"],
  ["cusparse SpMV_preprocess", ["emulated"], "Heddle's products need no preparation"],
  ["cusparse DenseToSparse_analysis", ["emulated"], COUNT],
  ["cusparse SpGEMM", ["emulated"], COUNT],
];

/**
 * A command for all libraries. A call that ends the process has a line, too.
 * @param run runs the program with the arguments that follow
 */
function allLibraries(run) {
  const tries = Array.from({ length: TRIES }, (_, i) => i + 1).join(" ");
  return [
    `for library in ${LIBRARIES.join(" ")}; do lines="$RESULT/$library.txt"; : >"$lines"; for try in ${tries}; do`,
    `${run} $library "$(grep -c "^$library " "$lines")" >>"$lines" 2>>"$RESULT/$library.err"; code=$?;`,
    "[ $code = 0 ] && break;",
    'echo "ended with $code" >>"$lines"; done; done;',
    `cat "$RESULT"/*.txt | grep -c ", capture "; ! grep -L "^DONE$" "$RESULT"/*.txt | grep .`,
  ].join(" ");
}

export const MODES = ["global", "thread-local", "relaxed", "global, blocking stream"];

/** What the calls did: by "library call mode". */
export function outcomesOf(text) {
  const outcomes = new Map();
  for (const line of text.split("\n")) {
    const [, call, outcome] =
      /^(\S+ .+? (?:global, blocking stream|global|thread-local|relaxed)): ?(.*)$/.exec(line) ?? [];
    if (call !== undefined) outcomes.set(call, outcome);
  }
  return outcomes;
}

/** Outcomes by library and call: one for each of MODES, or a single one if all are equal. */
export function byCall(outcomes) {
  const libraries = {};
  for (const [key, outcome] of outcomes) {
    const [, library, call, mode] = /^(\S+) (.+) (global, blocking stream|global|thread-local|relaxed)$/.exec(key);
    const calls = (libraries[library] ??= {});
    (calls[call] ??= MODES.map(() => "no line"))[MODES.indexOf(mode)] = outcome;
  }
  for (const calls of Object.values(libraries))
    for (const [call, list] of Object.entries(calls)) if (new Set(list).size === 1) calls[call] = list[0];
  return libraries;
}

/**
 * What differs from nvcc's program.
 * @param all outcomes by way
 * @returns rows with the reason, or null, of each way that differs
 */
export function differences(all, reasons = REASONS) {
  const rows = [];
  for (const [call, nvcc] of all.nvcc) {
    const row = { call, nvcc };
    for (const way of ["gpu", "emulated"]) {
      const outcome = all[way].get(call) ?? "no line";
      if (outcome === nvcc) continue;
      // What the call does there is not known: the library still had the error of the call before.
      if (nvcc.startsWith("not prepared")) continue;
      row[way] = outcome;
      const reason = reasons.find(([prefix, ways]) => call.startsWith(prefix) && ways.includes(way));
      (row.reasons ??= {})[way] = reason?.[2] ?? null;
    }
    if (row.reasons !== undefined) rows.push(row);
  }
  return rows;
}

export default {
  row: "calls of libraries while a stream is captured: statuses, captures and graphs as in nvcc's program",
  minutes: 2.5,
  jobs: 3,
  async prepare(p) {
    const sources = [SOURCE, ...HEADERS.map((part) => `src/cli/test-programs/capture-cases${part}.h`)];
    const uses = ["programs/captures", ...sources.map((path) => `sources/${p.source(path)}`)];
    await p.program("captures", SOURCE, FLAGS.split(" "));
    const native = `native captures library-captures-statuses.cu ${FLAGS}`;
    p.step("nvcc", `${native} && { ${allLibraries('"$BUILT/captures"')}; }`, { seconds: 300, uses });
    // A call that waits for ever takes the rest of its library with it, and no other one.
    const limited = `timeout -k 5 100 bash -c 'program captures "$0" "$1"'`;
    p.step("gpu", allLibraries(limited), { seconds: 400, uses });
    const options = 'DEVICE=emulated; PROGRAM_OPTIONS="--gpu h200";';
    p.step("emulated", `${options} ${allLibraries("program captures")}`, { seconds: 300, needs: "any", uses });
  },

  take({ steps, save }) {
    const wrong = [];
    const all = {};
    for (const way of WAYS) {
      const read = (library) => steps.get(way)?.file(`${library}.txt`)?.toString() ?? "";
      all[way] = outcomesOf(LIBRARIES.map(read).join("\n"));
      for (const library of LIBRARIES)
        if (steps.has(way) && !/^DONE$/m.test(read(library))) wrong.push(`${way}: ${library} did not come to its end`);
      for (const [call, outcome] of all[way])
        if (way === "emulated" && outcome.startsWith("not prepared")) wrong.push(`${way}: ${call}: ${outcome}`);
    }
    if (all.nvcc.size === 0) return { wrong: [...wrong, "NVIDIA's libraries were not called: it needs a GPU"] };
    const rows = differences(all);
    for (const row of rows)
      for (const [way, reason] of Object.entries(row.reasons)) {
        const text = `${way}: ${row.call}: ${row[way]}; nvcc's program: ${row.nvcc}`;
        if (reason === null) wrong.push(text);
        else console.log(`${text} (${reason})`);
      }
    const result = { machine: steps.get("nvcc").machine, calls: byCall(all.nvcc), differ: rows };
    save(RESULT, `${JSON.stringify(result, null, 1)}\n`);
    return { wrong };
  },
};
