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
import { operandsOf, regionsOf } from "../blocks/operands.ts";
import { blockType } from "../blocks/types.ts";
import { isNegative } from "./control.ts";

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

function writesMemory(region: Region): boolean {
  return region.ops.some(
    (op) =>
      ["store", "atomic", "compare-exchange", "barrier", "print", "assert"].includes(op.op) ||
      (op.op === "load" && op.isVolatile) ||
      regionsOf(op).some(writesMemory),
  );
}

/** The operations of the body that a value needs, in their order; null: some of them cannot be done early. */
function needed(body: Region, values: readonly BlockValue[]): readonly BlockOp[] | null {
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
function loadsOfProducts(body: Region): LoadOp[] {
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

function bytesOf(load: LoadOp, threads: number): number {
  const { element, shape } = (load.results[0] as BlockValue).type;
  const bits = element.kind === "float" ? { half: 16, bfloat: 16, float: 32, double: 64 }[element.format] : 32;
  return (shape.reduce((a, b) => a * b, 1) * bits) / 8 / threads;
}

/** What a copy of operations has in the place of values. */
type Renaming = Map<BlockValue, BlockValue>;

const renamed = (names: Renaming, value: BlockValue): BlockValue => names.get(value) ?? value;

/** Copies of operations at the builder's place; loads are under a condition. */
function copyOps(b: BlockBuilder, ops: readonly BlockOp[], names: Renaming, condition: BlockValue): void {
  for (const op of ops) {
    const copy = { ...op } as Record<string, unknown>;
    for (const [key, field] of Object.entries(op)) {
      if (key === "results") continue;
      if (isValue(field)) copy[key] = renamed(names, field);
      else if (Array.isArray(field) && field.every(isValue)) copy[key] = field.map((value) => renamed(names, value));
    }
    if (op.op === "load") copy["mask"] = masked(b, op, names, condition);
    b.location = op.location;
    const results = b.append(
      copy as never,
      op.results.map(({ type }) => type),
    );
    for (const [i, value] of op.results.entries()) names.set(value, results[i] as BlockValue);
  }
}

function isValue(field: unknown): field is BlockValue {
  return typeof field === "object" && field !== null && "type" in field && "op" in field && "name" in field;
}

function masked(
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

function usedParams(ops: readonly BlockOp[], carried: readonly BlockValue[]): BlockValue[] {
  const used = new Set(ops.flatMap((op) => operandsOf(op)));
  return carried.filter((param) => used.has(param));
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
