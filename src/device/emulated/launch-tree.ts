/**
 * A launch with all that its grid launches, and what those launch, in an order that CUDA allows: children when their
 * parent has ended, or when it waits for them; a child's own before the next child; work of the tail stream last.
 *
 * A tree is a generator: it yields each launch and is given its result, so that the same code serves a caller that
 * blocks and one that does not.
 */
import type { DeviceFault } from "../../machine/faults.ts";
import type { ChildLaunch, LaunchConfig, LaunchOutcome } from "../../machine/launch.ts";
import type { Level, QueuedTransfer, QueuedWork } from "./child-grids.ts";
import type { EmulatedKernel } from "./emulated-module.ts";
import type { GridLaunch, GridResult } from "./grid-runner.ts";
import type { PendingLaunch } from "./launch-checks.ts";

export interface LaunchSteps {
  /** null: there is nothing to run, the result is there. */
  prepare(kernel: EmulatedKernel, config: LaunchConfig, params: Uint8Array, depth: number): PendingLaunch | null;
  finish(pending: PendingLaunch, result: GridResult): LaunchOutcome;
  /** A launch waits for others inside of it; it goes on. */
  suspend(pending: PendingLaunch): void;
  resume(pending: PendingLaunch): void;
  transfer(work: QueuedTransfer): void;
  runBlocking(launch: GridLaunch): GridResult;
}

export type LaunchTree = Generator<GridLaunch, LaunchOutcome, GridResult>;

const REUSED: LaunchOutcome = { fault: null, output: "", reused: true, elapsedMs: 0 };

/** @param depth 0: the host launches it. */
export function* launchTree(
  steps: LaunchSteps,
  kernel: EmulatedKernel,
  config: LaunchConfig,
  params: Uint8Array,
  depth = 0,
): LaunchTree {
  const pending = steps.prepare(kernel, config, params, depth);
  if (pending === null) return REUSED;
  const { level } = pending;
  if (level === null) return steps.finish(pending, yield pending.grid);
  const run: TreeRun = { steps, level, parent: kernel.name, output: [], children: [] };
  try {
    const waits = (): GridResult => {
      const from = run.output.length;
      steps.suspend(pending);
      level.childFault = toTheEnd(workOf(run, level.take()), (inner) => steps.runBlocking(inner));
      steps.resume(pending);
      return { fault: level.childFault, output: run.output.splice(from).join("") };
    };
    const grid = kernel.waitsForGrids ? { ...pending.grid, runChildGrids: waits } : pending.grid;
    const own = steps.finish(pending, yield grid);
    run.output.unshift(own.output);
    const fault = own.fault ?? (yield* workOf(run, level.take())) ?? (yield* tailsOf(run));
    return { ...own, fault, output: run.output.join(""), children: run.children };
  } finally {
    level.leave();
  }
}

interface TreeRun {
  readonly steps: LaunchSteps;
  readonly level: Level;
  /** The kernel whose work runs. */
  readonly parent: string;
  readonly output: string[];
  readonly children: ChildLaunch[];
}

/** @returns the fault that ended it early */
function* workOf(run: TreeRun, work: readonly QueuedWork[]): Generator<GridLaunch, DeviceFault | null, GridResult> {
  const { steps, level, parent } = run;
  for (const item of work) {
    if (item.kind !== "grid") {
      steps.transfer(item);
      continue;
    }
    const { kernel, config, params } = item;
    const outcome = yield* launchTree(steps, kernel, config, params, level.depth + 1);
    run.output.push(outcome.output);
    run.children.push({ kernel: kernel.name, config, outcome });
    if (outcome.fault !== null)
      return { ...outcome.fault, notes: [...(outcome.fault.notes ?? []), `launched by kernel ${parent}`] };
  }
  return null;
}

/** Work of the tail stream, of which each part begins when the one before has ended. */
function* tailsOf(run: TreeRun): Generator<GridLaunch, DeviceFault | null, GridResult> {
  const fault = yield* workOf(run, run.level.tails.splice(0));
  return fault;
}

/** Runs a tree on this thread. */
export function toTheEnd<R>(tree: Generator<GridLaunch, R, GridResult>, run: (launch: GridLaunch) => GridResult): R {
  try {
    for (let step = tree.next(); ;) {
      if (step.done === true) return step.value;
      step = tree.next(run(step.value));
    }
  } finally {
    tree.return(undefined as never);
  }
}

/** Runs a tree without blocking. */
export async function toTheEndLater<R>(
  tree: Generator<GridLaunch, R, GridResult>,
  run: (launch: GridLaunch) => Promise<GridResult>,
): Promise<R> {
  try {
    for (let step = tree.next(); ;) {
      if (step.done === true) return step.value;
      step = tree.next(await run(step.value));
    }
  } finally {
    tree.return(undefined as never);
  }
}
