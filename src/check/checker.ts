/**
 * What a checker is: a part of the observer of a device (checks.ts).
 *
 * While a program is loaded, a checker's visitors walk the user's functions (instrument.ts) and add code: state of
 * their own in shadow memory, and *checks*, conditions that must not be true, each with a *site*. After a launch the
 * checker turns what failed into findings.
 */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";
import type { Emitter } from "../ir/model/emitter.ts";
import type { IrFunction, IrGlobal, IrInstruction, IrModule, IrValue } from "../ir/model/ir.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type { ObservedAllocation, ObservedLaunch, ObservedMemory } from "../machine/observer.ts";
import type { AllocationTable } from "./allocation-table.ts";
import type { CheckerName, Finding, FindingDraft } from "./finding.ts";
import type { IrEdits } from "./ir-edits.ts";
import type { LikelyKernel } from "./likely-kernels.ts";
import type { PointerBoundsAnalysis } from "./pointer-bounds.ts";
import type { StreamWork } from "./stream-work.ts";
import type { Uniformity } from "../analysis/block-uniformity.ts";

/** One check in the code. Its record is `index` records into the variable of its module (tool-code.ts). */
export interface Site {
  readonly index: number;
  readonly checker: CheckerName;
  readonly location: SourceLocation | null;
  readonly function: string;
}

/** A site as one checker describes it. */
export type SiteOf<Detail> = Site & Detail;

/** The first failure of a site in a launch. */
export interface Example {
  /** What the check gave: up to EXAMPLE_WORDS 32-bit words. */
  readonly words: Uint32Array;
  readonly block: Dim3;
  readonly thread: Dim3;
  /** How often the site has failed in the launch. */
  readonly count: number;
}

/** What the host's reading of memory gives: a place and a thread, where code is to blame. */
export type ReadDraft = FindingDraft & Partial<Pick<Finding, "location" | "function" | "count" | "example" | "launch">>;

/** What all checkers of a device share. */
export interface CheckedDevice {
  readonly memory: ObservedMemory;
  readonly allocations: AllocationTable;
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
  /**
   * Zeroed device memory that instrumented code knows by `name` (toolVariable); lives as long as the device. @returns
   * its address
   */
  variable(name: string, bytes: number): number;
  /** Every site of the modules that are loaded. */
  sites(): Iterable<Site>;
}

/**
 * Where a condition is there: "with" the operands of its instruction, or "after" it. An instruction that was added in
 * front of it: it is tested before that runs, because that may never end.
 */
export type CheckTime = "with" | "after" | IrInstruction;

export type Confirm = (
  cold: Emitter,
  suspected: IrValue,
) => { readonly bad: IrValue; readonly words: readonly IrValue[] };

/**
 * One function that is being instrumented, as all checkers see it: the original code; what they add is put in place
 * together.
 */
export interface FunctionContext {
  readonly module: IrModule;
  readonly function: IrFunction;
  /** The function is a copy for likely launches; null: nothing is known of launches. */
  readonly likely: LikelyKernel | null;
  readonly edits: IrEdits;
  readonly bounds: PointerBoundsAnalysis;
  /** A new site of this checker at the instruction. */
  site<Detail extends object>(at: IrInstruction, detail: Detail): SiteOf<Detail>;
  /**
   * `bad` (an i1 that is computed before or at the instruction which is being visited) must not be true. It is tested
   * together with others before anything that other threads may see, and at the block's end; `words` (i32, at most
   * EXAMPLE_WORDS) go into the record of the first thread.
   */
  check(site: Site, bad: IrValue, words: readonly IrValue[]): void;
  /**
   * The same at an instruction of the checker's choice. `confirm`: code for the rare case, which looks closely at what
   * is `suspected` and says whether it is bad, and gives the words.
   */
  checkAt(
    at: IrInstruction,
    site: Site,
    bad: IrValue,
    words: readonly IrValue[],
    when?: CheckTime,
    confirm?: Confirm,
  ): void;
  /**
   * Code for the rare case that `condition`, computed behind the instruction that is visited, is true: it comes at the
   * latest before what other threads may see.
   */
  rarely(condition: IrValue, code: (cold: Emitter) => void): void;
  /** The record of a site, for code that reports on its own. */
  record(site: Site): IrValue;
}

export interface FunctionVisitor {
  /** Each instruction of the original code, blocks in their order. */
  visit(instruction: IrInstruction): void;
  /** After the last one, before anything is put in place. */
  end?(): void;
}

export interface Checker {
  readonly name: CheckerName;
  /** Bytes of shadow memory that it wants for each byte of the program's (ObservedMemory.shadow). */
  readonly shadowPlanes: number;
  /** Its code needs blocks to run one after the other, on one thread. */
  readonly serial?: boolean;
  /** Launches whose result is in memory already must run all the same. */
  readonly wantsRepeats?: boolean;
  /** It makes use of what is known of likely launches. */
  readonly usesLikely?: boolean;
  /** Functions of the device library that its code calls. */
  readonly libraryFunctions?: readonly string[];
  /** @param firstPlane the first of its shadow planes. */
  attach(device: CheckedDevice, firstPlane: number): void;
  /**
   * Before anything is done to a module: makes its functions such as the checker can look at. They do what they did.
   */
  prepare?(module: IrModule, own: ReadonlySet<IrFunction>): void;
  /** Before the functions of a module are walked. */
  beginModule?(module: IrModule, own: ReadonlySet<IrFunction>, facts: ModuleFacts): void;
  /** null: nothing in this function is looked at. */
  visitor(context: FunctionContext): FunctionVisitor | null;
  allocated?(allocation: ObservedAllocation): void;
  freed?(allocation: ObservedAllocation): void;
  /** The host, or a fill, wrote [start, start + bytes). */
  written?(start: number, bytes: number): void;
  /** Bytes were copied on the device; the two may overlap. */
  copied?(destination: number, source: number, bytes: number): void;
  /** The host reads [start, start + bytes). @returns what is wrong with that */
  read?(start: number, bytes: number): readonly ReadDraft[];
  /** Work on a stream reads or changes memory that host and device share, by the host's side of it. */
  moved?(start: number, bytes: number, writes: boolean): void;
  /** Whether a launch, a likely one in other respects, is so for what this checker counts on. */
  isLikely?(launch: ObservedLaunch, kernel: LikelyKernel): boolean;
  launching?(launch: ObservedLaunch): void;
  /**
   * Work on a stream that is about to be done, and behind it: what it does wrong. In between come `launching`,
   * `written`, `copied`, `read`.
   */
  beginWork?(work: StreamWork): void;
  endWork?(): readonly FindingDraft[];
  /**
   * What a failed site says, and where (`at`) and who (`by`) it was, if another site is more to blame. null: looked at
   * closely, nothing is wrong. `known`: the findings so far.
   */
  describe(
    site: Site,
    example: Example,
    launch: ObservedLaunch,
    known: readonly Finding[],
  ): (FindingDraft & { readonly at?: Site; readonly by?: { readonly block: Dim3; readonly thread: Dim3 } }) | null;
  /** Behind all failed sites of the launch: what else there is to tell. `known`: the findings so far. */
  launched?(launch: ObservedLaunch, fault: DeviceFault | null, known: readonly Finding[]): readonly Finding[];
}

/** What is known of a module before it is instrumented. */
export interface ModuleFacts {
  readonly uniformity: Uniformity;
}

/** A variable of a tool in the code. */
export type ToolVariable = IrGlobal;
