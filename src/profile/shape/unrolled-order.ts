/**
 * Gives loops the order of iterations that they have in NVIDIA's machine code, where loops are unrolled. Lanes of a
 * warp that go through a loop a different number of times are together in other iterations then, which shows in
 * requests and sectors. Of two lanes with 7 and 8 iterations, unrolled by 4, both execute 4 of them together, then one
 * lane 4 alone and the other 3: the warp executes 11.
 *
 * The loop becomes the inner one of two. The outer one runs through the phases (unrolled-phases.ts): each lane's
 * iterations of the first phase, then those of the second. Nothing is copied, so counting takes no longer. Loops that
 * all lanes of a warp go through as often stay as they are.
 *
 * Needs: scalars only. Afterwards: the function does what it did.
 */
import {
  NameSource,
  constBool,
  constI32,
  constPoison,
  newBinary,
  newBlock,
  newCondBr,
  newIcmp,
  newPhi,
  newSelect,
  newBr,
} from "../../ir/model/build.ts";
import { foldBinary, foldIcmp } from "../../ir/model/fold.ts";
import type {
  BinaryOperator,
  IntPredicate,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrValue,
  PhiInstruction,
} from "../../ir/model/ir.ts";
import { simplifyLoops } from "../../ir/passes/pass-loop-simplify.ts";
import { unrolledLoops, type UnrolledLoop } from "./unrolled-phases.ts";

/** Beyond this what is computed here might wrap around, and the loop runs as it was. */
const MOST_TURNS = 1 << 30;

/** The iterations side by side of the longest phase, by the header of the inner loop. */
const inPhases = new WeakMap<IrBlock, number>();

export function orderAsUnrolled(fn: IrFunction): void {
  simplifyLoops(fn);
  const names = new NameSource(fn);
  for (const loop of unrolledLoops(fn)) {
    new Phases(fn, loop, names).add();
    inPhases.set(loop.header, Math.max(1, ...loop.masks.map((mask) => -mask)));
  }
}

/** How many iterations of a loop stand side by side; null: this pass has not changed it. */
export function unrolledInPhases(header: IrBlock): number | null {
  return inPhases.get(header) ?? null;
}

class Phases {
  readonly #fn: IrFunction;
  readonly #loop: UnrolledLoop;
  readonly #names: NameSource;

  constructor(fn: IrFunction, loop: UnrolledLoop, names: NameSource) {
    this.#fn = fn;
    this.#loop = loop;
    this.#names = names;
  }

  add(): void {
    const { preheader, header, latch, exit, masks } = this.#loop;
    const branch = preheader.instructions.pop() as IrInstruction;
    const { isRegular, turns } = this.#turns(preheader);
    const [begin, end] = [this.#newBlock("phase.begin"), this.#newBlock("phase.end")];
    preheader.instructions.push(newBr({ block: preheader, location: branch.location }, begin));
    const last = latch.instructions.pop() as IrInstruction & { op: "condbr" };

    // What the loop carries from iteration to iteration goes from phase to phase.
    for (const phi of phisOf(header)) {
      const next = incomingFrom(phi, latch);
      const carried = this.#carry(begin, end, incomingFrom(phi, preheader), next);
      phi.incoming = [
        { value: carried, block: begin },
        { value: next, block: latch },
      ];
    }
    // What is used after the loop is that of the last phase with an iteration.
    for (const phi of phisOf(exit)) {
      const value = incomingFrom(phi, latch);
      this.#carry(begin, end, constPoison(value.type), value);
      phi.incoming = [{ value: phisOf(end).at(-1) as IrValue, block: end }];
    }
    const phase = this.#phi(begin, constI32(0).type);
    const trips = this.#binary(begin, "and", turns, this.#mask(begin, phase));
    const isEntered = this.#binary(begin, "or", this.#isNonZero(begin, trips), this.#not(begin, isRegular));
    begin.instructions.push(newCondBr({ block: begin, location: null }, isEntered, header, end));

    const left = this.#phi(header, trips.type);
    const remaining = this.#binary(latch, "sub", left, constI32(1));
    left.incoming = [
      { value: trips, block: begin },
      { value: remaining, block: latch },
    ];
    const stays = last.then === header ? last.condition : this.#not(latch, last.condition);
    const goesOn = this.#select(latch, isRegular, this.#isNonZero(latch, remaining), stays);
    latch.instructions.push(newCondBr({ block: latch, location: last.location }, goesOn, header, end));

    const nextPhase = this.#binary(end, "add", phase, constI32(1));
    phase.incoming = [
      { value: constI32(0), block: preheader },
      { value: nextPhase, block: end },
    ];
    const isLast = this.#compare(end, "eq", nextPhase, constI32(masks.length));
    const isDone = this.#binary(end, "or", isLast, this.#not(end, isRegular));
    end.instructions.push(newCondBr({ block: end, location: null }, isDone, exit, begin));
    this.#fn.blocks.splice(this.#fn.blocks.indexOf(header), 0, begin);
    this.#fn.blocks.splice(this.#fn.blocks.indexOf(latch) + 1, 0, end);
  }

  /** A value that the phases pass on. @returns what it is when a phase begins */
  #carry(begin: IrBlock, end: IrBlock, first: IrValue, next: IrValue): PhiInstruction {
    const { preheader, latch } = this.#loop;
    const before = this.#phi(begin, first.type);
    const after = newPhi({ block: end, location: null }, this.#names.fresh("phase"), first.type);
    end.instructions.push(after);
    before.incoming = [
      { value: first, block: preheader },
      { value: after, block: end },
    ];
    after.incoming = [
      { value: before, block: begin },
      { value: next, block: latch },
    ];
    return before;
  }

  /** The iterations of a phase, as a mask over the number of all. */
  #mask(block: IrBlock, phase: IrValue): IrValue {
    const [first = 0, ...rest] = this.#loop.masks;
    return rest.reduce<IrValue>(
      (mask, own, n) => this.#select(block, this.#compare(block, "eq", phase, constI32(n + 1)), constI32(own), mask),
      constI32(first),
    );
  }

  /** How often the body runs, if it is so often that it can be said. */
  #turns(block: IrBlock): { readonly isRegular: IrValue; readonly turns: IrValue } {
    const { start, bound, step, goesOn, tested, isUpward } = this.#loop;
    const distance = isUpward ? this.#binary(block, "sub", bound, start) : this.#binary(block, "sub", start, bound);
    // Where the counter is compared before its step, one iteration more follows the last that is below the bound.
    const further = tested === "next" ? 0 : 1;
    const most = constI32(MOST_TURNS);
    if (goesOn === "ne") {
      const turns = this.#binary(block, "add", distance, constI32(further));
      const others = this.#binary(block, "sub", turns, constI32(1));
      return { isRegular: this.#compare(block, "ult", others, most), turns };
    }
    const before = this.#binary(block, "sub", distance, constI32(1));
    const isBelow = this.#compare(block, goesOn, start, bound);
    const isStep = this.#compare(block, "ult", this.#binary(block, "sub", step, constI32(1)), most);
    const by = this.#select(block, isStep, step, constI32(1));
    const steps = this.#binary(block, "add", this.#binary(block, "udiv", before, by), constI32(1 + further));
    const isNear = this.#binary(block, "or", this.#compare(block, "ult", before, most), this.#not(block, isBelow));
    return {
      isRegular: this.#binary(block, "and", isNear, isStep),
      turns: this.#select(block, isBelow, steps, constI32(1)),
    };
  }

  #newBlock(name: string): IrBlock {
    return newBlock(this.#fn, this.#names.fresh(name));
  }

  #phi(block: IrBlock, type: IrValue["type"]): PhiInstruction {
    const phi = newPhi({ block, location: null }, this.#names.fresh("phase"), type);
    block.instructions.unshift(phi);
    return phi;
  }

  #not(block: IrBlock, condition: IrValue): IrValue {
    return this.#binary(block, "xor", condition, constBool(true));
  }

  #isNonZero(block: IrBlock, value: IrValue): IrValue {
    return this.#compare(block, "ne", value, constI32(0));
  }

  #binary(block: IrBlock, operator: BinaryOperator, lhs: IrValue, rhs: IrValue): IrValue {
    return (
      foldBinary(operator, lhs, rhs) ??
      pushed(block, newBinary({ block, location: null }, this.#names.fresh("turns"), operator, lhs, rhs))
    );
  }

  #compare(block: IrBlock, predicate: IntPredicate, lhs: IrValue, rhs: IrValue): IrValue {
    return (
      foldIcmp(predicate, lhs, rhs) ??
      pushed(block, newIcmp({ block, location: null }, this.#names.fresh("turns"), predicate, lhs, rhs))
    );
  }

  #select(block: IrBlock, condition: IrValue, then: IrValue, otherwise: IrValue): IrValue {
    if (condition.kind === "const-int") return condition.value === 0n ? otherwise : then;
    return pushed(block, newSelect({ block, location: null }, this.#names.fresh("turns"), condition, then, otherwise));
  }
}

function pushed<T extends IrInstruction>(block: IrBlock, i: T): T {
  block.instructions.push(i);
  return i;
}

function phisOf(block: IrBlock): PhiInstruction[] {
  return block.instructions.filter((i): i is PhiInstruction => i.op === "phi");
}

function incomingFrom(phi: PhiInstruction, block: IrBlock): IrValue {
  return phi.incoming.find((incoming) => incoming.block === block)?.value as IrValue;
}
