/**
 * The shadows of values in registers, made on demand: code beside the instruction that makes the value.
 *
 * As in MemorySanitizer (Stepanov and Serebryany, CGO 2015), and, or, shifts, casts and selections are followed bit by
 * bit. Sums, products and floats are undefined where an operand is; comparisons and quotients are undefined as a whole.
 */
import type { ShuffleFacts } from "../../ir/intrinsics/facts.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import { CHECK_NAMES } from "../check-names.ts";
import { constInt, constZero, newCall, newInstruction, newPhi } from "../../ir/model/build.ts";
import type { Emitter } from "../../ir/model/emitter.ts";
import type {
  BinaryInstruction,
  CallInstruction,
  CastInstruction,
  GepInstruction,
  IntType,
  IrConstant,
  IrInstruction,
  IrType,
  IrValue,
  PhiInstruction,
  SelectInstruction,
  ShuffleVectorInstruction,
} from "../../ir/model/ir.ts";
import { I1, I32, sameType } from "../../ir/model/types.ts";
import type { IrEdits } from "../../instrument/ir-edits.ts";
import { REORDERINGS, SHIFTS, maybeComputed, moves } from "./computed-values.ts";
import { isLoadIntrinsic, maybeUndefined } from "./definedness.ts";
import {
  allUndefined,
  extract,
  insert,
  isUndefined,
  leafRange,
  leavesOf,
  loadShadow,
  resize,
  shadowType,
  spread,
} from "./shadow-types.ts";

/** null: defined, whatever happens. */
export type Shadow = IrValue | null;

export class ShadowValues {
  readonly #edits: IrEdits;
  readonly #plane: number;
  readonly #maybe: ReadonlySet<IrValue>;
  readonly #known = new Map<IrValue, readonly Shadow[]>();
  /** The shadows of all undefined bits; null: these are they. */
  readonly #all: ShadowValues | null;

  /**
   * @param defined as in memoryClass.
   * @param all where given, these are the shadows of the bits that *arithmetic* has made of undefined ones
   *   (computed-values.ts). What is only copied has none.
   */
  constructor(edits: IrEdits, plane: number, defined: ReadonlySet<IrValue>, all: ShadowValues | null = null) {
    this.#edits = edits;
    this.#plane = plane;
    this.#all = all;
    this.#maybe = all === null ? maybeUndefined(edits.function, defined) : maybeComputed(edits.function, all.#maybe);
  }

  /** Whether the value can be undefined at all. */
  canBeUndefined(value: IrValue): boolean {
    if (this.#maybe.has(value)) return true;
    // A constant is copied, not computed.
    if (this.#all !== null) return false;
    return (
      value.kind === "const-undef" ||
      (value.kind === "const-aggregate" && value.elements.some((element) => this.canBeUndefined(element)))
    );
  }

  /** The shadow of a value that is no struct or array. */
  of(value: IrValue): Shadow {
    return this.leaves(value)[0] ?? null;
  }

  /** The shadows of a value's leaves (leavesOf). */
  leaves(value: IrValue): readonly Shadow[] {
    if (!this.canBeUndefined(value)) return leavesOf(value.type).map(() => null);
    if (value.kind === "const-undef") return leavesOf(value.type).map((leaf) => allUndefined(leaf.type));
    if (value.kind === "const-aggregate") return this.#ofConstant(value);
    if (this.#all !== null && !moves(value as IrInstruction)) return this.#all.leaves(value);
    let known = this.#known.get(value);
    if (known === undefined) this.#known.set(value, (known = this.#make(value as IrInstruction)));
    return known;
  }

  /** A pointer to the shadow of what `pointer` points to. */
  pointer(e: Emitter, pointer: IrValue, offset: number = 0): IrValue {
    const address = e.cast("ptrtoint", pointer, I32);
    return CHECK_NAMES.shadowPointer(e, this.#plane, offset === 0 ? address : e.add(address, constInt(I32, offset)));
  }

  /** In `e`, the shadows in memory of a value of `type` at `pointer`. */
  load(e: Emitter, type: IrType, pointer: IrValue, align: number): IrValue[] {
    return leavesOf(type).map((leaf) =>
      loadShadow(e, leaf.type, this.pointer(e, pointer, leaf.offset), leaf.offset === 0 ? align : 1),
    );
  }

  #ofConstant(value: IrConstant & { kind: "const-aggregate" }): readonly Shadow[] {
    if (value.type.kind !== "vector") return value.elements.flatMap((element) => this.leaves(element));
    const element = shadowType(value.type.element);
    const elements = value.elements.map(
      (one) => (one.kind === "const-undef" ? allUndefined(element) : constInt(element as IntType, 0)) as IrConstant,
    );
    return [{ kind: "const-aggregate", type: shadowType(value.type) as typeof value.type, elements }];
  }

  #make(i: IrInstruction): readonly Shadow[] {
    if (i.op === "phi") return this.#ofPhi(i);
    const e = this.#edits.after(i);
    switch (i.op) {
      case "load":
        return this.load(e, i.type, i.pointer, i.align);
      case "atomicrmw":
        return this.load(e, i.type, i.pointer, 1);
      case "binary":
        return [this.#ofBinary(e, i)];
      case "fneg":
        return [this.of(i.operand)];
      case "icmp":
      case "fcmp":
        return [isUndefined(e, this.#either(e, this.of(i.lhs), this.of(i.rhs)))];
      case "cast":
        return [this.#ofCast(e, i)];
      case "select":
        return this.#ofSelect(e, i);
      case "gep":
        return [this.#ofGep(e, i)];
      case "extractvalue": {
        const { first, count } = leafRange(i.aggregate.type, i.indices);
        return this.leaves(i.aggregate).slice(first, first + count);
      }
      case "insertvalue": {
        const { first, count } = leafRange(i.aggregate.type, i.indices);
        const all = [...this.leaves(i.aggregate)];
        all.splice(first, count, ...this.leaves(i.element));
        return all;
      }
      case "extractelement":
        return [
          this.#or(
            e,
            this.#mapped(this.of(i.vector), (vector) => extract(e, vector, i.index)),
            this.#mapped(this.of(i.index), (index) => spread(e, index, shadowType(i.type))),
          ),
        ];
      case "insertelement": {
        const made = insert(e, this.#orZero(i.vector), this.#orZero(i.element), i.index);
        return [
          this.#or(
            e,
            made,
            this.#mapped(this.of(i.index), (index) => spread(e, index, made.type)),
          ),
        ];
      }
      case "shufflevector":
        return [
          e.append(
            newInstruction<ShuffleVectorInstruction>(e, {
              op: "shufflevector",
              type: shadowType(i.type),
              name: e.name(),
              lhs: this.#orZero(i.lhs),
              rhs: this.#orZero(i.rhs),
              mask: [...i.mask],
            }),
          ),
        ];
      case "call":
        return this.#ofCall(e, i);
      default:
        return leavesOf(i.type).map(() => null);
    }
  }

  #ofPhi(phi: PhiInstruction): readonly Shadow[] {
    const after = this.#edits.after(phi);
    const made = leavesOf(phi.type).map(({ type }) =>
      after.append(
        newPhi({ block: phi.block, location: phi.location }, this.#edits.names.fresh("shadow"), shadowType(type)),
      ),
    );
    // Known before its operands are: a loop's phi is its own operand.
    this.#known.set(phi, made);
    for (const { value, block } of phi.incoming) {
      const shadows = this.leaves(value);
      made.forEach((shadow, leaf) => shadow.incoming.push({ value: shadows[leaf] ?? constZero(shadow.type), block }));
    }
    return made;
  }

  #ofBinary(e: Emitter, { operator, lhs, rhs, type }: BinaryInstruction): Shadow {
    const [a, b] = [this.of(lhs), this.of(rhs)];
    switch (operator) {
      // Undefined unless the other operand decides.
      case "and":
        return this.#or(
          e,
          this.#or(e, a !== null && b !== null ? e.and(a, b) : null, a === null ? null : e.and(a, rhs)),
          b === null ? null : e.and(b, lhs),
        );
      case "or":
        return this.#or(
          e,
          this.#or(e, a !== null && b !== null ? e.and(a, b) : null, a === null ? null : e.and(a, this.#not(e, rhs))),
          b === null ? null : e.and(b, this.#not(e, lhs)),
        );
      case "shl":
      case "lshr":
      case "ashr":
        return b === null
          ? this.#mapped(a, (shadow) => e.binary(operator, shadow, rhs))
          : spread(e, this.#either(e, a, b), shadowType(type));
      case "udiv":
      case "sdiv":
      case "urem":
      case "srem":
        return spread(e, this.#either(e, a, b), shadowType(type));
      default:
        return this.#or(e, a, b);
    }
  }

  #ofCast(e: Emitter, { operator, operand, type }: CastInstruction): Shadow {
    const shadow = this.of(operand) as IrValue;
    const to = shadowType(type);
    switch (operator) {
      case "trunc":
      case "zext":
      case "sext":
        return e.cast(operator, shadow, to);
      case "bitcast":
        return e.cast("bitcast", shadow, to);
      default:
        return resize(e, shadow, to);
    }
  }

  #ofSelect(e: Emitter, { condition, then, else: otherwise, type }: SelectInstruction): readonly Shadow[] {
    const [left, right] = [this.leaves(then), this.leaves(otherwise)];
    const chosen = (this.#all ?? this).of(condition);
    return leavesOf(type).map((leaf, n) => {
      const to = shadowType(leaf.type);
      const [a, b] = [left[n] ?? constZero(to), right[n] ?? constZero(to)];
      const shadow = e.select(condition, a, b);
      if (chosen === null) return shadow;
      const unclear = spread(e, chosen, to);
      // Either way the same: defined all the same. Logical operators are selections.
      if (type !== I1) return e.or(shadow, unclear);
      return e.or(shadow, e.and(unclear, e.or(e.xor(then, otherwise), e.or(a, b))));
    });
  }

  #ofGep(e: Emitter, i: GepInstruction): Shadow {
    const to = shadowType(i.type);
    return i.indices.reduce<Shadow>(
      (sum, index) =>
        this.#or(
          e,
          sum,
          this.#mapped(this.of(index), (shadow) => spread(e, shadow, to)),
        ),
      this.#mapped(this.of(i.base), (shadow) => resize(e, shadow, to)),
    );
  }

  #ofCall(e: Emitter, i: CallInstruction): readonly Shadow[] {
    if (isLoadIntrinsic(i)) return this.load(e, i.type, i.args[0] as IrValue, 1);
    const facts = calledIntrinsic(i);
    if (facts !== null && facts.shuffle !== null) return this.#ofShuffle(e, i, facts.shuffle);
    const shadows = i.args.map((arg) => this.of(arg));
    const [first, second, third] = i.args as [IrValue, IrValue, IrValue];
    if (facts !== null && REORDERINGS.has(facts.operation)) return [this.#again(e, i, [this.#orZero(first)])];
    // Bits that move by a number of places that is defined.
    if (facts !== null && SHIFTS.has(facts.operation) && shadows[2] === null)
      return [this.#again(e, i, [this.#orZero(first), this.#orZero(second), third])];
    return leavesOf(i.type).map((leaf) => {
      const to = shadowType(leaf.type);
      return shadows.reduce<Shadow>(
        (sum, shadow) =>
          this.#or(
            e,
            sum,
            this.#mapped(shadow, (one) => resize(e, one, to)),
          ),
        null,
      );
    });
  }

  /** A shuffle of the shadows, beside that of the values. */
  #ofShuffle(e: Emitter, i: CallInstruction, { mode, hasMask }: ShuffleFacts): readonly Shadow[] {
    const at = i.args.findIndex((arg) => this.canBeUndefined(arg));
    const valueAt = hasMask ? 1 : 0;
    const rest = leavesOf(i.type)
      .slice(1)
      .map(() => null);
    if (at !== valueAt)
      return [
        spread(
          e,
          this.#either(e, ...i.args.map((arg) => this.of(arg))),
          shadowType(leavesOf(i.type)[0]?.type as IrType),
        ),
        ...rest,
      ];
    const args = i.args.map((arg, n) => (n === valueAt ? (this.of(arg) as IrValue) : arg));
    const before = this.#edits.after(i);
    return [before.intrinsic(`llvm.nvvm.shfl${hasMask ? ".sync" : ""}.${mode}.i32`, I32, args), ...rest];
  }

  #again(e: Emitter, i: CallInstruction, args: IrValue[]): IrValue {
    return e.append(newCall(e, e.name(), i.callee as Extract<IrValue, { kind: "function" }>, args));
  }

  // ---------------------------------------------------------------- small change

  #mapped(shadow: Shadow, map: (shadow: IrValue) => IrValue): Shadow {
    return shadow === null ? null : map(shadow);
  }

  #or(e: Emitter, a: Shadow, b: Shadow): Shadow {
    if (a === null) return b;
    return b === null ? a : e.or(a, b);
  }

  /** Of several shadows, of which one at least is not null, those of other widths brought to that of the first. */
  #either(e: Emitter, ...shadows: readonly Shadow[]): IrValue {
    const [first, ...rest] = shadows.filter((shadow) => shadow !== null) as [IrValue, ...IrValue[]];
    return rest.reduce(
      (sum, shadow) => e.or(sum, sameType(shadow.type, sum.type) ? shadow : spread(e, shadow, sum.type)),
      first,
    );
  }

  #orZero(value: IrValue): IrValue {
    return this.of(value) ?? constZero(shadowType(value.type));
  }

  #not(e: Emitter, value: IrValue): IrValue {
    return e.xor(value, allUndefined(value.type));
  }
}
