/**
 * What a part of a tool sees of the functions that it adds code to.
 *
 * While a program is loaded, the visitors of all instrumenters of a tool walk the user's functions (function-walk.ts)
 * and add code: state of their own in shadow memory or variables, and *checks*, conditions that must not be true, each
 * with a *site*. After a launch the tool reads the records of its sites (instrumented-device.ts).
 */
import type { Uniformity } from "../analysis/divergence/block-uniformity.ts";
import type { SourceLocation } from "../base/diagnostics.ts";
import type { Dim3 } from "../base/dim3.ts";
import type { Emitter } from "../ir/model/emitter.ts";
import type { IrFunction, IrInstruction, IrModule, IrValue } from "../ir/model/ir.ts";
import type { ObservedLaunch } from "../machine/observer.ts";
import type { IrEdits } from "./ir-edits.ts";
import type { PointerBoundsAnalysis } from "./pointer-bounds.ts";
import type { SpeculativeKernel } from "./speculative-kernels.ts";
import type { ToolNamespace } from "./tool-namespace.ts";

/** One place in the code that reports. Its record is `index` records into the variable of its module. */
export interface Site {
  readonly index: number;
  /** The name of the instrumenter that made it. */
  readonly owner: string;
  readonly location: SourceLocation | null;
  readonly function: string;
}

/** A site as one instrumenter describes it. */
export type SiteOf<Detail> = Site & Detail;

/** What the record of a site holds after a launch: how often it has failed, and the first failure. */
export interface Example {
  /** What the check gave: up to EXAMPLE_WORDS 32-bit words. */
  readonly words: Uint32Array;
  readonly block: Dim3;
  readonly thread: Dim3;
  /** How often the site has failed in the launch. */
  readonly count: number;
}

/**
 * When a condition is computed: "with" the operands of its instruction, or "after" it. An instruction that was added in
 * front of it: the condition is tested before that one runs, because it may never end.
 */
export type CheckTime = "with" | "after" | IrInstruction;

export type Confirm = (
  cold: Emitter,
  suspected: IrValue,
) => { readonly bad: IrValue; readonly words: readonly IrValue[] };

/**
 * One function that is being instrumented, as all instrumenters of a tool see it: the original code. What they add is
 * put in place together.
 */
export interface FunctionContext {
  readonly module: IrModule;
  readonly function: IrFunction;
  /** The function is a copy for launches of which something is known; null: nothing is known of launches. */
  readonly speculative: SpeculativeKernel | null;
  readonly edits: IrEdits;
  readonly bounds: PointerBoundsAnalysis;
  readonly names: ToolNamespace;
  /** A new site of this instrumenter at the instruction. */
  site<Detail extends object>(at: IrInstruction, detail: Detail): SiteOf<Detail>;
  /**
   * `bad` (an i1 that is computed before or at the visited instruction) must not be true. It is tested together with
   * others before anything that other threads may see, and at the block's end. `words` (i32, at most EXAMPLE_WORDS) go
   * into the record of the first thread.
   */
  check(site: Site, bad: IrValue, words: readonly IrValue[]): void;
  /**
   * The same at an instruction of the caller's choice. `confirm`: code for the rare case. It looks closely at what is
   * `suspected`, says whether it is bad, and gives the words.
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
   * Code for the rare case that `condition`, computed after the visited instruction, is true. It runs at the latest
   * before what other threads may see.
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
  /** After everything is in place: changes to the program's own instructions, which all visitors have seen. */
  finish?(): void;
}

/** What is known of a module before it is instrumented. */
export interface ModuleFacts {
  readonly uniformity: Uniformity;
}

/** A part of a tool that adds code to functions: a checker, a counter. */
export interface Instrumenter {
  readonly name: string;
  /** It makes use of speculative copies of kernels. */
  readonly usesSpeculation?: boolean;
  /**
   * Before anything is done to a module: gives its functions a form that the instrumenter can look at. They do what
   * they did.
   */
  prepare?(module: IrModule, own: ReadonlySet<IrFunction>): void;
  /** Before the functions of a module are walked. */
  beginModule?(module: IrModule, own: ReadonlySet<IrFunction>, facts: ModuleFacts): void;
  /** null: it adds nothing to this function. */
  visitor(context: FunctionContext): FunctionVisitor | null;
  /**
   * Whether a launch that satisfies the general assumptions of the speculative copy satisfies this instrumenter's own,
   * too.
   */
  assumptionsHold?(launch: ObservedLaunch, kernel: SpeculativeKernel): boolean;
}
