/**
 * What the lanes of a warp compute together once all are there (PTX ISA 9.7.9.6 shfl, 9.7.13 vote, match, redux,
 * activemask). Works on small arrays by lane; bit for bit the interpreter's results.
 */
import { bug } from "../../base/diagnostics.ts";
import { float32FromBits, float32ToBits } from "../../base/float-bits.ts";
import type { BlockClocks } from "../../machine/barrier-skew.ts";
import { shuffleSource, type ShuffleMode } from "../../machine/shuffle.ts";
import {
  countAccess,
  countLines,
  countBranch,
  countWarp,
  unpackAccess,
  type BlockWindows,
  type Counters,
} from "../../machine/warp-counts.ts";
import type { CollectiveOperation, Task } from "./task.ts";

/** Operands and results of up to 32 lanes; entries of lanes that take no part are ignored. */
export class CollectiveBuffers {
  readonly value: Int32Array = new Int32Array(32);
  readonly high: Int32Array = new Int32Array(32);
  readonly lane: Int32Array = new Int32Array(32);
  readonly control: Int32Array = new Int32Array(32);
  readonly result: Int32Array = new Int32Array(32);
  readonly resultHigh: Int32Array = new Int32Array(32);
}

/** Where lanes are counted. */
export interface CountPlace {
  /** The warp's number in its block. */
  readonly warp: number;
  readonly clocks: BlockClocks;
  readonly windows: () => BlockWindows;
  readonly counters: Counters;
}

type CountOperation = Extract<CollectiveOperation, `count-${string}`>;

/** Whether it adds to a tool's counters (machine/warp-counts.ts). Counts have no results. */
export function isCount(operation: CollectiveOperation): operation is CountOperation {
  return operation.startsWith("count-");
}

/** Counts the execution of `lanes` (a mask). Operands: the value counted, what is packed, the record. */
export function count(
  operation: CountOperation,
  lanes: number,
  b: CollectiveBuffers,
  { warp, clocks, windows, counters }: CountPlace,
): void {
  const first = 31 - Math.clz32(lanes & -lanes);
  const record = (b.control[first] as number) >>> 0;
  if (operation === "count-warps") countWarp(record, lanes, counters);
  // The clocks of a block begin at 0.
  else if (operation === "count-begin") return;
  else if (operation === "count-clock") clocks.executed(warp, b.value[first] as number);
  else if (operation === "count-arrive") clocks.arrive(warp, lanes, record, counters);
  else if (operation === "count-branch")
    countBranch(
      record,
      lanes,
      select(lanes, (lane) => b.value[lane] !== 0),
      counters,
    );
  else if (operation === "count-lines")
    countLines(record, b.lane[first] as number, { lanes, addresses: b.value }, windows(), counters);
  else {
    const packed = unpackAccess(b.lane[first] as number);
    countAccess(record, packed, { lanes, addresses: b.value, bytes: packed.bytes }, windows(), counters);
  }
}

export function hasResult(operation: CollectiveOperation): boolean {
  return operation !== "syncwarp" && !isCount(operation);
}

const HAVE_NO_VALUE: ReadonlySet<CollectiveOperation> = new Set(["count-warps", "count-begin", "count-arrive"]);

/** Reads the operands that the operation has. */
export function readOperands(operation: CollectiveOperation, task: Task, lanes: number, b: CollectiveBuffers): void {
  if (operation === "syncwarp" || operation === "activemask") return;
  if (!HAVE_NO_VALUE.has(operation)) task.operands(lanes, 0, b.value);
  if (operation.startsWith("match")) task.operands(lanes, 1, b.high);
  if (isCount(operation) || operation.startsWith("shfl")) {
    task.operands(lanes, 2, b.lane);
    task.operands(lanes, 3, b.control);
  }
}

/** Computes the results of all `lanes` (a mask). */
export function computeCollective(operation: CollectiveOperation, lanes: number, b: CollectiveBuffers): void {
  switch (operation) {
    case "syncwarp":
      return;
    case "activemask":
      b.result.fill(lanes);
      return;
    case "shfl-idx":
    case "shfl-up":
    case "shfl-down":
    case "shfl-bfly":
      shuffle(operation.slice("shfl-".length) as ShuffleMode, lanes, b);
      return;
    case "vote-ballot":
    case "vote-any":
    case "vote-all":
    case "vote-uni": {
      const ballot = select(lanes, (lane) => b.value[lane] !== 0);
      b.result.fill(voteResult(operation, ballot, lanes));
      return;
    }
    case "match-any":
      forEachLane(lanes, (lane) => {
        b.result[lane] = select(lanes, (other) => b.value[other] === b.value[lane] && b.high[other] === b.high[lane]);
      });
      return;
    case "match-all": {
      const first = 31 - Math.clz32(lanes & -lanes);
      const same =
        select(lanes, (lane) => b.value[lane] === b.value[first] && b.high[lane] === b.high[first]) === lanes;
      b.result.fill(same ? lanes : 0);
      b.resultHigh.fill(same ? 1 : 0);
      return;
    }
    default:
      b.result.fill(reduce(operation.slice("redux-".length), lanes, b.value));
  }
}

function voteResult(operation: CollectiveOperation, ballot: number, lanes: number): number {
  switch (operation) {
    case "vote-ballot":
      return ballot;
    case "vote-any":
      return Number(ballot !== 0);
    case "vote-all":
      return Number(ballot === lanes);
    default:
      return Number(ballot === lanes || ballot === 0);
  }
}

function forEachLane(lanes: number, visit: (lane: number) => void): void {
  for (let rest = lanes; rest !== 0; rest &= rest - 1) visit(31 - Math.clz32(rest & -rest));
}

function select(lanes: number, accept: (lane: number) => boolean): number {
  let mask = 0;
  forEachLane(lanes, (lane) => {
    if (accept(lane)) mask |= 1 << lane;
  });
  return mask;
}

function shuffle(mode: ShuffleMode, lanes: number, b: CollectiveBuffers): void {
  forEachLane(lanes, (lane) => {
    const source = shuffleSource(mode, lane, b.lane[lane] as number, b.control[lane] as number);
    const read = source < 0 ? lane : source;
    // PTX leaves open what comes from a lane that takes no part; on an H200 it is 0, and programs pass because of it.
    b.result[lane] = ((lanes >>> read) & 1) !== 0 ? (b.value[read] as number) : 0;
    b.resultHigh[lane] = source < 0 ? 0 : 1;
  });
}

function reduce(operator: string, lanes: number, values: Int32Array): number {
  if (operator.startsWith("f")) return reduceFloat(operator, lanes, values);
  const combine = INTEGER_REDUCTIONS[operator] ?? bug(`no meaning for the reduction ${operator}`);
  let result: number | null = null;
  forEachLane(lanes, (lane) => {
    result = result === null ? (values[lane] as number) : combine(result, values[lane] as number);
  });
  return result ?? 0;
}

const INTEGER_REDUCTIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => (a + b) | 0,
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  umin: (a, b) => Math.min(a >>> 0, b >>> 0) | 0,
  umax: (a, b) => Math.max(a >>> 0, b >>> 0) | 0,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

const NAN_BITS = float32ToBits(NaN) | 0;

function reduceFloat(operator: string, lanes: number, bits: Int32Array): number {
  const [base, ...modifiers] = operator.split("-");
  const numbers: number[] = [];
  let nans = false;
  forEachLane(lanes, (lane) => {
    const value = float32FromBits(bits[lane] as number);
    if (value !== value) nans = true;
    else numbers.push(modifiers.includes("abs") ? Math.abs(value) : value);
  });
  if (numbers.length === 0 || (nans && modifiers.includes("nan"))) return NAN_BITS;
  return float32ToBits(base === "fmin" ? Math.min(...numbers) : Math.max(...numbers)) | 0;
}
