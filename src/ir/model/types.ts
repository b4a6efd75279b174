/**
 * Constructors of types and their equality (LangRef, "Type System").
 *
 * Scalar types are interned, so the common comparisons are one pointer comparison; aggregates are compared by structure
 * with `sameType`. Named structs are equal when their names and bodies are.
 */
import type {
  ArrayType,
  CastOperator,
  FloatFormat,
  FloatType,
  FunctionType,
  IntType,
  IrType,
  OpaqueType,
  PointerBits,
  PointerType,
  StructType,
  VectorType,
  VoidType,
} from "./ir.ts";

const intTypes: IntType[] = [];
const ptrTypes: Record<PointerBits, PointerType[]> = { 32: [], 64: [] };

export const MAX_INT_BITS: number = 1 << 23;

/** iN. Any width from 1 to 2^23 is a type; what can be computed with is the legaliser's business. */
export function intType(bits: number): IntType {
  return (intTypes[bits] ??= { kind: "int", bits });
}

/** ptr addrspace(n). Programs of the emulated device have pointers of 32 bits. */
export function ptrType(addressSpace = 0, bits: PointerBits = 32): PointerType {
  return (ptrTypes[bits][addressSpace] ??= { kind: "ptr", addressSpace, bits });
}

export const VOID: VoidType = { kind: "void" };
export const I1: IntType = intType(1);
export const I8: IntType = intType(8);
export const I16: IntType = intType(16);
export const I32: IntType = intType(32);
export const I64: IntType = intType(64);
export const I128: IntType = intType(128);
export const F16: FloatType = { kind: "float", format: "half" };
export const BF16: FloatType = { kind: "float", format: "bfloat" };
export const F32: FloatType = { kind: "float", format: "float" };
export const F64: FloatType = { kind: "float", format: "double" };
export const PTR: PointerType = ptrType(0);
export const METADATA: OpaqueType = { kind: "opaque", name: "metadata" };
export const LABEL: OpaqueType = { kind: "opaque", name: "label" };
export const TOKEN: OpaqueType = { kind: "opaque", name: "token" };

export function floatType(format: FloatFormat): FloatType {
  switch (format) {
    case "half":
      return F16;
    case "bfloat":
      return BF16;
    case "float":
      return F32;
    case "double":
      return F64;
  }
}

export function vectorType(element: IrType, length: number): VectorType {
  return { kind: "vector", element, length };
}

export function arrayType(element: IrType, length: number): ArrayType {
  return { kind: "array", element, length };
}

export function structType(elements: readonly IrType[], name: string | null = null, packed = false): StructType {
  return { kind: "struct", name, elements, packed };
}

/** The generic pointer of the module that a function belongs to. */
export function pointerOf(fn: { readonly type: PointerType }): PointerType {
  return ptrType(0, fn.type.bits);
}

export function functionType(result: IrType, params: readonly IrType[], isVarArg = false): FunctionType {
  return { kind: "function", result, params, isVarArg };
}

export function sameType(a: IrType, b: IrType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "void":
      return true;
    case "int":
      return a.bits === (b as IntType).bits;
    case "float":
      return a.format === (b as FloatType).format;
    case "ptr":
      return a.addressSpace === (b as PointerType).addressSpace && a.bits === (b as PointerType).bits;
    case "opaque":
      return a.name === (b as OpaqueType).name;
    case "vector":
    case "array":
      return a.length === (b as ArrayType).length && sameType(a.element, (b as ArrayType).element);
    case "struct": {
      const other = b as StructType;
      return a.name === other.name && a.packed === other.packed && sameTypes(a.elements, other.elements);
    }
    case "function": {
      const other = b as FunctionType;
      return a.isVarArg === other.isVarArg && sameType(a.result, other.result) && sameTypes(a.params, other.params);
    }
  }
}

export function sameTypes(a: readonly IrType[], b: readonly IrType[]): boolean {
  return a.length === b.length && a.every((type, i) => sameType(type, b[i] as IrType));
}

const FLOAT_BITS: Readonly<Record<FloatFormat, number>> = { half: 16, bfloat: 16, float: 32, double: 64 };

/** Bits of an int, float or pointer type; 0 for others. */
export function scalarBits(type: IrType): number {
  switch (type.kind) {
    case "int":
      return type.bits;
    case "ptr":
      return type.bits;
    case "float":
      return FLOAT_BITS[type.format];
    default:
      return 0;
  }
}

export function isInt(type: IrType): type is IntType {
  return type.kind === "int";
}
export function isFloat(type: IrType): type is FloatType {
  return type.kind === "float";
}
export function isPointer(type: IrType): type is PointerType {
  return type.kind === "ptr";
}
export function isAggregate(type: IrType): type is StructType | ArrayType {
  return type.kind === "struct" || type.kind === "array";
}
/** The element type of a vector, or the type itself. */
export function scalarOf(type: IrType): IrType {
  return type.kind === "vector" ? type.element : type;
}

/** The type that `indices` lead to inside an aggregate, or null where they lead nowhere. */
export function typeAtIndices(type: IrType, indices: readonly number[]): IrType | null {
  let current: IrType = type;
  for (const index of indices) {
    if (current.kind === "struct") {
      const element: IrType | undefined = current.elements[index];
      if (element === undefined) return null;
      current = element;
    } else if (current.kind === "array") {
      if (index >= current.length) return null;
      current = current.element;
    } else return null;
  }
  return current;
}

/** Why a cast is not one, or null. */
export function castProblem(operator: CastOperator, from: IrType, to: IrType): string | null {
  const wrong = `${operator} from ${formatType(from)} to ${formatType(to)}`;
  if (operator === "bitcast") {
    return bitsOfType(from) === bitsOfType(to) &&
      bitsOfType(from) > 0 &&
      (scalarOf(from).kind === "ptr") === (scalarOf(to).kind === "ptr")
      ? null
      : wrong;
  }
  if ((from.kind === "vector" ? from.length : 0) !== (to.kind === "vector" ? to.length : 0)) return wrong;
  const a = scalarOf(from);
  const b = scalarOf(to);
  const ok = ((): boolean => {
    switch (operator) {
      case "trunc":
        return isInt(a) && isInt(b) && a.bits > b.bits;
      case "zext":
      case "sext":
        return isInt(a) && isInt(b) && a.bits < b.bits;
      case "fptrunc":
        return isFloat(a) && isFloat(b) && scalarBits(a) > scalarBits(b);
      case "fpext":
        return isFloat(a) && isFloat(b) && scalarBits(a) < scalarBits(b);
      case "fptoui":
      case "fptosi":
        return isFloat(a) && isInt(b);
      case "uitofp":
      case "sitofp":
        return isInt(a) && isFloat(b);
      case "ptrtoint":
        return a.kind === "ptr" && isInt(b);
      case "inttoptr":
        return isInt(a) && b.kind === "ptr";
      case "addrspacecast":
        return a.kind === "ptr" && b.kind === "ptr";
    }
  })();
  return ok ? null : wrong;
}

function bitsOfType(type: IrType): number {
  return type.kind === "vector" ? type.length * scalarBits(type.element) : scalarBits(type);
}

/** As LLVM writes it: `i32`, `ptr addrspace(3)`, `<4 x float>`, `%struct.P`, `{ i32, i1 }`. */
export function formatType(type: IrType): string {
  switch (type.kind) {
    case "void":
      return "void";
    case "int":
      return `i${type.bits}`;
    case "float":
      return type.format;
    case "ptr":
      return type.addressSpace === 0 ? "ptr" : `ptr addrspace(${type.addressSpace})`;
    case "vector":
      return `<${type.length} x ${formatType(type.element)}>`;
    case "array":
      return `[${type.length} x ${formatType(type.element)}]`;
    case "struct":
      return type.name !== null ? `%${quoteName(type.name)}` : formatStructBody(type);
    case "function":
      return `${formatType(type.result)} (${formatParamTypes(type)})`;
    case "opaque":
      return type.name;
  }
}

export function formatStructBody(type: StructType): string {
  const inner = type.elements.length === 0 ? "{}" : `{ ${type.elements.map(formatType).join(", ")} }`;
  return type.packed ? `<${inner}>` : inner;
}

function formatParamTypes(type: FunctionType): string {
  const params = type.params.map(formatType);
  if (type.isVarArg) params.push("...");
  return params.join(", ");
}

/** A name as it may follow %, @ or $: bare where LLVM allows it, else quoted with \XX escapes. */
export function quoteName(name: string): string {
  return /^(?:[-a-zA-Z$._][-a-zA-Z$._0-9]*|[0-9]+)$/.test(name) ? name : quoteString(name);
}

/** A string of bytes (each char code below 256) in LLVM's quotes. */
export function quoteString(text: string): string {
  let out = '"';
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    out +=
      c < 32 || c > 126 || c === 34 || c === 92
        ? `\\${(c & 255).toString(16).toUpperCase().padStart(2, "0")}`
        : text[i];
  }
  return `${out}"`;
}
