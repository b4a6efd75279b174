/** Without what nobody needs: operations without effects, and what loops carry for its own sake. */
import type { BlockKernel, BlockOp, BlockValue, ForOp, IfOp, Region } from "./model.ts";
import { allOps, operandsOf, regionsOf } from "./operands.ts";

/** They are there for what they do. */
const EFFECTS: ReadonlySet<BlockOp["op"]> = new Set([
  "store",
  "atomic",
  "compare-exchange",
  "copy",
  "commit-copies",
  "await-copies",
  "barrier",
  "print",
  "assert",
  "while",
]);

/** A kernel that does the same; the one that is given stays as it is. */
export function withoutDeadValues(kernel: BlockKernel): BlockKernel {
  const live = liveValues(kernel.body);
  return { ...kernel, body: cleaned(kernel.body, live) };
}

function hasEffect(op: BlockOp): boolean {
  return (
    EFFECTS.has(op.op) ||
    (op.op === "load" && op.isVolatile) ||
    (op.op === "asm" && !op.isPure) ||
    regionsOf(op).some((region) => region.ops.some(hasEffect))
  );
}

function liveValues(body: Region): ReadonlySet<BlockValue> {
  const live = new Set<BlockValue>();
  /** What else is live if a value is. */
  const follow = new Map<BlockValue, readonly BlockValue[]>();
  const work: BlockValue[] = [];
  const mark = (values: readonly BlockValue[]): void => {
    for (const value of values)
      if (!live.has(value)) {
        live.add(value);
        work.push(value);
      }
  };
  for (const op of allOps(body)) {
    if (op.op === "for")
      for (const [i, result] of op.results.entries()) {
        const [param, initial, last] = [op.body.params[i + 1], op.initial[i], op.body.yields[i]];
        const all = [result, param, initial, last] as BlockValue[];
        follow.set(result, all);
        follow.set(param as BlockValue, all);
      }
    else if (op.op === "if")
      for (const [i, result] of op.results.entries())
        follow.set(result, [op.then.yields[i] as BlockValue, op.otherwise.yields[i] as BlockValue]);
    // Bounds and conditions are always needed, and all that the other regions yield.
    if (op.op === "for") mark([op.lower, op.upper, op.step]);
    else if (op.op === "if") mark([op.condition]);
    else if (regionsOf(op).length > 0) for (const region of regionsOf(op)) mark(region.yields);
    if (EFFECTS.has(op.op) || (op.op === "load" && op.isVolatile) || (op.op === "asm" && !op.isPure))
      mark([...operandsOf(op), ...op.results]);
    if (op.op === "while") mark([...op.before.yields, ...op.body.yields, ...op.initial]);
  }
  const definer = new Map<BlockValue, BlockOp>();
  for (const op of allOps(body)) for (const result of op.results) definer.set(result, op);
  for (let value = work.pop(); value !== undefined; value = work.pop()) {
    const next = follow.get(value);
    if (next !== undefined) mark(next);
    else {
      const op = definer.get(value);
      if (op !== undefined) mark(operandsOf(op));
    }
  }
  return live;
}

function cleaned(region: Region, live: ReadonlySet<BlockValue>): Region {
  const ops = region.ops.flatMap((op): BlockOp[] => {
    if (!hasEffect(op) && !op.results.some((value) => live.has(value))) return [];
    switch (op.op) {
      case "for":
        return [cleanedFor(op, live)];
      case "if":
        return [cleanedIf(op, live)];
      case "while":
        return [withResults({ ...op, before: cleaned(op.before, live), body: cleaned(op.body, live) }, op.results)];
      default:
        return [op];
    }
  });
  return { ...region, ops };
}

/** The results name the operation that makes them. */
function withResults<T extends BlockOp>(op: T, results: readonly BlockValue[]): T {
  for (const result of results) Object.assign(result, { op });
  op.results = results;
  return op;
}

function cleanedFor(op: ForOp, live: ReadonlySet<BlockValue>): ForOp {
  const isLive = op.results.map((result) => live.has(result));
  const kept = <T>(list: readonly T[]): T[] => list.filter((_, i) => isLive[i]);
  const [counter, ...params] = op.body.params as [BlockValue, ...BlockValue[]];
  const body = cleaned(op.body, live);
  return withResults(
    {
      ...op,
      initial: kept(op.initial),
      body: { ops: body.ops, params: [counter, ...kept(params)], yields: kept(op.body.yields) },
    },
    kept(op.results),
  );
}

function cleanedIf(op: IfOp, live: ReadonlySet<BlockValue>): IfOp {
  const isLive = op.results.map((result) => live.has(result));
  const kept = (region: Region): Region => ({
    ...cleaned(region, live),
    yields: region.yields.filter((_, i) => isLive[i]),
  });
  return withResults(
    { ...op, then: kept(op.then), otherwise: kept(op.otherwise) },
    op.results.filter((_, i) => isLive[i]),
  );
}
