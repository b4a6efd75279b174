/**
 * Loads, stores and atomic operations with their checks: an access of n bytes is legal in [USER_BASE, memoryTop) and at
 * its alignment. One comparison tests both: the biased address rotated right by log2(n) is above the scaled limit when
 * it is out of range or has low bits set.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type {
  AtomicOperator,
  AtomicRmwInstruction,
  CmpxchgInstruction,
  IrInstruction,
  IrType,
  IrValue,
  LoadInstruction,
  StoreInstruction,
} from "../../ir/model/ir.ts";
import { splitConstantOffset } from "../../ir/model/gep.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import type { FunctionBuilder, Local } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "./environment.ts";
import { atomicUpdate, combine, type AtomicCell } from "./atomic-updates.ts";
import { emitIntegerConstant } from "./integers.ts";
import { bitWidth, wasmTypeOf } from "./value-types.ts";

/** Bytes of a scalar in memory. */
export function accessBytes(type: IrType): number {
  if (type.kind === "int") {
    if (type.bits <= 8) return 1;
    if (type.bits === 16 || type.bits === 32 || type.bits === 64) return type.bits / 8;
    throw unsupported(`a memory access of type i${type.bits} in compiled code`);
  }
  if (type.kind === "float") return bitWidth(type) / 8;
  if (type.kind === "ptr") return type.bits / 8;
  throw unsupported(`a memory access of type ${type.kind} in compiled code`);
}

/**
 * Pushes 1 when an access of `bytes` at the address in `address` is illegal. `align` (a power of two, may be less or
 * more than `bytes`) is what the instruction promises.
 */
export function emitAccessTest(context: ScalarContext, address: Local, bytes: number, align: number): void {
  const { code } = context;
  const { type, scaled, bytes: limitBytes } = context.env.limits;
  const power = Math.log2(align);
  const number = (value: number): FunctionBuilder => emitIntegerConstant(code, type, value);
  code.localGet(address);
  number(USER_BASE).op(`${type}Sub`);
  if (align === bytes) {
    if (power > 0) number(power).op(`${type}Rotr`);
    code.globalGet(scaled[power] ?? bug(`an access of ${bytes} bytes`)).op(`${type}GtU`);
    return;
  }
  code.globalGet(limitBytes);
  number(bytes).op(`${type}Sub`).op(`${type}GtU`);
  if (align > 1) {
    code.localGet(address);
    number(align - 1).op(`${type}And`);
    number(0).op(`${type}Ne`).i32Or();
  }
}

/**
 * A pointer as another and a constant distance from it, which an access of memory can have as its immediate: a legal
 * address is above the distance, so that their sum does not wrap around. Only for addresses that are known to be legal.
 * The other is at hand where the pointer is used.
 */
export function splitPointer(
  pointer: IrValue,
  user: IrInstruction,
): { readonly base: IrValue; readonly distance: number } {
  const { base, offset } = splitConstantOffset(
    pointer,
    (gep, sum) => gep.block === user.block && sum >= 0 && sum < USER_BASE,
  );
  return { base, distance: offset };
}

/** Pushes the checked address. */
export function emitCheckedAddress(
  context: ScalarContext,
  pointer: IrValue,
  bytes: number,
  align: number,
  instruction: IrInstruction,
): void {
  if (context.alreadyChecked?.(pointer, bytes, align) === true) context.get(pointer);
  else emitTestedAddress(context, pointer, bytes, align, instruction);
}

/**
 * The same without calling `alreadyChecked`: its first call for an access returns false, and later calls assume that
 * the caller has emitted the check.
 */
function emitTestedAddress(
  context: ScalarContext,
  pointer: IrValue,
  bytes: number,
  align: number,
  instruction: IrInstruction,
): void {
  const { code } = context;
  const address = code.local(wasmTypeOf(pointer.type));
  context.get(pointer);
  code.localSet(address);
  const flag = context.flagOf?.(instruction) ?? null;
  if (flag !== null) code.localGet(flag).i32Eqz().hint("unlikely").if();
  emitAccessTest(context, address, bytes, align);
  if (context.addressFaultIf !== undefined) context.addressFaultIf(instruction, address);
  else {
    code.hint("unlikely").if();
    context.fault("address", instruction, address, { constant: bytes });
    code.end();
  }
  if (flag !== null) code.end();
  code.localGet(address);
  code.free(address);
}

/** The alignment that an access must have: at most 16, what hardware can ask for. */
export function requiredAlign(instruction: LoadInstruction | StoreInstruction, bytes: number): number {
  return instruction.ordering !== null ? bytes : Math.min(Math.max(instruction.align, 1), 16);
}

/** Pushes the loaded value. */
export function emitLoad(context: ScalarContext, i: LoadInstruction): void {
  const bytes = accessBytes(i.type);
  const align = requiredAlign(i, bytes);
  if (i.ordering === null && !i.volatile) {
    if (context.alreadyChecked?.(i.pointer, bytes, align) === true) {
      const { base, distance } = splitPointer(i.pointer, i);
      context.get(base);
      emitRawLoad(context.code, i.type, false, Math.min(align, bytes), distance);
    } else {
      emitTestedAddress(context, i.pointer, bytes, align, i);
      emitRawLoad(context.code, i.type, false, Math.min(align, bytes));
    }
    return;
  }
  emitCheckedAddress(context, i.pointer, bytes, align, i);
  // A volatile load must happen in every iteration of a loop. Engines never merge atomic loads.
  emitRawLoad(context.code, i.type, i.ordering !== null || (i.volatile && align >= bytes), Math.min(align, bytes));
}

/** The address is on the stack. */
export function emitRawLoad(code: FunctionBuilder, type: IrType, atomic: boolean, align: number, distance = 0): void {
  const carrier = wasmTypeOf(type);
  const bytes = accessBytes(type);
  if (atomic) {
    if (distance !== 0) code.i32Const(distance).i32Add();
    if (bytes === 8) code.i64AtomicLoad();
    else if (bytes === 4) code.i32AtomicLoad();
    else if (bytes === 2) code.i32AtomicLoad16U();
    else code.i32AtomicLoad8U();
    if (carrier === "f32") code.f32ReinterpretI32();
    if (carrier === "f64") code.f64ReinterpretI64();
  } else if (carrier === "i64") code.i64Load(distance, align);
  else if (carrier === "f32") code.f32Load(distance, align);
  else if (carrier === "f64") code.f64Load(distance, align);
  else if (bytes === 4) code.i32Load(distance, align);
  else if (bytes === 2) code.i32Load16U(distance, align);
  else code.i32Load8U(distance);
  if (type.kind === "int" && type.bits < 8) code.i32Const(2 ** type.bits - 1).i32And();
}

export function emitStore(context: ScalarContext, i: StoreInstruction): void {
  const { code } = context;
  const type = i.value.type;
  const bytes = accessBytes(type);
  const align = requiredAlign(i, bytes);
  emitCheckedAddress(context, i.pointer, bytes, align, i);
  if (context.noteChange !== null) {
    const address = code.local(wasmTypeOf(i.pointer.type));
    code.localTee(address);
    emitRawLoad(code, integerOf(bytes), false, Math.min(align, bytes));
    context.get(i.value);
    emitAsBits(code, type);
    code.op(bytes === 8 ? "i64Ne" : "i32Ne").if();
    context.noteChange();
    code.end();
    code.localGet(address);
    code.free(address);
  }
  context.get(i.value);
  if (i.ordering !== null) {
    emitAsBits(code, type);
    if (bytes === 8) code.i64AtomicStore();
    else if (bytes === 4) code.i32AtomicStore();
    else if (bytes === 2) code.i32AtomicStore16();
    else code.i32AtomicStore8();
  } else emitRawStore(code, type, Math.min(align, bytes));
}

/** Address and value are on the stack. */
export function emitRawStore(code: FunctionBuilder, type: IrType, align: number): void {
  const carrier = wasmTypeOf(type);
  const bytes = accessBytes(type);
  if (carrier === "i64") code.i64Store(0, align);
  else if (carrier === "f32") code.f32Store(0, align);
  else if (carrier === "f64") code.f64Store(0, align);
  else if (bytes === 4) code.i32Store(0, align);
  else if (bytes === 2) code.i32Store16(0, align);
  else code.i32Store8();
}

function integerOf(bytes: number): IrType {
  return { kind: "int", bits: 8 * bytes };
}

function emitAsBits(code: FunctionBuilder, type: IrType): void {
  const carrier = wasmTypeOf(type);
  if (carrier === "f32") code.i32ReinterpretF32();
  if (carrier === "f64") code.i64ReinterpretF64();
}

export function cellOf(type: IrType): AtomicCell {
  if (type.kind === "ptr") return type.bits === 64 ? "i64" : "i32";
  if (type.kind === "float") return type.format;
  const bytes = accessBytes(type);
  return CELLS[bytes] ?? "i64";
}

const CELLS: Readonly<Record<number, AtomicCell>> = { 1: "i8", 2: "i16", 4: "i32" };

const RMW: Partial<Record<AtomicOperator, string>> = {
  add: "Add",
  sub: "Sub",
  and: "And",
  or: "Or",
  xor: "Xor",
  xchg: "Xchg",
};

/** Pushes the old value. */
export function emitAtomicRmw(context: ScalarContext, i: AtomicRmwInstruction): void {
  const { code } = context;
  const bytes = accessBytes(i.type);
  const cell = cellOf(i.type);
  if (context.isUnshared?.(i.pointer) === true && context.noteChange === null) {
    emitPlainRmw(context, i, cell);
    return;
  }
  emitCheckedAddress(context, i.pointer, bytes, bytes, i);
  let address: Local | undefined;
  if (context.noteChange !== null) {
    address = code.local(wasmTypeOf(i.pointer.type));
    code.localTee(address);
  }
  context.get(i.value);
  const direct = RMW[i.operator];
  if (direct === undefined) code.call(atomicUpdate(context.env.support, i.operator, cell, context.env.limits.type));
  else {
    emitAsBits(code, i.type);
    const suffix = bytes >= 4 ? "" : `${8 * bytes}`;
    code.memoryOp(
      `${bytes === 8 ? "i64" : "i32"}AtomicRmw${suffix}${direct}${suffix === "" ? "" : "U"}` as "i32AtomicRmwAdd",
    );
    if (i.type.kind === "float" && i.type.format === "float") code.f32ReinterpretI32();
    if (i.type.kind === "float" && i.type.format === "double") code.f64ReinterpretI64();
  }
  if (context.noteChange !== null && address !== undefined) {
    const old = code.local(wasmTypeOf(i.type));
    code.localTee(old);
    emitAsBits(code, i.type);
    code.localGet(address);
    emitRawLoad(code, integerOf(bytes), false, bytes);
    code.op(bytes === 8 ? "i64Ne" : "i32Ne").if();
    context.noteChange();
    code.end();
    code.localGet(old);
    code.free(old, address);
  }
}

/** A load, the operation and a store. */
function emitPlainRmw(context: ScalarContext, i: AtomicRmwInstruction, cell: AtomicCell): void {
  const { code } = context;
  const bytes = accessBytes(i.type);
  const carrier = bytes === 8 ? "i64" : "i32";
  const address = code.local(wasmTypeOf(i.pointer.type));
  const old = code.local(carrier);
  const operand = code.local(carrier);
  emitCheckedAddress(context, i.pointer, bytes, bytes, i);
  code.localSet(address);
  context.get(i.value);
  emitAsBits(code, i.type);
  code.localSet(operand).localGet(address);
  emitRawLoad(code, integerOf(bytes), false, bytes);
  code.localSet(old).localGet(address);
  combine(
    context.env.support,
    code,
    i.operator,
    cell,
    () => code.localGet(old),
    () => code.localGet(operand),
  );
  emitRawStore(code, integerOf(bytes), bytes);
  code.localGet(old);
  if (wasmTypeOf(i.type) === "f32") code.f32ReinterpretI32();
  if (wasmTypeOf(i.type) === "f64") code.f64ReinterpretI64();
  code.free(address, old, operand);
}

/** Sets both components: the old value, and whether the exchange happened. */
export function emitCmpxchg(context: ScalarContext, i: CmpxchgInstruction): void {
  const { code } = context;
  const type = i.expected.type;
  const bytes = accessBytes(type);
  const carrier = bytes === 8 ? "i64" : "i32";
  const expected = code.local(carrier);
  const old = code.local(carrier);
  emitCheckedAddress(context, i.pointer, bytes, bytes, i);
  context.get(i.expected);
  emitAsBits(code, type);
  code.localTee(expected);
  context.get(i.desired);
  emitAsBits(code, type);
  if (bytes === 8) code.i64AtomicRmwCmpxchg();
  else if (bytes === 4) code.i32AtomicRmwCmpxchg();
  else if (bytes === 2) code.i32AtomicRmw16CmpxchgU();
  else code.i32AtomicRmw8CmpxchgU();
  code.localTee(old);
  if (wasmTypeOf(type) === "f32") code.f32ReinterpretI32();
  if (wasmTypeOf(type) === "f64") code.f64ReinterpretI64();
  context.set(i, 0);
  code.localGet(old).localGet(expected).op(`${carrier}Eq`);
  context.set(i, 1);
  if (context.noteChange !== null) {
    code.localGet(old).localGet(expected).op(`${carrier}Eq`);
    context.get(i.desired);
    emitAsBits(code, type);
    code.localGet(expected).op(`${carrier}Ne`).i32And().if();
    context.noteChange();
    code.end();
  }
  code.free(expected, old);
}

/**
 * Pushes 1 when the range of `bytes` (a local) at `address` is outside the legal window; an empty range is legal
 * anywhere. Both locals have the type of an address.
 */
export function emitRangeTest(context: ScalarContext, address: Local, bytes: Local): void {
  const { code } = context;
  const { type, bytes: limit } = context.env.limits;
  code.localGet(bytes).globalGet(limit).op(`${type}GtU`);
  emitIntegerConstant(code.localGet(address), type, USER_BASE).op(`${type}Sub`);
  code.globalGet(limit).localGet(bytes).op(`${type}Sub`).op(`${type}GtU`).i32Or();
  emitIntegerConstant(code.localGet(bytes), type, 0).op(`${type}Ne`).i32And();
}
