/**
 * The accesses of a kernel, each with the objects that it may touch and the barriers from which a thread reaches it.
 *
 * Objects: variables, what a parameter points to, and everything else together. In a speculative copy of a kernel,
 * parameters point into different allocations; in the original, they and the variables that the host can name are one
 * object.
 */
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";
import type { Uniformity } from "../../analysis/divergence/block-uniformity.ts";
import { successors } from "../../ir/graph/cfg.ts";
import type { IrBlock, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { SHARED_SPACE, isDynamicShared } from "../../ir/model/layout.ts";
import { isPrivate, launchConstant, raceAccessesOf, type RaceAccess } from "./race-accesses.ts";
import { synchronizationOf } from "./synchronization.ts";

/** What is not known to be an object of its own. */
const ANYTHING = "anything";
/** What the host can name, where pointers may be equal. */
const MEMORY = "memory";
/** What names of shared objects begin with. */
const SHARED = "shared ";

/** One access of a kernel or of a function that kernels call. */
export interface FoundAccess {
  readonly i: IrInstruction;
  readonly index: number;
  readonly access: RaceAccess;
  /** null: any kernel's. */
  readonly kernel: IrFunction | null;
  /** Names of the objects that it may access; ANYTHING among them: any object. */
  readonly objects: ReadonlySet<string>;
  /** The barriers from which it is reached without another, the kernel's start among them; null: at any time. */
  readonly from: ReadonlySet<number> | null;
  /** What it writes, the same in all of the launch; null: not known. */
  readonly constant: IrValue | null;
}

/** @param apart parameters point into different allocations. */
export function accessesIn(fn: IrFunction, uniformity: Uniformity, apart: boolean): FoundAccess[] {
  const reach = fn.isKernel ? reachOf(fn, uniformity) : null;
  return fn.blocks.flatMap(({ instructions }) =>
    instructions.flatMap((i) =>
      raceAccessesOf(i).flatMap((access, index): FoundAccess[] =>
        isPrivate(access.pointer)
          ? []
          : [
              {
                i,
                index,
                access,
                kernel: fn.isKernel ? fn : null,
                objects: objectsOf(access.pointer, apart),
                from: reach?.get(i) ?? null,
                constant: launchConstant(access),
              },
            ],
      ),
    ),
  );
}

function objectsOf(pointer: IrValue, apart: boolean): ReadonlySet<string> {
  return new Set([...originsOf(pointer)].map((origin) => objectOf(origin, apart)));
}

function objectOf(origin: IrValue, apart: boolean): string {
  if (origin.kind === "global" && origin.type.addressSpace === SHARED_SPACE) {
    // All arrays of dynamic size begin in the same place.
    return isDynamicShared(origin) ? `${SHARED}of the launch` : SHARED + origin.name;
  }
  if (origin.kind === "global") return apart ? `variable ${origin.name}` : MEMORY;
  if (origin.kind === "param" && origin.function.isKernel) return apart ? `parameter ${origin.index}` : MEMORY;
  return ANYTHING;
}

/** Whether an access is of shared memory alone. */
export function isShared({ access: { pointer }, objects }: Pick<FoundAccess, "access" | "objects">): boolean {
  return (
    (pointer.type.kind === "ptr" && pointer.type.addressSpace === SHARED_SPACE) ||
    [...objects].every((object) => object.startsWith(SHARED))
  );
}

/** Whether it may be of another block's shared memory: then its pointer is of no variable that is known. */
export function mayBeOfOtherBlock({ objects }: Pick<FoundAccess, "objects">): boolean {
  return ![...objects].every((object) => object.startsWith(SHARED));
}

/** Whether two accesses may touch one object. */
export function mayShareObject(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.has(ANYTHING) || b.has(ANYTHING) || [...a].some((object) => b.has(object));
}

/** For each access, the barriers from which a thread gets there with no other in between. */
function reachOf(fn: IrFunction, uniformity: Uniformity): Map<IrInstruction, Set<number>> {
  const reached = new Map<IrInstruction, Set<number>>();
  const separates = (i: IrInstruction): boolean => {
    const kind = synchronizationOf(i);
    return (kind === "block" || kind === "grid" || kind === "cluster") && uniformity.isReachedByAll(i);
  };
  const walk = (start: IrBlock, index: number, barrier: number): void => {
    const seen = new Set<IrBlock>();
    const work: [IrBlock, number][] = [[start, index]];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      const [block, first] = at;
      const stop = block.instructions.findIndex((i, place) => place >= first && separates(i));
      for (const i of block.instructions.slice(first, stop < 0 ? undefined : stop)) {
        const known = reached.get(i);
        if (known === undefined) reached.set(i, new Set([barrier]));
        else known.add(barrier);
      }
      if (stop >= 0) continue;
      for (const next of successors(block)) {
        if (seen.has(next)) continue;
        seen.add(next);
        work.push([next, 0]);
      }
    }
  };
  let count = 0;
  walk(fn.blocks[0] as IrBlock, 0, count);
  for (const block of fn.blocks)
    block.instructions.forEach((i, index) => {
      if (separates(i)) walk(block, index + 1, ++count);
    });
  return reached;
}
