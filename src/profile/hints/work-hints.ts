/** Hints about what threads execute: atomics, divergence, double precision, barriers, matrix products by hand. */
import { dim3Volume } from "../../base/dim3.ts";
import type { LineProfile } from "../line-profile.ts";
import type { AtomicsLoad } from "./gain.ts";
import {
  LEAST_GAIN,
  LEAST_WASTE,
  accessesIn,
  placeOf,
  ratio,
  threadMetric,
  threadsOf,
  type Finding,
  type HintInput,
} from "./hint.ts";
import { SECTOR_BYTES } from "../../machine/warp-counts.ts";

/** Words of a sector, sectors of a line. */
const SECTOR_WORDS = 8;
const LINE_SECTORS = 4;
/**
 * Cycles of L2 for a sector of an atomic request, and for one more lane at the same word: a sum, a norm and a histogram
 * on an H200.
 */
const SECTOR_CYCLES = 4;
const SAME_WORD_CYCLES = 3.5;

/** How much the atomics of a launch get in each other's way. */
export function atomicsLoad({ launch }: Pick<HintInput, "launch">): AtomicsLoad {
  const atomics = accessesIn(launch, ({ operation }) => operation === "atomic" || operation === "reduction");
  let [threads, sharedWaiting, cycles] = [0, 0, 0];
  for (const { access } of atomics) {
    const { space, threads: lanes, distinct, transactions } = access;
    if (space === "shared") sharedWaiting += lanes - distinct;
    else {
      threads += lanes;
      cycles += SECTOR_CYCLES * transactions + SAME_WORD_CYCLES * (lanes - distinct);
    }
  }
  // Different ones of all requests together: what each request has of a sector, in all sectors that atomics touch.
  const own = launch.touched.atomicBytes / SECTOR_BYTES;
  const words = Math.min(own * SECTOR_WORDS, Math.max(1, mostDistinct(atomics.map(({ access }) => access)) * own));
  // Sectors of a table lie side by side.
  const lines = Math.max(1, own / LINE_SECTORS);
  return { onWord: threads / Math.max(1, words), cyclesInTurn: cycles / lines, sharedWaiting };
}

/** Different words that a request has in a sector, on average; of the access with the most threads. */
function mostDistinct(
  accesses: readonly { readonly threads: number; readonly distinct: number; readonly transactions: number }[],
): number {
  const most = accesses.reduce((a, b) => (b.threads > a.threads ? b : a), accesses[0] ?? null!);
  return accesses.length === 0 ? 1 : most.distinct / Math.max(1, most.transactions);
}

/** Atomics on an address that few others have, too, are no reason for a hint. */
const LEAST_IN_TURN = 64;

export function atomicsHints(input: HintInput): Finding[] {
  const { launch, model } = input;
  const load = atomicsLoad(input);
  const atomics = accessesIn(launch, ({ operation }) => operation === "atomic" || operation === "reduction");
  return (["global", "shared"] as const).flatMap((space): Finding[] => {
    const own = atomics
      .filter(({ access }) => access.space === space)
      .sort((a, b) => b.access.threads - a.access.threads);
    const worst = own[0];
    if (worst === undefined) return [];
    const { access, line } = worst;
    const { threads, distinct, requests } = access;
    const together = threads / Math.max(1, distinct);
    const gain = model.gain({
      atomics:
        space === "global" ? { cyclesInTurn: load.cyclesInTurn / dim3Volume(launch.block) } : { sharedWaiting: 0 },
    });
    if (gain < LEAST_GAIN || (space === "global" && load.onWord < LEAST_IN_TURN)) return [];
    const where = space === "global" ? "" : " of shared memory";
    return [
      {
        kind: "atomics",
        place: placeOf(line),
        what:
          together >= 1.5
            ? `${ratio(threads, requests)} lanes of a request change ${ratio(distinct, requests)} words${where}: ` +
              "atomics on one word take turns"
            : `about ${Math.round(load.onWord)} atomics change the same word${where}, one after the other`,
        cure:
          space === "global"
            ? "add up in the warp (__shfl_down_sync, __reduce_add_sync) and in the block first, or count in shared " +
              "memory; then one atomic a block"
            : "give each warp or each group of lanes its own copy, and add the copies at the end; or add up in the " +
              "warp first",
        waste: 1 - 1 / gain,
        gain,
      },
    ];
  });
}

const DIVERGENT = "smsp__sass_branch_targets_threads_divergent.sum";
const EXECUTED = "smsp__inst_executed.sum";

/** Functions in which few threads of a warp are active: one hint, at the branch that diverges most often. */
export function divergenceHints({ launch, metrics, model }: HintInput): Finding[] {
  const { lines } = launch;
  const all = metrics[EXECUTED] ?? 0;
  if ((metrics[DIVERGENT] ?? 0) === 0) return [];
  const functions = new Map<string | null, { worst: LineProfile; most: number; idle: number }>();
  for (const line of lines) {
    const { warps, threads } = executedAt(line);
    const idle = (warps - threads / 32) / Math.max(1, all);
    const known = functions.get(line.function);
    if (known === undefined) functions.set(line.function, { worst: line, most: idle, idle });
    else {
      known.idle += idle;
      if (idle > known.most) Object.assign(known, { worst: line, most: idle });
    }
  }
  return [...functions].flatMap(([name, { worst, idle }]) => {
    if (idle < LEAST_WASTE) return [];
    const { warps, threads } = executedAt(worst);
    const branches = lines.filter((line) => line.function === name && divergentAt(line) > 0);
    const branch = branches.reduce((a, b) => (divergentAt(b) > divergentAt(a) ? b : a), branches[0] ?? worst);
    return [
      {
        kind: "divergence" as const,
        place: placeOf(branch),
        what:
          `threads of a warp take different ways here: at line ${worst.line} ` +
          `${(threads / warps).toFixed(1)} of 32 are active on average`,
        cure: "let whole warps take the same branch: decide by threadIdx.x / 32, or sort the work",
        waste: idle,
        gain: model.gain({
          metrics: { [EXECUTED]: all * (1 - idle) },
          waits: { cycles: launch.waits.cycles * (1 - idle) },
        }),
      },
    ];
  });
}

function divergentAt({ metrics }: LineProfile): number {
  return metrics[DIVERGENT] ?? 0;
}

function executedAt({ metrics }: LineProfile): { readonly warps: number; readonly threads: number } {
  return { warps: metrics[EXECUTED] ?? 0, threads: metrics["smsp__thread_inst_executed.sum"] ?? 0 };
}

const SINGLE = ["fadd", "fmul", "ffma"] as const;
const DOUBLE = ["dadd", "dmul", "dfma"] as const;

/** Double precision beside single precision is often a literal without its f. */
export function doubleHints({ launch: { lines }, metrics, model }: HintInput): Finding[] {
  const single = threadsOf(metrics, SINGLE);
  const double = threadsOf(metrics, DOUBLE);
  if (double === 0 || threadsOf(metrics, ["conversion"]) === 0) return [];
  return lines.flatMap(({ file, line, metrics: own }) => {
    const here = threadsOf(own, DOUBLE);
    const conversions = threadsOf(own, ["conversion"]);
    const waste = here / (single + double);
    if (here === 0 || conversions === 0 || waste < LEAST_WASTE / 10) return [];
    const changed = Object.fromEntries(
      DOUBLE.flatMap((name, n) => {
        const threads = own[threadMetric(name)] ?? 0;
        const as = threadMetric(SINGLE[n] as string);
        return [
          [threadMetric(name), (metrics[threadMetric(name)] ?? 0) - threads],
          [as, (metrics[as] ?? 0) + threads],
        ];
      }),
    );
    return [
      {
        kind: "double-precision" as const,
        place: { file, line },
        what: "values are converted to double precision and back, which most GPUs compute at a fraction of the speed",
        cure: "write 1.0f for 1.0, and expf, sqrtf … for exp, sqrt",
        waste,
        gain: model.gain({ metrics: changed }),
      },
    ];
  });
}

/** Multiply-adds of numbers of two bytes by hand, where tensor cores would do. */
export function tensorHints({ launch, metrics, model }: HintInput): Finding[] {
  const fma = threadsOf(metrics, ["ffma", "hfma"]);
  const ofHalves = accessesIn(launch, ({ operation, bytes }) => operation === "load" && bytes === 2);
  const loads = ofHalves.reduce((sum, { access }) => sum + access.threads, 0);
  // Loaded one by one, or several at once and then made floats of.
  const halves = loads > 0 ? ofHalves : accessesIn(launch, ({ operation }) => operation === "load");
  const used = Math.max(loads, launch.widenedHalves);
  if ((metrics["smsp__inst_executed_pipe_tensor.sum"] ?? 0) > 0 || used < fma / 2 || fma === 0) return [];
  const read = (metrics["dram__bytes_read.sum"] ?? 0) / 2;
  // Only products of matrices use each number often enough.
  if (fma < TENSOR_REUSE * read) return [];
  const worst = halves.sort((a, b) => b.access.threads - a.access.threads)[0];
  const gain = model.gain({
    metrics: Object.fromEntries(["ffma", "hfma"].map((name) => [threadMetric(name), 0])),
  });
  return worst === undefined
    ? []
    : [
        {
          kind: "tensor-cores",
          place: placeOf(worst.line),
          what: `products of numbers of two bytes are computed one by one, ${ratio(fma, read)} for each number read`,
          cure: "use tensor cores: nvcuda::wmma, mma.sync, or a library (cuBLAS, CUTLASS)",
          waste: 1,
          gain: Math.max(gain, TENSOR_GAIN),
        },
      ];
}

const TENSOR_REUSE = 32;
/** Tensor cores against multiply-adds, with what stays around them. */
const TENSOR_GAIN = 8;

/** Barriers with nothing to wait for: see count-instrumenter.ts. */
export function barrierHints({ launch, metrics, model }: HintInput): Finding[] {
  const name = "smsp__inst_executed_op_barrier.sum";
  const all = metrics[name] ?? 0;
  return launch.lines.flatMap((line): Finding[] => {
    const own = launch.needlessBarriers.filter((barrier) => barrier.file === line.file && barrier.line === line.line);
    const warps = own.reduce((sum, barrier) => sum + barrier.warps, 0);
    // Of the copies of a loop's body only the last may be needless: then the line is needed.
    if (warps === 0 || warps < (line.metrics[name] ?? 0)) return [];
    return [
      {
        kind: "needless-barrier",
        place: placeOf(line),
        what: "no thread accesses memory between this barrier and the one before it, or the end of the kernel",
        cure: "remove this barrier",
        waste: warps / Math.max(1, all),
        gain: Math.max(LEAST_BARRIER_GAIN, model.gain({ metrics: { [EXECUTED]: (metrics[EXECUTED] ?? 0) - warps } })),
      },
    ];
  });
}

const LEAST_BARRIER_GAIN = 1.01;

/** Less of all instructions does not limit. */
const LEAST_DIVISIONS = 0.15;

/** Divisions of integers, for which a GPU has no instruction. */
export function divisionHints({ launch, metrics, model }: HintInput): Finding[] {
  const instructions = launch.divisions.reduce((sum, line) => sum + line.instructions, 0);
  const executed = metrics[EXECUTED] ?? 0;
  const worst = launch.divisions.reduce(
    (most, line) => (line.instructions > most.instructions ? line : most),
    launch.divisions[0] ?? { file: "", line: 0, instructions: 0 },
  );
  if (instructions < LEAST_DIVISIONS * executed) return [];
  const gain = model.gain({
    metrics: {
      [EXECUTED]: executed - instructions,
      [threadMetric("integer")]: (metrics[threadMetric("integer")] ?? 0) - 32 * instructions,
    },
    waits: { cycles: Math.max(0, launch.waits.cycles - DIVISION_CYCLES * instructions) },
  });
  if (gain < LEAST_GAIN) return [];
  return [
    {
      kind: "divisions",
      place: { file: worst.file, line: worst.line },
      what:
        `${Math.round((100 * instructions) / executed)} % of the instructions divide integers: a GPU has no ` +
        "instruction for that, and takes 18 to 30 in its place",
      cure:
        "let blockIdx and threadIdx have a dimension for each index, divide by a constant or a power of 2, or divide " +
        "once for several elements of a thread",
      waste: instructions / executed,
      gain,
    },
  ];
}

/** The instructions of a division need one another. */
const DIVISION_CYCLES = 4;

/** Warps load into shared memory and wait, and compute only then. */
export function copyWaitHints({ launch, metrics, model }: HintInput): Finding[] {
  const warps = metrics["smsp__warps_launched.sum"] ?? 0;
  const gain = model.gain({ ahead: true });
  const fills = accessesIn(
    launch,
    ({ space, operation }) => space === "shared" && (operation === "store" || operation === "copy"),
  );
  const worst = fills.sort((a, b) => b.access.requests - a.access.requests)[0];
  if (gain < LEAST_COPY_GAIN || worst === undefined) return [];
  return [
    {
      kind: "copy-waits",
      place: placeOf(worst.line),
      what:
        `warps wait ${ratio(launch.waits.loads, warps)} times for data on its way to shared memory, and too few ` +
        "others are there to compute meanwhile",
      cure:
        "ask for the next tile before you compute with this one: asynchronous copies (cp.async, " +
        "__pipeline_memcpy_async) into a second buffer, or loads into registers that are stored after the computation",
      waste: 1 - 1 / gain,
      gain,
    },
  ];
}

/** Less may come from the model alone. */
const LEAST_COPY_GAIN = 1.12;
