/**
 * Addresses are integers in PTX. What memory is accessed at becomes a pointer again: a sum is taken apart into the
 * pointer that it begins with and the distance to it, so that engines and tools know what is pointed into.
 *
 * Needs: a function in SSA form whose accesses are through inttoptr. Afterwards: inttoptr is left where nothing says
 * which part of a sum is the pointer.
 */
import {
  constInt,
  newBinary,
  newByteOffset,
  newCast,
  newPhi,
  newSelect,
  type NameSource,
} from "../../ir/model/build.ts";
import type {
  BinaryInstruction,
  CastInstruction,
  IrFunction,
  IrInstruction,
  IrType,
  IrValue,
} from "../../ir/model/ir.ts";
import { PTR, isInt, sameType } from "../../ir/model/types.ts";
import { replaceUses } from "../../ir/model/uses.ts";
import type { KernelParameters } from "./kernel-parameters.ts";

const DEEPEST = 60;

export function recoverPointers(fn: IrFunction, names: NameSource, parameters: KernelParameters): void {
  new PointerRecovery(fn, names, parameters).run();
}

class PointerRecovery {
  readonly #fn: IrFunction;
  readonly #names: NameSource;
  readonly #parameters: KernelParameters;
  /** Integers as pointers. */
  readonly #pointers: Map<IrValue, IrValue> = new Map();
  readonly #isPointer: Map<IrValue, boolean> = new Map();
  readonly #after: Map<IrInstruction, IrInstruction[]> = new Map();

  constructor(fn: IrFunction, names: NameSource, parameters: KernelParameters) {
    this.#fn = fn;
    this.#names = names;
    this.#parameters = parameters;
  }

  run(): void {
    const casts = this.#fn.blocks.flatMap(({ instructions }) => instructions.filter(isAddress));
    const seen = new Set<IrValue>();
    for (const { operand } of casts) this.#takeParameters(operand, seen);
    const replaced = new Map<IrValue, IrValue>();
    for (const cast of casts) {
      if (!this.#points(cast.operand)) continue;
      const pointer = this.#pointer(cast.operand);
      const given = sameType(pointer.type, PTR) ? pointer : null;
      if (given !== null) replaced.set(cast, given);
    }
    this.#place();
    replaceUses(this.#fn, replaced);
    for (const block of this.#fn.blocks) block.instructions = block.instructions.filter((i) => !replaced.has(i));
  }

  /** Parameters that addresses begin with are pointers. */
  #takeParameters(value: IrValue, seen: Set<IrValue>): void {
    if (seen.has(value)) return;
    seen.add(value);
    if (this.#parameters.stateOf(value) !== null) {
      this.#parameters.take(value);
      return;
    }
    if (value.kind !== "instruction") return;
    if (value.op === "phi") for (const { value: from } of value.incoming) this.#takeParameters(from, seen);
    else if (value.op === "select") [value.then, value.else].forEach((part) => this.#takeParameters(part, seen));
    else if (value.op === "binary" && value.operator === "add") {
      if (isDistance(value.rhs, 0)) this.#takeParameters(value.lhs, seen);
      else if (isDistance(value.lhs, 0)) this.#takeParameters(value.rhs, seen);
    } else if (value.op === "binary" && value.operator === "sub") this.#takeParameters(value.lhs, seen);
  }

  #points(value: IrValue): boolean {
    const known = this.#isPointer.get(value);
    if (known !== undefined) return known;
    const found = this.#looksLikePointer(value, new Set(), 0);
    this.#isPointer.set(value, found);
    return found;
  }

  #looksLikePointer(value: IrValue, visiting: Set<IrValue>, depth: number): boolean {
    if (addressed(value) !== null) return true;
    if (this.#parameters.stateOf(value) === "pointer") return true;
    if (value.kind !== "instruction" || depth > DEEPEST) return false;
    const look = (part: IrValue): boolean =>
      this.#isPointer.get(part) ?? this.#looksLikePointer(part, visiting, depth + 1);
    if (value.op === "phi") {
      // A loop that only moves on points where it began.
      if (visiting.has(value)) return true;
      visiting.add(value);
      return value.incoming.every(({ value: from }) => look(from));
    }
    if (value.op === "select") return look(value.then) && look(value.else);
    if (value.op !== "binary") return false;
    if (value.operator === "sub") return look(value.lhs) && !look(value.rhs);
    return value.operator === "add" && look(value.lhs) !== look(value.rhs);
  }

  /** Of an integer that points. */
  #pointer(value: IrValue): IrValue {
    const known = this.#pointers.get(value);
    if (known !== undefined) return known;
    const made = this.#make(value);
    this.#pointers.set(value, made);
    return made;
  }

  #make(value: IrValue): IrValue {
    const target = addressed(value);
    if (target !== null) {
      if (sameType(target.type, PTR)) return target;
      return value.kind === "instruction"
        ? this.#behind(value, newCast(value, this.#names.fresh("p"), "addrspacecast", target, PTR))
        : target;
    }
    if (this.#parameters.stateOf(value) !== null) return this.#parameters.take(value);
    if (value.kind !== "instruction") return value;
    if (value.op === "phi") {
      const phi = this.#behind(value, newPhi(value, this.#names.fresh("p"), PTR));
      this.#pointers.set(value, phi);
      phi.incoming = value.incoming.map(({ value: from, block }) => ({ value: this.#pointer(from), block }));
      return phi;
    }
    if (value.op === "select") {
      const [then, otherwise] = [this.#pointer(value.then), this.#pointer(value.else)];
      return this.#behind(value, newSelect(value, this.#names.fresh("p"), value.condition, then, otherwise));
    }
    if (value.op !== "binary") return this.#cast(value);
    const [base, distance] = this.#parts(value);
    return this.#behind(
      value,
      Object.assign(newByteOffset(value, this.#names.fresh("p"), this.#pointer(base), distance), {
        type: PTR as IrType,
      }),
    );
  }

  #cast(value: IrInstruction): IrValue {
    return this.#behind(value, newCast(value, this.#names.fresh("p"), "inttoptr", value, PTR));
  }

  #parts(value: BinaryInstruction): readonly [base: IrValue, distance: IrValue] {
    const { lhs, rhs } = value;
    if (value.operator === "add") return this.#points(lhs) ? [lhs, rhs] : [rhs, lhs];
    const zero = isInt(value.type) ? constInt(value.type, 0) : lhs;
    return [lhs, this.#behind(value, newBinary(value, this.#names.fresh("back"), "sub", zero, rhs))];
  }

  #behind<T extends IrInstruction>(place: IrInstruction, added: T): T {
    const list = this.#after.get(place);
    if (list === undefined) this.#after.set(place, [added]);
    else list.push(added);
    return added;
  }

  /** Phis among the phis, all else behind what it was made of. */
  #place(): void {
    if (this.#after.size === 0) return;
    for (const block of this.#fn.blocks) {
      const [phis, behindPhis, rest]: [IrInstruction[], IrInstruction[], IrInstruction[]] = [[], [], []];
      for (const i of block.instructions) {
        const added = this.#after.get(i) ?? [];
        if (i.op === "phi") {
          phis.push(i, ...added.filter(({ op }) => op === "phi"));
          behindPhis.push(...added.filter(({ op }) => op !== "phi"));
        } else rest.push(i, ...added);
      }
      block.instructions = [...phis, ...behindPhis, ...rest];
    }
  }
}

function isAddress(i: IrInstruction): i is CastInstruction {
  return i.op === "cast" && i.operator === "inttoptr";
}

/** The pointer whose address a value is, or null. */
function addressed(value: IrValue): IrValue | null {
  if (value.kind === "const-expr" && value.instruction.op === "cast")
    return value.instruction.operator === "ptrtoint" ? value.instruction.operand : null;
  if (value.kind !== "instruction" || value.op !== "cast") return null;
  if (value.operator === "ptrtoint") return value.operand;
  const { operand } = value;
  if (value.operator !== "zext" || operand.kind !== "instruction" || operand.op !== "cast") return null;
  return operand.operator === "ptrtoint" ? operand.operand : null;
}

/** Scaled, extended or constant: no pointer. */
function isDistance(value: IrValue, depth: number): boolean {
  if (value.kind === "const-int") return true;
  if (value.kind !== "instruction" || depth > DEEPEST) return false;
  if (value.op === "cast") return (value.operator === "sext" || value.operator === "zext") && addressed(value) === null;
  if (value.op === "select") return isDistance(value.then, depth + 1) && isDistance(value.else, depth + 1);
  if (value.op !== "binary") return false;
  const { operator, lhs, rhs } = value;
  if (operator === "add" || operator === "sub") return isDistance(lhs, depth + 1) && isDistance(rhs, depth + 1);
  return ["mul", "shl", "ashr", "lshr", "and", "urem", "srem", "udiv", "sdiv"].includes(operator);
}
