/**
 * Atomic operations in PTX (PTX ISA 8.5, 9.7.12.13 "atom"; LangRef, "atomicrmw"). What the GPU has no instruction for
 * is a loop around atom.cas, for 8 and 16 bits on the word around them.
 */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type {
  AtomicOperator,
  AtomicOrdering,
  AtomicRmwInstruction,
  CallInstruction,
  CmpxchgInstruction,
  IrType,
  IrValue,
} from "../../ir/model/ir.ts";
import { scalarBits } from "../../ir/model/types.ts";
import { halfToFloat } from "./arithmetic.ts";
import { fenced, scopeOf, storedOperand } from "./memory.ts";
import type { MemoryGroup, MemoryGroups } from "../passes/pass-vectorize-memory.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { registerClass, REGISTER_TYPES } from "./ptx-types.ts";

export function emitAtomicRmw(f: PtxFunction, i: AtomicRmwInstruction, groups: MemoryGroups): void {
  const group = groups.atomics.get(i);
  if (group !== undefined) {
    if (group.leader === i) emitVectorSum(f, group);
    return; // the others are done with the last one
  }
  atomic(f, i, i.operator, i.pointer, i.value, i.ordering, i.scope);
}

/** PTX ISA 8.5, 9.7.12.13: vectors of 32-bit floats in global memory; each element is atomic, the vector is not. */
function emitVectorSum(f: PtxFunction, { leader, members, pointer, offset }: MemoryGroup<AtomicRmwInstruction>): void {
  const { space, text } = f.address(pointer, offset);
  const old = members.map((member) => f.define(member));
  const added = members.map(({ value }) => f.inRegister(storedOperand(f, value), registerClass(value.type)));
  const name = `atom.relaxed.${scopeOf(f, leader.scope)}${space}.add.v${members.length}.f32`;
  f.emit(`${name} {${old.join(", ")}}, ${text}, {${added.join(", ")}}`);
}

/** One atomic operation whose old value goes to `result`. */
export function atomic(
  f: PtxFunction,
  result: IrValue,
  operator: AtomicOperator,
  pointer: IrValue,
  value: IrValue,
  ordering: AtomicOrdering,
  irScope: string | null,
): void {
  const { type } = value;
  const { space, text } = f.address(pointer);
  if (space === ".local" || space === ".param" || space === ".const")
    throw unsupported(`an atomic operation on ${space.slice(1)} memory on a GPU`);
  const bits = scalarBits(type);
  const scope = scopeOf(f, irScope);
  const order = fenced(f, ordering, scope, "update");
  const name = (suffix: string): string => `atom.${order}${space}.${suffix}`;
  const operand = storedOperand(f, value);
  const isFloat = type.kind === "float";
  const instruction = ((): string | null => {
    if (bits < 32) {
      if (operator === "fadd" && isFloat && (type.format === "half" || f.program.architecture >= 90))
        return `add.noftz.${type.format === "half" ? "f16" : "bf16"}`;
      return null;
    }
    switch (operator) {
      case "xchg":
        return `exch.b${bits}`;
      case "add":
      case "sub":
        return `add.u${bits}`;
      case "and":
      case "or":
      case "xor":
        return `${operator}.b${bits}`;
      case "max":
      case "min":
        return `${operator}.s${bits}`;
      case "umax":
      case "umin":
        return `${operator.slice(1)}.u${bits}`;
      case "uinc_wrap":
        return bits === 32 ? "inc.u32" : null;
      case "udec_wrap":
        return bits === 32 ? "dec.u32" : null;
      case "fadd":
      case "fsub":
        return `add.f${bits}`;
      default:
        return null;
    }
  })();
  if (instruction === null) return exchangeLoop(f, result, operator, { space, text }, value, order, scope);
  let argument = operand;
  if (operator === "sub")
    argument = f.make(registerClass(type), `neg.s${bits} $d, ${f.inRegister(operand, registerClass(type))}`);
  if (operator === "fsub") argument = f.make(registerClass(type), `neg.f${bits} $d, ${operand}`);
  if (operator === "xchg" && isFloat) {
    const held = bits === 64 ? "rd" : "r";
    const bitsOf = f.make(held, `mov.b${bits} $d, ${f.inRegister(operand, registerClass(type))}`);
    return f.emit(`mov.b${bits} ${f.define(result)}, ${f.make(held, `${name(instruction)} $d, ${text}, ${bitsOf}`)}`);
  }
  f.emit(`${name(instruction)} ${f.define(result)}, ${text}, ${argument}`);
}

/** Two 16-bit floats in a word, by one instruction; without one for bfloat16, exchanged together. */
export function emitPairAtomic(f: PtxFunction, i: CallInstruction, name: string): void {
  const [pointer, pair] = i.args as [IrValue, IrValue];
  const { space, text } = f.address(pointer);
  const value = f.inRegister(f.operand(pair), "r");
  const type = name.endsWith("_f16x2") ? "f16x2" : "bf16x2";
  if (type === "f16x2" || f.program.architecture >= 90)
    return f.emit(`atom.relaxed.gpu${space}.add.noftz.${type} ${f.define(i)}, ${text}, ${value}`);
  const again = f.program.label();
  const seen = f.make("r", `ld.relaxed.gpu${space}.b32 $d, ${text}`);
  f.label(again);
  const sums = [0, 1].map((part) => {
    // A bfloat16 is the upper half of a float.
    const widened = [seen, value].map((word) => {
      const upper = part === 0 ? `shl.b32 $d, ${word}, 16` : `and.b32 $d, ${word}, 0xffff0000`;
      return f.make("f", `mov.b32 $d, ${f.make("r", upper)}`);
    });
    return f.make("h", `cvt.rn.bf16.f32 $d, ${f.make("f", `add.rn.f32 $d, ${widened.join(", ")}`)}`);
  });
  const got = f.make(
    "r",
    `atom.relaxed.gpu${space}.cas.b32 $d, ${text}, ${seen}, ${f.make("r", `mov.b32 $d, {${sums.join(", ")}}`)}`,
  );
  const failed = f.make("p", `setp.ne.b32 $d, ${got}, ${seen}`);
  f.emit(`mov.b32 ${seen}, ${got}`);
  f.emit(`@${failed} bra ${again}`);
  f.emit(`mov.b32 ${f.define(i)}, ${seen}`);
}

/** Compares and exchanges until nobody came between. */
function exchangeLoop(
  f: PtxFunction,
  result: IrValue,
  operator: AtomicOperator,
  at: { readonly space: string; readonly text: string },
  value: IrValue,
  order: string,
  scope: string,
): void {
  const { type } = value;
  const bits = scalarBits(type);
  const argument = f.inRegister(storedOperand(f, value), registerClass(type));
  const again = f.program.label();
  const word = bits < 32 ? wordAround(f, at) : null;
  const held = bits === 64 ? "rd" : "r";
  const width = bits === 64 ? 64 : 32;
  const address = word === null ? at.text : `[${word.address}]`;
  const seen = f.make(held, `ld.relaxed.${scope}${at.space}.b${width} $d, ${address}`);
  f.label(again);
  const part =
    word === null
      ? seen
      : f.make("r", `and.b32 $d, ${f.make("r", `shr.u32 $d, ${seen}, ${word.shift}`)}, ${bits === 8 ? 255 : 65535}`);
  const old = fromBits(f, part, type);
  const updated = asBits(f, update(f, operator, type, old, argument), type);
  let desired = updated;
  if (word !== null) {
    const mask = f.make("r", `shl.b32 $d, ${f.inRegister(String(bits === 8 ? 255 : 65535), "r")}, ${word.shift}`);
    const others = f.make("r", `and.b32 $d, ${seen}, ${f.make("r", `not.b32 $d, ${mask}`)}`);
    const moved = f.make("r", `shl.b32 $d, ${updated}, ${word.shift}`);
    desired = f.make("r", `or.b32 $d, ${others}, ${f.make("r", `and.b32 $d, ${moved}, ${mask}`)}`);
  }
  const got = f.make(held, `atom.${order}${at.space}.cas.b${width} $d, ${address}, ${seen}, ${desired}`);
  const failed = f.make("p", `setp.ne.b${width} $d, ${got}, ${seen}`);
  f.emit(`mov.b${width} ${seen}, ${got}`);
  f.emit(`@${failed} bra ${again}`);
  // What was read last is what was exchanged: the value computed from it is still in its register.
  f.emit(`mov.${REGISTER_TYPES[registerClass(type)]} ${f.define(result)}, ${old}`);
}

/** The aligned word that holds a byte or half word, and how far up it lies. */
function wordAround(f: PtxFunction, at: { readonly text: string }): { address: string; shift: string } {
  const match = /^\[(\S+?)(?:\+(-?\d+))?\]$/.exec(at.text) ?? bug(`the address ${at.text}`);
  const [, base, distance] = match as unknown as [string, string, string | undefined];
  const isWide = base.startsWith("%rd");
  const start = base.startsWith("%") ? base : f.make("r", `mov.b32 $d, ${base}`);
  const full =
    distance === undefined ? start : f.make(isWide ? "rd" : "r", `add.s${isWide ? 64 : 32} $d, ${start}, ${distance}`);
  const low = isWide ? f.make("r", `cvt.u32.u64 $d, ${full}`) : full;
  const address = f.make(isWide ? "rd" : "r", `and.b${isWide ? 64 : 32} $d, ${full}, -4`);
  return { address, shift: f.make("r", `shl.b32 $d, ${f.make("r", `and.b32 $d, ${low}, 3`)}, 3`) };
}

function fromBits(f: PtxFunction, bits: string, type: IrType): string {
  const held = registerClass(type);
  if (held === "r" || held === "rd") return bits;
  const register = f.fresh(held);
  if (held === "h") f.emit(`cvt.u16.u32 ${register}, ${bits}`);
  else f.emit(`mov.b${scalarBits(type)} ${register}, ${bits}`);
  return register;
}

function asBits(f: PtxFunction, register: string, type: IrType): string {
  const held = registerClass(type);
  if (held === "r" || held === "rd") return register;
  const bits = f.fresh(held === "fd" ? "rd" : "r");
  if (held === "h") f.emit(`cvt.u32.u16 ${bits}, ${register}`);
  else f.emit(`mov.b${scalarBits(type)} ${bits}, ${register}`);
  return bits;
}

/** The new value. Of operands below 32 bits, what is above them is cut off later. */
function update(f: PtxFunction, operator: AtomicOperator, type: IrType, old: string, value: string): string {
  const held = registerClass(type);
  const bits = scalarBits(type);
  const width = bits === 64 ? 64 : 32;
  const make = (line: string): string => f.make(held, line);
  const signed = (register: string): string => (bits < 32 ? f.make("r", `cvt.s32.s${bits} $d, ${register}`) : register);
  switch (operator) {
    case "xchg":
      return value;
    case "add":
    case "sub":
      return make(`${operator}.s${width} $d, ${old}, ${value}`);
    case "and":
    case "or":
    case "xor":
      return make(`${operator}.b${width} $d, ${old}, ${value}`);
    case "nand":
      return make(`not.b${width} $d, ${make(`and.b${width} $d, ${old}, ${value}`)}`);
    case "max":
    case "min":
      return make(`${operator}.s${width} $d, ${signed(old)}, ${signed(value)}`);
    case "umax":
    case "umin":
      return make(`${operator.slice(1)}.u${width} $d, ${old}, ${value}`);
    case "uinc_wrap": {
      const wraps = f.make("p", `setp.ge.u${width} $d, ${old}, ${value}`);
      return make(`selp.b${width} $d, 0, ${make(`add.s${width} $d, ${old}, 1`)}, ${wraps}`);
    }
    case "udec_wrap": {
      const isMore = f.make("p", `setp.gt.u${width} $d, ${old}, ${value}`);
      const isZero = f.make("p", `setp.eq.u${width} $d, ${old}, 0`);
      const less = make(`add.s${width} $d, ${old}, -1`);
      const wraps = f.make("p", `or.pred $d, ${isMore}, ${isZero}`);
      return make(`selp.b${width} $d, ${value}, ${less}, ${wraps}`);
    }
    case "usub_cond": {
      const fits = f.make("p", `setp.ge.u${width} $d, ${old}, ${value}`);
      return make(`selp.b${width} $d, ${make(`sub.s${width} $d, ${old}, ${value}`)}, ${old}, ${fits}`);
    }
    case "usub_sat": {
      const fits = f.make("p", `setp.ge.u${width} $d, ${old}, ${value}`);
      return make(`selp.b${width} $d, ${make(`sub.s${width} $d, ${old}, ${value}`)}, 0, ${fits}`);
    }
    case "fadd":
    case "fsub":
    case "fmin":
    case "fmax":
      return updateFloat(f, operator.slice(1), type, old, value);
  }
}

function updateFloat(f: PtxFunction, operator: string, type: IrType, old: string, value: string): string {
  if (type.kind !== "float") return bug("a float operation on integers");
  const isMinMax = operator === "min" || operator === "max";
  switch (type.format) {
    case "float":
      return f.make("f", `${operator}${isMinMax ? "" : ".rn"}.f32 $d, ${old}, ${value}`);
    case "double":
      return f.make("fd", `${operator}${isMinMax ? "" : ".rn"}.f64 $d, ${old}, ${value}`);
    case "half":
    case "bfloat": {
      const { format } = type;
      const single = f.make(
        "f",
        `${operator}${isMinMax ? "" : ".rn"}.f32 $d, ${halfToFloat(f, old, format)}, ${halfToFloat(f, value, format)}`,
      );
      return f.make("h", `cvt.rn.${format === "half" ? "f16" : "bf16"}.f32 $d, ${single}`);
    }
  }
}

/** Returns the registers of the old value and of whether it was exchanged. */
export function emitCmpxchg(f: PtxFunction, i: CmpxchgInstruction): [string, string] {
  const { type } = i.expected;
  const bits = scalarBits(type);
  const { space, text } = f.address(i.pointer);
  const scope = scopeOf(f, i.scope);
  const order = fenced(f, orderOfBoth(i), scope, "update");
  const expected = storedOperand(f, i.expected);
  const desired = storedOperand(f, i.desired);
  const held = registerClass(type);
  if (bits === 16) {
    const [a, b] = [expected, desired].map((operand) => f.make("h", `cvt.u16.u32 $d, ${f.inRegister(operand, "r")}`));
    const old = f.make(
      "r",
      `cvt.u32.u16 $d, ${f.make("h", `atom.${order}${space}.cas.b16 $d, ${text}, ${a as string}, ${b as string}`)}`,
    );
    return [old, f.make("p", `setp.eq.b32 $d, ${old}, ${expected}`)];
  }
  if (bits < 32)
    return compareByte(f, { space, text }, f.inRegister(expected, "r"), f.inRegister(desired, "r"), order, scope);
  const old = f.make(held, `atom.${order}${space}.cas.b${bits} $d, ${text}, ${expected}, ${desired}`);
  return [old, f.make("p", `setp.eq.b${bits} $d, ${old}, ${expected}`)];
}

/** PTX has one order for both outcomes: the weakest that is as strong as either. */
function orderOfBoth({ ordering, failureOrdering }: CmpxchgInstruction): AtomicOrdering {
  if (ordering === "seq_cst" || failureOrdering === "seq_cst") return "seq_cst";
  if (failureOrdering !== "acquire") return ordering;
  return ordering === "release" || ordering === "acq_rel" ? "acq_rel" : "acquire";
}

function compareByte(
  f: PtxFunction,
  at: { readonly space: string; readonly text: string },
  expected: string,
  desired: string,
  order: string,
  scope: string,
): [string, string] {
  const word = wordAround(f, at);
  const mask = f.make("r", `shl.b32 $d, ${f.inRegister("255", "r")}, ${word.shift}`);
  const [again, done] = [f.program.label(), f.program.label()];
  const seen = f.make("r", `ld.relaxed.${scope}${at.space}.b32 $d, [${word.address}]`);
  f.label(again);
  const old = f.make("r", `and.b32 $d, ${f.make("r", `shr.u32 $d, ${seen}, ${word.shift}`)}, 255`);
  const same = f.make("p", `setp.eq.b32 $d, ${old}, ${expected}`);
  f.emit(`@!${same} bra ${done}`);
  const others = f.make("r", `and.b32 $d, ${seen}, ${f.make("r", `not.b32 $d, ${mask}`)}`);
  const wanted = f.make("r", `or.b32 $d, ${others}, ${f.make("r", `shl.b32 $d, ${desired}, ${word.shift}`)}`);
  const got = f.make("r", `atom.${order}${at.space}.cas.b32 $d, [${word.address}], ${seen}, ${wanted}`);
  const failed = f.make("p", `setp.ne.b32 $d, ${got}, ${seen}`);
  f.emit(`mov.b32 ${seen}, ${got}`);
  f.emit(`@${failed} bra ${again}`);
  f.label(done);
  return [old, same];
}
