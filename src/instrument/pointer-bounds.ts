/**
 * For a pointer, the object it belongs to: where that begins and how large it is, as values in the code.
 *
 * A pointer belongs to the object that it was made from, wherever arithmetic takes it (its provenance: LangRef,
 * "Pointer Aliasing Rules"). Variables and local arrays are known; a pointer that comes from outside (a parameter,
 * memory, a call) is looked up once, where it comes in, in the table of allocations. From there the bounds follow the
 * pointer through additions, casts, selects and phis.
 */
import { constI32, newPhi } from "../ir/model/build.ts";
import type { Emitter } from "../ir/model/emitter.ts";
import { gepOffset } from "../ir/model/gep.ts";
import type { ConstExprInstruction, IrGlobal, IrInstruction, IrType, IrValue, PhiInstruction } from "../ir/model/ir.ts";
import { SHARED_SPACE, isDynamicShared, sizeOf } from "../ir/model/layout.ts";
import { I32 } from "../ir/model/types.ts";
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

type Root =
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
    const steps = stepsFrom(pointer);
    // From a known object on, the offset says it all, and the object's address need not be known.
    if (steps !== null && bounds.start === steps.root) return { distance: offsetOf(at, steps.geps), bounds };
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
    const roots = rootsOf(pointer);
    const [only] = roots;
    if (roots.size === 1 && only !== undefined) {
      if (only !== pointer) return this.of(only);
      return this.#ofRoot(only);
    }
    const source = throughSteps(pointer);
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
    return this.#ofRoot(pointer);
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

  #ofRoot(value: IrValue): PointerBounds {
    const root = rootOf(value);
    switch (root.kind) {
      case "null":
        return { start: constI32(0), bytes: constI32(0), object: { kind: "pointer" } };
      case "known":
        return {
          start: root.value,
          bytes: root.bytes === null ? this.#source.dynamicSharedBytes(this.#edits.atEntry()) : constI32(root.bytes),
          object: root.object,
        };
      case "allocated": {
        const e = this.#edits.after(value as IrInstruction);
        return {
          start: value,
          bytes: e.select(e.icmp("eq", e.cast("ptrtoint", value, I32), 0), constI32(0), e.zextOrTrunc(root.bytes, I32)),
          object: { kind: "pointer" },
        };
      }
      case "outside": {
        const e = value.kind === "instruction" ? this.#edits.after(value) : this.#edits.atEntry();
        return { ...this.#source.lookUp(e, value), object: root.object };
      }
    }
  }
}

function rootOf(value: IrValue): Root {
  if (value.kind === "const-null" || value.kind === "const-undef") return { kind: "null" };
  if (value.kind === "global") return globalRoot(value);
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

function globalRoot(global: IrGlobal): Root {
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

// ---------------------------------------------------------------- the way back from a pointer to what it was made from

interface GepStep {
  readonly sourceType: IrType;
  readonly indices: readonly IrValue[];
}

/** What one step of pointer arithmetic or a cast was made from; null: the value is no such step. */
function stepBack(value: IrValue): { from: IrValue; gep: GepStep | null } | null {
  const i: IrInstruction | ConstExprInstruction | null =
    value.kind === "instruction" ? value : value.kind === "const-expr" ? value.instruction : null;
  if (i === null) return null;
  if (i.op === "gep") return { from: i.base, gep: i };
  if (i.op === "cast" && (i.operator === "addrspacecast" || i.operator === "bitcast") && i.operand.type.kind === "ptr")
    return { from: i.operand, gep: null };
  if (i.op === "freeze") return { from: i.operand, gep: null };
  return null;
}

/**
 * The first value on the way back that is no step; integers made of a pointer and turned into one again count as that
 * pointer.
 */
function throughSteps(value: IrValue): IrValue {
  for (let at = value; ;) {
    const step = stepBack(at);
    const from = step?.from ?? throughIntegers(at);
    if (from === null) return at;
    at = from;
  }
}

/** For `inttoptr` of an integer that one pointer went into: that pointer. */
function throughIntegers(value: IrValue): IrValue | null {
  const i = value.kind === "instruction" ? value : value.kind === "const-expr" ? value.instruction : null;
  if (i === null || i.op !== "cast" || i.operator !== "inttoptr") return null;
  return pointerIn(i.operand, 4);
}

function pointerIn(value: IrValue, depth: number): IrValue | null {
  const i = value.kind === "instruction" ? value : value.kind === "const-expr" ? value.instruction : null;
  if (i === null || depth === 0) return null;
  if (i.op === "cast" && i.operator === "ptrtoint") return i.operand;
  if (i.op === "cast" && (i.operator === "zext" || i.operator === "trunc")) return pointerIn(i.operand, depth - 1);
  if (i.op !== "binary" || !["add", "sub", "and", "or"].includes(i.operator)) return null;
  const [left, right] = [pointerIn(i.lhs, depth - 1), pointerIn(i.rhs, depth - 1)];
  return left !== null && right !== null ? null : (left ?? right);
}

/** What reports call the object that a root is, or points to. */
export function objectName(root: IrValue): ObjectName {
  const made = rootOf(root);
  return made.kind === "known" || made.kind === "outside" ? made.object : { kind: "pointer" };
}

/** What was cast. */
export function withoutCasts(pointer: IrValue): IrValue {
  let at = pointer;
  for (;;) {
    const i = at.kind === "instruction" ? at : at.kind === "const-expr" ? at.instruction : null;
    if (i?.op !== "cast") return at;
    at = i.operand;
  }
}

/** All values that a pointer may have been made from, phis and selects looked through. */
export function rootsOf(pointer: IrValue): ReadonlySet<IrValue> {
  const roots = new Set<IrValue>();
  collectRoots(pointer, roots, new Set());
  return roots;
}

function collectRoots(value: IrValue, roots: Set<IrValue>, seen: Set<IrValue>): void {
  const at = throughSteps(value);
  if (seen.has(at)) return;
  seen.add(at);
  if (at.kind === "instruction" && at.op === "phi")
    for (const { value: incoming } of at.incoming) collectRoots(incoming, roots, seen);
  else if (at.kind === "instruction" && at.op === "select") {
    collectRoots(at.then, roots, seen);
    collectRoots(at.else, roots, seen);
  } else roots.add(at);
}

/** The root and all steps from it, or null where another kind of value lies between. */
function stepsFrom(pointer: IrValue): { root: IrValue; geps: GepStep[] } | null {
  const geps: GepStep[] = [];
  let at = pointer;
  for (let step = stepBack(at); step !== null; step = stepBack(at)) {
    if (step.gep !== null) geps.push(step.gep);
    at = step.from;
  }
  return at.kind === "global" ||
    at.kind === "param" ||
    (at.kind === "instruction" && at.op === "alloca") ||
    mallocBytes(at) !== null
    ? { root: at, geps }
    : null;
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
