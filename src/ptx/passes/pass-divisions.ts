/**
 * Integer divisions that a GPU has no instruction for, in forms that take fewer of those it has.
 *
 * By a constant: a product with a scaled reciprocal (Granlund and Montgomery, "Division by Invariant Integers using
 * Multiplication", 1994; Warren, "Hacker's Delight", chapter 10). NVIDIA's assembler leaves this to the compiler: a
 * division by 10 takes 20 instructions of it, and 70 in 64 bits.
 *
 * Of 64-bit integers: in 32 bits where both operands are below 2^32 at run time, which sizes and indices nearly always
 * are. The division in 64 bits takes about four times as long.
 *
 * Needs: a legalised function. Afterwards: no division by a constant but 0.
 */
import { NameSource, constInt, newBinary, newBlock, newBr, newCall, newCast, newCondBr } from "../../ir/model/build.ts";
import { newIcmp, newPhi, signedValue } from "../../ir/model/build.ts";
import { declareFunction } from "../../ir/model/build-module.ts";
import type {
  BinaryInstruction,
  BinaryOperator,
  ConstInt,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrValue,
  IntType,
} from "../../ir/model/ir.ts";
import { mapOperands } from "../../ir/model/operands.ts";
import { I32, I64, isInt } from "../../ir/model/types.ts";
import { signedReciprocal, unsignedReciprocal } from "./reciprocals.ts";

const DIVISIONS: ReadonlySet<BinaryOperator> = new Set(["udiv", "sdiv", "urem", "srem"]);

export function isDivision(i: IrInstruction): i is BinaryInstruction {
  return i.op === "binary" && DIVISIONS.has(i.operator) && isInt(i.type) && i.type.bits > 1;
}

export function expandDivisions(fn: IrFunction, module: IrModule): void {
  const names = new NameSource(fn);
  const results = new Map<IrValue, IrValue>();
  const done = new Set<IrInstruction>();
  // Blocks that a division in 64 bits splits off come into the list, and are looked at in their turn.
  for (let at = 0; at < fn.blocks.length; at++) {
    const block = fn.blocks[at] as IrBlock;
    const out: IrInstruction[] = [];
    for (const [n, i] of block.instructions.entries()) {
      if (!isDivision(i)) {
        out.push(i);
        continue;
      }
      if (i.rhs.kind === "const-int") {
        const result = new Expansion(i, names, module, out).divide(i.rhs);
        if (result === null) out.push(i);
        else results.set(i, result);
        continue;
      }
      if ((i.type as IntType).bits !== 64 || done.has(i)) {
        out.push(i);
        continue;
      }
      results.set(i, bypass(fn, block, i, out, block.instructions.slice(n + 1), names, done));
      break;
    }
    block.instructions = out;
  }
  if (results.size === 0) return;
  const resolve = (value: IrValue): IrValue => {
    const result = results.get(value);
    return result === undefined ? value : resolve(result);
  };
  for (const block of fn.blocks) for (const i of block.instructions) mapOperands(i, resolve);
}

/** One division by a constant: instructions in its place. */
class Expansion {
  readonly #i: BinaryInstruction;
  readonly #names: NameSource;
  readonly #module: IrModule;
  readonly #out: IrInstruction[];
  /** The width that is computed in. */
  readonly #type: IntType;

  constructor(i: BinaryInstruction, names: NameSource, module: IrModule, out: IrInstruction[]) {
    this.#i = i;
    this.#names = names;
    this.#module = module;
    this.#out = out;
    this.#type = (i.type as IntType).bits === 64 ? I64 : I32;
  }

  /** The result; null: a division by 0, which has none. */
  divide(divisor: ConstInt): IrValue | null {
    const signed = this.#i.operator === "sdiv" || this.#i.operator === "srem";
    const isRemainder = this.#i.operator === "urem" || this.#i.operator === "srem";
    const by = signed ? signedValue(divisor) : BigInt.asUintN(divisor.type.bits, divisor.value);
    if (by === 0n) return null;
    const own = this.#i.type as IntType;
    const isNarrow = own.bits < this.#type.bits;
    const x = isNarrow
      ? this.#add(newCast(this.#i, this.#name(), signed ? "sext" : "zext", this.#i.lhs, this.#type))
      : this.#i.lhs;
    let result = signed ? this.#signed(x, by) : this.#unsigned(x, by);
    if (isRemainder) result = this.#binary("sub", x, this.#binary("mul", result, this.#constant(by)));
    return isNarrow ? this.#add(newCast(this.#i, this.#name(), "trunc", result, own)) : result;
  }

  #unsigned(x: IrValue, by: bigint): IrValue {
    const { bits } = this.#type;
    const { multiplier, before, after, isLong } = unsignedReciprocal(by, bits);
    if (multiplier === null) return this.#shift("lshr", x, after);
    const high = this.#high("u", this.#shift("lshr", x, before), multiplier);
    if (!isLong) return this.#shift("lshr", high, after);
    // The multiplier has one bit more than a register: x itself is added, halved first so that no carry is lost.
    const half = this.#shift("lshr", this.#binary("sub", x, high), 1);
    return this.#shift("lshr", this.#binary("add", half, high), after - 1);
  }

  #signed(x: IrValue, by: bigint): IrValue {
    const { bits } = this.#type;
    const size = by < 0n ? -by : by;
    const quotient = this.#signedByPositive(x, size, bits);
    return by < 0n ? this.#binary("sub", this.#constant(0n), quotient) : quotient;
  }

  #signedByPositive(x: IrValue, size: bigint, bits: number): IrValue {
    if (size === 1n) return x;
    if ((size & (size - 1n)) === 0n) {
      // Rounded towards zero: size - 1 is added to what is negative.
      const power = size.toString(2).length - 1;
      const bias = this.#shift("lshr", this.#shift("ashr", x, bits - 1), bits - power);
      return this.#shift("ashr", this.#binary("add", x, bias), power);
    }
    const { multiplier, after, isLong } = signedReciprocal(size, bits);
    let high = this.#high("s", x, multiplier);
    if (isLong) high = this.#binary("add", high, x);
    const down = this.#shift("ashr", high, after);
    return this.#binary("add", down, this.#shift("lshr", x, bits - 1));
  }

  #high(sign: "u" | "s", x: IrValue, multiplier: bigint): IrValue {
    const word = this.#type.bits === 64 ? "ll" : "i";
    const name = `llvm.nvvm.mulhi.${sign === "u" ? "u" : ""}${word}`;
    const callee = declareFunction(this.#module, name, this.#type, [this.#type, this.#type]);
    return this.#add(newCall(this.#i, this.#name(), callee, [x, this.#constant(multiplier)]));
  }

  #shift(operator: "lshr" | "ashr", x: IrValue, by: number): IrValue {
    return by === 0 ? x : this.#binary(operator, x, this.#constant(BigInt(by)));
  }

  #binary(operator: BinaryOperator, lhs: IrValue, rhs: IrValue): IrValue {
    return this.#add(newBinary(this.#i, this.#name(), operator, lhs, rhs));
  }

  #constant(value: bigint): IrValue {
    return constInt(this.#type, value);
  }

  #name(): string {
    return this.#names.fresh(this.#i.name);
  }

  #add<T extends IrInstruction>(i: T): T {
    this.#out.push(i);
    return i;
  }
}

/**
 * Ends a block with the question whether a 64-bit division can be done in 32 bits.
 * @param out the block so far, which gets the question and the branch
 * @param done gets the division that stays in 64 bits
 * @param rest what follows the division in the block: it moves to a new block
 * @returns the result, a phi of the new block
 */
function bypass(
  fn: IrFunction,
  block: IrBlock,
  i: BinaryInstruction,
  out: IrInstruction[],
  rest: IrInstruction[],
  names: NameSource,
  done: Set<IrInstruction>,
): IrValue {
  const [fast, slow, after] = ["fast", "slow", "after"].map((name) =>
    newBlock(fn, names.fresh(`${block.name}.${name}`)),
  );
  const place = (at: IrBlock) => ({ block: at, location: i.location });
  const both = newBinary(i, names.fresh(i.name), "or", i.lhs, i.rhs);
  const high = newBinary(i, names.fresh(i.name), "lshr", both, constInt(I64, 32n));
  const small = newIcmp(i, names.fresh(i.name), "eq", high, constInt(I64, 0n));
  // A quotient by 0 has all 64 bits set, in all engines.
  const defined = newIcmp(i, names.fresh(i.name), "ne", i.rhs, constInt(I64, 0n));
  const fits = newBinary(i, names.fresh(i.name), "and", small, defined);
  out.push(both, high, small, defined, fits, newCondBr(i, fits, fast as IrBlock, slow as IrBlock));

  const [lhs, rhs] = [i.lhs, i.rhs].map((value) =>
    newCast(place(fast as IrBlock), names.fresh(i.name), "trunc", value, I32),
  );
  // Neither is negative here.
  const operator = i.operator === "udiv" || i.operator === "sdiv" ? "udiv" : "urem";
  const narrow = newBinary(place(fast as IrBlock), names.fresh(i.name), operator, lhs as IrValue, rhs as IrValue);
  const wide = newCast(place(fast as IrBlock), names.fresh(i.name), "zext", narrow, I64);
  (fast as IrBlock).instructions = [
    lhs as IrInstruction,
    rhs as IrInstruction,
    narrow,
    wide,
    newBr(place(fast as IrBlock), after as IrBlock),
  ];

  const full = { ...i, name: names.fresh(i.name), block: slow as IrBlock };
  done.add(full);
  (slow as IrBlock).instructions = [full, newBr(place(slow as IrBlock), after as IrBlock)];

  const result = newPhi(place(after as IrBlock), names.fresh(i.name), I64, [
    { value: wide, block: fast as IrBlock },
    { value: full, block: slow as IrBlock },
  ]);
  (after as IrBlock).instructions = [result, ...rest];
  for (const moved of rest) moved.block = after as IrBlock;
  // The block's successors are the new block's now.
  for (const other of fn.blocks)
    for (const phi of other.instructions)
      if (phi.op === "phi") for (const from of phi.incoming) if (from.block === block) from.block = after as IrBlock;
  fn.blocks.splice(fn.blocks.indexOf(block) + 1, 0, fast as IrBlock, slow as IrBlock, after as IrBlock);
  return result;
}
