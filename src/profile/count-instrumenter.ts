/**
 * Adds counters to the functions of a module: one for each basic block, each branch and each access to memory. What a
 * launch executes of a block's instructions follows from how often warps execute the block.
 */
import { buildFlowGraph, type FlowGraph } from "../analysis/loops/flow-graph.ts";
import { mayWaitForOthers } from "../analysis/loops/waiting-loops.ts";
import type { SourceLocation } from "../base/diagnostics.ts";
import { toolAddress } from "../instrument/instrumentation-runtime.ts";
import { IrEdits } from "../instrument/ir-edits.ts";
import type { CountFacts } from "../ir/intrinsics/facts.ts";
import { calledIntrinsic } from "../ir/model/called-intrinsic.ts";
import { firstNonPhi } from "../ir/graph/cfg.ts";
import { constI32 } from "../ir/model/build.ts";
import type { Emitter } from "../ir/model/emitter.ts";
import type { IrBlock, IrFunction, IrGlobal, IrInstruction, IrModule, IrValue } from "../ir/model/ir.ts";
import { usesOf, type UseMap } from "../ir/model/uses.ts";
import { I32, VOID } from "../ir/model/types.ts";
import { CLOCKS_BYTES } from "../machine/barrier-skew.ts";
import {
  ACCESS_RECORD_BYTES,
  RECORD_BYTES,
  UNORDERED,
  packAccess,
  recordsOfAccess,
  type CountedSpace,
} from "../machine/warp-counts.ts";
import { conditionalLoads, isInSteps, iterationsTogether } from "./loop-loads.ts";
import { blockWork, type BlockWork } from "./block-work.ts";
import { blockChain, isAsynchronous, type BlockChain } from "./block-chain.ts";
import { FunctionAccesses, arrayOf, type AccessOperation, type CountedAccess } from "./counted-accesses.ts";
import { pointerOfLanes } from "./copying-lanes.ts";
import { divisionCost, workContext, worksOf, type Work, type WorkContext } from "./instruction-mix.ts";
import { needlessBarriers } from "./needless-barriers.ts";
import type { LinesOf } from "./double-divisions.ts";
import { PROFILE_NAMES } from "./profile-names.ts";
import { transferOf, type TransferDirection } from "./transfers.ts";
import { type WarpProduct, warpProduct } from "./warpgroup-products.ts";
import { isWidenedHalf } from "./widened-halves.ts";
import { LINES, lineOperand } from "./caches/line-trace.ts";

/** What is counted at one place. Each has a record; an access has a longer one for each space that it may be of. */
export type CountSite = BlockSite | BranchSite | AccessSite | BarrierSite | TransferSite;

interface SiteBase {
  /** Where its record begins, in RECORD_BYTES from the module's first on. */
  readonly record: number;
  /** The function that has the code; what was inlined into it is in `location`. */
  readonly function: IrFunction;
  readonly location: SourceLocation | null;
}

export interface BlockSite extends SiteBase {
  readonly kind: "block";
  /** The instructions of the block, as work by source line. */
  readonly work: readonly BlockWork[];
  readonly isEntry: boolean;
  readonly chain: BlockChain;
  readonly needlessBarriers: readonly (SourceLocation | null)[];
  /** Conversions of numbers of two bytes to floats. */
  readonly widenedHalves: number;
  /** Products of warpgroups, and what each warp's part reads of shared memory. */
  readonly products: readonly { readonly location: SourceLocation | null; readonly product: WarpProduct }[];
  /** Divisions of integers by what is no constant. */
  readonly divisions: readonly { readonly location: SourceLocation | null; readonly instructions: number }[];
}

export interface BranchSite extends SiteBase {
  readonly kind: "branch";
  readonly block: BlockSite;
}

/** A barrier of all threads of a block, in a kernel. */
export interface BarrierSite extends SiteBase {
  readonly kind: "barrier";
}

/** A copy of the tensor memory accelerator. */
export interface TransferSite extends SiteBase {
  readonly kind: "transfer";
  readonly direction: TransferDirection;
}

export interface AccessSite extends SiteBase {
  readonly kind: "access";
  readonly operation: AccessOperation;
  readonly space: CountedSpace;
  readonly bytes: number;
  readonly block: BlockSite;
  /** The innermost loop that it is in, by its number in the function; -1: none. */
  readonly loop: number;
  /** That loop, or one around it, has a barrier. */
  readonly isInSteps: boolean;
  /** An asynchronous copy to shared memory. */
  readonly isAsynchronous: boolean;
  /** Of a generic access: the only space that counts. */
  readonly only: CountedSpace | null;
  /** As in CountedAccess. */
  readonly isSecondTurn: boolean;
  /** What the address is counted from: a parameter or a variable, by name; null: not known. */
  readonly array: string | null;
}

/** A module's counters. */
export interface CountedModule {
  readonly sites: readonly CountSite[];
  readonly records: number;
}

export interface CounterOptions {
  /** Accesses record the lines that they touch, too, for the model of the caches. */
  readonly recordsLines: boolean;
  readonly linesOf?: LinesOf | undefined;
}

/**
 * Needs: a linked module. Afterwards: functions do what they did, and count.
 *
 * @param variable short name of the variable with the records.
 */
export function addCounters(
  module: IrModule,
  own: Iterable<IrFunction>,
  variable: string,
  { recordsLines, linesOf }: CounterOptions,
): CountedModule {
  const lines = PROFILE_NAMES.variable(module, LINES);
  const counters = new CounterSource(PROFILE_NAMES.variable(module, variable));
  for (const fn of own)
    if (fn.blocks.length > 0 && module.functions.get(fn.name) === fn)
      new FunctionCounters(module, fn, { counters, lines, isRecorded: recordsLines, linesOf }).add();
  return { sites: counters.sites, records: counters.records };
}

class CounterSource {
  readonly sites: CountSite[] = [];
  records = 0;
  readonly #variable: IrGlobal;

  constructor(variable: IrGlobal) {
    this.#variable = variable;
  }

  take<Site extends CountSite>(site: Omit<Site, "record">, records = 1): Site {
    const made = { ...site, record: this.records } as Site;
    this.records += records;
    this.sites.push(made);
    return made;
  }

  /** Room that is no site's. */
  reserve(bytes: number): IrValue {
    const pointer = this.pointer({ record: this.records });
    this.records += bytes / RECORD_BYTES;
    return pointer;
  }

  pointer({ record }: Pick<CountSite, "record">): IrValue {
    return toolAddress(this.#variable, record * RECORD_BYTES);
  }
}

interface FunctionCounterOptions {
  readonly counters: CounterSource;
  readonly lines: IrGlobal;
  readonly isRecorded: boolean;
  readonly linesOf: LinesOf | undefined;
}

interface BlockPlace {
  readonly loop: number;
  readonly together: number;
  readonly isInSteps: boolean;
}

class FunctionCounters {
  readonly #function: IrFunction;
  readonly #edits: IrEdits;
  readonly #accesses: FunctionAccesses;
  readonly #counters: CounterSource;
  readonly #lines: IrGlobal;
  readonly #isRecorded: boolean;
  readonly #workContext: WorkContext;
  #together: ReadonlyMap<number, number> = new Map();
  #conditional: (block: number) => number = () => 1;
  readonly #uses: UseMap;
  /** Of the warps, in kernels with barriers. */
  readonly #clocks: IrValue | null;
  #flow: FlowGraph | null = null;
  /** Where lanes that went apart are counted first. */
  #order = 0;
  #isOrdered = true;

  constructor(module: IrModule, fn: IrFunction, { counters, lines, isRecorded, linesOf }: FunctionCounterOptions) {
    this.#function = fn;
    this.#edits = new IrEdits(module, fn);
    this.#accesses = new FunctionAccesses(fn);
    this.#uses = usesOf(fn);
    this.#counters = counters;
    this.#lines = lines;
    this.#isRecorded = isRecorded;
    this.#workContext = workContext(fn, linesOf);
    const hasBarriers = fn.isKernel && fn.blocks.some(({ instructions }) => instructions.some(isBarrierOfAll));
    this.#clocks = hasBarriers ? counters.reserve(CLOCKS_BYTES) : null;
  }

  add(): void {
    // In the order in which a warp whose lanes went apart executes them, so that they meet again.
    const flow = buildFlowGraph(this.#function);
    this.#flow = flow;
    this.#isOrdered = flow !== null && !flow.loops.some((loop) => mayWaitForOthers(flow, loop));
    const accessesOf = (i: IrInstruction): readonly CountedAccess[] => this.#accesses.of(i);
    if (flow !== null) {
      this.#together = iterationsTogether(flow, accessesOf);
      this.#conditional = conditionalLoads(flow, accessesOf);
    }
    const steps = new Map(flow?.loops.map(({ id }) => [id, isInSteps(flow, id)]));
    for (const [n, block] of (flow?.blocks ?? this.#function.blocks).entries()) {
      const loop = flow?.loopOf[n] ?? -1;
      const together = Math.max(this.#together.get(loop) ?? 1, this.#conditional(n));
      this.#addToBlock(block, { loop, together, isInSteps: steps.get(loop) ?? false });
    }
    this.#edits.apply();
  }

  #addToBlock(block: IrBlock, { loop, together, isInSteps: inSteps }: BlockPlace): void {
    const first = block.instructions[firstNonPhi(block)];
    if (first === undefined) return;
    const fn = this.#function;
    const site = this.#counters.take<BlockSite>({
      kind: "block",
      function: fn,
      location: first.location,
      work: blockWork(block, (i) => this.#worksOf(i)),
      isEntry: block === fn.blocks[0],
      chain: blockChain(block, {
        accessesOf: (i) => this.#accesses.of(i),
        worksOf: (i) => this.#worksOf(i),
        isForLater: (i) => this.#isForLater(i),
        together,
      }),
      divisions: block.instructions.flatMap((i) => {
        const instructions = divisionCost(i) ?? 0;
        return instructions < LONG_DIVISION ? [] : [{ location: i.location, instructions }];
      }),
      needlessBarriers: needlessBarriers(block, fn.isKernel),
      widenedHalves: block.instructions.filter(isWidenedHalf).length,
      products: block.instructions.flatMap((i) => {
        const product = warpProduct(i);
        return product === null ? [] : [{ location: i.location, product }];
      }),
    });
    this.#call(this.#edits.before(first), "warps", site, []);
    if (this.#clocks !== null && site.isEntry) this.#countAt(this.#edits.before(first), "begin", this.#clocks, []);
    this.#runClock(block, first);
    for (const i of block.instructions) {
      if (this.#clocks !== null && isBarrierOfAll(i)) {
        const barrier = this.#counters.take<BarrierSite>({ kind: "barrier", function: fn, location: i.location });
        this.#call(this.#edits.before(i), "arrive", barrier, [this.#clocks]);
        this.#runClock(block, block.instructions[block.instructions.indexOf(i) + 1] as IrInstruction);
      }
      for (const access of this.#accesses.of(i)) {
        const { operation, bytes, lanes, isSecondTurn } = access;
        const space = lanes === null ? access.space : "generic";
        const records = (recordsOfAccess(space) * ACCESS_RECORD_BYTES) / RECORD_BYTES;
        const accessSite = this.#counters.take<AccessSite>(
          {
            kind: "access",
            function: fn,
            location: i.location,
            operation,
            space,
            bytes,
            block: site,
            loop,
            isInSteps: inSteps,
            isAsynchronous: isAsynchronous(i),
            only: lanes === null || access.space === "generic" ? null : access.space,
            isSecondTurn,
            array: arrayOf(access.pointer),
          },
          records,
        );
        const e = this.#edits.before(i);
        const own = access.offset === 0 ? access.pointer : e.offset(access.pointer, access.offset);
        const pointer = lanes === null ? own : pointerOfLanes(e, lanes);
        const isAtomic = operation === "atomic" || operation === "reduction";
        const known = packAccess({ bytes, space, isAtomic, isLoad: i.op === "load" });
        this.#call(e, "access", accessSite, [pointer, constI32(known)]);
        if (operation === "copy") continue;
        if (space === "global" || space === "generic" || (space === "local" && this.#isRecorded))
          this.#countAt(e, "lines", this.#lines, [pointer, lineOperand(access, space, this.#isRecorded)]);
      }
      this.#addTransfer(i);
      if (i.op === "condbr" && i.then !== i.else) {
        const branch = this.#counters.take<BranchSite>({
          kind: "branch",
          function: fn,
          location: i.location,
          block: site,
        });
        this.#call(this.#edits.before(i), "branch", branch, [i.condition]);
      }
    }
  }

  #addTransfer(i: IrInstruction): void {
    const transfer = transferOf(i);
    if (transfer === null) return;
    const { direction, hook, args } = transfer;
    const site = this.#counters.take<TransferSite>({
      kind: "transfer",
      function: this.#function,
      location: i.location,
      direction,
    });
    const e = this.#edits.before(i);
    const address = (pointer: IrValue): IrValue => e.cast("ptrtoint", pointer, I32);
    e.intrinsic(hook, VOID, [address(this.#counters.pointer(site)), address(this.#lines), ...args]);
  }

  /** Moves a warp's clock on by the instructions from `first` to the next barrier, or to the end of the block. */
  #runClock({ instructions }: IrBlock, first: IrInstruction): void {
    if (this.#clocks === null) return;
    const begin = instructions.indexOf(first);
    const length = instructions.slice(begin).findIndex(isBarrierOfAll) + 1 || instructions.length - begin;
    const works = instructions.slice(begin, begin + length).flatMap((i) => this.#worksOf(i));
    const executed = Math.round(works.reduce((sum, { count }) => sum + count, 0));
    if (executed > 0) this.#countAt(this.#edits.before(first), "clock", this.#clocks, [constI32(executed)]);
  }

  /** All that use the value begin an iteration of a loop that it is in. */
  #isForLater(i: IrInstruction): boolean {
    const users = this.#uses.get(i) ?? [];
    return users.length > 0 && users.every((user) => user.op === "phi" && this.#isHeaderOf(user.block, i.block));
  }

  #isHeaderOf(header: IrBlock | null, block: IrBlock | null): boolean {
    const flow = this.#flow;
    if (flow === null || header === null || block === null) return false;
    const [at, of] = [flow.indexOf.get(header), flow.indexOf.get(block)];
    return flow.loops.some((loop) => loop.header === at && of !== undefined && loop.blocks.has(of));
  }

  #worksOf(i: IrInstruction): readonly Work[] {
    return isNoted(i) || this.#accesses.isMatrixRegister(i) ? [] : worksOf(i, this.#workContext);
  }

  #call(e: Emitter, what: CountFacts["what"], site: CountSite, operands: readonly IrValue[]): void {
    this.#countAt(e, what, this.#counters.pointer(site), operands);
  }

  #countAt(e: Emitter, what: CountFacts["what"], place: IrValue, operands: readonly IrValue[]): void {
    e.intrinsic(`llvm.nvvm.heddle.count.${what}`, VOID, [
      place,
      constI32(this.#isOrdered ? this.#order++ : UNORDERED),
      ...operands,
    ]);
  }
}

/** A barrier that all threads of the block come to: not one of those with a number or a count of threads. */
function isBarrierOfAll(i: IrInstruction): boolean {
  const barrier = calledIntrinsic(i)?.barrier ?? null;
  if (i.op !== "call" || barrier === null || barrier.scope !== "block") return false;
  const [id] = i.args;
  const isFirst = !barrier.hasId || (id?.kind === "const-int" && id.value === 0n);
  return barrier.action === "sync" && isFirst && !barrier.hasCount;
}

/** Instructions: those by a constant are shorter. */
const LONG_DIVISION = 16;

/** Notes for the compiler execute nothing. */
function isNoted(i: IrInstruction): boolean {
  return calledIntrinsic(i)?.isHint === true;
}
