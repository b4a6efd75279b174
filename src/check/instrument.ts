/**
 * The walk over a function that all checkers share.
 *
 * Each checker's visitor sees each instruction and adds code beside it. Conditions that must not be true are gathered:
 * what fails in a block is one condition, tested once before whatever other threads may see (a barrier, a call) and at
 * the block's end. The test costs little, and the rare path behind it tells the failed checks apart.
 *
 * Needs: a linked module whose functions are valid. Afterwards: they are, and do what they did.
 */
import { bug } from "../base/diagnostics.ts";
import { constBool, constI32, newBlock, newCall, newCondBr } from "../ir/model/build.ts";
import { startBlock, type Emitter } from "../ir/model/emitter.ts";
import { renameIncoming, successors } from "../ir/graph/cfg.ts";
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
import type { Checker, CheckTime, Confirm, FunctionContext, ModuleFacts, Site, SiteOf } from "./checker.ts";
import { userLocation } from "./finding.ts";
import { IrEdits } from "./ir-edits.ts";
import { ordersMemory } from "./accesses.ts";
import { addLikelyKernels, type LikelyKernel } from "./likely-kernels.ts";
import { PointerBoundsAnalysis } from "./pointer-bounds.ts";
import { EXAMPLE_WORDS, RECORD_BYTES, reportFunction, toolAddress, toolVariable } from "./tool-code.ts";
import { tableLookup } from "./allocation-table.ts";
import { Uniformity } from "../analysis/block-uniformity.ts";

/** A condition that is not tested yet, and what is done where it is true. */
interface Pending {
  readonly bad: IrValue;
  readonly when: CheckTime;
  tell(cold: Emitter): void;
}

/**
 * Adds the checkers' code to the functions in `own`, to those that kernels call before it comes to kernels.
 *
 * @param records name of the variable that holds the records of the sites, without prefix.
 * @returns the sites, by index, and the kernels that have copies for likely launches.
 */
export function instrument(
  module: IrModule,
  own: Iterable<IrFunction>,
  checkers: readonly Checker[],
  records: string,
): { sites: Site[]; likely: LikelyKernel[] } {
  const sites: Site[] = [];
  // Of a function that several units define, one definition is the module's.
  const written = new Set([...own].filter((fn) => fn.blocks.length > 0 && module.functions.get(fn.name) === fn));
  for (const checker of checkers) checker.prepare?.(module, written);
  const likely = checkers.some(({ usesLikely = false }) => usesLikely)
    ? addLikelyKernels(module, written)
    : new Map<IrFunction, LikelyKernel>();
  const functions = [
    ...[...written].filter(({ isKernel }) => !isKernel),
    ...[...written].filter(({ isKernel }) => isKernel),
    ...likely.keys(),
  ];
  const facts = new LazyFacts(module);
  for (const checker of checkers) checker.beginModule?.(module, new Set(functions), facts);
  const around = { records: toolVariable(module, records), report: reportFunction(module), sites };
  for (const fn of functions) new FunctionWalk(module, fn, likely.get(fn) ?? null, around).run(checkers);
  return { sites, likely: [...likely.values()] };
}

class LazyFacts implements ModuleFacts {
  readonly #module: IrModule;
  #uniformity: Uniformity | null = null;

  constructor(module: IrModule) {
    this.#module = module;
  }

  get uniformity(): Uniformity {
    return (this.#uniformity ??= new Uniformity(this.#module));
  }
}

interface Surroundings {
  readonly records: IrGlobal;
  readonly report: IrFunction;
  readonly sites: Site[];
}

class FunctionWalk {
  readonly #module: IrModule;
  readonly #edits: IrEdits;
  readonly #bounds: PointerBoundsAnalysis;
  readonly #around: Surroundings;
  readonly #function: IrFunction;
  readonly #likely: LikelyKernel | null;
  /** Conditions, by the instruction that they are about. */
  readonly #checks = new Map<IrInstruction, Pending[]>();
  /** The instruction that is being visited. */
  #visited: IrInstruction | null = null;

  constructor(module: IrModule, fn: IrFunction, likely: LikelyKernel | null, around: Surroundings) {
    this.#module = module;
    this.#likely = likely;
    this.#edits = new IrEdits(module, fn);
    this.#bounds = new PointerBoundsAnalysis(this.#edits, tableLookup(module));
    this.#around = around;
    this.#function = fn;
  }

  run(checkers: readonly Checker[]): void {
    const visitors = checkers.flatMap((checker) => checker.visitor(this.#context(checker)) ?? []);
    for (const { instructions } of this.#function.blocks) {
      for (const i of instructions) {
        this.#visited = i;
        for (const visitor of visitors) visitor.visit(i);
      }
    }
    this.#visited = null;
    for (const visitor of visitors) visitor.end?.();
    const tests = this.#function.blocks.flatMap((block) => this.#testsIn(block));
    this.#edits.apply();
    for (const [at, pending] of tests) this.#tell(at, pending);
  }

  #context(checker: Checker): FunctionContext {
    const record = (site: Site): IrValue => toolAddress(this.#around.records, site.index * RECORD_BYTES);
    return {
      module: this.#module,
      function: this.#function,
      likely: this.#likely,
      edits: this.#edits,
      bounds: this.#bounds,
      record,
      site: <Detail extends object>(at: IrInstruction, detail: Detail): SiteOf<Detail> => {
        const site = {
          ...detail,
          index: this.#around.sites.length,
          checker: checker.name,
          location: userLocation(at.location),
          function: (this.#likely?.original ?? this.#function).name,
        };
        this.#around.sites.push(site);
        return site;
      },
      check: (site, bad, words) =>
        this.#check(this.#current, { bad, when: "with", tell: this.#report(site, bad, words) }),
      checkAt: (at, site, bad, words, when = "with", confirm) =>
        this.#check(at, { bad, when, tell: this.#report(site, bad, words, confirm) }),
      rarely: (condition, code) => {
        const tell = (cold: Emitter): void => {
          const [then, after] = [cold.newBlock("rare"), cold.newBlock("rare.end")];
          cold.condBr(again(cold, condition), then, after);
          startBlock(cold, then);
          code(cold);
          cold.br(after);
          startBlock(cold, after);
        };
        this.#check(this.#current, { bad: condition, when: "after", tell });
      },
    };
  }

  get #current(): IrInstruction {
    return this.#visited ?? bug("a check is of an instruction that is visited");
  }

  /** Code that records the failure of a site. */
  #report(site: Site, bad: IrValue, words: readonly IrValue[], confirm?: Confirm): (cold: Emitter) => void {
    const record = toolAddress(this.#around.records, site.index * RECORD_BYTES);
    return (cold) => {
      const suspected = again(cold, bad);
      const confirmed = confirm?.(cold, suspected) ?? { bad: suspected, words };
      const all = Array.from({ length: EXAMPLE_WORDS }, (_, word) => confirmed.words[word] ?? constI32(0));
      cold.append(
        newCall({ block: cold.block, location: site.location }, "", this.#around.report, [
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
  #tell(at: IrInstruction, pending: readonly Pending[]): void {
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
    head.instructions.push(newCondBr({ block: head, location: at.location }, any, cold, rest));
    const place = this.#function.blocks.indexOf(head) + 1;
    this.#function.blocks.splice(place, 0, cold, rest);
    const c = this.#edits.appendingTo(cold);
    for (const { tell } of pending) tell(c);
    c.br(rest);
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
  return (
    callee.kind !== "function" ||
    callee.blocks.length > 0 ||
    /^(llvm\.(nvvm\.(bar|barrier|exit|nanosleep|membar|fence)|trap)|__heddle_grid|__assert|vprintf)/.test(callee.name)
  );
}

/** A condition as the rare path asks for it: compared again where only a word of it was tested. */
function again(cold: Emitter, condition: IrValue): IrValue {
  const nonzero = testedWord(condition);
  return nonzero === null ? condition : cold.icmp("ne", nonzero, 0);
}
