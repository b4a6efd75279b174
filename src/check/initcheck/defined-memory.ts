/**
 * Memory that is initialised when a kernel begins, and stays initialised: reads of it need no shadow.
 *
 * A parameter points to such memory if all of its allocation is initialised at the launch, and the kernel never stores
 * an undefined value there, provided that what it reads of such memory is defined. The shadow of an allocation is
 * searched again whenever the allocation may have changed.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { IrFunction, IrInstruction, IrValue, StoreInstruction } from "../../ir/model/ir.ts";
import type { ObservedLaunch } from "../../machine/observer.ts";
import type { AllocationTable } from "../../instrument/allocation-table.ts";
import type { Extent } from "../finding.ts";
import { argumentsOf, type SpeculativeKernel } from "../../instrument/speculative-kernels.ts";
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";
import { isDeviceMemory, maybeCopied } from "./computed-values.ts";
import { containsUndefined, maybeUndefined } from "./definedness.ts";

export class DefinedMemory {
  readonly #parameters = new Map<SpeculativeKernel, ReadonlySet<IrValue>>();
  /** Whether all of an allocation is initialised, by its start, where that is known. */
  readonly #isWhole = new Map<number, boolean>();
  /** Allocations that the launch under way leaves as initialised as they are. */
  #kept: ReadonlySet<number> = new Set();

  /** The parameters of the copy that are taken to point to such memory. */
  parametersOf(kernel: SpeculativeKernel): ReadonlySet<IrValue> {
    let known = this.#parameters.get(kernel);
    if (known === undefined) this.#parameters.set(kernel, (known = findParameters(kernel)));
    return known;
  }

  /** The initialised part of an allocation is, or may be, another than before. */
  changed(start: number | undefined): void {
    if (start !== undefined) this.#isWhole.delete(start);
  }

  /** Whether the launch passes such memory for all of them. @param shadowOf the shadow bytes of an allocation. */
  isDefined(
    launch: ObservedLaunch,
    kernel: SpeculativeKernel,
    allocations: AllocationTable,
    shadowOf: (extent: Extent) => Uint8Array,
  ): boolean {
    const indices = [...this.parametersOf(kernel)].map((param) => (param as { index: number }).index);
    const kept = new Set<number>();
    for (const address of argumentsOf(launch, indices)) {
      if (address === 0) continue;
      const allocation = allocations.ofProgram(address);
      if (allocation === null) return false;
      const { start } = allocation;
      let isWhole = this.#isWhole.get(start);
      if (isWhole === undefined) this.#isWhole.set(start, (isWhole = isZero(shadowOf(allocation))));
      if (!isWhole) return false;
      kept.add(start);
    }
    this.#kept = kept;
    return true;
  }

  /** A kernel has run. */
  launched(): void {
    for (const start of this.#isWhole.keys()) if (!this.#kept.has(start)) this.#isWhole.delete(start);
    this.#kept = new Set();
  }
}

function findParameters({ copy, pointers, accesses }: SpeculativeKernel): ReadonlySet<IrValue> {
  if (accesses.writesElsewhere) return new Set();
  const defined = new Set<IrValue>(
    pointers
      .filter((index) => accesses.read.has(index) && !accesses.passedOn.has(index))
      .map((index) => copy.params[index] as IrValue),
  );
  for (let before = -1; before !== defined.size;) {
    before = defined.size;
    const undefinable = maybeUndefined(copy, defined);
    const copied = maybeCopied(copy, undefinable);
    for (const { instructions } of copy.blocks)
      for (const i of instructions) for (const root of spoiledBy(copy, i, undefinable, copied)) defined.delete(root);
  }
  return defined;
}

/**
 * What an instruction may leave undefined. A result of arithmetic that is stored is reported, and counts as defined
 * from there on.
 */
function spoiledBy(
  fn: IrFunction,
  i: IrInstruction,
  undefinable: ReadonlySet<IrValue>,
  copied: ReadonlySet<IrValue>,
): Iterable<IrValue> {
  const isDefined = (value: IrValue): boolean => !undefinable.has(value) && !containsUndefined(value);
  switch (i.op) {
    case "store":
      return isDefined(i.value) || isReported(fn, i, undefinable, copied) ? [] : originsOf(i.pointer);
    case "atomicrmw":
      return isDefined(i.value) ? [] : originsOf(i.pointer);
    case "cmpxchg":
      return isDefined(i.desired) && isDefined(i.expected) ? [] : originsOf(i.pointer);
    // Copies and fills.
    case "call":
      return isCopyOrFill(i) && i.args[0] !== undefined ? originsOf(i.args[0]) : [];
    default:
      return [];
  }
}

/** Whether nothing undefined that is stored here is a copy. */
function isReported(
  fn: IrFunction,
  { value, pointer }: StoreInstruction,
  undefinable: ReadonlySet<IrValue>,
  copied: ReadonlySet<IrValue>,
): boolean {
  return undefinable.has(value) && !copied.has(value) && isDeviceMemory(fn, pointer);
}

function isCopyOrFill(i: IrInstruction): boolean {
  const facts = calledIntrinsic(i);
  return facts !== null && (facts.memoryRange !== null || facts.asyncCopy !== null);
}

function isZero(bytes: Uint8Array): boolean {
  const lead = Math.min(bytes.byteLength, -bytes.byteOffset & 3);
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + lead, (bytes.byteLength - lead) >>> 2);
  let bits = 0;
  for (let i = 0; i < lead; i++) bits |= bytes[i] as number;
  for (let i = lead + 4 * words.length; i < bytes.byteLength; i++) bits |= bytes[i] as number;
  // In stretches: what is undefined mostly is so from its beginning.
  for (let from = 0; from < words.length && bits === 0; from += 4096) {
    const to = Math.min(words.length, from + 4096);
    for (let i = from; i < to; i++) bits |= words[i] as number;
  }
  return bits === 0;
}
