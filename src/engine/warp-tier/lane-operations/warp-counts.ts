/**
 * The code of `count.*` (machine/warp-counts.ts): a tool's counters.
 *
 * Each thread that runs blocks counts in memory of its own, which its runner adds to the tool's counters after the
 * launch. Of accesses whose lanes lie at constant distances, the number of sectors follows from the base modulo 32, and
 * the number of wavefronts is a constant; a function out of line counts all others, and warps with masked lanes.
 */
import type { CountFacts } from "../../../ir/intrinsics/facts.ts";
import type { CallInstruction, IrValue } from "../../../ir/model/ir.ts";
import {
  ACCESS_COUNTERS,
  ACCESS_RECORD_BYTES,
  BANK_BYTES,
  BRANCH_COUNTERS,
  COUNTER_BYTES,
  SECTOR_BYTES,
  WARP_COUNTERS,
  idealTransactions,
  transactionsOf,
  type CountedSpace,
  type PackedAccess,
} from "../../../machine/warp-counts.ts";
import { SAMPLE_AT } from "../../../machine/lane-sample.ts";
import { LANES, SLICES, offsetsOf } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Local } from "../../../wasm/function-builder.ts";
import { knownOfAccess } from "../planning/counted-records.ts";
import { emitBarrierCount } from "./barrier-counts.ts";
import type { CountContext } from "./counting.ts";
import { WORD } from "./count-helpers.ts";
import { noteLines } from "./line-notes.ts";

type OneSpace = Exclude<CountedSpace, "generic">;

export function emitCount(context: CountContext, i: CallInstruction, { what }: CountFacts): void {
  if (what === "lines") {
    noteLines(context, i);
    return;
  }
  if (what === "begin" || what === "clock" || what === "arrive") {
    emitBarrierCount(context, i, what);
    return;
  }
  const record = context.recordOffset(i.args[0] as IrValue);
  if (what === "warps") countWarps(context, record);
  else if (what === "branch") countBranch(context, record, i.args[2] as IrValue);
  else {
    const address = i.args[2] as IrValue;
    const known = knownOfAccess(i.args[3] as IrValue);
    const { space } = known;
    if (space === "generic") countGeneric(context, record, address, known);
    else countAccess(context, record, { ...known, address, space });
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
  readonly isAtomic: boolean;
  readonly isLoad: boolean;
}

function countAccess(context: CountContext, record: number, access: CountedAccess): void {
  const { code, values, mask, isFull } = context;
  const pushKnown = knownTransactions(context, access);
  if (pushKnown === null || access.isAtomic) context.flush();
  // Vectors that are deferred may be computed once only.
  const vectors = pushKnown === null || access.isAtomic ? Array.from({ length: SLICES }, () => code.local("v128")) : [];
  vectors.forEach((vector, s) => {
    values.pushVector(access.address, s);
    code.localSet(vector);
  });
  const pushAddress = (s: number): void => {
    if (vectors.length === 0) values.pushVector(access.address, s);
    else code.localGet(vectors[s] as Local);
  };
  const transactions = code.local("i32");
  if (pushKnown === null) pushTransactions(context, access, mask, pushAddress);
  else if (isFull) pushKnown();
  else {
    code.localGet(mask).i32Const(-1).i32Eq().if("i32");
    pushKnown();
    code.else();
    pushTransactions(context, access, mask, pushAddress);
    code.end();
  }
  const words = splitWords(context, access, transactions);
  addAccess(context, record, access, { lanes: mask, transactions, words, pushAddress });
  code.free(transactions, words, ...vectors);
}

/** Pops transactions and, of shared memory, words into locals. */
function splitWords({ code }: CountContext, { space }: CountedAccess, transactions: Local): Local {
  const words = code.local("i32");
  if (space !== "shared") {
    code.localSet(transactions);
    return words;
  }
  code
    .localTee(words)
    .i32Const(WORD - 1)
    .i32And()
    .localSet(transactions);
  code.localGet(words).i32Const(Math.log2(WORD)).i32ShrU().localSet(words);
  return words;
}

/** Pushes how many different words the lanes of an atomic access. */
function pushDistinct(context: CountContext, { space, bytes }: CountedAccess, request: Request): void {
  const { code, helpers } = context;
  const { lanes, words, pushAddress } = request;
  if (space === "shared") {
    code.localGet(words);
    if (bytes > BANK_BYTES) code.i32Const(Math.log2(bytes / BANK_BYTES)).i32ShrU();
    return;
  }
  code.localGet(lanes);
  for (let s = 0; s < SLICES; s++) {
    pushAddress(s);
    if (bytes < BANK_BYTES) code.i32Const(Math.log2(BANK_BYTES)).i32x4ShrU();
  }
  code.call(helpers.distinct);
}

interface Request {
  readonly lanes: Local;
  readonly transactions: Local;
  /** Of shared memory: different words. */
  readonly words: Local;
  readonly pushAddress: (slice: number) => void;
}

/** Adds a request to the counters of an access, and keeps it as an example if it is a better one. */
function addAccess(context: CountContext, record: number, access: CountedAccess, request: Request): void {
  const { code, globals, helpers } = context;
  const { lanes, transactions, pushAddress } = request;
  const { space, isAtomic } = access;
  add(context, record, ACCESS_COUNTERS.transactions, () => code.localGet(transactions));
  add(context, record, ACCESS_COUNTERS.ideal, () => pushIdeal(context, access, lanes));
  if (isAtomic) add(context, record, ACCESS_COUNTERS.distinct, () => pushDistinct(context, access, request));
  if (space === "local") return;
  // Blocks come in the order of their numbers: the first of several with as many transactions stays.
  code.localGet(transactions).globalGet(globals.counts);
  code
    .i32Load(record + SAMPLE_AT.transactions)
    .i32GtU()
    .if();
  code.localGet(lanes);
  for (let s = 0; s < SLICES; s++) pushAddress(s);
  code.globalGet(globals.counts).i32Const(record).i32Add().localGet(transactions);
  if (space === "shared") code.globalGet(globals.shared);
  else code.i32Const(0);
  code.call(helpers.keepSample);
  code.end();
}

function pushIdeal(context: CountContext, { space, bytes }: CountedAccess, mask: Local): void {
  const { code, isFull } = context;
  if (isFull) {
    code.i32Const(idealTransactions(space, LANES, bytes));
    return;
  }
  if (space === "constant") {
    code.localGet(mask).i32Const(0).i32Ne();
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
  const { bytes, space, isLoad } = access;
  // The words of atomics are counted with their wavefronts.
  if (offsets === null || (space === "shared" && access.isAtomic)) return null;
  if (space === "local") {
    // Each thread has the same variable: the word of the same number, side by side.
    const step = context.localBytesPerThread;
    if (offsets.some((offset, lane) => offset !== (((offsets[0] as number) + lane * step) | 0))) return null;
    return () => code.i32Const(Math.max(1, bytes / BANK_BYTES) * ((LANES * BANK_BYTES) / SECTOR_BYTES));
  }
  // Banks repeat every 128 bytes, and a step of the base by one word turns all lanes' banks together.
  const period = space === "global" ? SECTOR_BYTES : BANK_BYTES;
  const results = Array.from({ length: Math.max(1, period / bytes) }, (_, n) =>
    transactionsOf(space, { lanes: -1, addresses: offsets.map((offset) => offset + n * bytes), bytes, isLoad }, null),
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
function pushTransactions(
  context: CountContext,
  { bytes, space, isLoad }: CountedAccess,
  mask: Local,
  pushAddress: (slice: number) => void,
): void {
  const { code, helpers } = context;
  code.localGet(mask);
  if (space === "constant") {
    for (let s = 0; s < SLICES; s++) {
      pushAddress(s);
      code.i32Const(Math.log2(Math.max(bytes, BANK_BYTES))).i32x4ShrU();
    }
    code.call(helpers.distinct);
    return;
  }
  if (space === "local") {
    pushLocalKeys(context, pushAddress);
    code.call(helpers.distinct);
    if (bytes > BANK_BYTES) code.i32Const(bytes / BANK_BYTES).i32Mul();
    return;
  }
  for (let s = 0; s < SLICES; s++) pushAddress(s);
  code.call(space === "shared" ? helpers.wavefronts(bytes, isLoad) : helpers.sectors);
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
function countGeneric(
  context: CountContext,
  record: number,
  address: IrValue,
  { bytes, isAtomic, isLoad }: PackedAccess,
): void {
  const { code, values, helpers, globals, mask, warps, localBytesPerThread } = context;
  context.flush();
  const vectors = Array.from({ length: SLICES }, () => code.local("v128"));
  const shared = code.local("i32");
  const local = code.local("i32");
  const global = code.local("i32");
  const transactions = code.local("i32");
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
    const partial = { ...context, isFull: false };
    const access = { address, bytes, space, isAtomic, isLoad };
    const pushAddress = (s: number): void => void code.localGet(vectors[s] as Local);
    const at = record + index * ACCESS_RECORD_BYTES;
    code.localGet(lanes).if();
    pushTransactions(partial, access, lanes, pushAddress);
    const words = splitWords(partial, access, transactions);
    addAccess(partial, at, access, { lanes, transactions, words, pushAddress });
    code.free(words);
    add(context, at, ACCESS_COUNTERS.requests, () => code.i32Const(1));
    add(context, at, ACCESS_COUNTERS.threads, () => code.localGet(lanes).i32Popcnt());
    code.end();
  }
  code.free(...vectors, shared, local, global, transactions);
}
