/**
 * The walk over a function that all instrumenters of a tool share.
 *
 * Each visitor sees each instruction of the program, not what other tools have added, and adds code beside it.
 * Conditions that must not be true are gathered: what fails in a block is one condition, tested once before whatever
 * other threads may see (a barrier, a call) and at the block's end. The test costs little. The rare path behind it
 * tells the failed checks apart.
 */
import { PRINT_FUNCTIONS } from "../ir/intrinsics/print-functions.ts";
import { intrinsicOf } from "../ir/intrinsics/lookup.ts";
import { bug } from "../base/diagnostics.ts";
import { userLocation } from "../base/source-places.ts";
import { renameIncoming, successors } from "../ir/graph/cfg.ts";
import { constBool, constI32, newBlock, newCall, newCondBr } from "../ir/model/build.ts";
import { startBlock, type Emitter } from "../ir/model/emitter.ts";
import type {
  CallInstruction,
  IrBlock,
  IrFunction,
  IrGlobal,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
} from "../ir/model/ir.ts";
import { isTerminator } from "../ir/model/operands.ts";
import { ordersMemory } from "./accesses.ts";
import { tableLookup } from "./allocation-table.ts";
import type { CheckTime, Confirm, FunctionContext, Instrumenter, Site, SiteOf } from "./instrumenter.ts";
import { EXAMPLE_WORDS, RECORD_BYTES, toolAddress } from "./instrumentation-runtime.ts";
import { IrEdits, asToolCode } from "./ir-edits.ts";
import { PointerBoundsAnalysis } from "./pointer-bounds.ts";
import type { SpeculativeKernel } from "./speculative-kernels.ts";
import type { ToolNamespace } from "./tool-namespace.ts";

/** A condition that is not tested yet, and what is done where it is true. */
interface Pending {
  readonly bad: IrValue;
  readonly when: CheckTime;
  report(cold: Emitter): void;
}

/** A module, and what the functions of a tool in it have in common. */
export interface InstrumentationTarget {
  readonly module: IrModule;
  readonly names: ToolNamespace;
  /** The variable with the records of the sites. */
  readonly records: IrGlobal;
  readonly report: IrFunction;
  /** Sites so far; grows. */
  readonly sites: Site[];
}

export class FunctionWalk {
  readonly #edits: IrEdits;
  readonly #bounds: PointerBoundsAnalysis;
  readonly #target: InstrumentationTarget;
  readonly #function: IrFunction;
  readonly #speculative: SpeculativeKernel | null;
  /** Conditions, by the instruction that they are about. */
  readonly #checks = new Map<IrInstruction, Pending[]>();
  /** The instruction that is being visited. */
  #visited: IrInstruction | null = null;

  constructor(target: InstrumentationTarget, fn: IrFunction, speculative: SpeculativeKernel | null) {
    this.#target = target;
    this.#speculative = speculative;
    this.#edits = new IrEdits(target.module, fn);
    this.#bounds = new PointerBoundsAnalysis(this.#edits, tableLookup(target.module, target.names));
    this.#function = fn;
  }

  run(instrumenters: readonly Instrumenter[]): void {
    const visitors = instrumenters.flatMap((instrumenter) => instrumenter.visitor(this.#context(instrumenter)) ?? []);
    for (const { instructions } of this.#function.blocks) {
      for (const i of instructions) {
        if (i.isToolCode === true) continue;
        this.#visited = i;
        for (const visitor of visitors) visitor.visit(i);
      }
    }
    this.#visited = null;
    for (const visitor of visitors) visitor.end?.();
    const tests = this.#function.blocks.flatMap((block) => this.#testsIn(block));
    this.#edits.apply();
    this.#gatherAllocas();
    for (const [at, pending] of tests) this.#test(at, pending);
    for (const visitor of visitors) visitor.finish?.();
  }

  /** Local arrays stay in the first block, whatever it is split into: elsewhere their sizes count as not known. */
  #gatherAllocas(): void {
    const [entry] = this.#function.blocks;
    if (entry === undefined) return;
    const isArray = (i: IrInstruction): boolean =>
      i.op === "alloca" && (i.count === null || i.count.kind === "const-int");
    entry.instructions = [...entry.instructions.filter(isArray), ...entry.instructions.filter((i) => !isArray(i))];
  }

  #context(instrumenter: Instrumenter): FunctionContext {
    const record = (site: Site): IrValue => toolAddress(this.#target.records, site.index * RECORD_BYTES);
    return {
      module: this.#target.module,
      function: this.#function,
      speculative: this.#speculative,
      edits: this.#edits,
      bounds: this.#bounds,
      names: this.#target.names,
      record,
      site: <Detail extends object>(at: IrInstruction, detail: Detail): SiteOf<Detail> => {
        const site = {
          ...detail,
          index: this.#target.sites.length,
          owner: instrumenter.name,
          location: userLocation(at.location),
          function: (this.#speculative?.original ?? this.#function).name,
        };
        this.#target.sites.push(site);
        return site;
      },
      check: (site, bad, words) =>
        this.#check(this.#current, { bad, when: "with", report: this.#report(site, bad, words) }),
      checkAt: (at, site, bad, words, when = "with", confirm) =>
        this.#check(at, { bad, when, report: this.#report(site, bad, words, confirm) }),
      rarely: (condition, code) => {
        const report = (cold: Emitter): void => {
          const [then, after] = [cold.newBlock("rare"), cold.newBlock("rare.end")];
          cold.condBr(again(cold, condition), then, after);
          startBlock(cold, then);
          code(cold);
          cold.br(after);
          startBlock(cold, after);
        };
        this.#check(this.#current, { bad: condition, when: "after", report });
      },
    };
  }

  get #current(): IrInstruction {
    return this.#visited ?? bug("a check is of an instruction that is visited");
  }

  /** Code that records the failure of a site. */
  #report(site: Site, bad: IrValue, words: readonly IrValue[], confirm?: Confirm): (cold: Emitter) => void {
    const record = toolAddress(this.#target.records, site.index * RECORD_BYTES);
    return (cold) => {
      const suspected = again(cold, bad);
      const confirmed = confirm?.(cold, suspected) ?? { bad: suspected, words };
      const all = Array.from({ length: EXAMPLE_WORDS }, (_, word) => confirmed.words[word] ?? constI32(0));
      cold.append(
        newCall({ block: cold.block, location: site.location }, "", this.#target.report, [
          record,
          confirmed.bad,
          ...all,
        ]),
      );
    };
  }

  #check(at: IrInstruction, pending: Pending): void {
    if (pending.bad.kind === "const-int" && pending.bad.value === 0n) return;
    const known = this.#checks.get(at);
    if (known === undefined) this.#checks.set(at, [pending]);
    else known.push(pending);
  }

  /** Where the conditions of a block are tested: before these instructions. */
  #testsIn(block: IrBlock): [IrInstruction, Pending[]][] {
    const tests: [IrInstruction, Pending[]][] = [];
    let pending: Pending[] = [];
    for (const i of block.instructions) {
      const own = this.#checks.get(i) ?? [];
      const first = own.find(({ when }) => typeof when === "object")?.when as IrInstruction | undefined;
      if (first !== undefined) {
        tests.push([first, [...pending, ...own.filter(({ when }) => when === first)]]);
        pending = [];
      }
      // What is pending when the terminator or a call comes was computed before it, or is of its own operands.
      pending.push(...own.filter(({ when }) => when === "with"));
      if (pending.length > 0 && (isTerminator(i) || (i.op === "call" ? isSeenByOthers(i) : ordersMemory(i)))) {
        tests.push([i, pending]);
        pending = [];
      }
      pending.push(...own.filter(({ when }) => when === "after"));
    }
    return tests;
  }

  /**
   * Ends the block before `at`: a test of all that is pending, the rare path, and a new block that begins with `at`.
   */
  #test(at: IrInstruction, pending: readonly Pending[]): void {
    const head = at.block;
    const index = head.instructions.indexOf(at);
    const rest = newBlock(this.#function, this.#edits.names.fresh("checked"));
    const cold = newBlock(this.#function, this.#edits.names.fresh("report"));
    rest.instructions = head.instructions.splice(index);
    for (const i of rest.instructions) i.block = rest;
    for (const next of successors(rest)) renameIncoming(next, head, rest);
    const e = this.#edits.appendingTo(head);
    const any = anyOf(
      e,
      head,
      pending.map(({ bad }) => bad),
    );
    head.instructions.push(asToolCode(newCondBr({ block: head, location: at.location }, any, cold, rest)));
    const place = this.#function.blocks.indexOf(head) + 1;
    this.#function.blocks.splice(place, 0, cold, rest);
    const rare = this.#edits.appendingTo(cold);
    for (const { report } of pending) report(rare);
    rare.br(rest);
  }
}

/**
 * i1: whether any condition may be true, as cheap as can be: words that must be 0 are put together before they are
 * compared, and a word that goes into a sum of bits in the same block is tested as that sum.
 */
function anyOf(e: Emitter, block: IrBlock, conditions: readonly IrValue[]): IrValue {
  const sums = new Map<IrValue, IrValue>();
  for (const i of block.instructions) {
    if (i.op !== "binary" || i.operator !== "or") continue;
    sums.set(i.lhs, i);
    sums.set(i.rhs, i);
  }
  const words = new Set<IrValue>();
  let any: IrValue = constBool(false);
  for (const condition of conditions) {
    let word = testedWord(condition);
    if (word === null) {
      any = e.or(any, condition);
      continue;
    }
    for (let sum = sums.get(word); sum !== undefined; sum = sums.get(word)) word = sum;
    words.add(word);
  }
  const byWidth = new Map<IrType, IrValue>();
  for (const word of words) byWidth.set(word.type, e.or(byWidth.get(word.type) ?? word, word));
  for (const word of byWidth.values()) any = e.or(any, e.icmp("ne", word, 0));
  return any;
}

/** The x of `x != 0`; null: the condition is another. */
function testedWord(condition: IrValue): IrValue | null {
  if (
    condition.kind !== "instruction" ||
    condition.op !== "icmp" ||
    condition.predicate !== "ne" ||
    condition.lhs.type.kind !== "int"
  )
    return null;
  return condition.rhs.kind === "const-int" && condition.rhs.value === 0n ? condition.lhs : null;
}

/** Whether a call may let other threads go on, order memory, end the thread, or run code of the program. */
function isSeenByOthers({ callee }: CallInstruction): boolean {
  if (callee.kind !== "function" || callee.blocks.length > 0) return true;
  const facts = intrinsicOf(callee.name);
  if (facts === null) return false;
  const { kind, isFence, operation } = facts;
  return kind === "sync" || kind === "control" || isFence || OBSERVABLE.has(operation);
}

const OBSERVABLE: ReadonlySet<string> = new Set(["bar.warp.sync", "nanosleep", ...PRINT_FUNCTIONS.keys()]);

/** A condition as the rare path asks for it: compared again where only a word of it was tested. */
function again(cold: Emitter, condition: IrValue): IrValue {
  const nonzero = testedWord(condition);
  return nonzero === null ? condition : cold.icmp("ne", nonzero, 0);
}
