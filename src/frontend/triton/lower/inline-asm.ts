/** Inline PTX on blocks: a statement for each group of elements of a thread. */
import { newInstruction } from "../../../ir/model/build.ts";
import { constInt } from "../../../ir/model/build.ts";
import type { CallInstruction, InlineAsm, IrType, IrValue } from "../../../ir/model/ir.ts";
import { I32, PTR, functionType, intType, structType } from "../../../ir/model/types.ts";
import type { AsmOp, BlockValue } from "../blocks/model.ts";
import { registerCount } from "./layout.ts";
import type { Lowering } from "./lowering.ts";

const REGISTER_BITS = 32;

export function lowerAsm(l: Lowering, op: AsmOp): void {
  const [first] = op.results as [BlockValue];
  const layout = l.layouts.preferred(first);
  const inputs = op.operands.map((value) => l.get(value, layout));
  const outputs: IrValue[][] = op.results.map(() => []);
  const count = registerCount(layout);
  for (let start = 0; start < count; start += op.pack) {
    // A thread with fewer elements than a statement takes repeats its last.
    const group = Array.from({ length: op.pack }, (_, i) => Math.min(start + i, count - 1));
    const args = inputs.flatMap((values) =>
      packed(
        l,
        group.map((r) => values[r] as IrValue),
        op.pack,
      ),
    );
    const types = op.results.flatMap(({ type }) => packedTypes(type.element, op.pack));
    const words = statement(l, op, args, types);
    let next = 0;
    for (const [i, { type }] of op.results.entries()) {
      const own = words.slice(next, (next += packedTypes(type.element, op.pack).length));
      const elements = unpacked(l, own, type.element, op.pack);
      for (const [k, element] of elements.entries()) if (start + k < count) (outputs[i] as IrValue[]).push(element);
    }
  }
  for (const [i, result] of op.results.entries()) l.define(result, layout, outputs[i] as IrValue[]);
}

/** Elements in one register. */
function perRegister(element: IrType, pack: number): number {
  const bits = bitsOf(element);
  return bits < REGISTER_BITS ? Math.min(pack, REGISTER_BITS / bits) : 1;
}

function bitsOf(type: IrType): number {
  if (type.kind === "int") return type.bits;
  return type.kind === "float" ? { half: 16, bfloat: 16, float: 32, double: 64 }[type.format as "half"] : 64;
}

function packedTypes(element: IrType, pack: number): IrType[] {
  const each = perRegister(element, pack);
  return Array.from({ length: pack / each }, () => (each === 1 ? element : I32));
}

function packed(l: Lowering, values: readonly IrValue[], pack: number): IrValue[] {
  const { e } = l;
  const type = (values[0] as IrValue).type;
  const each = perRegister(type, pack);
  if (each === 1) return [...values];
  const bits = bitsOf(type);
  return Array.from({ length: pack / each }, (_, word) => {
    const parts = values.slice(word * each, (word + 1) * each).map((value, i) => {
      const integer = type.kind === "int" ? value : e.cast("bitcast", value, intType(bits));
      return e.binary("shl", e.cast("zext", integer, I32), constInt(I32, i * bits), null);
    });
    return parts.reduce((word32, part) => e.binary("or", word32, part, null));
  });
}

function unpacked(l: Lowering, words: readonly IrValue[], element: IrType, pack: number): IrValue[] {
  const { e } = l;
  const each = perRegister(element, pack);
  if (each === 1) return [...words];
  const bits = bitsOf(element);
  return words.flatMap((word) =>
    Array.from({ length: each }, (_, i) => {
      const integer = e.cast("trunc", e.binary("lshr", word, constInt(I32, i * bits), null), intType(bits));
      return element.kind === "int" ? integer : e.cast("bitcast", integer, element);
    }),
  );
}

function statement(l: Lowering, op: AsmOp, args: IrValue[], types: readonly IrType[]): IrValue[] {
  const { e } = l;
  const [only] = types;
  const result = types.length === 1 ? (only as IrType) : structType(types);
  const type = functionType(
    result,
    args.map((arg) => arg.type),
  );
  const callee: InlineAsm = {
    kind: "inline-asm",
    type: PTR,
    functionType: type,
    template: op.template,
    constraints: op.constraints.replaceAll(/\s/g, ""),
    sideEffect: !op.isPure,
  };
  const call = e.append(
    newInstruction<CallInstruction>(e, {
      op: "call",
      type: result,
      name: e.name(),
      callee,
      functionType: type,
      args,
      fastMath: null,
      attributes: new Set<string>(),
      byval: args.map(() => null),
    }),
  );
  return types.length === 1 ? [call] : types.map((element, i) => e.extractValue(call, [i], element));
}
