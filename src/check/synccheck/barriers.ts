/**
 * Barriers of the whole block: code that finds out whether all threads come to the same one.
 *
 * Only where a barrier stands in code that not all threads run together (analysis/divergence/block-uniformity.ts):
 * kernels whose barriers all of them provably reach get no code. Each thread keeps, in memory of its block, how many
 * barriers it has come to, and stamps its place among the threads with that number and the barrier it is at. When it
 * goes on it looks at the stamps of the threads before and after it: where neighbours agree everywhere, all threads
 * agree; where not all threads agree, two neighbours do not, whatever the schedule was. There are two rows of stamps,
 * for even and odd numbers: no thread can be two barriers ahead. A thread that has ended stays at its last stamp.
 */
import { CHECK_NAMES } from "../check-names.ts";
import type { FunctionContext } from "../../instrument/instrumenter.ts";
import { NO_ATTRIBUTES, NameSource, constBool, constI32, newBlock, newInstruction } from "../../ir/model/build.ts";
import { newFunction } from "../../ir/model/build-module.ts";
import { Emitter } from "../../ir/model/emitter.ts";
import { reachedFunctions } from "../../ir/graph/call-graph.ts";
import type {
  AtomicRmwInstruction,
  CallInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrValue,
  PhiInstruction,
} from "../../ir/model/ir.ts";
import { I32, VOID, functionType, ptrType } from "../../ir/model/types.ts";
import {
  FAILED_VARIABLE,
  RECORD,
  RECORD_BYTES,
  countUp,
  threadPlace,
} from "../../instrument/instrumentation-runtime.ts";
import type { Uniformity } from "../../analysis/divergence/block-uniformity.ts";
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
const REPORTED = THREADS + 2 * ROW;
const BLOCK_WORDS = REPORTED + 1;

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

/** The barriers of a module that are stamped, and those behind which threads compare stamps. */
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

  isCompared(i: IrInstruction): boolean {
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
  e.store(constI32(0), wordAt(e, constI32(0), REPORTED), 4);
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
  const blocks = ["different", "look", "next", "found", "first", "done"].map((name) => newBlock(fn, name));
  const [different, look, next, found, first, done] = blocks as [IrBlock, IrBlock, IrBlock, IrBlock, IrBlock, IrBlock];
  fn.blocks.push(...blocks);
  const thread = threadPlace(e);
  const threads = threadsOfBlock(e);
  const number = e.load(I32, wordAt(e, thread, NUMBERS), 4);
  const row = rowOf(e, number);
  e.condBr(differsFromNeighbours(e, { thread, threads, number, row, site }), different, done);

  e.block = different;
  const wasReported = e.append(
    newInstruction<AtomicRmwInstruction>(e, {
      op: "atomicrmw",
      type: I32,
      name: e.name(),
      operator: "xchg",
      pointer: wordAt(e, constI32(0), REPORTED),
      value: constI32(1),
      volatile: false,
      ordering: "monotonic",
      scope: null,
    }),
  );
  e.condBr(e.icmp("eq", wasReported, 0), look, done);

  const survey = surveyStamps(e, { before: different, loop: look, after: next }, { threads, number, row });
  const record = e.offset(records, e.mul(e.sub(survey.lowestSite, constI32(1)), constI32(RECORD_BYTES)));
  const count = countUp(e, record, survey.arrived);
  e.condBr(e.icmp("eq", count, 0), found, done);

  e.block = found;
  const keep = (word: number, value: IrValue): void => e.store(value, e.offset(record, 4 * word), 4);
  fillRecord(e, keep, survey, threads);
  e.condBr(e.icmp("sge", survey.firstMissing, 0), first, done);

  e.block = first;
  // The last barrier that the first of the missing threads came to.
  const numberThen = e.load(I32, wordAt(e, survey.firstMissing, NUMBERS), 4);
  const lastStamp = stampOf(e, survey.firstMissing, rowOf(e, numberThen));
  keep(RECORD.words + BARRIER_WORDS.lastSite, e.and(lastStamp, constI32(SITE_MASK)));
  e.br(done);
  e.block = done;
  ret(e);
  return fn;
}

function stampOf(e: Emitter, thread: IrValue, row: IrValue): IrValue {
  return e.load(I32, wordAt(e, e.add(thread, row), STAMPS), 4);
}

interface LookingThread {
  readonly thread: IrValue;
  readonly threads: IrValue;
  /** How many barriers it has come to, and the row of stamps for that. */
  readonly number: IrValue;
  readonly row: IrValue;
  /** The barrier that it is at: one more than the site's index. */
  readonly site: IrValue;
}

function differsFromNeighbours(e: Emitter, { thread, threads, number, row, site }: LookingThread): IrValue {
  const place = e.add(thread, row);
  const mine = e.or(e.shl(number, SITE_BITS), site);
  const differs = (shift: number, exists: IrValue): IrValue =>
    e.and(e.icmp("ne", e.load(I32, wordAt(e, place, STAMPS + shift), 4), mine), exists);
  const fromBefore = differs(-1, e.icmp("ne", thread, 0));
  return e.or(fromBefore, differs(1, e.icmp("ne", e.add(thread, constI32(1)), threads)));
}

/** Where the threads of a block are. */
interface Survey {
  /** Threads that have come to a barrier of this number. */
  readonly arrived: IrValue;
  /** The first site that threads are at, and the first such thread. */
  readonly lowestSite: IrValue;
  readonly lowest: IrValue;
  /** The last site that threads are at; the same where there is only one. */
  readonly highestSite: IrValue;
  readonly highest: IrValue;
  /** The first thread that has not come to a barrier of this number; -1: none. */
  readonly firstMissing: IrValue;
}

/** A loop over the stamps of all threads, for one number of barriers. */
function surveyStamps(
  e: Emitter,
  blocks: { readonly before: IrBlock; readonly loop: IrBlock; readonly after: IrBlock },
  { threads, number, row }: Pick<LookingThread, "threads" | "number" | "row">,
): Survey {
  e.block = blocks.loop;
  const carry = (start: IrValue): PhiInstruction => e.phi(I32, [{ value: start, block: blocks.before }]);
  const [zero, none] = [constI32(0), constI32(-1)];
  const at = carry(zero);
  const arrived = carry(zero);
  const lowest = carry(none);
  const lowestSite = carry(constI32(SITE_MASK + 1));
  const highest = carry(none);
  const highestSite = carry(zero);
  const firstMissing = carry(none);

  const seen = stampOf(e, at, row);
  const isHere = e.icmp("eq", e.lshr(seen, SITE_BITS), e.and(number, constI32((1 << (32 - SITE_BITS)) - 1)));
  const site = e.and(seen, constI32(SITE_MASK));
  const isLower = e.and(isHere, e.icmp("ult", site, lowestSite));
  const isHigher = e.and(isHere, e.icmp("ugt", site, highestSite));
  const isMissing = e.and(e.xor(isHere, constBool(true)), e.icmp("eq", firstMissing, none));
  const next = e.add(at, constI32(1));
  const carryOn = (phi: PhiInstruction, value: IrValue): IrValue => {
    phi.incoming.push({ value, block: blocks.loop });
    return value;
  };
  carryOn(at, next);
  const survey = {
    arrived: carryOn(arrived, e.add(arrived, e.cast("zext", isHere, I32))),
    lowest: carryOn(lowest, e.select(isLower, at, lowest)),
    lowestSite: carryOn(lowestSite, e.select(isLower, site, lowestSite)),
    highest: carryOn(highest, e.select(isHigher, at, highest)),
    highestSite: carryOn(highestSite, e.select(isHigher, site, highestSite)),
    firstMissing: carryOn(firstMissing, e.select(isMissing, at, firstMissing)),
  };
  e.condBr(e.icmp("ult", next, threads), blocks.loop, blocks.after);
  e.block = blocks.after;
  return survey;
}

function fillRecord(e: Emitter, keep: (word: number, value: IrValue) => void, survey: Survey, threads: IrValue): void {
  const { arrived, lowest, lowestSite, highest, highestSite, firstMissing } = survey;
  e.store(constI32(1), CHECK_NAMES.variable(e.module, FAILED_VARIABLE), 4);
  const isOther = e.icmp("ne", highestSite, lowestSite);
  keep(RECORD.words + BARRIER_WORDS.arrived, arrived);
  keep(RECORD.words + BARRIER_WORDS.missing, e.sub(threads, arrived));
  keep(RECORD.words + BARRIER_WORDS.firstMissing, firstMissing);
  keep(RECORD.words + BARRIER_WORDS.otherSite, e.select(isOther, highestSite, constI32(0)));
  keep(RECORD.words + BARRIER_WORDS.firstOther, highest);
  const width = e.intrinsic("llvm.nvvm.read.ptx.sreg.ntid.x", I32, []);
  const height = e.intrinsic("llvm.nvvm.read.ptx.sreg.ntid.y", I32, []);
  const coordinates = [
    e.binary("urem", lowest, width),
    e.binary("urem", e.binary("udiv", lowest, width), height),
    e.binary("udiv", e.binary("udiv", lowest, width), height),
  ];
  for (const [axis, letter] of ["x", "y", "z"].entries()) {
    keep(RECORD.block + axis, e.intrinsic(`llvm.nvvm.read.ptx.sreg.ctaid.${letter}`, I32, []));
    keep(RECORD.thread + axis, coordinates[axis] as IrValue);
  }
}
