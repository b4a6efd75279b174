/**
 * What a profile says should change: places where a kernel makes the GPU do more than it must, with the cure. The order
 * is by how much of the kernel's work of that kind would go away.
 */
import type { AccessProfile, LineProfile } from "./launch-profile.ts";
import type { ProfiledLaunch } from "./profile-report.ts";
import { SECTOR_BYTES } from "../machine/warp-counts.ts";

export interface Hint {
  readonly kind:
    | "uncoalesced"
    | "bank-conflicts"
    | "divergence"
    | "double-precision"
    | "small-grid"
    | "small-blocks"
    | "occupancy";
  /** null: it is about the whole launch. */
  readonly place: { readonly file: string; readonly line: number } | null;
  /** What happens, with figures. */
  readonly what: string;
  /** What to do. */
  readonly cure: string;
  /** The part of the kernel's work of this kind that is not needed, from 0 to 1. */
  readonly waste: number;
}

/** Less waste than this is not worth a line. */
const LEAST_WASTE = 0.1;
/** A warp's requests may need up to this much more than the ideal without a hint. */
const TOLERATED = 1.25;

export function hintsFor(launch: ProfiledLaunch, multiprocessors: number): Hint[] {
  return [
    ...accessHints(launch, "global", uncoalesced),
    ...accessHints(launch, "shared", bankConflicts),
    ...divergenceHints(launch),
    ...doubleHints(launch),
    ...launchHints(launch, multiprocessors),
  ].sort((a, b) => b.waste - a.waste);
}

type Describe = (access: AccessProfile, line: LineProfile, waste: number) => Hint;

/** One hint for each line whose accesses to the space need far more than the ideal. */
function accessHints(launch: ProfiledLaunch, space: AccessProfile["space"], describe: Describe): Hint[] {
  const all = launch.lines.flatMap((line) =>
    line.accesses.filter((access) => access.space === space).map((access) => ({ line, access })),
  );
  const total = all.reduce((sum, { access }) => sum + access.transactions, 0);
  const worst = new Map<LineProfile, { readonly access: AccessProfile; readonly waste: number }>();
  for (const { line, access } of all) {
    const { transactions, ideal } = access;
    const waste = (transactions - ideal) / Math.max(1, total);
    if (transactions <= ideal * TOLERATED || waste < LEAST_WASTE) continue;
    if ((worst.get(line)?.waste ?? 0) < waste) worst.set(line, { access, waste });
  }
  return [...worst].map(([line, { access, waste }]) => describe(access, line, waste));
}

const VERBS: Readonly<Record<AccessProfile["operation"], string>> = {
  load: "loads",
  store: "stores",
  atomic: "atomics",
  reduction: "reductions",
};

function uncoalesced(access: AccessProfile, { file, line }: LineProfile, waste: number): Hint {
  const { operation, bytes, transactions, requests, ideal, threads } = access;
  const used = Math.round((100 * threads * bytes) / (transactions * SECTOR_BYTES));
  return {
    kind: "uncoalesced",
    place: { file, line },
    what:
      `${VERBS[operation]} of ${bytes} bytes touch ${ratio(transactions, requests)} sectors a request, ` +
      `ideally ${ratio(ideal, requests)}; ${used} % of the bytes moved are used`,
    cure: "let threadIdx.x be the fastest index of an address, or go through a tile in shared memory",
    waste,
  };
}

function bankConflicts(access: AccessProfile, { file, line }: LineProfile, waste: number): Hint {
  const { operation, transactions, requests, ideal } = access;
  return {
    kind: "bank-conflicts",
    place: { file, line },
    what:
      `${VERBS[operation]} of shared memory take ${ratio(transactions, requests)} wavefronts a request, ` +
      `ideally ${ratio(ideal, requests)}: lanes ask one bank for different words`,
    cure: "pad each row by one element ([32][33]), or swizzle the column with the row",
    waste,
  };
}

function ratio(a: number, b: number): string {
  const value = a / Math.max(1, b);
  return value.toFixed(value < 10 ? 1 : 0);
}

const DIVERGENT = "smsp__sass_branch_targets_threads_divergent.sum";

/** Functions in which few threads of a warp are active: one hint, at the branch that diverges most often. */
function divergenceHints({ lines, metrics }: ProfiledLaunch): Hint[] {
  const all = metrics["smsp__inst_executed.sum"] ?? 0;
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
        place: { file: branch.file, line: branch.line },
        what:
          `threads of a warp take different ways here: at line ${worst.line} ` +
          `${(threads / warps).toFixed(1)} of 32 are active on average`,
        cure: "let whole warps take the same branch: decide by threadIdx.x / 32, or sort the work",
        waste: idle,
      },
    ];
  });
}

function divergentAt({ metrics }: LineProfile): number {
  return metrics[DIVERGENT] ?? 0;
}

function executedAt({ metrics }: LineProfile): { readonly warps: number; readonly threads: number } {
  return {
    warps: metrics["smsp__inst_executed.sum"] ?? 0,
    threads: metrics["smsp__thread_inst_executed.sum"] ?? 0,
  };
}

/** Double precision beside single precision is often a literal without its f. */
function doubleHints({ lines, metrics }: ProfiledLaunch): Hint[] {
  const single = threadsOf(metrics, ["fadd", "fmul", "ffma"]);
  const double = threadsOf(metrics, ["dadd", "dmul", "dfma"]);
  if (single === 0 || double === 0) return [];
  return lines.flatMap(({ file, line, metrics: own }) => {
    const here = threadsOf(own, ["dadd", "dmul", "dfma"]);
    const conversions = threadsOf(own, ["conversion"]);
    const waste = here / (single + double);
    if (here === 0 || conversions === 0 || waste < LEAST_WASTE / 10) return [];
    return [
      {
        kind: "double-precision" as const,
        place: { file, line },
        what: "values are converted to double precision and back, which most GPUs compute at a fraction of the speed",
        cure: "write 1.0f for 1.0, and expf, sqrtf … for exp, sqrt",
        waste,
      },
    ];
  });
}

function threadsOf(metrics: LineProfile["metrics"], operations: readonly string[]): number {
  return operations.reduce(
    (sum, operation) => sum + (metrics[`smsp__sass_thread_inst_executed_op_${operation}_pred_on.sum`] ?? 0),
    0,
  );
}

function launchHints({ facts, block, metrics }: ProfiledLaunch, multiprocessors: number): Hint[] {
  const hints: Hint[] = [];
  const blocks = metrics["launch__grid_size"] ?? 0;
  const threads = block.x * block.y * block.z;
  if (blocks < multiprocessors)
    hints.push({
      kind: "small-grid",
      place: null,
      what: `the grid has ${blocks} ${blocks === 1 ? "block" : "blocks"}, the GPU ${multiprocessors} multiprocessors`,
      cure: "split the work into more blocks",
      waste: 1 - blocks / multiprocessors,
    });
  if (threads % 32 !== 0)
    hints.push({
      kind: "small-blocks",
      place: null,
      what: `a block has ${threads} threads: its last warp runs with ${threads % 32} of 32`,
      cure: "choose a multiple of 32 threads",
      waste: 1 - threads / (32 * Math.ceil(threads / 32)),
    });
  if (facts.occupancy.part < 0.25 && blocks >= multiprocessors)
    hints.push({
      kind: "occupancy",
      place: null,
      what:
        `a multiprocessor holds ${facts.occupancy.warps} warps, ${Math.round(100 * facts.occupancy.part)} % of ` +
        `what it could: ${facts.occupancy.limit} limit them`,
      cure: "take less of this resource in a block, unless each thread keeps many independent operations under way",
      waste: LEAST_WASTE,
    });
  return hints;
}
