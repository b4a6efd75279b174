/** Operations of a loop's body that can be done before their iteration, and copies of them. */
import { I1 } from "../../../ir/model/types.ts";
import type { BlockBuilder } from "../blocks/build.ts";
import { cloneOp, renamed, type Renaming } from "../blocks/clone.ts";
import type { BlockOp, BlockValue, LoadOp, Region } from "../blocks/model.ts";
import { operandsOf, regionsOf } from "../blocks/operands.ts";
import { blockType } from "../blocks/types.ts";

/** What may be computed an iteration early: it has no effect but loads. */
const EARLY: ReadonlySet<BlockOp["op"]> = new Set([
  "constant",
  "range",
  "splat",
  "expand",
  "broadcast",
  "reshape",
  "transpose",
  "binary",
  "icmp",
  "fcmp",
  "cast",
  "select",
  "call",
  "address",
  "load",
  "program-id",
  "program-count",
]);

export function writesMemory(region: Region): boolean {
  return region.ops.some(
    (op) =>
      ["store", "atomic", "compare-exchange", "barrier", "print", "assert"].includes(op.op) ||
      (op.op === "load" && op.isVolatile) ||
      (op.op === "asm" && !op.isPure) ||
      regionsOf(op).some(writesMemory),
  );
}

/** The operations of the body that a value needs, in their order; null: some of them cannot be done early. */
export function needed(body: Region, values: readonly BlockValue[]): readonly BlockOp[] | null {
  const own = new Map(body.ops.flatMap((op) => op.results.map((value) => [value, op] as const)));
  const found = new Set<BlockOp>();
  const visit = (value: BlockValue): boolean => {
    const op = own.get(value);
    if (op === undefined || found.has(op)) return true;
    if (!EARLY.has(op.op)) return false;
    found.add(op);
    return operandsOf(op).every(visit);
  };
  return values.every(visit) ? body.ops.filter((op) => found.has(op)) : null;
}

/** The loads of the body that its products take, perhaps through other operations. */
export function loadsOfProducts(body: Region): LoadOp[] {
  const own = new Map(body.ops.flatMap((op) => op.results.map((value) => [value, op] as const)));
  const found = new Set<LoadOp>();
  const seen = new Set<BlockValue>();
  const visit = (value: BlockValue): void => {
    if (seen.has(value)) return;
    seen.add(value);
    const op = own.get(value);
    if (op === undefined) return;
    if (op.op === "load" && value.type.shape.length === 2) found.add(op);
    else if (EARLY.has(op.op)) for (const operand of operandsOf(op)) visit(operand);
  };
  for (const op of body.ops) if (op.op === "dot") for (const operand of op.operands.slice(0, 2)) visit(operand);
  return body.ops.filter((op): op is LoadOp => op.op === "load" && found.has(op));
}

/** Copies of operations at the builder's place; loads are under a condition. */
export function copyOps(b: BlockBuilder, ops: readonly BlockOp[], names: Renaming, condition: BlockValue): void {
  for (const op of ops) cloneOp(b, op, names, op.op === "load" ? { mask: masked(b, op, names, condition) } : {});
}

/** The mask of an early load. */
export function masked(
  b: BlockBuilder,
  { pointer, mask, location }: LoadOp,
  names: Renaming,
  condition: BlockValue,
): BlockValue {
  b.location = location;
  const type = blockType(I1, pointer.type.shape);
  const all = type.shape.length === 0 ? condition : b.one({ op: "splat", source: condition }, type);
  if (mask === null) return all;
  return b.one({ op: "binary", operator: "and", operands: [renamed(names, mask), all] }, type);
}

export function usedParams(ops: readonly BlockOp[], carried: readonly BlockValue[]): BlockValue[] {
  const used = new Set(ops.flatMap((op) => operandsOf(op)));
  return carried.filter((param) => used.has(param));
}

/** Whether a loop with this step counts down. */
export function isNegative({ op }: BlockValue): boolean {
  if (op?.op === "cast") return isNegative(op.operands[0]);
  return (
    op?.op === "constant" && op.value.kind === "const-int" && BigInt.asIntN(op.value.type.bits, op.value.value) < 0n
  );
}
