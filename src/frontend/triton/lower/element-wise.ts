/** Values that are computed in any layout that is asked for: constants, views, element-wise operations. */
import { bug } from "../../../base/diagnostics.ts";
import { CONTRACT, constI32, newInstruction } from "../../../ir/model/build.ts";
import type { GepInstruction, IrValue } from "../../../ir/model/ir.ts";
import { F32, F64, I1, intType } from "../../../ir/model/types.ts";
import type { BlockOp, BlockValue, CallOp, ElementwiseOp } from "../blocks/model.ts";
import { isElementwise } from "../blocks/operands.ts";
import {
  keptRegister,
  mapBits,
  placeOf,
  registerCount,
  registerOffset,
  reshapedLayout,
  sliceLayout,
  transposedLayout,
  withoutUnitDimension,
  type Layout,
} from "./layout.ts";
import type { Lowering, Registers } from "./lowering.ts";
import { readTile } from "./rings.ts";

/** The operands of a view, and the layouts that the result's layout asks of them. */
export function viewOperands(op: BlockOp, layout: Layout): readonly { value: BlockValue; layout: Layout }[] | null {
  switch (op.op) {
    case "constant":
    case "range":
      return [];
    case "staged":
      return [{ value: op.slot, layout: scalarOf(layout) }];
    case "splat":
      return [{ value: op.source, layout: scalarOf(layout) }];
    case "expand":
      return [{ value: op.source, layout: withoutUnitDimension(layout, op.axis) }];
    case "broadcast":
      return [{ value: op.source, layout: beforeBroadcast(layout, op.source).layout }];
    case "reshape":
      return [{ value: op.source, layout: reshapedLayout(layout, op.source.type.shape) }];
    case "transpose": {
      const { order } = op;
      return [{ value: op.source, layout: transposedLayout(layout, inverse(order)) }];
    }
    case "join": {
      const part = sliceLayout(layout, layout.shape.length - 1).layout;
      return op.sources.map((value) => ({ value, layout: part }));
    }
    case "pick":
      return [{ value: op.source, layout: withPair(layout) }];
    default:
      return isElementwise(op) ? op.operands.map((value) => ({ value, layout })) : null;
  }
}

function scalarOf(layout: Layout): Layout {
  return { shape: [], registers: [], lanes: layout.lanes.map(() => null), warps: layout.warps.map(() => null) };
}

function inverse(order: readonly number[]): number[] {
  return order.map((_, d) => order.indexOf(d));
}

function beforeBroadcast(layout: Layout, source: BlockValue): ReturnType<typeof mapBits> {
  return mapBits(layout, source.type.shape, (bit) => (source.type.shape[bit.dim] === 1 ? null : bit));
}

/** Both elements of the last dimension in one thread. */
function withPair(layout: Layout): Layout {
  const dim = layout.shape.length;
  return { ...layout, shape: [...layout.shape, 2], registers: [...layout.registers, { dim, bit: 0 }] };
}

export function computeValue(l: Lowering, op: BlockOp, result: number, layout: Layout): Registers {
  const operands = viewOperands(op, layout);
  if (operands === null) return bug(`a ${op.op} is asked for a second time`);
  const values = operands.map(({ value, layout: own }) => l.get(value, own));
  const count = registerCount(layout);
  const registers = Array.from({ length: count }, (_, register) => register);
  const [first = []] = values;
  switch (op.op) {
    case "constant":
      return registers.map(() => op.value);
    case "range": {
      const start = l.threadIndex(layout, 0);
      return registers.map((r) => l.e.add(start, constI32(op.start + registerOffset(layout, r, 0))));
    }
    case "staged":
      return readTile(l, op, layout);
    case "splat":
      return registers.map(() => first[0] as IrValue);
    case "expand":
    case "reshape":
    case "transpose":
      return first;
    case "broadcast": {
      const { kept } = beforeBroadcast(layout, op.source);
      return registers.map((r) => first[keptRegister(r, kept)] as IrValue);
    }
    case "join":
      return joined(l, layout, registers, values as [Registers, Registers]);
    case "pick":
      return registers.map((r) => first[r + op.index * count] as IrValue);
    default: {
      // Neighbours that are known to be equal are computed once: conditions on the index, as a rule.
      const run = l.layouts.equalNeighbours(op.results[result] as BlockValue, layout);
      const made: IrValue[] = [];
      for (const r of registers)
        made.push(
          r % run > 0
            ? (made[r - (r % run)] as IrValue)
            : elementOf(
                l,
                op as ElementwiseOp,
                values.map((value) => value[r] as IrValue),
              ),
        );
      return made;
    }
  }
}

function joined(
  l: Lowering,
  layout: Layout,
  registers: readonly number[],
  [a, b]: readonly [Registers, Registers],
): Registers {
  const last = layout.shape.length - 1;
  const { kept } = sliceLayout(layout, last);
  const place = placeOf(layout, { dim: last, bit: 0 }) ?? bug("a joined dimension without a place");
  const at = (values: Registers, r: number): IrValue => values[keptRegister(r, kept)] as IrValue;
  if (place.in === "registers") return registers.map((r) => at((r >> place.at) & 1 ? b : a, r));
  const isSecond = l.threadBit(place.in === "lanes" ? place.at : layout.lanes.length + place.at);
  return registers.map((r) => l.e.select(isSecond, at(b, r), at(a, r)));
}

/** One element of an element-wise operation. */
export function elementOf(l: Lowering, op: ElementwiseOp, operands: readonly IrValue[]): IrValue {
  const { e } = l;
  const [a, b, c] = operands as [IrValue, IrValue, IrValue];
  switch (op.op) {
    case "binary": {
      if (op.operator === "frem") return remainder(l, a, b);
      if (op.operator === "fdiv" && a.type === F32 && l.layouts.approximates && op.isExact !== true)
        return e.intrinsic("llvm.nvvm.div.full", F32, [a, b]);
      const isFloat = op.operator.startsWith("f");
      return e.binary(op.operator, a, b, isFloat ? CONTRACT : null);
    }
    case "icmp":
      return e.icmp(op.predicate, a, b);
    case "fcmp":
      return e.fcmp(op.predicate, a, b, null);
    case "cast":
      return e.cast(op.operator, a, op.results[0]?.type.element ?? I1);
    case "select":
      return e.select(a, b, c);
    case "call":
      return e.intrinsic(calleeOf(l, op), op.results[0]?.type.element ?? I1, [...operands]);
    case "address":
      return address(l, a, b, op.bytes);
  }
}

/** What Triton makes of functions on a GPU. */
const APPROXIMATIONS: ReadonlyMap<string, string> = new Map([
  ["__nv_expf", "__nv_fast_expf"],
  ["__nv_exp2f", "llvm.nvvm.ex2.approx.ftz.f"],
  ["llvm.sqrt.f32", "llvm.nvvm.sqrt.approx.ftz.f"],
]);

function calleeOf({ layouts }: Lowering, { callee, isExact }: CallOp): string {
  return (layouts.approximates && isExact !== true && APPROXIMATIONS.get(callee)) || callee;
}

function remainder(l: Lowering, a: IrValue, b: IrValue): IrValue {
  return l.e.intrinsic(a.type === F64 ? "__nv_fmod" : "__nv_fmodf", a.type, [a, b]);
}

function address(l: Lowering, base: IrValue, offset: IrValue, bytes: number): IrValue {
  if (offset.kind === "const-int" && offset.value === 0n) return base;
  const { e } = l;
  return e.append(
    newInstruction<GepInstruction>(e, {
      op: "gep",
      type: base.type,
      name: e.name(),
      sourceType: intType(bytes * 8),
      base,
      indices: [offset],
      inbounds: false,
    }),
  );
}

/** Whether a value can be computed from what is known, without exchanging anything between threads. */
export function canCompute(l: Lowering, op: BlockOp, layout: Layout): boolean {
  const operands = viewOperands(op, layout);
  if (operands === null) return false;
  return operands.every(
    ({ value, layout: own }) =>
      l.isKnown(value, own) || (l.layouts.own(value) === null && value.op !== null && canCompute(l, value.op, own)),
  );
}
