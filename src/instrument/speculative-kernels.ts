/**
 * Speculative copies of kernels, for launches as they are most of the time: beside each kernel stands a copy, in which
 * tools leave out the code for what such a launch cannot do.
 *
 * The copy assumes that each pointer parameter points into an allocation of its own, and that the launch has a shape
 * within the limits that the code assumes; a tool may assume more (Instrumenter.assumptionsHold). The assumptions are
 * tested at each launch. Where one does not hold, the original runs, whose code assumes nothing.
 */
import { isPrint } from "../ir/intrinsics/print-functions.ts";
import { intrinsicOf } from "../ir/intrinsics/lookup.ts";
import type { Dim3 } from "../base/dim3.ts";
import { reachedFunctions } from "../ir/graph/call-graph.ts";
import { cloneFunction } from "../ir/model/clone.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrModule, IrValue } from "../ir/model/ir.ts";
import { SHARED_SPACE } from "../ir/model/layout.ts";
import type { ObservedLaunch } from "../machine/observer.ts";
import { accessesOf } from "./accesses.ts";
import type { AllocationTable } from "./allocation-table.ts";
import { originsOf } from "../analysis/pointers/pointer-origins.ts";
import type { ToolNamespace } from "./tool-namespace.ts";

export interface SpeculativeKernel {
  readonly original: IrFunction;
  readonly copy: IrFunction;
  /** The parameters that point to memory which the kernel accesses. */
  readonly pointers: readonly number[];
  readonly accesses: KernelAccesses;
  readonly shape: LaunchShape;
}

/** @param own functions of the program. @returns by the copy: what it assumes. The copies are in the module. */
export function addSpeculativeKernels(
  module: IrModule,
  own: ReadonlySet<IrFunction>,
  names: ToolNamespace,
): Map<IrFunction, SpeculativeKernel> {
  const made = new Map<IrFunction, SpeculativeKernel>();
  for (const original of own) {
    if (!original.isKernel) continue;
    const copy = cloneFunction(original);
    copy.name = names.name(`speculative_${original.name}`);
    const accessed = accessedObjects(reachedFunctions(copy, own));
    if (accessed.pointers.size === 0 && !accessed.shared) continue;
    module.functions.set(copy.name, copy);
    made.set(copy, { original, copy, pointers: [...accessed.pointers], accesses: accessed, shape: new LaunchShape() });
  }
  return made;
}

/** The addresses that a launch passes for these parameters. */
export function argumentsOf({ params, arguments: bytes }: ObservedLaunch, indices: readonly number[]): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return indices.map((index) => view.getUint32((params[index] as { offset: number }).offset, true));
}

/** Whether a launch's pointers point into different allocations of the program, and its shape is within the limits. */
export function assumptionsHold(
  launch: ObservedLaunch,
  { pointers, shape }: SpeculativeKernel,
  allocations: AllocationTable,
): boolean {
  if (!shape.holds(launch.grid, launch.block)) return false;
  const targets = argumentsOf(launch, pointers)
    .filter((address) => address !== 0)
    .map((address) => allocations.ofProgram(address));
  return !targets.includes(null) && new Set(targets).size === targets.length;
}

/** What a kernel accesses, by its parameters' indices. */
export interface KernelAccesses {
  readonly read: ReadonlySet<number>;
  readonly written: ReadonlySet<number>;
  /** Written by what it calls. */
  readonly passedOn: ReadonlySet<number>;
  /** It writes through pointers that come from elsewhere. */
  readonly writesElsewhere: boolean;
}

function accessedObjects(
  functions: Iterable<IrFunction>,
): KernelAccesses & { pointers: ReadonlySet<number>; shared: boolean } {
  const [pointers, read, written, passedOn] = [
    new Set<number>(),
    new Set<number>(),
    new Set<number>(),
    new Set<number>(),
  ];
  const by = { read: [read], write: [written], atomic: [read, written] } as const;
  let [writesElsewhere, shared] = [false, false];
  const note = (pointer: IrValue, kinds: readonly Set<number>[]): void => {
    const writes = kinds.includes(written);
    for (const root of originsOf(pointer)) {
      if (root.kind === "param" && root.function.isKernel && root.byval === null) {
        pointers.add(root.index);
        for (const kind of kinds) kind.add(root.index);
      } else if (root.kind === "global") shared ||= root.type.addressSpace === SHARED_SPACE;
      else if (writes && !(root.kind === "instruction" && root.op === "alloca")) writesElsewhere = true;
    }
  };
  for (const fn of functions) {
    for (const { instructions } of fn.blocks) {
      for (const i of instructions) {
        const accesses = accessesOf(i);
        for (const { pointer, kind } of accesses) note(pointer, by[kind]);
        if (i.op === "call" && accesses.length === 0 && maySeePointers(i))
          for (const arg of i.args) if (arg.type.kind === "ptr") note(arg, [read, written, passedOn]);
      }
    }
  }
  return { pointers, read, written, passedOn, writesElsewhere, shared };
}

/** Whether a call may write where a pointer that it is given points to. */
function maySeePointers({ callee }: CallInstruction & IrInstruction): boolean {
  const facts = callee.kind === "function" ? intrinsicOf(callee.name) : null;
  if (facts === null) return true;
  return !facts.isHint && facts.spaceTest === null && !isPrint(facts.name) && facts.name !== "free";
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
export interface ShapeLimits {
  readonly block?: readonly number[];
  readonly grid?: readonly number[];
}

function within({ x, y, z }: Dim3, [maxX, maxY, maxZ]: readonly [number, number, number]): boolean {
  return x <= maxX && y <= maxY && z <= maxZ;
}
