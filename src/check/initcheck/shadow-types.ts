/**
 * Shadows: for each bit of a value, whether it is undefined (1) or defined (0). A value's shadow is an integer of its
 * width, for vectors element by element. Floats are undefined if any bit of their shadow is set.
 */
import { constBool, constI32, constInt, constZero, newCall, newIcmp, newInstruction } from "../../ir/model/build.ts";
import { declareFunction } from "../../ir/model/build-module.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type {
  ExtractElementInstruction,
  InsertElementInstruction,
  IntType,
  IrType,
  IrValue,
  VectorType,
} from "../../ir/model/ir.ts";
import { sizeOf, storeSize, structOffsets } from "../../ir/model/layout.ts";
import { I1, I32, I8, VOID, intType, ptrType, sameType, scalarBits, vectorType } from "../../ir/model/types.ts";

export interface Leaf {
  readonly type: IrType;
  readonly offset: number;
}

/** The parts of a type that have a shadow each: the type itself unless it is a struct or an array. */
export function leavesOf(type: IrType, offset: number = 0): Leaf[] {
  if (type.kind === "struct")
    return type.elements.flatMap((element, i) => leavesOf(element, offset + (structOffsets(type)[i] as number)));
  if (type.kind === "array")
    return Array.from({ length: type.length }, (_, i) =>
      leavesOf(type.element, offset + i * sizeOf(type.element)),
    ).flat();
  return [{ type, offset }];
}

/** The leaves that the element at `indices` of an aggregate consists of: first and number. */
export function leafRange(type: IrType, indices: readonly number[]): { first: number; count: number; type: IrType } {
  let first = 0;
  let at = type;
  for (const index of indices) {
    if (at.kind === "struct") {
      for (let i = 0; i < index; i++) first += leavesOf(at.elements[i] as IrType).length;
      at = at.elements[index] as IrType;
    } else if (at.kind === "array") {
      first += index * leavesOf(at.element).length;
      at = at.element;
    }
  }
  return { first, count: leavesOf(at).length, type: at };
}

export function shadowType(type: IrType): IrType {
  if (type.kind === "vector") return vectorType(shadowType(type.element), type.length);
  if (type.kind === "int") return type;
  return type.kind === "ptr" ? I32 : intType(scalarBits(type));
}

/** The shadow of a value of which nothing is defined. */
export function allUndefined(type: IrType): IrValue {
  const shadow = shadowType(type);
  if (shadow.kind !== "vector") return constInt(shadow as IntType, -1n);
  return {
    kind: "const-aggregate",
    type: shadow,
    elements: Array.from({ length: shadow.length }, () => constInt(shadow.element as IntType, -1n)),
  };
}

/** i1: whether any bit is undefined. */
export function anyUndefined(e: Emitter, shadow: IrValue): IrValue {
  const { type } = shadow;
  if (type.kind !== "vector") return type === I1 ? shadow : e.icmp("ne", shadow, 0);
  const bits = scalarBits(type.element) * type.length;
  if ([8, 16, 32, 64].includes(bits)) return e.icmp("ne", e.cast("bitcast", shadow, intType(bits)), 0);
  let sum: IrValue = constInt(type.element as IntType, 0);
  for (let i = 0; i < type.length; i++) sum = e.or(sum, extract(e, shadow, constI32(i)));
  return anyUndefined(e, sum);
}

/** i1: whether no bit is defined. */
export function allBitsUndefined(e: Emitter, shadow: IrValue): IrValue {
  const { type } = shadow;
  if (type.kind !== "vector") return type === I1 ? shadow : e.icmp("eq", shadow, constInt(type as IntType, -1n));
  let all: IrValue = constInt(type.element as IntType, -1n);
  for (let i = 0; i < type.length; i++) all = e.and(all, extract(e, shadow, constI32(i)));
  return allBitsUndefined(e, all);
}

/**
 * A shadow for a result of `type` that is undefined as a whole where any bit of `shadow` is: element by element where
 * both have as many.
 */
export function spread(e: Emitter, shadow: IrValue, type: IrType): IrValue {
  const from = shadow.type;
  if (type.kind !== "vector") return e.cast("sext", anyUndefined(e, shadow), type);
  if (from.kind === "vector" && from.length === type.length) return e.cast("sext", isUndefined(e, shadow), type);
  const element = e.cast("sext", anyUndefined(e, shadow), type.element);
  let all: IrValue = constZero(type);
  for (let i = 0; i < type.length; i++) all = insert(e, all, element, constI32(i));
  return all;
}

/** `shadow` for a result of another width: nonzero where it is. */
export function resize(e: Emitter, shadow: IrValue, type: IrType): IrValue {
  if (sameType(shadow.type, type)) return shadow;
  const isWider =
    type.kind === shadow.type.kind &&
    (type.kind !== "vector" || type.length === (shadow.type as VectorType).length) &&
    elementBits(type) > elementBits(shadow.type);
  return isWider ? e.cast("zext", shadow, type) : spread(e, shadow, type);
}

/** i1, or a vector of them: which elements have an undefined bit. */
export function isUndefined(e: Emitter, shadow: IrValue): IrValue {
  if (shadow.type.kind !== "vector") return anyUndefined(e, shadow);
  return (shadow.type.element as IntType).bits === 1
    ? shadow
    : e.append(newIcmp(e, e.name(), "ne", shadow, constZero(shadow.type)));
}

export function extract(e: Emitter, vector: IrValue, index: IrValue): IrValue {
  return e.append(
    newInstruction<ExtractElementInstruction>(e, {
      op: "extractelement",
      type: (vector.type as VectorType).element,
      name: e.name(),
      vector,
      index,
    }),
  );
}

export function insert(e: Emitter, vector: IrValue, element: IrValue, index: IrValue): IrValue {
  return e.append(
    newInstruction<InsertElementInstruction>(e, {
      op: "insertelement",
      type: vector.type,
      name: e.name(),
      vector,
      element,
      index,
    }),
  );
}

function elementBits(type: IrType): number {
  return scalarBits(type.kind === "vector" ? type.element : type);
}

/** Loads the shadow of a value of `type` whose own shadow bytes lie at `pointer`. */
export function loadShadow(e: Emitter, type: IrType, pointer: IrValue, align: number): IrValue {
  const shadow = shadowType(type);
  const bits = shadow.kind === "vector" ? scalarBits(shadow.element) * shadow.length : scalarBits(shadow);
  if (bits % 8 === 0 && elementBits(shadow) % 8 === 0) return e.load(shadow, pointer, align);
  const packed = e.cast("trunc", e.load(intType(8 * storeSize(shadow)), pointer, align), intType(bits));
  return e.cast("bitcast", packed, shadow);
}

export function storeShadow(e: Emitter, shadow: IrValue, pointer: IrValue, align: number): void {
  const { type } = shadow;
  const bits = type.kind === "vector" ? scalarBits(type.element) * type.length : scalarBits(type);
  if (bits % 8 === 0 && elementBits(type) % 8 === 0) return e.store(shadow, pointer, align);
  e.store(e.cast("zext", e.cast("bitcast", shadow, intType(bits)), intType(8 * storeSize(type))), pointer, align);
}

export const DEFINED = 0;

export const UNDEFINED = 0xff;

/** Sets shadow bytes. */
export function fillShadow(e: Emitter, shadow: IrValue, bytes: IrValue, value: IrValue, align: number): void {
  const fill = declareFunction(e.module, "llvm.memset.p1.i32", VOID, [ptrType(1), I8, I32, I1]);
  const call = newCall(e, "", fill, [shadow, value, e.zextOrTrunc(bytes, I32), constBool(false)]);
  call.argAlign = [align, null, null, null];
  e.append(call);
}
