/**
 * Small constructors for constants, instructions and blocks: what passes and tests build IR with.
 *
 * An instruction made here belongs to the block that it is made for but is not yet in its list; the caller places it.
 */
import { bug, type SourceLocation } from "../../base/diagnostics.ts";
import { numberToBits } from "./float-literals.ts";
import type {
  BinaryInstruction,
  BinaryOperator,
  BrInstruction,
  CallInstruction,
  CastInstruction,
  CastOperator,
  CondBrInstruction,
  ConstFloat,
  ConstInt,
  ConstNull,
  ConstUndef,
  FastMath,
  FloatPredicate,
  FloatType,
  GepInstruction,
  IcmpInstruction,
  FcmpInstruction,
  IntPredicate,
  IntType,
  IrBlock,
  IrConstant,
  IrFunction,
  IrInstruction,
  IrType,
  IrValue,
  LoadInstruction,
  PhiInstruction,
  PointerType,
  SelectInstruction,
  StoreInstruction,
} from "./ir.ts";
import { F32, F64, I1, I32, I64, I8, PTR, VOID, intType, vectorType } from "./types.ts";
import { alignOf } from "./layout.ts";

// ---------------------------------------------------------------- constants

const smallInts = new Map<number, ConstInt[]>();

/** An integer constant of any sign; stored modulo 2^bits. */
export function constInt(type: IntType, value: bigint | number): ConstInt {
  const number = BigInt.asUintN(type.bits, BigInt(value));
  if (number > 64n) return { kind: "const-int", type, value: number };
  let known = smallInts.get(type.bits);
  if (known === undefined) smallInts.set(type.bits, (known = []));
  return (known[Number(number)] ??= { kind: "const-int", type: intType(type.bits), value: number });
}

export function constBool(value: boolean): ConstInt {
  return constInt(I1, value ? 1n : 0n);
}

export function constI8(value: number): ConstInt {
  return constInt(I8, value);
}

export function constI32(value: number): ConstInt {
  return constInt(I32, value);
}

export function constI64(value: bigint | number): ConstInt {
  return constInt(I64, value);
}

/** Rounded to nearest even where the format cannot hold the number. */
export function constFloat(type: FloatType, value: number): ConstFloat {
  return { kind: "const-float", type, bits: numberToBits(value, type.format) };
}

export function constFloatBits(type: FloatType, bits: bigint): ConstFloat {
  return { kind: "const-float", type, bits };
}

export function constF32(value: number): ConstFloat {
  return constFloat(F32, value);
}

export function constF64(value: number): ConstFloat {
  return constFloat(F64, value);
}

export function constNull(type: PointerType = PTR): ConstNull {
  return { kind: "const-null", type };
}

export function constUndef(type: IrType): ConstUndef {
  return { kind: "const-undef", type, poison: false };
}

export function constPoison(type: IrType): ConstUndef {
  return { kind: "const-undef", type, poison: true };
}

/** Zero of any type: 0, 0.0, null, or zeroinitializer. */
export function constZero(type: IrType): IrConstant {
  switch (type.kind) {
    case "int":
      return constInt(type, 0n);
    case "float":
      return constFloatBits(type, 0n);
    case "ptr":
      return constNull(type);
    default:
      return { kind: "const-zero", type };
  }
}

export function isConstant(value: IrValue): value is IrConstant {
  return value.kind.startsWith("const-") || value.kind === "global" || value.kind === "function";
}

/** The signed value of an integer constant. */
export function signedValue(constant: ConstInt): bigint {
  return BigInt.asIntN(constant.type.bits, constant.value);
}

function elementTypeOf(type: IrType, index: number): IrType | undefined {
  if (type.kind === "struct") return type.elements[index];
  return type.kind === "array" || type.kind === "vector" ? type.element : undefined;
}

/** Element `index` of an aggregate or vector constant, or null where the constant is none. */
export function constantElement(constant: IrConstant, index: number): IrConstant | null {
  const { type } = constant;
  const elementType = elementTypeOf(type, index);
  if (elementType === undefined) return null;
  switch (constant.kind) {
    case "const-aggregate":
      return constant.elements[index] ?? null;
    case "const-bytes":
      return constInt(I8, constant.bytes[index] ?? bug(`byte ${index} of a constant`));
    case "const-zero":
      return constZero(elementType);
    case "const-undef":
      return { kind: "const-undef", type: elementType, poison: constant.poison };
    default:
      return null;
  }
}

// ---------------------------------------------------------------- instructions

export const NO_ATTRIBUTES: ReadonlySet<string> = new Set<string>();

/** `contract` and nothing else. */
export const CONTRACT: FastMath = {
  contract: true,
  reassoc: false,
  nnan: false,
  ninf: false,
  nsz: false,
  arcp: false,
  afn: false,
};

/** Where a new instruction stands: its block, and the source line it comes from. */
export interface Place {
  readonly block: IrBlock;
  readonly location: SourceLocation | null;
}

type WithoutBase<T> = T extends IrInstruction ? Omit<T, "kind" | "block" | "location"> : never;

/** Any instruction from its fields. */
export function newInstruction<T extends IrInstruction>(place: Place, fields: WithoutBase<T>): T {
  return { kind: "instruction", block: place.block, location: place.location, ...fields } as unknown as T;
}

export function newBinary(
  place: Place,
  name: string,
  operator: BinaryOperator,
  lhs: IrValue,
  rhs: IrValue,
  fastMath: FastMath | null = null,
): BinaryInstruction {
  return newInstruction<BinaryInstruction>(place, {
    op: "binary",
    type: lhs.type,
    name,
    operator,
    lhs,
    rhs,
    fastMath,
    nuw: false,
    nsw: false,
    exact: false,
  });
}

export function newIcmp(
  place: Place,
  name: string,
  predicate: IntPredicate,
  lhs: IrValue,
  rhs: IrValue,
): IcmpInstruction {
  return newInstruction<IcmpInstruction>(place, {
    op: "icmp",
    type: comparisonType(lhs.type),
    name,
    predicate,
    lhs,
    rhs,
  });
}

export function newFcmp(
  place: Place,
  name: string,
  predicate: FloatPredicate,
  lhs: IrValue,
  rhs: IrValue,
  fastMath: FastMath | null = null,
): FcmpInstruction {
  return newInstruction<FcmpInstruction>(place, {
    op: "fcmp",
    type: comparisonType(lhs.type),
    name,
    predicate,
    lhs,
    rhs,
    fastMath,
  });
}

export function newCast(
  place: Place,
  name: string,
  operator: CastOperator,
  operand: IrValue,
  type: IrType,
): CastInstruction {
  return newInstruction<CastInstruction>(place, { op: "cast", type, name, operator, operand, nneg: false });
}

export function newSelect(
  place: Place,
  name: string,
  condition: IrValue,
  then: IrValue,
  otherwise: IrValue,
): SelectInstruction {
  return newInstruction<SelectInstruction>(place, {
    op: "select",
    type: then.type,
    name,
    condition,
    then,
    else: otherwise,
  });
}

export function newPhi(
  place: Place,
  name: string,
  type: IrType,
  incoming: PhiInstruction["incoming"] = [],
): PhiInstruction {
  return newInstruction<PhiInstruction>(place, { op: "phi", type, name, incoming });
}

/** The address `offset` bytes after `base`. */
export function newByteOffset(place: Place, name: string, base: IrValue, offset: IrValue): GepInstruction {
  return newInstruction<GepInstruction>(place, {
    op: "gep",
    type: base.type,
    name,
    sourceType: I8,
    base,
    indices: [offset],
    inbounds: false,
  });
}

export function newLoad(
  place: Place,
  name: string,
  type: IrType,
  pointer: IrValue,
  align: number = alignOf(type),
): LoadInstruction {
  return newInstruction<LoadInstruction>(place, {
    op: "load",
    type,
    name,
    pointer,
    align,
    volatile: false,
    ordering: null,
    scope: null,
    cache: null,
    invariant: false,
  });
}

export function newStore(
  place: Place,
  value: IrValue,
  pointer: IrValue,
  align: number = alignOf(value.type),
): StoreInstruction {
  return newInstruction<StoreInstruction>(place, {
    op: "store",
    type: VOID,
    name: "",
    value,
    pointer,
    align,
    volatile: false,
    ordering: null,
    scope: null,
    cache: null,
  });
}

export function newCall(
  place: Place,
  name: string,
  callee: IrFunction,
  args: IrValue[],
  fastMath: FastMath | null = null,
): CallInstruction {
  return newInstruction<CallInstruction>(place, {
    op: "call",
    type: callee.functionType.result,
    name,
    callee,
    functionType: callee.functionType,
    args,
    fastMath,
    attributes: NO_ATTRIBUTES,
    byval: args.map(() => null),
  });
}

export function newBr(place: Place, target: IrBlock): BrInstruction {
  return newInstruction<BrInstruction>(place, { op: "br", type: VOID, name: "", target, loop: null });
}

export function newCondBr(place: Place, condition: IrValue, then: IrBlock, otherwise: IrBlock): CondBrInstruction {
  const fields = { op: "condbr", type: VOID, name: "", condition, then, else: otherwise, loop: null } as const;
  return newInstruction<CondBrInstruction>(place, fields);
}

function comparisonType(type: IrType): IrType {
  return type.kind === "vector" ? vectorType(I1, type.length) : I1;
}

// ---------------------------------------------------------------- containers

/** A block that is not yet in the function's list. */
export function newBlock(fn: IrFunction, name: string): IrBlock {
  return { kind: "block", name, function: fn, instructions: [] };
}

// ---------------------------------------------------------------- names

/** Hands out names that a function does not have yet: `hint`, `hint.1`, `hint.2` … */
export class NameSource {
  readonly #taken: Set<string>;
  readonly #next = new Map<string, number>();

  constructor(fn: IrFunction) {
    this.#taken = new Set(fn.params.map((param) => param.name));
    for (const block of fn.blocks) {
      this.#taken.add(block.name);
      for (const instruction of block.instructions) if (instruction.name !== "") this.#taken.add(instruction.name);
    }
  }

  fresh(hint: string): string {
    if (hint !== "" && !/^\d+$/.test(hint) && !this.#taken.has(hint)) {
      this.#taken.add(hint);
      return hint;
    }
    // A bare number would have to follow LLVM's own numbering; `v12` need not.
    const isNumber = /^\d*$/.test(hint);
    const base = isNumber ? `v${hint}` : hint.replace(/\.\d+$/, "");
    for (let n = this.#next.get(base) ?? 1; ; n++) {
      const name = `${base}.${n}`;
      if (this.#taken.has(name)) continue;
      this.#next.set(base, n + 1);
      this.#taken.add(name);
      return name;
    }
  }
}
