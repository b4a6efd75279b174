/**
 * Operations of the lanes of a warp: code that finds out which lanes take part, and follows values that no lane gave.
 *
 * In front of an operation stands a vote with the same mask, which says who takes part: engines complete it for the
 * lanes that come, as they will complete the operation. Lanes that the mask names and that exist, but do not take part,
 * have ended.
 *
 * A shuffle's result is *defined* for a lane if the lane that it reads takes part and has a defined value itself. So
 * the vote of a shuffle is on "my value is defined". A value made of undefined values is undefined, too. The code
 * follows it to where it matters: a store, an address, a branch, a call, a result of all lanes.
 */
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { CHECK_NAMES } from "../check-names.ts";
import type { FunctionContext } from "../../instrument/instrumenter.ts";
import { bug } from "../../base/diagnostics.ts";
import { NO_ATTRIBUTES, NameSource, constBool, constI32, newBlock, newCall, newPhi } from "../../ir/model/build.ts";
import { newFunction } from "../../ir/model/build-module.ts";
import { reversePostOrder } from "../../ir/graph/cfg.ts";
import { Emitter } from "../../ir/model/emitter.ts";
import type {
  CallInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrValue,
  PhiInstruction,
} from "../../ir/model/ir.ts";
import { forEachOperand } from "../../ir/model/operands.ts";
import { I1, I32, VOID, functionType, isInt } from "../../ir/model/types.ts";
import { usesOf } from "../../ir/model/uses.ts";
import type { Uniformity } from "../../analysis/divergence/block-uniformity.ts";
import { threadsOfBlock } from "./barriers.ts";
import { laneOperationOf, type LaneForm, type SyncDetail, type SyncSite } from "./sites.ts";

/** Words of an example: the mask, the lanes that take part, the lanes that are meant. */
export const LANE_WORDS = { mask: 0, present: 1, lanes: 2 } as const;

export class LaneChecks {
  readonly #context: FunctionContext;
  readonly #uniformity: Uniformity;
  readonly #site: (at: IrInstruction, detail: SyncDetail) => SyncSite;
  /** Values that depend on a shuffle, and on which. */
  readonly #tainted: ReadonlyMap<IrValue, ReadonlySet<IrInstruction>>;
  /** Whether a value is undefined (i1), as far as that was asked. */
  readonly #undefined = new Map<IrValue, IrValue>();
  readonly #shuffleSites = new Map<IrInstruction, SyncSite>();
  /** Whose operands are still to come. */
  readonly #phis: { readonly phi: PhiInstruction; readonly made: PhiInstruction }[] = [];
  #existing: IrValue | null = null;

  constructor(
    context: FunctionContext,
    uniformity: Uniformity,
    site: (at: IrInstruction, detail: SyncDetail) => SyncSite,
  ) {
    this.#context = context;
    this.#uniformity = uniformity;
    this.#site = site;
    this.#tainted = valuesFromShuffles(context.function);
  }

  /** Definitions come before uses, but for phis. */
  add(): void {
    for (const { instructions } of reversePostOrder(this.#context.function)) {
      for (const i of instructions) {
        const form = laneOperationOf(i);
        if (form !== null) this.#operation(i as CallInstruction, form);
        if (this.#tainted.size > 0)
          for (const value of usedUp(i, form)) if (this.#tainted.has(value)) this.#use(i, value);
      }
    }
    for (let entry = this.#phis.pop(); entry !== undefined; entry = this.#phis.pop()) {
      for (const { value, block } of entry.phi.incoming)
        entry.made.incoming.push({ value: this.#undefinedOf(value), block });
    }
  }

  #operation(i: CallInstruction, { mask, operation, shuffle }: LaneForm): void {
    const { edits } = this.#context;
    const e = edits.before(i);
    const isWhole = mask.kind === "const-int" && mask.value === 0xffff_ffffn;
    const lane = e.intrinsic("llvm.nvvm.read.ptx.sreg.laneid", I32, []);
    const isIn = (lanes: IrValue, which: IrValue): IrValue => e.and(e.lshr(lanes, which), constI32(1));
    const words = (present: IrValue, lanes: IrValue): IrValue[] => [mask, present, lanes];
    if (shuffle !== null && isWhole && this.#uniformity.isReachedByAll(i))
      return this.#shuffleOfAll(i, operation, shuffle, e);
    const isCallerIn = isWhole ? constBool(true) : e.icmp("ne", isIn(mask, lane), 0);
    const ballot = (predicate: IrValue): IrValue => e.intrinsic("llvm.nvvm.vote.ballot.sync", I32, [mask, predicate]);
    const alone = e.xor(isCallerIn, constBool(true));
    const present = ballot(constBool(true));
    // Reported before any lane waits: without the caller the operation may never complete.
    this.#context.checkAt(
      i,
      this.#site(i, { sync: "caller", operation }),
      alone,
      words(constI32(0), constI32(0)),
      present as IrInstruction,
    );
    const absent = e.and(e.and(mask, this.#existingLanes()), e.xor(present, constI32(-1)));
    this.#context.checkAt(
      i,
      this.#site(i, { sync: "lanes", operation }),
      e.and(e.icmp("ne", absent, 0), isCallerIn),
      words(present, absent),
    );
    if (!this.#uniformity.isUniform(this.#context.function, mask)) {
      const same = e.intrinsic("llvm.nvvm.match.any.sync.i32", I32, [mask, mask]);
      const others = e.and(present, e.xor(same, constI32(-1)));
      this.#context.checkAt(
        i,
        this.#site(i, { sync: "masks", operation }),
        e.icmp("ne", others, 0),
        words(present, others),
      );
    }
    if (shuffle === null) return;
    const bad = this.#undefinedOf(shuffle.value);
    const source = sourceLane(e, shuffle, lane);
    const defined = bad.kind === "const-int" ? present : ballot(e.xor(bad, constBool(true)));
    const site = this.#shuffleSite(i, operation);
    this.#context.checkAt(i, site, e.icmp("eq", isIn(present, source), 0), words(present, source));
    this.#undefined.set(i, e.icmp("eq", isIn(defined, source), 0));
  }

  /** All lanes come and name all: only a warp that the block does not fill can lack one. */
  #shuffleOfAll(
    i: IrInstruction,
    operation: string,
    { mode, value, lane, bounds }: NonNullable<LaneForm["shuffle"]>,
    e: Emitter,
  ): void {
    const existing = this.#existingLanes();
    const result = e.append(
      newCall(e, e.name(), ofPartialWarp(e.module, mode), [existing, this.#undefinedOf(value), lane, bounds]),
    );
    const own = e.intrinsic("llvm.nvvm.read.ptx.sreg.laneid", I32, []);
    this.#context.checkAt(i, this.#shuffleSite(i, operation), e.icmp("uge", result, 2), [
      constI32(-1),
      existing,
      sourceLane(e, { mode, value, lane, bounds }, own),
    ]);
    this.#undefined.set(i, e.icmp("ne", result, 0));
  }

  #shuffleSite(i: IrInstruction, operation: string): SyncSite {
    let site = this.#shuffleSites.get(i);
    if (site === undefined) this.#shuffleSites.set(i, (site = this.#site(i, { sync: "shuffle", operation })));
    return site;
  }

  /** Lanes of the calling warp that the block has threads for. */
  #existingLanes(): IrValue {
    if (this.#existing !== null) return this.#existing;
    const e = this.#context.edits.atEntry();
    const first = e.shl(e.intrinsic("llvm.nvvm.read.ptx.sreg.warpid", I32, []), 5);
    const left = e.sub(threadsOfBlock(e), first);
    this.#existing = e.select(
      e.icmp("uge", left, 32),
      constI32(-1),
      e.sub(e.shl(constI32(1), e.and(left, constI32(31))), constI32(1)),
    );
    return this.#existing;
  }

  #use(at: IrInstruction, value: IrValue): void {
    const shuffles = [...(this.#tainted.get(value) ?? [])].map((i) =>
      this.#shuffleSite(i, (laneOperationOf(i) as LaneForm).operation),
    );
    this.#context.checkAt(
      at,
      this.#site(at, { sync: "use", operation: at.op, shuffles }),
      this.#undefinedOf(value),
      [],
    );
  }

  /** Whether a value is undefined in the thread: an i1 that is there where the value is. */
  #undefinedOf(value: IrValue): IrValue {
    if (!this.#tainted.has(value) || value.kind !== "instruction") return constBool(false);
    const known = this.#undefined.get(value);
    if (known !== undefined) return known;
    if (laneOperationOf(value) !== null) bug(`the shuffle %${value.name} is used where it has not run`);
    if (value.op === "phi") return this.#ofPhi(value);
    const e = this.#context.edits.after(value);
    let made: IrValue;
    if (value.op === "select")
      made = e.or(
        this.#undefinedOf(value.condition),
        e.select(value.condition, this.#undefinedOf(value.then), this.#undefinedOf(value.else)),
      );
    else if (
      value.op === "binary" &&
      isInt(value.type) &&
      value.type.bits === 1 &&
      (value.operator === "and" || value.operator === "or")
    ) {
      // One side that is defined may decide it alone.
      const isOpen = (operand: IrValue): IrValue =>
        value.operator === "and" ? operand : e.xor(operand, constBool(true));
      const [left, right] = [this.#undefinedOf(value.lhs), this.#undefinedOf(value.rhs)];
      made = e.or(e.and(left, e.or(right, isOpen(value.rhs))), e.and(right, e.or(left, isOpen(value.lhs))));
    } else {
      made = constBool(false);
      forEachOperand(value, (operand) => {
        made = e.or(made, this.#undefinedOf(operand));
      });
    }
    this.#undefined.set(value, made);
    return made;
  }

  #ofPhi(phi: PhiInstruction): IrValue {
    const { edits } = this.#context;
    const made = newPhi({ block: phi.block, location: phi.location }, edits.names.fresh("undefined"), I1);
    this.#undefined.set(phi, made);
    edits.after(phi).append(made);
    this.#phis.push({ phi, made });
    return made;
  }
}

/**
 * The function `partial_MODE(existing, undefined, lane, bounds)`: 0 where the shuffled value is defined, 1 where it is
 * not, 3 where the lane that is read does not exist. Nearly all warps are full, and need
 * no vote.
 */
function ofPartialWarp(module: IrModule, mode: NonNullable<LaneForm["shuffle"]>["mode"]): IrFunction {
  const name = `${CHECK_NAMES.prefix}partial_${mode}`;
  const known = module.functions.get(name);
  if (known !== undefined) return known;
  const fn = newFunction(name, functionType(I32, [I32, I1, I32, I32]), ["existing", "undefined", "lane", "bounds"]);
  fn.linkage = "internal";
  fn.attributes = NO_ATTRIBUTES;
  module.functions.set(name, fn);
  const [existing, undefinedHere, operand, bounds] = fn.params as unknown as [IrValue, IrValue, IrValue, IrValue];
  const [entry, partial, whole] = ["entry", "partial", "whole"].map((block) => newBlock(fn, block)) as [
    IrBlock,
    IrBlock,
    IrBlock,
  ];
  fn.blocks = [entry, partial, whole];
  const e = new Emitter(module, fn, new NameSource(fn), entry);
  const ret = (value: IrValue): void => {
    e.append({ kind: "instruction", op: "ret", type: VOID, name: "", value, block: e.block, location: null });
  };
  e.condBr(e.icmp("eq", existing, -1), whole, partial);
  e.block = partial;
  const defined = e.intrinsic("llvm.nvvm.vote.ballot.sync", I32, [constI32(-1), e.xor(undefinedHere, constBool(true))]);
  const source = sourceLane(
    e,
    { mode, value: undefinedHere, lane: operand, bounds },
    e.intrinsic("llvm.nvvm.read.ptx.sreg.laneid", I32, []),
  );
  const lacks = (lanes: IrValue): IrValue => e.icmp("eq", e.and(e.lshr(lanes, source), constI32(1)), 0);
  ret(e.select(lacks(existing), constI32(3), e.select(lacks(defined), constI32(1), constI32(0))));
  e.block = whole;
  ret(constI32(0));
  return fn;
}

/** Code for the lane that a shuffle reads: what machine/shuffle.ts computes. */
function sourceLane(
  e: Emitter,
  { mode, lane: operand, bounds }: NonNullable<LaneForm["shuffle"]>,
  lane: IrValue,
): IrValue {
  const amount = e.and(operand, constI32(31));
  const clamp = e.and(bounds, constI32(31));
  const segment = e.and(e.lshr(bounds, 8), constI32(31));
  const outside = e.xor(segment, constI32(-1));
  const limit = e.or(e.and(lane, segment), e.and(clamp, outside));
  const own = (valid: IrValue, source: IrValue): IrValue => e.select(valid, source, lane);
  switch (mode) {
    case "up": {
      const source = e.sub(lane, amount);
      return own(e.icmp("sge", source, limit), source);
    }
    case "down": {
      const source = e.add(lane, amount);
      return own(e.icmp("sle", source, limit), source);
    }
    case "bfly": {
      const source = e.xor(lane, amount);
      return own(e.icmp("sle", source, limit), source);
    }
    case "idx": {
      const source = e.or(e.and(lane, segment), e.and(amount, outside));
      return own(e.icmp("sle", source, limit), source);
    }
  }
}

/** Values that are computed from what a shuffle gave, and the shuffles. */
function valuesFromShuffles(fn: IrFunction): Map<IrValue, Set<IrInstruction>> {
  const tainted = new Map<IrValue, Set<IrInstruction>>();
  const shuffles = fn.blocks.flatMap(({ instructions }) => instructions.filter((i) => laneOperationOf(i)?.shuffle));
  if (shuffles.length === 0) return tainted;
  const uses = usesOf(fn);
  const work: IrInstruction[] = [];
  const add = (value: IrInstruction, from: Iterable<IrInstruction>): void => {
    let known = tainted.get(value);
    if (known === undefined) tainted.set(value, (known = new Set()));
    const before = known.size;
    for (const shuffle of from) known.add(shuffle);
    if (known.size > before) work.push(value);
  };
  for (const shuffle of shuffles) add(shuffle, [shuffle]);
  for (let i = work.pop(); i !== undefined; i = work.pop()) {
    for (const user of uses.get(i) ?? []) {
      const form = laneOperationOf(user);
      // Through the value of a shuffle it goes on as that shuffle's own; the rest of an operation's operands are uses.
      if (form !== null ? form.shuffle?.value === i : isPure(user)) add(user, tainted.get(i) as Set<IrInstruction>);
    }
  }
  return tainted;
}

/** The result says no more than the operands. */
function isPure(i: IrInstruction): boolean {
  switch (i.op) {
    case "binary":
    case "fneg":
    case "icmp":
    case "fcmp":
    case "cast":
    case "select":
    case "freeze":
    case "phi":
    case "extractvalue":
    case "insertvalue":
    case "extractelement":
    case "insertelement":
    case "shufflevector":
      return true;
    case "gep":
      return true;
    case "call":
      return i.type.kind !== "void" && calledIntrinsic(i)?.kind === "pure";
    default:
      return false;
  }
}

/** Operands that matter at once, whatever becomes of the result. */
function usedUp(i: IrInstruction, form: LaneForm | null): IrValue[] {
  switch (i.op) {
    case "store":
      return [i.value, i.pointer];
    case "load":
      return [i.pointer];
    case "atomicrmw":
      return [i.pointer, i.value];
    case "cmpxchg":
      return [i.pointer, i.expected, i.desired];
    case "condbr":
      return [i.condition];
    case "switch":
      return [i.value];
    case "ret":
      return i.value === null ? [] : [i.value];
    case "call":
      if (form?.shuffle) return i.args.filter((arg) => arg !== form.shuffle?.value);
      return isPure(i) || calledIntrinsic(i)?.isHint ? [] : i.args;
    default:
      return [];
  }
}
