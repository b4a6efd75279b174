/**
 * Barriers of the whole block: the code that finds out whether all its threads come to the same one.
 *
 * Only where a barrier stands in code that not all threads run together (uniformity.ts): kernels whose barriers all of
 * them provably reach get no code. Each thread keeps, in memory of its block, how many barriers it has come to, and
 * stamps its place among the threads with that number and the barrier it is at. When it goes on it looks at the stamps
 * of the threads before and after it: where neighbours agree everywhere, all threads agree; where not all threads
 * agree, two neighbours do not, whatever the schedule was. Stamps are kept twice, for numbers that are even and odd:
 * nobody can be two barriers ahead. A thread that has ended stays at its last stamp.
 */
import { CHECK_NAMES } from "../check-names.ts";
import type { FunctionContext } from "../../instrument/instrumenter.ts";
import { NO_ATTRIBUTES, NameSource, constI32, newBlock, newFunction, newInstruction } from "../../ir/model/build.ts";
import { Emitter } from "../../ir/model/emitter.ts";
import { reachedFunctions } from "../../ir/graph/call-graph.ts";
import type {
  AtomicRmwInstruction,
  CallInstruction,
  IrFunction,
  IrInstruction,
  IrModule,
  IrValue,
  PhiInstruction,
} from "../../ir/model/ir.ts";
import { I32, VOID, functionType, ptrType } from "../../ir/model/types.ts";
import { FAILED_VARIABLE, RECORD, RECORD_BYTES, threadPlace } from "../../instrument/instrumentation-runtime.ts";
import type { Uniformity } from "../../analysis/block-uniformity.ts";
import { blockBarrierOf, isOfWholeBlock } from "./sites.ts";

/** The largest block. */
const THREADS = 1024;
/** A stamp: the barrier's number above, one more than the site below. */
const SITE_BITS = 14;
export const SITE_MASK: number = (1 << SITE_BITS) - 1;

/**
 * What a block's memory holds, in words: numbers by thread; two rows of stamps, with a place to either side; whether it
 * was reported.
 */
const NUMBERS = 0;
const ROW = THREADS + 2;
const STAMPS = THREADS + 1;
const TOLD = THREADS + 2 * ROW;
const BLOCK_WORDS = TOLD + 1;

/** Words of an example. */
export const BARRIER_WORDS = {
  arrived: 0,
  missing: 1,
  firstMissing: 2,
  lastSite: 3,
  otherSite: 4,
  firstOther: 5,
  others: 6,
} as const;

/** Which barriers of a module are stamped, and which of them are looked at. */
export class BarrierPlan {
  readonly #stamped = new Set<IrFunction>();
  readonly #uniformity: Uniformity;

  constructor(own: ReadonlySet<IrFunction>, uniformity: Uniformity) {
    this.#uniformity = uniformity;
    for (const kernel of own) {
      if (!kernel.isKernel) continue;
      const reached = reachedFunctions(kernel, own);
      if (
        ![...reached].some((fn) =>
          fn.blocks.some(({ instructions }) =>
            instructions.some((i) => this.isWhole(i) && !uniformity.isReachedByAll(i)),
          ),
        )
      )
        continue;
      for (const fn of reached) this.#stamped.add(fn);
    }
  }

  isWhole(i: IrInstruction): boolean {
    const barrier = blockBarrierOf(i);
    return barrier !== null && isOfWholeBlock(barrier);
  }

  /** Kernels whose threads begin with no stamp, and functions whose barriers are stamped. */
  isStamped(fn: IrFunction): boolean {
    return this.#stamped.has(fn);
  }

  isLookedAt(i: IrInstruction): boolean {
    return this.isStamped(i.block.function) && !this.#uniformity.isReachedByAll(i);
  }
}

const wordAt = (e: Emitter, index: IrValue, constant: number): IrValue =>
  e.offset(CHECK_NAMES.shared(e.module, "stamps", 4 * BLOCK_WORDS), e.shl(e.add(index, constI32(constant)), 2));

export function threadsOfBlock(e: Emitter): IrValue {
  const special = (axis: string): IrValue => e.intrinsic(`llvm.nvvm.read.ptx.sreg.ntid.${axis}`, I32, []);
  return e.mul(e.mul(special("x"), special("y")), special("z"));
}

/** At a kernel's entry: no barrier yet. */
export function beginStamps(e: Emitter): void {
  const thread = threadPlace(e);
  for (const row of [NUMBERS, STAMPS, STAMPS + ROW]) e.store(constI32(0), wordAt(e, thread, row), 4);
  e.store(constI32(0), wordAt(e, constI32(0), TOLD), 4);
}

function call(e: Emitter, fn: IrFunction, args: IrValue[]): void {
  e.append(
    newInstruction<CallInstruction>(e, {
      op: "call",
      type: VOID,
      name: "",
      callee: fn,
      functionType: functionType(
        VOID,
        args.map(({ type }) => type),
      ),
      args,
      fastMath: null,
      attributes: NO_ATTRIBUTES,
      byval: args.map(() => null),
    }),
  );
}

/** In front of a barrier: the thread is here. */
export function stamp(e: Emitter, site: number): void {
  call(e, stampFunction(e.module), [constI32(site + 1)]);
}

/** Behind a barrier: were all others here? */
export function lookAround(e: Emitter, context: FunctionContext, site: Parameters<FunctionContext["record"]>[0]): void {
  call(e, lookFunction(e.module), [
    e.offset(context.record(site), -site.index * RECORD_BYTES),
    constI32(site.index + 1),
  ]);
}

const STAMP = `${CHECK_NAMES.prefix}stamp`;
const LOOK = `${CHECK_NAMES.prefix}look_around`;

function toolFunction(
  module: IrModule,
  name: string,
  params: IrValue["type"][],
  names: string[],
): { fn: IrFunction; e: Emitter } {
  const fn = newFunction(name, functionType(VOID, params), names);
  fn.linkage = "internal";
  fn.attributes = NO_ATTRIBUTES;
  module.functions.set(name, fn);
  const entry = newBlock(fn, "entry");
  fn.blocks = [entry];
  return { fn, e: new Emitter(module, fn, new NameSource(fn), entry) };
}

function rowOf(e: Emitter, number: IrValue): IrValue {
  return e.mul(e.and(number, constI32(1)), constI32(ROW));
}

function ret(e: Emitter): void {
  e.append({ kind: "instruction", op: "ret", type: VOID, name: "", value: null, block: e.block, location: null });
}

function stampFunction(module: IrModule): IrFunction {
  const known = module.functions.get(STAMP);
  if (known !== undefined) return known;
  const { fn, e } = toolFunction(module, STAMP, [I32], ["site"]);
  const thread = threadPlace(e);
  const count = wordAt(e, thread, NUMBERS);
  const number = e.add(e.load(I32, count, 4), constI32(1));
  e.store(number, count, 4);
  e.store(
    e.or(e.shl(number, SITE_BITS), fn.params[0] as IrValue),
    wordAt(e, e.add(thread, rowOf(e, number)), STAMPS),
    4,
  );
  ret(e);
  return fn;
}

/**
 * `look_around(records, site)`: compares the thread's stamp with those to either side. The first thread of a block that
 * sees a difference goes through all stamps and fills the record of the first site that threads of the block are at:
 * what comes after is a consequence.
 */
function lookFunction(module: IrModule): IrFunction {
  const known = module.functions.get(LOOK);
  if (known !== undefined) return known;
  const { fn, e } = toolFunction(module, LOOK, [ptrType(1), I32], ["records", "site"]);
  const [records, site] = fn.params as unknown as [IrValue, IrValue];
  const blocks = Object.fromEntries(
    ["different", "look", "next", "found", "first", "done"].map((name) => [name, newBlock(fn, name)]),
  );
  const block = (name: string): (typeof fn.blocks)[number] => blocks[name] as (typeof fn.blocks)[number];
  fn.blocks.push(...Object.values(blocks));
  const thread = threadPlace(e);
  const threads = threadsOfBlock(e);
  const number = e.load(I32, wordAt(e, thread, NUMBERS), 4);
  const row = rowOf(e, number);
  const place = e.add(thread, row);
  const mine = e.or(e.shl(number, SITE_BITS), site);
  const differs = (shift: number, none: IrValue): IrValue =>
    e.and(e.icmp("ne", e.load(I32, wordAt(e, place, STAMPS + shift), 4), mine), none);
  const bad = e.or(differs(-1, e.icmp("ne", thread, 0)), differs(1, e.icmp("ne", e.add(thread, constI32(1)), threads)));
  e.condBr(bad, block("different"), block("done"));

  e.block = block("different");
  const told = e.append(
    newInstruction<AtomicRmwInstruction>(e, {
      op: "atomicrmw",
      type: I32,
      name: e.name(),
      operator: "xchg",
      pointer: wordAt(e, constI32(0), TOLD),
      value: constI32(1),
      volatile: false,
      ordering: "monotonic",
      scope: null,
    }),
  );
  e.condBr(e.icmp("eq", told, 0), block("look"), block("done"));

  // All stamps of this number: where threads are, which comes first, and who is not there.
  const before = block("different");
  e.block = block("look");
  const carried: { phi: PhiInstruction; next: IrValue | null }[] = [];
  const carry = (start: IrValue): PhiInstruction => {
    const phi = e.phi(I32, [{ value: start, block: before }]);
    carried.push({ phi, next: null });
    return phi;
  };
  const from = constI32(0);
  const none = constI32(-1);
  const [t, arrived, first, firstSite, other, otherSite, missing] = [
    carry(from),
    carry(from),
    carry(none),
    carry(constI32(SITE_MASK + 1)),
    carry(none),
    carry(from),
    carry(none),
  ];
  const stampOf = (at: IrValue, inRow: IrValue): IrValue => e.load(I32, wordAt(e, e.add(at, inRow), STAMPS), 4);
  const seen = stampOf(t, row);
  const isHere = e.icmp("eq", e.lshr(seen, SITE_BITS), e.and(number, constI32((1 << (32 - SITE_BITS)) - 1)));
  const where = e.and(seen, constI32(SITE_MASK));
  const isLower = e.and(isHere, e.icmp("ult", where, firstSite));
  const isHigher = e.and(isHere, e.icmp("ugt", where, otherSite));
  const isMissing = e.and(
    e.xor(isHere, { kind: "const-int", type: { kind: "int", bits: 1 }, value: 1n }),
    e.icmp("eq", missing, none),
  );
  const next = e.add(t, constI32(1));
  const nexts = [
    next,
    e.add(arrived, e.cast("zext", isHere, I32)),
    e.select(isLower, t, first),
    e.select(isLower, where, firstSite),
    e.select(isHigher, t, other),
    e.select(isHigher, where, otherSite),
    e.select(isMissing, t, missing),
  ];
  carried.forEach(({ phi }, index) => phi.incoming.push({ value: nexts[index] as IrValue, block: block("look") }));
  e.condBr(e.icmp("ult", next, threads), block("look"), block("next"));

  e.block = block("next");
  const [, allArrived, lowest, lowestSite, highest, highestSite, firstMissing] = nexts as [
    IrValue,
    IrValue,
    IrValue,
    IrValue,
    IrValue,
    IrValue,
    IrValue,
  ];
  const record = e.offset(records, e.mul(e.sub(lowestSite, constI32(1)), constI32(RECORD_BYTES)));
  const count = e.append(
    newInstruction<AtomicRmwInstruction>(e, {
      op: "atomicrmw",
      type: I32,
      name: e.name(),
      operator: "add",
      pointer: record,
      value: allArrived,
      volatile: false,
      ordering: "monotonic",
      scope: null,
    }),
  );
  e.condBr(e.icmp("eq", count, 0), block("found"), block("done"));

  e.block = block("found");
  const keep = (word: number, value: IrValue): void => e.store(value, e.offset(record, 4 * word), 4);
  e.store(constI32(1), CHECK_NAMES.variable(module, FAILED_VARIABLE), 4);
  const isOther = e.icmp("ne", highestSite, lowestSite);
  keep(RECORD.words + BARRIER_WORDS.arrived, allArrived);
  keep(RECORD.words + BARRIER_WORDS.missing, e.sub(threads, allArrived));
  keep(RECORD.words + BARRIER_WORDS.firstMissing, firstMissing);
  keep(RECORD.words + BARRIER_WORDS.otherSite, e.select(isOther, highestSite, constI32(0)));
  keep(RECORD.words + BARRIER_WORDS.firstOther, highest);
  const [nx, ny] = ["x", "y"].map((axis) => e.intrinsic(`llvm.nvvm.read.ptx.sreg.ntid.${axis}`, I32, [])) as [
    IrValue,
    IrValue,
  ];
  const coordinates = [
    e.binary("urem", lowest, nx),
    e.binary("urem", e.binary("udiv", lowest, nx), ny),
    e.binary("udiv", e.binary("udiv", lowest, nx), ny),
  ];
  for (const [axis, letter] of ["x", "y", "z"].entries()) {
    keep(RECORD.block + axis, e.intrinsic(`llvm.nvvm.read.ptx.sreg.ctaid.${letter}`, I32, []));
    keep(RECORD.thread + axis, coordinates[axis] as IrValue);
  }
  e.condBr(e.icmp("sge", firstMissing, 0), block("first"), block("done"));

  e.block = block("first");
  // The last barrier that the first of those who are missing came to.
  const numberThen = e.load(I32, wordAt(e, firstMissing, NUMBERS), 4);
  keep(RECORD.words + BARRIER_WORDS.lastSite, e.and(stampOf(firstMissing, rowOf(e, numberThen)), constI32(SITE_MASK)));
  e.br(block("done"));
  e.block = block("done");
  ret(e);
  return fn;
}
