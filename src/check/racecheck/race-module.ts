/** What racecheck knows of a module before its functions are instrumented. */
import type { FunctionContext } from "../../instrument/instrumenter.ts";
import { reachedFunctions } from "../../ir/graph/call-graph.ts";
import { cloneFunction } from "../../ir/model/clone.ts";
import type { IrFunction, IrInstruction, IrModule } from "../../ir/model/ir.ts";
import { inlineCalls } from "../../ir/passes/pass-inline.ts";
import type { ShapeLimits } from "../../instrument/speculative-kernels.ts";
import { Uniformity } from "../../analysis/divergence/block-uniformity.ts";
import { ModuleFlows } from "./access-order.ts";
import { Conflicts, type ConflictOptions, type ConflictTable, type ConflictPartners } from "./conflicts.ts";
import { distributedFunctions, orderedFunctions } from "./ordered-kernels.ts";
import { synchronizationOf } from "./synchronization.ts";

/** What a module's kernels can do at all: code that it needs no case for is not added. */
export interface ModuleTraits {
  /** It has __syncwarp. */
  readonly warpSyncs: boolean;
}

/** Kernels that calls make larger are not looked into. */
const MOST_INSTRUCTIONS = 20_000;

/** A module whose functions are instrumented. */
export class RaceModule {
  readonly traits: ModuleTraits;
  readonly flows: ModuleFlows;
  /** Functions with happens-before tracking. */
  readonly ordered: ReadonlySet<IrFunction>;
  /** Those of them in which shared memory may be another block's. */
  readonly distributed: ReadonlySet<IrFunction>;
  readonly #module: IrModule;
  readonly #functions: ReadonlySet<IrFunction>;
  readonly #uniformity: Uniformity;
  #ofAny: Conflicts | null = null;

  constructor(module: IrModule, functions: ReadonlySet<IrFunction>, uniformity: Uniformity) {
    this.#module = module;
    this.#functions = functions;
    this.#uniformity = uniformity;
    this.traits = traitsOf(functions);
    this.flows = new ModuleFlows(functions);
    this.ordered = orderedFunctions(functions);
    this.distributed = distributedFunctions(functions);
  }

  conflictsOf({ function: fn, speculative }: FunctionContext): ConflictTable {
    const assume = speculative === null ? null : (limits: ShapeLimits): void => speculative.shape.limit(limits);
    if (!fn.isKernel) return this.#conflictsOfAny();
    return reachedFunctions(fn, this.#functions).size > 1
      ? this.#withCalls(fn, assume)
      : new Conflicts([fn], { uniformity: this.#uniformity, assume, distributed: this.distributed.has(fn) });
  }

  /**
   * A function that several kernels call has the same code for all of them. So it records the same of each access as
   * all accesses that it may race with.
   */
  #conflictsOfAny(): Conflicts {
    return (this.#ofAny ??= new Conflicts([...this.#functions], {
      uniformity: this.#uniformity,
      assume: null,
      distributed: this.distributed.size > 0,
    }));
  }

  /**
   * Calls are looked through in a copy of the kernel. What cannot race with anything in a called function is as without
   * calls.
   */
  #withCalls(kernel: IrFunction, assume: ConflictOptions["assume"]): ConflictTable {
    const ofAny = this.#conflictsOfAny();
    const copy = cloneFunction(kernel);
    const [originals, copies] = [kernel, copy].map(({ blocks }) =>
      blocks.flatMap(({ instructions }) => instructions),
    ) as [IrInstruction[], IrInstruction[]];
    const copyOf = new Map(originals.map((i, index) => [i, copies[index] as IrInstruction]));
    const originalOf = new Map(copies.map((i, index) => [i, originals[index] as IrInstruction]));
    if (
      inlineCalls(copy, this.#module, {
        keeps: (callee) => !this.#functions.has(callee),
        maxInstructions: MOST_INSTRUCTIONS,
      }).length > 0
    )
      return ofAny;
    const conflicts = new Conflicts([copy], {
      uniformity: new Uniformity({ ...this.#module, functions: new Map([[copy.name, copy]]) }),
      assume,
      distributed: this.distributed.has(kernel),
    });
    const original = (i: IrInstruction): IrInstruction => originalOf.get(i) as IrInstruction;
    const places = ({ all, only }: ConflictPartners): ConflictPartners => ({
      all: new Set([...all].map(original)),
      only: only === null ? null : original(only),
    });
    return {
      // What is called has its code wherever anything races with it in any kernel.
      isEmpty: ofAny.isEmpty,
      of(i, index) {
        const found = conflicts.of(copyOf.get(i) as IrInstruction, index);
        if (found === null) return null;
        if (![...found.group.members].every((member) => originalOf.has(member))) return ofAny.of(i, index);
        return { ...found, writes: places(found.writes), reads: places(found.reads) };
      },
    };
  }
}

function traitsOf(functions: ReadonlySet<IrFunction>): ModuleTraits {
  return {
    warpSyncs: [...functions].some(({ blocks }) =>
      blocks.some(({ instructions }) => instructions.some((i) => synchronizationOf(i) === "warp")),
    ),
  };
}
