/**
 * Kernels as they are launched most of the time: copies beside the originals, in which checkers do without what such a launch cannot do.
 *
 * In a likely launch each pointer parameter points into an allocation of its own, memory that the kernel only reads is initialised when it
 * begins, and the launch has the shape that the code counts on. Whether all that holds is looked at when a kernel is launched (checks.ts); where
 * it does not, the original runs, whose checks count on nothing.
 */
import type { Dim3 } from "../base/dim3.ts";
import { cloneFunction } from "../ir/clone.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrModule, IrValue } from "../ir/ir.ts";
import { SHARED_SPACE } from "../ir/layout.ts";
import { TOOL_PREFIX, type ObservedLaunch } from "../machine/observer.ts";
import { accessesOf } from "./accesses.ts";
import type { AllocationTable } from "./allocation-table.ts";
import { rootsOf } from "./pointer-bounds.ts";

export interface LikelyKernel {
  readonly original: IrFunction;
  readonly copy: IrFunction;
  /** The parameters that point to memory which the kernel accesses. */
  readonly pointers: readonly number[];
  /** Those of them through which it only reads, where nothing is written through pointers that come from elsewhere. */
  readonly readOnly: readonly number[];
  readonly shape: LaunchShape;
}

/** @returns by the copy: what is counted on. The copies are in the module. */
export function addLikelyKernels(module: IrModule, functions: readonly IrFunction[]): Map<IrFunction, LikelyKernel> {
  const made = new Map<IrFunction, LikelyKernel>();
  for (const original of functions) {
    if (!original.isKernel) continue;
    const copy = cloneFunction(original);
    copy.name = likelyName(original.name);
    const accessed = accessedObjects(calledFrom(copy));
    if (accessed.pointers.size === 0 && !accessed.shared) continue;
    module.functions.set(copy.name, copy);
    const pointers = [...accessed.pointers];
    made.set(copy, { original, copy, pointers, readOnly: accessed.writesElsewhere ? [] : pointers.filter((index) => !accessed.written.has(index)), shape: new LaunchShape() });
  }
  return made;
}

export function likelyName(kernel: string): string {
  return `${TOOL_PREFIX}likely_${kernel}`;
}

/** The addresses that a launch passes for these parameters. */
export function argumentsOf({ params, arguments: bytes }: ObservedLaunch, indices: readonly number[]): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return indices.map((index) => view.getUint32((params[index] as { offset: number }).offset, true));
}

/** Whether a launch's pointers point into different allocations of the program's, and its shape is the one counted on. */
export function isLikely(launch: ObservedLaunch, { pointers, shape }: LikelyKernel, allocations: AllocationTable): boolean {
  if (!shape.holds(launch.grid, launch.block)) return false;
  const starts = argumentsOf(launch, pointers).filter((address) => address !== 0).map((address) => allocations.startOf(address));
  return !starts.includes(null) && new Set(starts).size === starts.length;
}

/** The kernel, and the program's functions that it can call. */
export function calledFrom(kernel: IrFunction): IrFunction[] {
  const called = new Set<IrFunction>([kernel]);
  for (const fn of called) {
    for (const { instructions } of fn.blocks) for (const i of instructions) if (i.op === "call" && i.callee.kind === "function" && i.callee.blocks.length > 0) called.add(i.callee);
  }
  return [...called];
}

interface Accessed { readonly pointers: Set<number>; readonly written: Set<number>; writesElsewhere: boolean; shared: boolean }

function accessedObjects(functions: readonly IrFunction[]): Accessed {
  const accessed: Accessed = { pointers: new Set(), written: new Set(), writesElsewhere: false, shared: false };
  const note = (pointer: IrValue, writes: boolean): void => {
    for (const root of rootsOf(pointer)) {
      if (root.kind === "param" && root.function.isKernel && root.byval === null) {
        accessed.pointers.add(root.index);
        if (writes) accessed.written.add(root.index);
      } else if (root.kind === "global") accessed.shared ||= root.type.addressSpace === SHARED_SPACE;
      else if (writes && !(root.kind === "instruction" && root.op === "alloca")) accessed.writesElsewhere = true;
    }
  };
  for (const fn of functions) {
    for (const { instructions } of fn.blocks) {
      for (const i of instructions) {
        const accesses = accessesOf(i);
        for (const { pointer, kind } of accesses) note(pointer, kind !== "read");
        if (i.op === "call" && accesses.length === 0 && maySeePointers(i)) for (const arg of i.args) if (arg.type.kind === "ptr") note(arg, true);
      }
    }
  }
  return accessed;
}

/** Whether a call may write where a pointer that it is given points to. */
function maySeePointers({ callee }: CallInstruction & IrInstruction): boolean {
  return callee.kind !== "function" || !/^(?:llvm\.(?:lifetime|assume|nvvm\.(?:isspacep|mapa))|vprintf$|free$)/.test(callee.name);
}

/** Upper limits of a launch's dimensions. */
export class LaunchShape {
  readonly #block: [number, number, number] = [Infinity, Infinity, Infinity];
  readonly #grid: [number, number, number] = [Infinity, Infinity, Infinity];

  limit({ block = [], grid = [] }: ShapeLimits): void {
    for (const axis of [0, 1, 2] as const) {
      this.#block[axis] = Math.min(this.#block[axis], block[axis] ?? Infinity);
      this.#grid[axis] = Math.min(this.#grid[axis], grid[axis] ?? Infinity);
    }
  }

  holds(grid: Dim3, block: Dim3): boolean {
    return within(block, this.#block) && within(grid, this.#grid);
  }
}

/** By axis: x, y, z. */
export interface ShapeLimits { readonly block?: readonly number[]; readonly grid?: readonly number[] }

function within({ x, y, z }: Dim3, [maxX, maxY, maxZ]: readonly [number, number, number]): boolean {
  return x <= maxX && y <= maxY && z <= maxZ;
}
