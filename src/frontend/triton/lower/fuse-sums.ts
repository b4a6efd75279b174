/**
 * sums + dot(a, b, 0) in fp32 becomes dot(a, b, sums), as in Triton: tensor cores add to what they are given. Only
 * where nothing else takes the product.
 */
import { F32 } from "../../../ir/model/types.ts";
import type { BlockOp, BlockValue, DotOp, Region } from "../blocks/model.ts";
import { allOps, operandsOf, regionsOf } from "../blocks/operands.ts";

/** Changes the region. */
export function fuseSums(body: Region): void {
  const uses = new Map<BlockValue, number>();
  const count = (value: BlockValue): void => void uses.set(value, (uses.get(value) ?? 0) + 1);
  const countYields = (region: Region): void => region.yields.forEach(count);
  countYields(body);
  for (const op of allOps(body)) {
    operandsOf(op).forEach(count);
    regionsOf(op).forEach(countYields);
  }
  inRegion(body, uses);
}

function inRegion(region: Region, uses: ReadonlyMap<BlockValue, number>): void {
  const gone = new Set<BlockOp>();
  const ops = region.ops.map((op): BlockOp => {
    for (const inner of regionsOf(op)) inRegion(inner, uses);
    if (op.op !== "binary" || op.operator !== "fadd" || op.operands[0].type.element !== F32) return op;
    for (const [product, sums] of [op.operands, op.operands.toReversed()] as [BlockValue, BlockValue][]) {
      const dot = product.op;
      if (dot?.op !== "dot" || uses.get(product) !== 1 || !region.ops.includes(dot) || !isZero(dot.operands[2]))
        continue;
      gone.add(dot);
      const fused: DotOp = { ...dot, operands: [dot.operands[0], dot.operands[1], sums], results: op.results };
      for (const result of op.results) Object.assign(result, { op: fused });
      return fused;
    }
    return op;
  });
  region.ops.splice(0, region.ops.length, ...ops.filter((op) => !gone.has(op)));
}

function isZero({ op }: BlockValue): boolean {
  if (op?.op === "splat" || op?.op === "broadcast") return isZero(op.source);
  return op?.op === "constant" && op.value.kind === "const-float" && op.value.bits === 0n;
}
