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
import { gepOffset } from "../../ir/model/gep.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import type { FunctionBuilder, Local } from "../../wasm/function-builder.ts";
import type { ScalarContext } from "./environment.ts";
import { atomicUpdate, combine, type AtomicCell } from "./atomic-updates.ts";
import { wasmTypeOf } from "./value-types.ts";

/** Bytes of a scalar in memory. */
export function accessBytes(type: IrType): number {
  if (type.kind === "int") {
    if (type.bits <= 8) return 1;
    if (type.bits === 16 || type.bits === 32 || type.bits === 64) return type.bits / 8;
    throw unsupported(`a memory access of type i${type.bits} in compiled code`);
  }
  if (type.kind === "float") return type.format === "double" ? 8 : type.format === "float" ? 4 : 2;
  if (type.kind === "ptr") return 4;
  throw unsupported(`a memory access of type ${type.kind} in compiled code`);
}

/**
 * Pushes 1 when an access of `bytes` at the address in `address` is illegal. `align` (a power of two, may be less or
 * more than `bytes`) is what the instruction promises.
 */
export function emitAccessTest(c: ScalarContext, address: Local, bytes: number, align: number): void {
  const { f } = c;
  const { scaled, bytes: limitBytes } = c.env.limits;
  const power = Math.log2(align);
  f.localGet(address).i32Const(USER_BASE).i32Sub();
  if (align === bytes) {
    if (power > 0) f.i32Const(power).i32Rotr();
    f.globalGet(scaled[power] ?? bug(`an access of ${bytes} bytes`)).i32GtU();
    return;
  }
  f.globalGet(limitBytes).i32Const(bytes).i32Sub().i32GtU();
  if (align > 1)
    f.localGet(address)
      .i32Const(align - 1)
      .i32And()
      .i32Const(0)
      .i32Ne()
      .i32Or();
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
  let base = pointer;
  let distance = 0;
  while (base.kind === "instruction" && base.op === "gep" && base.block === user.block) {
    const { constant, terms } = gepOffset(base.sourceType, base.indices);
    if (terms.length > 0 || distance + constant < 0 || distance + constant >= USER_BASE) break;
    distance += constant;
    base = base.base;
  }
  return { base, distance };
}

/** Pushes the checked address. */
export function emitCheckedAddress(
  c: ScalarContext,
  pointer: IrValue,
  bytes: number,
  align: number,
  instruction: IrInstruction,
): void {
  if (c.alreadyChecked?.(pointer, bytes, align) === true) c.get(pointer);
  else emitTestedAddress(c, pointer, bytes, align, instruction);
}

/**
 * The same without asking whether it was checked before: who asks is told once, and is then believed to have checked.
 */
function emitTestedAddress(
  c: ScalarContext,
  pointer: IrValue,
  bytes: number,
  align: number,
  instruction: IrInstruction,
): void {
  const { f } = c;
  const address = f.local("i32");
  c.get(pointer);
  f.localSet(address);
  const flag = c.flagOf?.(instruction) ?? null;
  if (flag !== null) f.localGet(flag).i32Eqz().hint("unlikely").if();
  emitAccessTest(c, address, bytes, align);
  if (c.addressFaultIf !== undefined) c.addressFaultIf(instruction, address);
  else {
    f.hint("unlikely").if();
    c.fault("address", instruction, address, { constant: bytes });
    f.end();
  }
  if (flag !== null) f.end();
  f.localGet(address);
  f.free(address);
}

/** The alignment that an access must have: at most 16, what hardware can ask for. */
export function requiredAlign(instruction: LoadInstruction | StoreInstruction, bytes: number): number {
  return instruction.ordering !== null ? bytes : Math.min(Math.max(instruction.align, 1), 16);
}

/** Pushes the loaded value. */
export function emitLoad(c: ScalarContext, i: LoadInstruction): void {
  const bytes = accessBytes(i.type);
  const align = requiredAlign(i, bytes);
  if (i.ordering === null && !i.volatile) {
    if (c.alreadyChecked?.(i.pointer, bytes, align) === true) {
      const { base, distance } = splitPointer(i.pointer, i);
      c.get(base);
      emitRawLoad(c.f, i.type, false, Math.min(align, bytes), distance);
    } else {
      emitTestedAddress(c, i.pointer, bytes, align, i);
      emitRawLoad(c.f, i.type, false, Math.min(align, bytes));
    }
    return;
  }
  emitCheckedAddress(c, i.pointer, bytes, align, i);
  // A volatile load must be done again in every turn of a loop: an atomic one never is merged with another.
  emitRawLoad(c.f, i.type, i.ordering !== null || (i.volatile && align >= bytes), Math.min(align, bytes));
}

/** The address is on the stack. */
export function emitRawLoad(f: FunctionBuilder, type: IrType, atomic: boolean, align: number, distance = 0): void {
  const carrier = wasmTypeOf(type);
  const bytes = accessBytes(type);
  if (atomic) {
    if (distance !== 0) f.i32Const(distance).i32Add();
    if (bytes === 8) f.i64AtomicLoad();
    else if (bytes === 4) f.i32AtomicLoad();
    else if (bytes === 2) f.i32AtomicLoad16U();
    else f.i32AtomicLoad8U();
    if (carrier === "f32") f.f32ReinterpretI32();
    if (carrier === "f64") f.f64ReinterpretI64();
  } else if (carrier === "i64") f.i64Load(distance, align);
  else if (carrier === "f32") f.f32Load(distance, align);
  else if (carrier === "f64") f.f64Load(distance, align);
  else if (bytes === 4) f.i32Load(distance, align);
  else if (bytes === 2) f.i32Load16U(distance, align);
  else f.i32Load8U(distance);
  if (type.kind === "int" && type.bits < 8) f.i32Const(2 ** type.bits - 1).i32And();
}

export function emitStore(c: ScalarContext, i: StoreInstruction): void {
  const { f } = c;
  const type = i.value.type;
  const bytes = accessBytes(type);
  const align = requiredAlign(i, bytes);
  emitCheckedAddress(c, i.pointer, bytes, align, i);
  if (c.noteChange !== null) {
    const address = f.local("i32");
    f.localTee(address);
    emitRawLoad(f, integerOf(bytes), false, Math.min(align, bytes));
    c.get(i.value);
    emitAsBits(f, type);
    f.op(bytes === 8 ? "i64Ne" : "i32Ne").if();
    c.noteChange();
    f.end();
    f.localGet(address);
    f.free(address);
  }
  c.get(i.value);
  if (i.ordering !== null) {
    emitAsBits(f, type);
    if (bytes === 8) f.i64AtomicStore();
    else if (bytes === 4) f.i32AtomicStore();
    else if (bytes === 2) f.i32AtomicStore16();
    else f.i32AtomicStore8();
  } else emitRawStore(f, type, Math.min(align, bytes));
}

/** Address and value are on the stack. */
export function emitRawStore(f: FunctionBuilder, type: IrType, align: number): void {
  const carrier = wasmTypeOf(type);
  const bytes = accessBytes(type);
  if (carrier === "i64") f.i64Store(0, align);
  else if (carrier === "f32") f.f32Store(0, align);
  else if (carrier === "f64") f.f64Store(0, align);
  else if (bytes === 4) f.i32Store(0, align);
  else if (bytes === 2) f.i32Store16(0, align);
  else f.i32Store8();
}

function integerOf(bytes: number): IrType {
  return { kind: "int", bits: 8 * bytes };
}

function emitAsBits(f: FunctionBuilder, type: IrType): void {
  const carrier = wasmTypeOf(type);
  if (carrier === "f32") f.i32ReinterpretF32();
  if (carrier === "f64") f.i64ReinterpretF64();
}

export function cellOf(type: IrType): AtomicCell {
  if (type.kind === "ptr") return "i32";
  if (type.kind === "float") return type.format;
  const bytes = accessBytes(type);
  return bytes === 1 ? "i8" : bytes === 2 ? "i16" : bytes === 4 ? "i32" : "i64";
}

const RMW: Partial<Record<AtomicOperator, string>> = {
  add: "Add",
  sub: "Sub",
  and: "And",
  or: "Or",
  xor: "Xor",
  xchg: "Xchg",
};

/** Pushes the old value. */
export function emitAtomicRmw(c: ScalarContext, i: AtomicRmwInstruction): void {
  const { f } = c;
  const bytes = accessBytes(i.type);
  const cell = cellOf(i.type);
  if (c.isUnshared?.(i.pointer) === true && c.noteChange === null) {
    emitPlainRmw(c, i, cell);
    return;
  }
  emitCheckedAddress(c, i.pointer, bytes, bytes, i);
  let address: Local | undefined;
  if (c.noteChange !== null) {
    address = f.local("i32");
    f.localTee(address);
  }
  c.get(i.value);
  const direct = RMW[i.operator];
  if (direct === undefined) f.call(atomicUpdate(c.env.support, i.operator, cell));
  else {
    emitAsBits(f, i.type);
    const suffix = bytes >= 4 ? "" : `${8 * bytes}`;
    f.memoryOp(
      `${bytes === 8 ? "i64" : "i32"}AtomicRmw${suffix}${direct}${suffix === "" ? "" : "U"}` as "i32AtomicRmwAdd",
    );
    if (i.type.kind === "float" && i.type.format === "float") f.f32ReinterpretI32();
    if (i.type.kind === "float" && i.type.format === "double") f.f64ReinterpretI64();
  }
  if (c.noteChange !== null && address !== undefined) {
    const old = f.local(wasmTypeOf(i.type));
    f.localTee(old);
    emitAsBits(f, i.type);
    f.localGet(address);
    emitRawLoad(f, integerOf(bytes), false, bytes);
    f.op(bytes === 8 ? "i64Ne" : "i32Ne").if();
    c.noteChange();
    f.end();
    f.localGet(old);
    f.free(old, address);
  }
}

/** A load, the operation and a store. */
function emitPlainRmw(c: ScalarContext, i: AtomicRmwInstruction, cell: AtomicCell): void {
  const { f } = c;
  const bytes = accessBytes(i.type);
  const carrier = bytes === 8 ? "i64" : "i32";
  const address = f.local("i32");
  const old = f.local(carrier);
  const operand = f.local(carrier);
  emitCheckedAddress(c, i.pointer, bytes, bytes, i);
  f.localSet(address);
  c.get(i.value);
  emitAsBits(f, i.type);
  f.localSet(operand).localGet(address);
  emitRawLoad(f, integerOf(bytes), false, bytes);
  f.localSet(old).localGet(address);
  combine(
    c.env.support,
    f,
    i.operator,
    cell,
    () => f.localGet(old),
    () => f.localGet(operand),
  );
  emitRawStore(f, integerOf(bytes), bytes);
  f.localGet(old);
  if (wasmTypeOf(i.type) === "f32") f.f32ReinterpretI32();
  if (wasmTypeOf(i.type) === "f64") f.f64ReinterpretI64();
  f.free(address, old, operand);
}

/** Sets both components: the old value, and whether the exchange happened. */
export function emitCmpxchg(c: ScalarContext, i: CmpxchgInstruction): void {
  const { f } = c;
  const type = i.expected.type;
  const bytes = accessBytes(type);
  const carrier = bytes === 8 ? "i64" : "i32";
  const expected = f.local(carrier);
  const old = f.local(carrier);
  emitCheckedAddress(c, i.pointer, bytes, bytes, i);
  c.get(i.expected);
  emitAsBits(f, type);
  f.localTee(expected);
  c.get(i.desired);
  emitAsBits(f, type);
  if (bytes === 8) f.i64AtomicRmwCmpxchg();
  else if (bytes === 4) f.i32AtomicRmwCmpxchg();
  else if (bytes === 2) f.i32AtomicRmw16CmpxchgU();
  else f.i32AtomicRmw8CmpxchgU();
  f.localTee(old);
  if (wasmTypeOf(type) === "f32") f.f32ReinterpretI32();
  if (wasmTypeOf(type) === "f64") f.f64ReinterpretI64();
  c.set(i, 0);
  f.localGet(old).localGet(expected).op(`${carrier}Eq`);
  c.set(i, 1);
  if (c.noteChange !== null) {
    f.localGet(old).localGet(expected).op(`${carrier}Eq`);
    c.get(i.desired);
    emitAsBits(f, type);
    f.localGet(expected).op(`${carrier}Ne`).i32And().if();
    c.noteChange();
    f.end();
  }
  f.free(expected, old);
}

/**
 * Pushes 1 when the range of `bytes` (a local) at `address` is outside the legal window; an empty range is legal
 * anywhere.
 */
export function emitRangeTest(c: ScalarContext, address: Local, bytes: Local): void {
  const { f } = c;
  const { bytes: limit } = c.env.limits;
  f.localGet(bytes).globalGet(limit).i32GtU();
  f.localGet(address).i32Const(USER_BASE).i32Sub().globalGet(limit).localGet(bytes).i32Sub().i32GtU().i32Or();
  f.localGet(bytes).i32Const(0).i32Ne().i32And();
}
