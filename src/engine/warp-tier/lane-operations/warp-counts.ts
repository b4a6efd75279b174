/**
 * The code of `count.*` (machine/warp-counts.ts): a tool's counters.
 *
 * Each thread that runs blocks counts in memory of its own, which its runner adds to the tool's counters after the
 * launch. Of accesses whose lanes lie at constant distances, the number of sectors follows from the base modulo 32, and
 * the number of wavefronts is a constant; a function out of line counts all others, and warps with masked lanes.
 */
import { bug } from "../../../base/diagnostics.ts";
import type { CountFacts } from "../../../ir/intrinsics/facts.ts";
import type { CallInstruction, IrValue } from "../../../ir/model/ir.ts";
import {
  ACCESS_COUNTERS,
  BANK_BYTES,
  BRANCH_COUNTERS,
  COUNTER_BYTES,
  RECORD_BYTES,
  SECTOR_BYTES,
  WARP_COUNTERS,
  idealTransactions,
  transactionsOf,
  unpackAccess,
  type CountedSpace,
} from "../../../machine/warp-counts.ts";
import { LANES, SLICES, offsetsOf } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { ConditionMasks } from "../control-flow/condition-masks.ts";
import type { CountHelpers } from "./count-helpers.ts";
import type { Values } from "./value-location.ts";

type OneSpace = Exclude<CountedSpace, "generic">;

export interface CountContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly helpers: CountHelpers;
  readonly conditions: ConditionMasks;
  /** The lanes that run the block; may be none. */
  readonly mask: Local;
  readonly isFull: boolean;
  /** Indices of globals: this thread's counters, the block's shared memory and its size, its local memory. */
  readonly globals: Readonly<Record<"counts" | "shared" | "sharedBytes" | "local", number>>;
  /** Distance of a record from the beginning of this thread's counters. */
  recordOffset(record: IrValue): number;
  readonly warp: Local;
  readonly warps: number;
  readonly localBytesPerThread: number;
  /** Emits what is deferred: the operands may be vectors that are not computed yet. */
  flush(): void;
}

export function emitCount(context: CountContext, i: CallInstruction, { what }: CountFacts): void {
  const record = context.recordOffset(i.args[0] as IrValue);
  if (what === "warps") countWarps(context, record);
  else if (what === "branch") countBranch(context, record, i.args[2] as IrValue);
  else {
    const [address, packed] = [i.args[2], i.args[3]] as [IrValue, IrValue];
    if (packed.kind !== "const-int") bug("what is known of a counted access is a constant");
    const { bytes, space } = unpackAccess(Number(packed.value));
    if (space === "generic") countGeneric(context, record, address, bytes);
    else countAccess(context, record, { address, bytes, space });
  }
}

/** Adds the i32 that `push` pushes to a counter. */
function add({ code, globals }: CountContext, record: number, counter: number, push: () => void): void {
  const offset = record + counter * COUNTER_BYTES;
  code.globalGet(globals.counts).globalGet(globals.counts).i64Load(offset);
  push();
  code.i64ExtendI32U().i64Add().i64Store(offset);
}

function countWarps(context: CountContext, record: number): void {
  const { code, mask, isFull } = context;
  add(context, record, WARP_COUNTERS.warps, () => {
    if (isFull) code.i32Const(1);
    else code.localGet(mask).i32Const(0).i32Ne();
  });
  add(context, record, WARP_COUNTERS.threads, () => pushThreads(context, mask));
}

function pushThreads({ code, isFull }: CountContext, mask: Local): void {
  if (isFull) code.i32Const(LANES);
  else code.localGet(mask).i32Popcnt();
}

/** A branch on a value that all lanes share never diverges. */
function countBranch(context: CountContext, record: number, taken: IrValue): void {
  const { code, values, mask } = context;
  if (values.isUniform(taken)) return;
  context.flush();
  const bits = code.local("i32");
  context.conditions.push(taken);
  code.localGet(mask).i32And().localSet(bits);
  add(context, record, BRANCH_COUNTERS.divergent, () =>
    code.localGet(bits).i32Const(0).i32Ne().localGet(bits).localGet(mask).i32Ne().i32And(),
  );
  code.free(bits);
}

interface CountedAccess {
  readonly address: IrValue;
  readonly bytes: number;
  readonly space: OneSpace;
}

function countAccess(context: CountContext, record: number, access: CountedAccess): void {
  const { code, mask, isFull } = context;
  const pushKnown = knownTransactions(context, access);
  if (pushKnown === null) context.flush();
  add(context, record, ACCESS_COUNTERS.transactions, () => {
    if (pushKnown === null) {
      pushTransactions(context, access, mask);
      return;
    }
    if (isFull) {
      pushKnown();
      return;
    }
    code.localGet(mask).i32Const(-1).i32Eq().if("i32");
    pushKnown();
    code.else();
    pushTransactions(context, access, mask);
    code.end();
  });
  add(context, record, ACCESS_COUNTERS.ideal, () => pushIdeal(context, access, mask));
}

function pushIdeal(context: CountContext, { space, bytes }: CountedAccess, mask: Local): void {
  const { code, isFull } = context;
  if (isFull) {
    code.i32Const(idealTransactions(space, LANES, bytes));
    return;
  }
  const bytesOfOne = space === "shared" ? Math.max(bytes, BANK_BYTES) : bytes;
  const unit = space === "shared" ? LANES * BANK_BYTES : SECTOR_BYTES;
  code.localGet(mask).i32Popcnt().i32Const(bytesOfOne).i32Mul();
  code
    .i32Const(unit - 1)
    .i32Add()
    .i32Const(Math.log2(unit))
    .i32ShrU();
}

/**
 * What pushes the transactions of all 32 lanes, from the base alone; null: the distances of the lanes are not constant.
 */
function knownTransactions(context: CountContext, access: CountedAccess): (() => void) | null {
  const { code, values } = context;
  const offsets = offsetsOf(values.context.shapeOf(access.address));
  if (offsets === null) return null;
  const { bytes, space } = access;
  if (space === "local") {
    // Each thread has the same variable: the word of the same number, side by side.
    const step = context.localBytesPerThread;
    if (offsets.some((offset, lane) => offset !== (((offsets[0] as number) + lane * step) | 0))) return null;
    return () => code.i32Const(Math.max(1, bytes / BANK_BYTES) * ((LANES * BANK_BYTES) / SECTOR_BYTES));
  }
  // Banks repeat every 128 bytes, and a step of the base by one word turns all lanes' banks together.
  const period = space === "shared" ? BANK_BYTES : SECTOR_BYTES;
  const results = Array.from({ length: Math.max(1, period / bytes) }, (_, n) =>
    transactionsOf(space, { lanes: -1, addresses: offsets.map((offset) => offset + n * bytes), bytes }, null),
  );
  return () => pushFromTable(context, results, access);
}

const RESULTS_OF_WORD = 8;

/** Pushes results[(base modulo the period) / bytes], out of constants of eight bytes. */
function pushFromTable(
  { code, values }: CountContext,
  results: readonly number[],
  { address, bytes }: CountedAccess,
): void {
  if (results.every((result) => result === results[0])) {
    code.i32Const(results[0] as number);
    return;
  }
  const index = code.local("i32");
  values.pushScalar(address);
  code.i32Const(Math.log2(bytes)).i32ShrU();
  code
    .i32Const(results.length - 1)
    .i32And()
    .localSet(index);
  for (let word = 0; word * RESULTS_OF_WORD < results.length; word++) {
    const own = results.slice(word * RESULTS_OF_WORD, (word + 1) * RESULTS_OF_WORD);
    code.i64Const(own.reduce((bits, result, n) => bits | (BigInt(result) << BigInt(8 * n)), 0n));
    if (word > 0)
      code
        .localGet(index)
        .i32Const(word * RESULTS_OF_WORD)
        .i32LtU()
        .select();
  }
  code.localGet(index).i32Const(7).i32And().i32Const(3).i32Shl().i64ExtendI32U().i64ShrU();
  code.i32WrapI64().i32Const(255).i32And();
  code.free(index);
}

/** Pushes the transactions of the lanes in `mask`. */
function pushTransactions(context: CountContext, { address, bytes, space }: CountedAccess, mask: Local): void {
  const { code, values, helpers } = context;
  code.localGet(mask);
  if (space === "local") {
    pushLocalKeys(context, (slice) => values.pushVector(address, slice));
    code.call(helpers.distinct);
    if (bytes > BANK_BYTES) code.i32Const(bytes / BANK_BYTES).i32Mul();
    return;
  }
  for (let s = 0; s < SLICES; s++) values.pushVector(address, s);
  code.call(space === "shared" ? helpers.wavefronts(bytes) : helpers.sectors);
}

/** Pushes a number for each lane that is the same where lanes touch the same sector of local memory. */
function pushLocalKeys(context: CountContext, pushAddress: (slice: number) => void): void {
  const { code, values, globals, warp, localBytesPerThread } = context;
  const base = code.local("i32");
  code
    .globalGet(globals.local)
    .localGet(warp)
    .i32Const(LANES * localBytesPerThread)
    .i32Mul()
    .i32Add()
    .localSet(base);
  for (let s = 0; s < SLICES; s++) {
    pushAddress(s);
    code.localGet(base).i32x4Splat().i32x4Sub();
    const [a, b, c, d] = [0, 1, 2, 3].map((lane) => (4 * s + lane) * localBytesPerThread) as [
      number,
      number,
      number,
      number,
    ];
    values.pushIntegers(a, b, c, d);
    code.i32x4Sub();
    // Word n of eight lanes is a sector: n * 4 + lane / 8.
    code.i32Const(Math.log2(BANK_BYTES)).i32x4ShrU().i32Const(2).i32x4Shl();
    values.pushIntegers(s >> 1);
    code.i32x4Add();
  }
  code.free(base);
}

/** Tells the spaces of the lanes' addresses apart, and counts each as a request of its own. */
function countGeneric(context: CountContext, record: number, address: IrValue, bytes: number): void {
  const { code, values, helpers, globals, mask, warps, localBytesPerThread } = context;
  context.flush();
  const vectors = Array.from({ length: SLICES }, () => code.local("v128"));
  const shared = code.local("i32");
  const local = code.local("i32");
  const global = code.local("i32");
  vectors.forEach((vector, s) => {
    values.pushVector(address, s);
    code.localSet(vector);
  });
  const pushWindow = (lanes: Local, window: number, pushBytes: () => void): void => {
    code.localGet(lanes);
    for (const vector of vectors) code.localGet(vector);
    code.globalGet(window);
    pushBytes();
    code.call(helpers.inWindow);
  };
  pushWindow(mask, globals.shared, () => code.globalGet(globals.sharedBytes));
  code.localTee(shared).i32Const(-1).i32Xor().localGet(mask).i32And().localSet(global);
  pushWindow(global, globals.local, () => code.i32Const(warps * LANES * localBytesPerThread));
  code.localTee(local).i32Const(-1).i32Xor().localGet(global).i32And().localSet(global);
  const spaces: readonly [OneSpace, Local][] = [
    ["global", global],
    ["shared", shared],
    ["local", local],
  ];
  for (const [index, [space, lanes]] of spaces.entries()) {
    const at = record + index * RECORD_BYTES;
    const partial = { ...context, isFull: false };
    code.localGet(lanes).if();
    add(context, at, ACCESS_COUNTERS.transactions, () => {
      code.localGet(lanes);
      if (space === "local") pushLocalKeys(context, (s) => code.localGet(vectors[s] as Local));
      else for (const vector of vectors) code.localGet(vector);
      if (space === "global") code.call(helpers.sectors);
      else if (space === "shared") code.call(helpers.wavefronts(bytes));
      else
        code
          .call(helpers.distinct)
          .i32Const(Math.max(1, bytes / BANK_BYTES))
          .i32Mul();
    });
    add(context, at, ACCESS_COUNTERS.ideal, () => pushIdeal(partial, { address, bytes, space }, lanes));
    add(context, at, ACCESS_COUNTERS.requests, () => code.i32Const(1));
    add(context, at, ACCESS_COUNTERS.threads, () => code.localGet(lanes).i32Popcnt());
    code.end();
  }
  code.free(...vectors, shared, local, global);
}
