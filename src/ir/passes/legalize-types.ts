/**
 * How a value of any type is held in scalars ("parts"): the representation that pass-legalize.ts works with.
 *
 * - int of 1, 8, 16, 32 or 64 bits, float, pointer: itself.
 * - int of another width below 64: the next of those widths, upper bits zero.
 * - int above 64 bits: 64-bit pieces, lowest first; unused upper bits zero.
 * - vector, array, struct: the parts of its elements, in order.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import { constFloatBits, constInt, constNull, constantElement } from "../model/build.ts";
import type { FunctionType, IntType, IrConstant, IrType, IrValue, PointerType } from "../model/ir.ts";
import { VOID, formatType, functionType, intType } from "../model/types.ts";

const nativeWidths: ReadonlySet<number> = new Set([1, 8, 16, 32, 64]);

/** A type that needs no legalising. */
export function isLegal(type: IrType): boolean {
  switch (type.kind) {
    case "int":
      return nativeWidths.has(type.bits);
    case "float":
    case "ptr":
    case "void":
      return true;
    default:
      return false;
  }
}

/** The integer that holds an int of at most 64 bits. */
export function containerOf(type: IntType): IntType {
  const { bits } = type;
  if (nativeWidths.has(bits)) return type;
  return intType([8, 16, 32].find((width) => bits < width) ?? 64);
}

export function isWide(type: IrType): boolean {
  return type.kind === "int" && type.bits > 64;
}

const partCache = new WeakMap<IrType, readonly IrType[]>();

/** More scalars than any real value has: such a value is an array that belongs into memory. */
const MAX_PARTS = 4096;

export function partTypes(type: IrType): readonly IrType[] {
  const known = partCache.get(type);
  if (known) return known;
  const parts = computeParts(type);
  if (parts.length > MAX_PARTS) throw unsupported(`a value of type ${formatType(type)} in registers`);
  partCache.set(type, parts);
  return parts;
}

function computeParts(type: IrType): IrType[] {
  switch (type.kind) {
    case "int":
      if (type.bits <= 64) return [containerOf(type)];
      return Array.from({ length: Math.ceil(type.bits / 64) }, () => intType(64));
    case "float":
    case "ptr":
      return [type];
    case "vector":
    case "array": {
      const element = partTypes(type.element);
      if (element.length * type.length > MAX_PARTS)
        throw unsupported(`a value of type ${formatType(type)} in registers`);
      return Array.from({ length: type.length }, () => element).flat();
    }
    case "struct":
      return type.elements.flatMap((element) => [...partTypes(element)]);
    case "void":
    case "function":
    case "opaque":
      return [];
  }
}

/** Where the parts of the element at `indices` begin, and how many they are. */
export function partRange(type: IrType, indices: readonly number[]): { from: number; count: number; type: IrType } {
  let from = 0;
  let current = type;
  for (const index of indices) {
    if (current.kind === "struct") {
      for (const before of current.elements.slice(0, index)) from += partTypes(before).length;
      current = current.elements[index] ?? bug("an index outside of its struct");
    } else if (current.kind === "array" || current.kind === "vector") {
      from += index * partTypes(current.element).length;
      current = current.element;
    } else bug(`no elements in ${formatType(current)}`);
  }
  return { from, count: partTypes(current).length, type: current };
}

export function constantParts(constant: IrConstant): IrValue[] {
  const { type } = constant;
  if (isLegal(type)) return [constant];
  if (constant.kind === "const-undef")
    return partTypes(type).map((part) => ({ kind: "const-undef", type: part, poison: constant.poison }));
  switch (type.kind) {
    case "int": {
      const isZero = constant.kind === "const-zero";
      const value = constant.kind === "const-int" ? constant.value : 0n;
      if (constant.kind !== "const-int" && !isZero)
        throw unsupported(`a constant expression of type ${formatType(type)}`);
      return partTypes(type).map((part, i) =>
        constInt(part as IntType, BigInt.asUintN((part as IntType).bits, value >> BigInt(64 * i))),
      );
    }
    case "vector":
    case "array":
    case "struct": {
      const count = type.kind === "struct" ? type.elements.length : type.length;
      return Array.from({ length: count }, (_, i) => {
        const element = constantElement(constant, i);
        if (element === null) throw unsupported(`a constant expression of type ${formatType(type)}`);
        return constantParts(element);
      }).flat();
    }
    default:
      return bug(`a constant of type ${formatType(type)}`);
  }
}

/**
 * What a function of type `type` becomes. Depends on nothing else, so that calls through pointers agree.
 * @param pointer the module's generic pointer
 */
export function legalFunctionType(type: FunctionType, pointer: PointerType): FunctionType {
  const params = type.params.flatMap((param) => [...partTypes(param)]);
  if (isLegal(type.result)) return functionType(type.result, params, type.isVarArg);
  const results = partTypes(type.result);
  if (results.length <= 1) return functionType(results[0] ?? VOID, params, type.isVarArg);
  return functionType(VOID, [pointer, ...params], type.isVarArg);
}

/** Zero as a part. */
export function zeroPart(type: IrType): IrValue {
  if (type.kind === "int") return constInt(type, 0n);
  return type.kind === "float"
    ? constFloatBits(type, 0n)
    : constNull(type.kind === "ptr" ? type : bug("zero of an aggregate as a part"));
}
