/**
 * Appends instructions to a block, one call each, and folds what is constant on the way: what lowering passes write
 * code with.
 *
 * The current block may change (`startBlock`); the caller sees to terminators and to the order of blocks.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import {
  constInt,
  constZero,
  newBinary,
  newBlock,
  newBr,
  newCall,
  newCast,
  newCondBr,
  newFcmp,
  newIcmp,
  newInstruction,
  newLoad,
  newPhi,
  newSelect,
  newStore,
} from "./build.ts";
import { declareFunction } from "./build-module.ts";
import type { NameSource } from "./build.ts";
import { foldBinary, foldCast, foldIcmp } from "./fold.ts";
import type {
  BinaryOperator,
  CastOperator,
  ExtractValueInstruction,
  FastMath,
  FloatPredicate,
  GepInstruction,
  IntPredicate,
  IntType,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
  LoadInstruction,
  PhiInstruction,
  StoreInstruction,
} from "./ir.ts";
import { I32, I8, sameType, scalarBits } from "./types.ts";

export class Emitter {
  readonly module: IrModule;
  readonly function: IrFunction;
  readonly names: NameSource;
  /** Where the next instruction goes. */
  block: IrBlock;
  location: SourceLocation | null = null;

  constructor(module: IrModule, fn: IrFunction, names: NameSource, block: IrBlock) {
    this.module = module;
    this.function = fn;
    this.names = names;
    this.block = block;
  }

  append<T extends IrInstruction>(instruction: T): T {
    this.block.instructions.push(instruction);
    return instruction;
  }

  /** A new block, not yet in the function. */
  newBlock(hint: string): IrBlock {
    return newBlock(this.function, this.names.fresh(hint));
  }

  name(hint = "l"): string {
    return this.names.fresh(hint);
  }

  // ---------------------------------------------------------------- arithmetic

  binary(operator: BinaryOperator, lhs: IrValue, rhs: IrValue, fastMath: FastMath | null = null): IrValue {
    return foldBinary(operator, lhs, rhs) ?? this.append(newBinary(this, this.name(), operator, lhs, rhs, fastMath));
  }

  add(lhs: IrValue, rhs: IrValue): IrValue {
    return this.binary("add", lhs, rhs);
  }
  sub(lhs: IrValue, rhs: IrValue): IrValue {
    return this.binary("sub", lhs, rhs);
  }
  mul(lhs: IrValue, rhs: IrValue): IrValue {
    return this.binary("mul", lhs, rhs);
  }
  and(lhs: IrValue, rhs: IrValue): IrValue {
    return this.binary("and", lhs, rhs);
  }
  or(lhs: IrValue, rhs: IrValue): IrValue {
    return this.binary("or", lhs, rhs);
  }
  xor(lhs: IrValue, rhs: IrValue): IrValue {
    return this.binary("xor", lhs, rhs);
  }
  shl(lhs: IrValue, rhs: IrValue | number): IrValue {
    return this.binary("shl", lhs, this.like(lhs, rhs));
  }
  lshr(lhs: IrValue, rhs: IrValue | number): IrValue {
    return this.binary("lshr", lhs, this.like(lhs, rhs));
  }
  ashr(lhs: IrValue, rhs: IrValue | number): IrValue {
    return this.binary("ashr", lhs, this.like(lhs, rhs));
  }

  /** A number as a constant of the other operand's type. */
  like(other: IrValue, value: IrValue | number | bigint): IrValue {
    return typeof value === "number" || typeof value === "bigint" ? constInt(other.type as IntType, value) : value;
  }

  icmp(predicate: IntPredicate, lhs: IrValue, rhs: IrValue | number): IrValue {
    const right = this.like(lhs, rhs);
    return foldIcmp(predicate, lhs, right) ?? this.append(newIcmp(this, this.name(), predicate, lhs, right));
  }

  fcmp(predicate: FloatPredicate, lhs: IrValue, rhs: IrValue, fastMath: FastMath | null): IrValue {
    return this.append(newFcmp(this, this.name(), predicate, lhs, rhs, fastMath));
  }

  cast(operator: CastOperator, operand: IrValue, type: IrType): IrValue {
    if (sameType(operand.type, type) && operator !== "addrspacecast") return operand;
    if (operand.kind === "const-undef") return { kind: "const-undef", type, poison: operand.poison };
    return foldCast(operator, operand, type) ?? this.append(newCast(this, this.name(), operator, operand, type));
  }

  /** zext, trunc or nothing, as the widths ask. */
  zextOrTrunc(operand: IrValue, type: IntType): IrValue {
    return this.cast(scalarBits(operand.type) < type.bits ? "zext" : "trunc", operand, type);
  }

  sextOrTrunc(operand: IrValue, type: IntType): IrValue {
    return this.cast(scalarBits(operand.type) < type.bits ? "sext" : "trunc", operand, type);
  }

  select(condition: IrValue, then: IrValue, otherwise: IrValue): IrValue {
    if (condition.kind === "const-int") return condition.value === 1n ? then : otherwise;
    return then === otherwise ? then : this.append(newSelect(this, this.name(), condition, then, otherwise));
  }

  // ---------------------------------------------------------------- memory and calls

  offset(base: IrValue, bytes: IrValue | number): IrValue {
    const index = typeof bytes === "number" ? constInt(I32, bytes) : bytes;
    if (index.kind === "const-int" && index.value === 0n) return base;
    return this.append(
      newInstruction<GepInstruction>(this, {
        op: "gep",
        type: base.type,
        name: this.name(),
        sourceType: I8,
        base,
        indices: [index],
        inbounds: false,
      }),
    );
  }

  load(
    type: IrType,
    pointer: IrValue,
    align: number,
    like: Partial<Pick<LoadInstruction, "volatile" | "ordering" | "scope" | "cache" | "invariant">> = {},
  ): IrValue {
    return this.append(
      Object.assign(newLoad(this, this.name(), type, pointer, align), {
        volatile: like.volatile ?? false,
        ordering: like.ordering ?? null,
        scope: like.scope ?? null,
        cache: like.cache ?? null,
        invariant: like.invariant ?? false,
      }),
    );
  }

  store(
    value: IrValue,
    pointer: IrValue,
    align: number,
    like: Partial<Pick<StoreInstruction, "volatile" | "ordering" | "scope" | "cache">> = {},
  ): void {
    this.append(
      Object.assign(newStore(this, value, pointer, align), {
        volatile: like.volatile ?? false,
        ordering: like.ordering ?? null,
        scope: like.scope ?? null,
        cache: like.cache ?? null,
      }),
    );
  }

  extractValue(aggregate: IrValue, indices: number[], type: IrType): IrValue {
    return this.append(
      newInstruction<ExtractValueInstruction>(this, {
        op: "extractvalue",
        type,
        name: this.name(),
        aggregate,
        indices,
      }),
    );
  }

  intrinsic(name: string, result: IrType, args: IrValue[], fastMath: FastMath | null = null): IrValue {
    const callee = declareFunction(
      this.module,
      name,
      result,
      args.map((arg) => arg.type),
    );
    return this.append(newCall(this, result.kind === "void" ? "" : this.name(), callee, args, fastMath));
  }

  // ---------------------------------------------------------------- control flow

  br(target: IrBlock): void {
    this.append(newBr(this, target));
  }
  condBr(condition: IrValue, then: IrBlock, otherwise: IrBlock): void {
    this.append(newCondBr(this, condition, then, otherwise));
  }

  phi(type: IrType, incoming: PhiInstruction["incoming"]): PhiInstruction {
    return this.append(newPhi(this, this.name(), type, incoming));
  }

  zero(type: IrType): IrValue {
    return constZero(type);
  }
}

/** Puts a block after the current one in the function and goes on in it. */
export function startBlock(e: Emitter, block: IrBlock): void {
  const { blocks } = e.function;
  blocks.splice(blocks.indexOf(e.block) + 1, 0, block);
  e.block = block;
}
