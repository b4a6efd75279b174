/**
 * Products of matrices: both operands go to shared memory, then every thread multiplies its rows with its columns, in
 * the order of k. Neighbouring lanes have neighbouring columns: a warp reads one element of a for all, and a row of b.
 */
import { bug } from "../../../base/diagnostics.ts";
import { constI32, constInt } from "../../../ir/model/build.ts";
import type { FloatType, IrType, IrValue } from "../../../ir/model/ir.ts";
import { F16, F32, F64, I32 } from "../../../ir/model/types.ts";
import type { BlockValue, DotOp } from "../blocks/model.ts";
import { registerCount, registerOffset, type Layout } from "./layout.ts";
import { viewOperands } from "./element-wise.ts";
import { storeElements } from "./exchange.ts";
import { elementLoader } from "./memory.ts";
import type { Lowering, Registers } from "./lowering.ts";

/** Multiplications in the body of the loop over k, at most: longer bodies gain nothing. */
const MAX_BODY = 256;
const TF32_MASK = 0xffffe000;

export function lowerDot(l: Lowering, op: DotOp): void {
  const [a, b, c] = op.operands;
  const [result] = op.results as [BlockValue];
  const [, k] = a.type.shape as [number, number];
  const layout = l.layouts.preferred(result);
  const start = l.get(c, layout);
  const type = result.type.element === F16 ? F32 : result.type.element;
  const bytes = l.bytesOf(type);
  const [x, y] = [a, b].map((value) => operandBlock(l, value, type as FloatType, op)) as [OperandBlock, OperandBlock];
  const [aSize, bSize] = [a, b].map(({ type: { shape } }) => (shape[0] as number) * (shape[1] as number)) as [
    number,
    number,
  ];
  const base = l.beginExchange((aSize + bSize) * bytes);
  const bBase = l.e.offset(base, constI32(aSize * bytes));
  storeElements(l, x.type, x.element, x.layout, base);
  storeElements(l, y.type, y.element, y.layout, bBase);
  l.endWriting();
  const wide = start.map((value) => (type === result.type.element ? value : l.e.cast("fpext", value, F32)));
  const sums = multiply(l, layout, { base, bBase, k, bytes }, wide);
  l.define(
    result,
    layout,
    sums.map((value) => (type === result.type.element ? value : l.e.cast("fptrunc", value, F16))),
  );
}

/** As the tensor cores take it: in the type of the sum; tf32 without the low 13 bits. */
function operand(l: Lowering, value: IrValue, type: FloatType, { precision }: DotOp): IrValue {
  const { e } = l;
  if (value.type.kind === "int") return value;
  if (value.type === F64) return value;
  const wide = value.type === F32 ? value : e.cast("fpext", value, type);
  if (precision !== "tf32" || value.type !== F32) return wide;
  return e.cast("bitcast", e.and(e.cast("bitcast", wide, I32), constI32(TF32_MASK)), F32);
}

interface OperandBlock {
  readonly type: IrType;
  readonly layout: Layout;
  readonly element: (register: number) => IrValue;
}

function operandBlock(l: Lowering, value: BlockValue, type: FloatType, op: DotOp): OperandBlock {
  const layout = l.layouts.preferred(value);
  const load = deferredLoad(l, value, layout);
  if (load !== null) {
    const { element } = value.type;
    const isSmall = element.kind === "float" && element !== F32 && element !== F64;
    return { type: isSmall ? type : element, layout, element: (r) => operand(l, load(r), type, op) };
  }
  const values = l.get(value, layout).map((element) => operand(l, element, type, op));
  return { type: (values[0] as IrValue).type, layout, element: (r) => values[r] as IrValue };
}

/** Null: the value is known, or computed. */
function deferredLoad(l: Lowering, value: BlockValue, layout: Layout): ((register: number) => IrValue) | null {
  const { op } = value;
  if (op?.op === "transpose") {
    const [source] = viewOperands(op, layout) ?? [];
    return source === undefined ? null : deferredLoad(l, source.value, source.layout);
  }
  return op?.op === "load" && l.deferredLoads.has(op) ? elementLoader(l, op, layout) : null;
}

interface Operands {
  readonly base: IrValue;
  readonly bBase: IrValue;
  readonly k: number;
  readonly bytes: number;
}

function multiply(l: Lowering, layout: Layout, { base, bBase, k, bytes }: Operands, start: Registers): Registers {
  const { e } = l;
  const [, n] = layout.shape as [number, number];
  const count = registerCount(layout);
  const registers = Array.from({ length: count }, (_, r) => r);
  const offsets = [0, 1].map((dim) => registers.map((r) => registerOffset(layout, r, dim))) as [number[], number[]];
  const aThread = l.element(base, e.mul(l.threadIndex(layout, 0), constI32(k)), bytes);
  const bThread = l.element(bBase, l.threadIndex(layout, 1), bytes);
  let step = 1;
  // The emulated device runs such a loop for some of the sums at a time, and keeps them in registers.
  const isTiled = l.layouts.axes === null && start[0]?.type === F32;
  while (!isTiled && step * 2 <= Math.min(k, 8) && count * step * 2 <= MAX_BODY) step *= 2;

  const from = e.block;
  const loop = e.newBlock("product");
  const end = e.newBlock("product.end");
  e.br(loop);
  l.startBlock(loop);
  e.enterScope();
  const index = e.phi(I32, [{ value: constI32(0), block: from }]);
  const phis = start.map((value) => e.phi(value.type, [{ value, block: from }]));
  const type = (start[0] ?? bug("a product without registers")).type;
  const aRow = l.element(aThread, index, bytes);
  const bRow = l.element(bThread, e.mul(index, constI32(n)), bytes);
  const elements = new Map<string, IrValue>();
  const read = (operand: string, pointer: IrValue, distance: number): IrValue => {
    const key = `${operand} ${distance}`;
    let value = elements.get(key);
    if (value === undefined)
      elements.set(key, (value = e.load(type, e.offset(pointer, constI32(distance * bytes)), bytes)));
    return value;
  };
  // Sum by sum: each stays in registers of the processor meanwhile.
  const sums = phis.map((phi, r) => {
    const [m, column] = [offsets[0][r] as number, offsets[1][r] as number];
    let sum: IrValue = phi;
    for (let s = 0; s < step; s++)
      sum = multiplyAdd(l, read("a", aRow, m * k + s), read("b", bRow, s * n + column), sum);
    return sum;
  });
  const next = e.add(index, constI32(step));
  for (const [r, phi] of phis.entries()) phi.incoming.push({ value: sums[r] as IrValue, block: e.block });
  index.incoming.push({ value: next, block: e.block });
  e.condBr(e.icmp("ult", next, constInt(I32, k)), loop, end);
  e.leaveScope();
  l.startBlock(end);
  return sums;
}

function multiplyAdd(l: Lowering, x: IrValue, y: IrValue, sum: IrValue): IrValue {
  const { e } = l;
  if (x.type.kind === "int") return e.add(sum, e.mul(x, y));
  return e.intrinsic(`llvm.fma.${x.type === F64 ? "f64" : "f32"}`, x.type, [x, y, sum]);
}
