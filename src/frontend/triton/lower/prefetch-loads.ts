/**
 * Software pipelining: the tiles that a loop's products take are loaded one iteration ahead, so that a GPU computes
 * while memory answers (Lam, "Software Pipelining", 1988, in the least form: two stages).
 *
 *   x = load(p)          for … carried p, x:
 *   for … carried p:       x' = load(p + step) if there is another iteration
 *     x = load(p)    →     … x …
 *     … x …                yield p + step, x'
 *     yield p + step
 *
 * Only loops that write no memory, and loads whose addresses need nothing that the products make.
 */
import { bug } from "../../../base/diagnostics.ts";
import { I1 } from "../../../ir/model/types.ts";
import { BlockBuilder, newRegion } from "../blocks/build.ts";
import type { BlockKernel, BlockOp, BlockValue, ForOp, LoadOp, Region } from "../blocks/model.ts";
import { blockType } from "../blocks/types.ts";
import { renamed, type Renaming } from "../blocks/clone.ts";
import { copyOps, isNegative, loadsOfProducts, needed, usedParams, writesMemory } from "./early-operations.ts";

/** More bytes of a thread's registers are not spent on what comes next. */
const MAX_BYTES = 128;

/** A kernel with other loops; the one that is given stays as it is. */
export function prefetchLoads(kernel: BlockKernel, numWarps: number): BlockKernel {
  return { ...kernel, body: inRegion(kernel.body, numWarps * 32) };
}

function inRegion(region: Region, threads: number): Region {
  const ops = region.ops.flatMap((op): BlockOp[] => {
    if (op.op === "for") {
      const inner: ForOp = { ...op, body: inRegion(op.body, threads) };
      return pipelined(inner, threads) ?? [inner];
    }
    if (op.op === "if")
      return [{ ...op, then: inRegion(op.then, threads), otherwise: inRegion(op.otherwise, threads) }];
    return op.op === "while" ? [{ ...op, body: inRegion(op.body, threads) }] : [op];
  });
  return { ...region, ops };
}

function bytesOf(load: LoadOp, threads: number): number {
  const { element, shape } = (load.results[0] as BlockValue).type;
  const bits = element.kind === "float" ? { half: 16, bfloat: 16, float: 32, double: 64 }[element.format] : 32;
  return (shape.reduce((a, b) => a * b, 1) * bits) / 8 / threads;
}

/** Null: nothing of the loop is done early. */
function pipelined(loop: ForOp, threads: number): BlockOp[] | null {
  const { lower, upper, step, initial, body } = loop;
  if (writesMemory(body)) return null;
  const loads = earlyLoads(body, threads);
  if (loads.length === 0) return null;
  const results = loads.map((load) => load.results[0] as BlockValue);
  const [counter, ...carried] = body.params as [BlockValue, ...BlockValue[]];
  const predicate = isNegative(step) ? "sgt" : "slt";
  const ofLoads = needed(body, results) ?? bug("loads that cannot be early");
  const used = usedParams(ofLoads, carried);
  const nextValues = used.map((param) => body.yields[carried.indexOf(param)] as BlockValue);
  const ofNext = needed(body, nextValues) ?? bug("addresses that cannot be early");

  const outside = new BlockBuilder(newRegion());
  outside.location = loop.location;
  const scalar = blockType(I1, []);
  const first: Renaming = new Map([[counter, lower], ...carried.map((p, i) => [p, initial[i] as BlockValue] as const)]);
  const runs = outside.one({ op: "icmp", predicate, operands: [lower, upper] }, scalar);
  copyOps(outside, ofLoads, first, runs);

  const inside = new BlockBuilder(newRegion());
  inside.location = loop.location;
  const later = inside.one({ op: "binary", operator: "add", operands: [counter, step] }, counter.type);
  const goesOn = inside.one({ op: "icmp", predicate, operands: [later, upper] }, scalar);
  const now: Renaming = new Map();
  copyOps(inside, ofNext, now, goesOn);
  const next: Renaming = new Map([
    [counter, later],
    ...used.map((p, i) => [p, renamed(now, nextValues[i] as BlockValue)] as const),
  ]);
  copyOps(inside, ofLoads, next, goesOn);

  // The loaded values themselves are what the loop carries: their users stay as they are.
  const isLoaded = new Set<BlockOp>(loads);
  const kept = body.ops.filter((op) => !isLoaded.has(op));
  const whole: ForOp = {
    ...loop,
    initial: [...initial, ...results.map((value) => renamed(first, value))],
    results: [...loop.results, ...results.map(({ type }): BlockValue => ({ type, name: "", op: null }))],
    body: {
      params: [...body.params, ...results],
      ops: [...inside.region.ops, ...kept],
      yields: [...body.yields, ...results.map((value) => renamed(next, value))],
    },
  };
  return [...outside.region.ops, whole];
}

/** In their order, as many as registers are spent on. Their addresses, and those of the next ones, can be early. */
function earlyLoads(body: Region, threads: number): LoadOp[] {
  const [, ...carried] = body.params;
  let left = MAX_BYTES;
  return loadsOfProducts(body).filter((load) => {
    const ops = needed(body, load.results);
    if (ops === null || ops.some((op) => op.op === "load" && op !== load)) return false;
    const next = usedParams(ops, carried).map((param) => body.yields[carried.indexOf(param)] as BlockValue);
    const ofNext = needed(body, next);
    if (ofNext === null || ofNext.some((op) => op.op === "load")) return false;
    const bytes = bytesOf(load, threads);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
