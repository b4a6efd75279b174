/** Atomic operations that WebAssembly has no instruction for, as compare-and-swap loops (LangRef, "atomicrmw"). */
import { bug } from "../../base/diagnostics.ts";
import type { AtomicOperator } from "../../ir/model/ir.ts";
import type { FunctionBuilder } from "../../wasm/function-builder.ts";
import type { ValueType } from "../../wasm/types.ts";
import type { SupportFunctions } from "./support-functions.ts";

export type AtomicCell = "i8" | "i16" | "i32" | "i64" | "half" | "bfloat" | "float" | "double";

const CELL_FLOATS: Partial<Record<AtomicCell, ValueType>> = { float: "f32", double: "f64" };

const CELL_BITS: Readonly<Record<AtomicCell, number>> = {
  i8: 8,
  i16: 16,
  i32: 32,
  i64: 64,
  half: 16,
  bfloat: 16,
  float: 32,
  double: 64,
};

/** (address, operand) → old value, by a compare-and-swap loop; small cells in an i32, half and bfloat as bits */
export function atomicUpdate(
  support: SupportFunctions,
  operator: AtomicOperator,
  cell: AtomicCell,
  address: "i32" | "i64" = "i32",
): FunctionBuilder {
  const carrier: "i32" | "i64" = cell === "i64" || cell === "double" ? "i64" : "i32";
  const value: ValueType = CELL_FLOATS[cell] ?? carrier;
  return support.make(`atomic.${operator}.${cell}`, [address, value], value, (code) => {
    const old = code.local(carrier);
    const fresh = code.local(carrier);
    const operand = code.local(carrier);
    code.localGet(1);
    if (cell === "float") code.i32ReinterpretF32();
    if (cell === "double") code.i64ReinterpretF64();
    code.localSet(operand);
    const again = code.loop();
    code.localGet(0);
    atomicAccess(code, "load", cell);
    code.localSet(old);
    combine(
      support,
      code,
      operator,
      cell,
      () => code.localGet(old),
      () => code.localGet(operand),
    );
    code.localSet(fresh);
    code.localGet(0).localGet(old).localGet(fresh);
    atomicAccess(code, "cmpxchg", cell);
    code
      .localGet(old)
      .op(carrier === "i64" ? "i64Ne" : "i32Ne")
      .brIf(again);
    code.end(again);
    code.localGet(old);
    if (cell === "float") code.f32ReinterpretI32();
    if (cell === "double") code.f64ReinterpretI64();
  });
}

/** Pushes the new value of an atomic operation, as the cell's bits. The upper bits for a small cell are undefined. */
// oxlint-disable-next-line max-lines-per-function -- one case an operator
export function combine(
  support: SupportFunctions,
  code: FunctionBuilder,
  operator: AtomicOperator,
  cell: AtomicCell,
  old: () => FunctionBuilder,
  operand: () => FunctionBuilder,
): void {
  const wide = cell === "i64" || cell === "double";
  const bits = CELL_BITS[cell];
  const crop = (): void => {
    if (bits < 32) code.i32Const(2 ** bits - 1).i32And();
  };
  const signed = (push: () => FunctionBuilder): void => {
    push();
    if (bits === 8) code.i32Extend8S();
    if (bits === 16) code.i32Extend16S();
  };
  switch (operator) {
    case "add":
    case "sub":
    case "and":
    case "or":
    case "xor":
      old();
      operand();
      code.op(
        `${wide ? "i64" : "i32"}${({ add: "Add", sub: "Sub", and: "And", or: "Or", xor: "Xor" } as const)[operator]}`,
      );
      return;
    case "xchg":
      operand();
      return;
    case "fadd":
    case "fsub":
    case "fmax":
    case "fmin":
      return combineFloat(support, code, operator, cell, old, operand);
    case "min":
    case "max":
      old();
      operand();
      signed(old);
      signed(operand);
      code.op(`${wide ? "i64" : "i32"}${operator === "min" ? "LtS" : "GtS"}`).select();
      return;
    case "umin":
    case "umax":
      old();
      operand();
      old();
      operand();
      code.op(`${wide ? "i64" : "i32"}${operator === "umin" ? "LtU" : "GtU"}`).select();
      return;
    case "nand":
      old();
      operand();
      if (wide) code.i64And().i64Const(-1n).i64Xor();
      else {
        code.i32And().i32Const(-1).i32Xor();
        crop();
      }
      return;
    case "uinc_wrap": // old >= operand ? 0 : old + 1
      if (wide) code.i64Const(0n);
      else code.i32Const(0);
      old();
      if (wide) code.i64Const(1n).i64Add();
      else code.i32Const(1).i32Add();
      old();
      operand();
      code.op(wide ? "i64GeU" : "i32GeU").select();
      return;
    case "udec_wrap": // old == 0 || old > operand ? operand : old - 1
      operand();
      old();
      if (wide) code.i64Const(1n).i64Sub();
      else code.i32Const(1).i32Sub();
      old();
      code.op(wide ? "i64Eqz" : "i32Eqz");
      old();
      operand();
      code
        .op(wide ? "i64GtU" : "i32GtU")
        .i32Or()
        .select();
      return;
    case "usub_cond": // old >= operand ? old - operand : old
      old();
      operand();
      code.op(wide ? "i64Sub" : "i32Sub");
      old();
      old();
      operand();
      code.op(wide ? "i64GeU" : "i32GeU").select();
      return;
    case "usub_sat":
      old();
      operand();
      code.op(wide ? "i64Sub" : "i32Sub");
      if (wide) code.i64Const(0n);
      else code.i32Const(0);
      old();
      operand();
      code.op(wide ? "i64GeU" : "i32GeU").select();
      return;
    default:
      bug(`atomic ${operator} on ${cell} is an instruction of its own`);
  }
}

function combineFloat(
  support: SupportFunctions,
  code: FunctionBuilder,
  operator: "fadd" | "fsub" | "fmax" | "fmin",
  cell: AtomicCell,
  old: () => FunctionBuilder,
  operand: () => FunctionBuilder,
): void {
  if (cell === "double") {
    old().f64ReinterpretI64();
    operand().f64ReinterpretI64();
    if (operator === "fadd") code.f64Add();
    else if (operator === "fsub") code.f64Sub();
    else code.call(support.minMaxNumber(operator === "fmin" ? "min" : "max", "f64"));
    code.i64ReinterpretF64();
    return;
  }
  const half = cell === "half" || cell === "bfloat";
  const asFloat = (push: () => FunctionBuilder): void => {
    push();
    if (half) code.call(support.widen(cell));
    else code.f32ReinterpretI32();
  };
  asFloat(old);
  asFloat(operand);
  if (operator === "fadd") code.f32Add();
  else if (operator === "fsub") code.f32Sub();
  else code.call(support.minMaxNumber(operator === "fmin" ? "min" : "max", "f32"));
  if (half) code.call(support.narrow(cell));
  else code.i32ReinterpretF32();
}

/** An atomic load or compare-and-swap of a cell, as its bits. */
function atomicAccess(code: FunctionBuilder, what: "load" | "cmpxchg", cell: AtomicCell): void {
  switch (cell) {
    case "i8":
      if (what === "load") code.i32AtomicLoad8U();
      else code.i32AtomicRmw8CmpxchgU();
      return;
    case "i16":
    case "half":
    case "bfloat":
      if (what === "load") code.i32AtomicLoad16U();
      else code.i32AtomicRmw16CmpxchgU();
      return;
    case "i32":
    case "float":
      if (what === "load") code.i32AtomicLoad();
      else code.i32AtomicRmwCmpxchg();
      return;
    case "i64":
    case "double":
      if (what === "load") code.i64AtomicLoad();
      else code.i64AtomicRmwCmpxchg();
      return;
  }
}
