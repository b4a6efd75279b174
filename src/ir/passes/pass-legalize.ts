/**
 * Leaves only scalars: i1, i8, i16, i32, i64, half, bfloat, float, double, ptr.
 *
 * Needs: a valid function without unreachable blocks (run cleanUp first). Afterwards no value of the function is a
 * vector, an array, a struct or an integer of another width, with these exceptions: the { T, i1 } of cmpxchg and the
 * results of target intrinsics and inline assembly with several results, which only extractvalue uses (and target
 * intrinsics that take vectors, to which vectors are built by insertelement). llvm.memcpy, memmove and memset are loads
 * and stores; llvm.*.with.overflow and reductions are plain operations; generic integer intrinsics are on i32 and i64
 * only.
 *
 * Signatures change, in the same way for a function and its callers, so legalize all functions of a program that call
 * each other: aggregate parameters become one parameter for each scalar, an aggregate result is written through a
 * pointer that comes first (a result of one scalar is that scalar). Parameters of kernels keep their number: a vector
 * or odd integer becomes `byval` of its type, with the same place in the parameter buffer. How values are held in
 * scalars says legalize-types.ts.
 */
import { isLlvmName } from "../intrinsics/name-fields.ts";
import { bug } from "../../base/diagnostics.ts";
import { reversePostOrder } from "../graph/cfg.ts";
import { NO_ATTRIBUTES, NameSource, isConstant, newBlock, newInstruction, newPhi } from "../model/build.ts";
import { newParam } from "../model/build-module.ts";
import { Emitter } from "../model/emitter.ts";
import type {
  AllocaInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrParam,
  IrType,
  IrValue,
  PhiInstruction,
  RetInstruction,
} from "../model/ir.ts";
import { alignOf } from "../model/layout.ts";
import { forEachOperand, mapOperands } from "../model/operands.ts";
import { VOID, functionType, pointerOf } from "../model/types.ts";
import { legalizeCall } from "./legalize-calls.ts";
import { PLAIN_ACCESS, isBit, type LegalizeContext } from "./legalize-context.ts";
import { legalizeInstruction } from "./legalize-instructions.ts";
import { loadParts, storeParts } from "./legalize-memory.ts";
import { constantParts, isLegal, legalFunctionType, partTypes } from "./legalize-types.ts";

export function legalizeModule(module: IrModule): void {
  for (const fn of module.functions.values()) if (fn.blocks.length > 0) legalizeFunction(fn, module);
}

export function legalizeFunction(fn: IrFunction, module: IrModule): void {
  if (!needsWork(fn)) return;
  new Legalizer(fn, module).run();
}

function needsWork(fn: IrFunction): boolean {
  const { params, result } = fn.functionType;
  if (!isLegal(result) || !params.every(isLegal)) return true;
  return fn.blocks.some((block) =>
    block.instructions.some((instruction) => {
      if (!isLegal(instruction.type)) return true;
      if (instruction.op === "call" && instruction.callee.kind === "function" && isLlvmName(instruction.callee.name))
        return true;
      if (
        (instruction.op === "load" && isBit(instruction.type)) ||
        (instruction.op === "store" && isBit(instruction.value.type))
      )
        return true;
      let illegal = false;
      forEachOperand(instruction, (value) => {
        if (!isLegal(value.type) && value.type.kind !== "opaque") illegal = true;
      });
      return illegal;
    }),
  );
}

class Legalizer {
  readonly #fn: IrFunction;
  readonly #e: Emitter;
  /** The parts of every value that is not simply itself. */
  readonly #parts = new Map<IrValue, readonly IrValue[]>();
  /** The block in which the code of an original block ends, where it was split. */
  readonly #ends = new Map<IrBlock, IrBlock>();
  readonly #phis: { phi: PhiInstruction; parts: PhiInstruction[] }[] = [];
  readonly #allocas: AllocaInstruction[] = [];
  /** Where an aggregate result is written. */
  #resultPointer: IrParam | null = null;
  readonly #context: LegalizeContext;

  constructor(fn: IrFunction, module: IrModule) {
    this.#fn = fn;
    this.#e = new Emitter(module, fn, new NameSource(fn), newBlock(fn, ""));
    this.#context = {
      function: fn,
      emitter: this.#e,
      partsOf: (value) => this.#partsOf(value),
      single: (value) => this.#single(value),
      set: (instruction, parts) => this.#set(instruction, parts),
      keep: (instruction) => this.#keep(instruction),
      alloca: (type) => this.#alloca(type),
    };
  }

  run(): void {
    const fn = this.#fn;
    const order = reversePostOrder(fn);
    const originalResult = fn.functionType.result;
    const entry = order[0] as IrBlock;
    const originals = new Map(order.map((block) => [block, block.instructions]));
    fn.blocks = [];
    for (const block of order) {
      block.instructions = [];
      fn.blocks.push(block);
      this.#e.block = block;
      if (block === entry) this.#params();
      for (const instruction of originals.get(block) as IrInstruction[]) {
        this.#e.location = instruction.location;
        this.#instruction(instruction, originalResult);
      }
      this.#ends.set(block, this.#e.block);
    }
    this.#finishPhis();
    for (const alloca of this.#allocas) alloca.block = entry;
    entry.instructions.unshift(...this.#allocas);
  }

  // ---------------------------------------------------------------- values

  #partsOf(value: IrValue): readonly IrValue[] {
    const known = this.#parts.get(value);
    if (known) return known;
    if (isConstant(value)) return isLegal(value.type) ? [value] : constantParts(value);
    if (isLegal(value.type) || value.kind === "inline-asm" || value.kind === "metadata") return [value];
    return bug(`no parts of %${value.kind === "instruction" ? value.name : value.kind}`);
  }

  #single(value: IrValue): IrValue {
    const parts = this.#partsOf(value);
    return parts.length === 1 ? (parts[0] as IrValue) : bug("one part was expected");
  }

  #set(instruction: IrInstruction, parts: readonly IrValue[]): void {
    this.#parts.set(instruction, parts);
  }

  #alloca(type: IrType): AllocaInstruction {
    const alloca = newInstruction<AllocaInstruction>(this.#e, {
      op: "alloca",
      type: pointerOf(this.#fn),
      name: this.#e.name("spill"),
      allocatedType: type,
      count: null,
      align: alignOf(type),
    });
    this.#allocas.push(alloca);
    return alloca;
  }

  // ---------------------------------------------------------------- signatures

  #params(): void {
    const fn = this.#fn;
    const e = this.#e;
    if (fn.isKernel) {
      for (const param of fn.params) {
        if (isLegal(param.type)) continue;
        const { type } = param;
        param.type = pointerOf(fn);
        param.byval = type;
        param.align = alignOf(type);
        param.attributes = NO_ATTRIBUTES;
        this.#parts.set(param, loadParts(e, type, param, alignOf(type), PLAIN_ACCESS));
      }
      fn.functionType = functionType(
        fn.functionType.result,
        fn.params.map((param) => param.type),
        fn.functionType.isVarArg,
      );
      return;
    }
    const type = legalFunctionType(fn.functionType, pointerOf(fn));
    const params: IrParam[] = [];
    if (type.params.length > 0 && !isLegal(fn.functionType.result) && partTypes(fn.functionType.result).length > 1) {
      this.#resultPointer = newParam(fn, e.name("result"), 0, pointerOf(fn));
      params.push(this.#resultPointer);
    }
    for (const param of fn.params) {
      if (isLegal(param.type)) {
        param.index = params.length;
        params.push(param);
        continue;
      }
      const parts = partTypes(param.type).map((part, i) =>
        newParam(fn, e.name(`${param.name}.${i}`), params.length + i, part),
      );
      params.push(...parts);
      this.#parts.set(param, parts);
    }
    fn.params = params;
    fn.functionType = type;
  }

  // ---------------------------------------------------------------- instructions

  #instruction(i: IrInstruction, originalResult: IrType): void {
    if (i.op === "phi") return this.#phi(i);
    if (i.op === "ret") return this.#return(i, originalResult);
    if (i.op === "call") return legalizeCall(this.#context, i);
    legalizeInstruction(this.#context, i);
  }

  #return(i: RetInstruction, originalResult: IrType): void {
    const e = this.#e;
    if (i.value === null || isLegal(i.value.type)) return this.#keep(i);
    const parts = this.#partsOf(i.value);
    const pointer = this.#resultPointer;
    if (pointer !== null) storeParts(e, originalResult, parts, pointer, alignOf(originalResult), PLAIN_ACCESS);
    const value = pointer === null ? (parts[0] ?? null) : null;
    e.append(newInstruction(e, { op: "ret", type: VOID, name: "", value }));
  }

  /** The instruction as it is, on the parts of its operands, each of which must be one. */
  #keep(i: IrInstruction): void {
    mapOperands(i, (value) => (value.kind === "metadata" || value.kind === "inline-asm" ? value : this.#single(value)));
    i.block = this.#e.block;
    this.#e.append(i);
  }

  #phi(phi: PhiInstruction): void {
    const e = this.#e;
    if (isLegal(phi.type)) {
      phi.block = e.block;
      e.append(phi);
      this.#phis.push({ phi, parts: [phi] });
      return;
    }
    const parts = partTypes(phi.type).map((type, n) => e.append(newPhi(e, e.name(`${phi.name}.${n}`), type)));
    this.#set(phi, parts);
    this.#phis.push({ phi, parts });
  }

  #finishPhis(): void {
    for (const { phi, parts } of this.#phis) {
      const incoming = phi.incoming.map(({ value, block }) => ({
        parts: this.#partsOf(value),
        block: this.#ends.get(block) ?? block,
      }));
      parts.forEach((part, n) => {
        part.incoming = incoming.map((from) => ({ value: from.parts[n] as IrValue, block: from.block }));
      });
    }
  }
}
