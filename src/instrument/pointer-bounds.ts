/**
 * The bounds of the object that a pointer belongs to, as values in the code: its first byte and its size.
 *
 * analysis/pointers/pointer-origins.ts finds the object. The bounds of variables and local arrays are constants. A
 * pointer that comes from outside (a parameter, memory, a call) is looked up in the table of allocations, once, at its
 * origin. From there the bounds follow the pointer through additions, casts, selects and phis.
 */
import { constI32, newPhi } from "../ir/model/build.ts";
import type { Emitter } from "../ir/model/emitter.ts";
import { gepOffset } from "../ir/model/gep.ts";
import type { IrGlobal, IrInstruction, IrValue, PhiInstruction } from "../ir/model/ir.ts";
import { SHARED_SPACE, isDynamicShared, sizeOf } from "../ir/model/layout.ts";
import { I32 } from "../ir/model/types.ts";
import {
  originsOf,
  stepsFromOrigin,
  underlyingThroughIntegers,
  type GepStep,
} from "../analysis/pointers/pointer-origins.ts";
import type { IrEdits } from "./ir-edits.ts";

/** What a report calls the object. */
export type ObjectName =
  | { readonly kind: "shared" | "local" | "variable"; readonly name: string; readonly bytes: number }
  | { readonly kind: "dynamic-shared"; readonly name: string }
  | { readonly kind: "parameter"; readonly name: string }
  /** A pointer that came from memory, an integer, or a call. */
  | { readonly kind: "pointer" };

/** Where bounds come from at run time. */
export interface BoundsSource {
  /** First byte and size of the allocation that holds `pointer`; size 0 where there is none. */
  lookUp(at: Emitter, pointer: IrValue): { start: IrValue; bytes: IrValue };
  /** Bytes of dynamic shared memory of this launch. */
  dynamicSharedBytes(at: Emitter): IrValue;
}

export interface PointerBounds {
  /** First byte of the object: an address as an integer, or the variable itself where the code knows it. */
  readonly start: IrValue;
  readonly bytes: IrValue;
  readonly object: ObjectName;
}

export interface AccessDistance {
  /** How far into its object the pointer points: i32; negative distances are large. */
  readonly distance: IrValue;
  readonly bounds: PointerBounds;
}

type Origin =
  | { readonly kind: "known"; readonly value: IrValue; readonly object: ObjectName; readonly bytes: number | null }
  /** What device malloc gave: null, where there was none. */
  | { readonly kind: "allocated"; readonly value: IrValue; readonly bytes: IrValue }
  | { readonly kind: "outside"; readonly value: IrValue; readonly object: ObjectName }
  | { readonly kind: "null" };

export class PointerBoundsAnalysis {
  readonly #edits: IrEdits;
  readonly #source: BoundsSource;
  readonly #bounds = new Map<IrValue, PointerBounds>();

  constructor(edits: IrEdits, source: BoundsSource) {
    this.#edits = edits;
    this.#source = source;
  }

  /** Code in `at` that computes how far into its object `pointer` points. */
  distance(at: Emitter, pointer: IrValue): AccessDistance {
    const bounds = this.of(pointer);
    const steps = stepsFromOrigin(pointer, isKnownOrigin);
    // From a known object on, the offset says it all, and the object's address need not be known.
    if (steps !== null && bounds.start === steps.origin) return { distance: offsetOf(at, steps.geps), bounds };
    return { distance: at.sub(at.cast("ptrtoint", pointer, I32), this.start(at, bounds)), bounds };
  }

  /** First byte of the object, as an integer, in `at`. */
  start(at: Emitter, { start }: PointerBounds): IrValue {
    return start.type.kind === "ptr" ? at.cast("ptrtoint", start, I32) : start;
  }

  of(pointer: IrValue): PointerBounds {
    const known = this.#bounds.get(pointer);
    if (known !== undefined) return known;
    const made = this.#make(pointer);
    this.#bounds.set(pointer, made);
    return made;
  }

  #make(pointer: IrValue): PointerBounds {
    const origins = originsOf(pointer);
    const [only] = origins;
    if (origins.size === 1 && only !== undefined) {
      if (only !== pointer) return this.of(only);
      return this.#ofOrigin(only);
    }
    const source = underlyingThroughIntegers(pointer);
    if (source !== pointer) return this.of(source);
    if (pointer.kind === "instruction" && pointer.op === "phi") return this.#ofPhi(pointer);
    if (pointer.kind === "instruction" && pointer.op === "select") {
      const [then, otherwise] = [this.of(pointer.then), this.of(pointer.else)];
      const e = this.#edits.after(pointer);
      return {
        start: e.select(pointer.condition, this.start(e, then), this.start(e, otherwise)),
        bytes: e.select(pointer.condition, then.bytes, otherwise.bytes),
        object: commonName(then.object, otherwise.object),
      };
    }
    return this.#ofOrigin(pointer);
  }

  #ofPhi(phi: PhiInstruction): PointerBounds {
    const place = { block: phi.block, location: phi.location };
    const start = newPhi(place, this.#edits.names.fresh("object"), I32);
    const bytes = newPhi(place, this.#edits.names.fresh("object.bytes"), I32);
    const after = this.#edits.after(phi);
    after.append(start);
    after.append(bytes);
    const made: { start: IrValue; bytes: IrValue; object: ObjectName } = { start, bytes, object: { kind: "pointer" } };
    // Known before its operands are: a loop's phi is its own operand.
    this.#bounds.set(phi, made);
    for (const { value, block } of phi.incoming) {
      const bounds = this.of(value);
      const e = this.#edits.before(block.instructions.at(-1) as IrInstruction);
      start.incoming.push({ value: this.start(e, bounds), block });
      bytes.incoming.push({ value: bounds.bytes, block });
    }
    return made;
  }

  #ofOrigin(value: IrValue): PointerBounds {
    const origin = classifyOrigin(value);
    switch (origin.kind) {
      case "null":
        return { start: constI32(0), bytes: constI32(0), object: { kind: "pointer" } };
      case "known":
        return {
          start: origin.value,
          bytes:
            origin.bytes === null ? this.#source.dynamicSharedBytes(this.#edits.atEntry()) : constI32(origin.bytes),
          object: origin.object,
        };
      case "allocated": {
        const e = this.#edits.after(value as IrInstruction);
        return {
          start: value,
          bytes: e.select(
            e.icmp("eq", e.cast("ptrtoint", value, I32), 0),
            constI32(0),
            e.zextOrTrunc(origin.bytes, I32),
          ),
          object: { kind: "pointer" },
        };
      }
      case "outside": {
        const e = value.kind === "instruction" ? this.#edits.after(value) : this.#edits.atEntry();
        return { ...this.#source.lookUp(e, value), object: origin.object };
      }
    }
  }
}

function classifyOrigin(value: IrValue): Origin {
  if (value.kind === "const-null" || value.kind === "const-undef") return { kind: "null" };
  if (value.kind === "global") return classifyVariable(value);
  if (value.kind === "param" && value.byval !== null)
    return {
      kind: "known",
      value,
      object: { kind: "local", name: value.name, bytes: sizeOf(value.byval) },
      bytes: sizeOf(value.byval),
    };
  if (value.kind === "param") return { kind: "outside", value, object: { kind: "parameter", name: value.name } };
  if (
    value.kind === "instruction" &&
    value.op === "alloca" &&
    (value.count === null || value.count.kind === "const-int")
  ) {
    const bytes =
      sizeOf(value.allocatedType) * (value.count === null ? 1 : Number((value.count as { value: bigint }).value));
    return { kind: "known", value, object: { kind: "local", name: value.name, bytes }, bytes };
  }
  const bytes = mallocBytes(value);
  return bytes === null ? { kind: "outside", value, object: { kind: "pointer" } } : { kind: "allocated", value, bytes };
}

/** For a call of device malloc: how much it asks for. */
export function mallocBytes(value: IrValue): IrValue | null {
  return value.kind === "instruction" &&
    value.op === "call" &&
    value.callee.kind === "function" &&
    value.callee.name === "malloc"
    ? (value.args[0] ?? null)
    : null;
}

function classifyVariable(global: IrGlobal): Origin {
  const bytes = sizeOf(global.valueType);
  if (global.type.addressSpace !== SHARED_SPACE)
    return { kind: "known", value: global, object: { kind: "variable", name: global.name, bytes }, bytes };
  if (isDynamicShared(global))
    return { kind: "known", value: global, object: { kind: "dynamic-shared", name: global.name }, bytes: null };
  return { kind: "known", value: global, object: { kind: "shared", name: global.name, bytes }, bytes };
}

function commonName(a: ObjectName, b: ObjectName): ObjectName {
  return JSON.stringify(a) === JSON.stringify(b) ? a : { kind: "pointer" };
}

/** What reports call the object that a root is, or points to. */
export function objectName(root: IrValue): ObjectName {
  const made = classifyOrigin(root);
  return made.kind === "known" || made.kind === "outside" ? made.object : { kind: "pointer" };
}

/** The value is the address of an object, not some address inside of it. */
function isKnownOrigin(value: IrValue): boolean {
  return (
    value.kind === "global" ||
    value.kind === "param" ||
    (value.kind === "instruction" && value.op === "alloca") ||
    mallocBytes(value) !== null
  );
}

function offsetOf(at: Emitter, geps: readonly GepStep[]): IrValue {
  let constant = 0;
  let sum: IrValue = constI32(0);
  for (const { sourceType, indices } of geps) {
    const offset = gepOffset(sourceType, indices);
    constant += offset.constant;
    for (const { index, scale } of offset.terms) sum = at.add(sum, at.mul(at.sextOrTrunc(index, I32), constI32(scale)));
  }
  return at.add(sum, constI32(constant));
}
