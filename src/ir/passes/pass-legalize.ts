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
import { intrinsicOf } from "../intrinsics/lookup.ts";
import { isLlvmName, isNvvmName } from "../intrinsics/name-fields.ts";
import { bug, unsupported } from "../../base/diagnostics.ts";
import {
  NO_ATTRIBUTES,
  NameSource,
  constI32,
  constPoison,
  isConstant,
  newBlock,
  newInstruction,
  newParam,
  newPhi,
} from "../model/build.ts";
import { reversePostOrder } from "../graph/cfg.ts";
import { Emitter } from "../model/emitter.ts";
import type {
  AllocaInstruction,
  BinaryInstruction,
  CallInstruction,
  CastInstruction,
  ConstInt,
  ExtractElementInstruction,
  GepInstruction,
  InsertElementInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrModule,
  IrParam,
  IrType,
  IrValue,
  PhiInstruction,
  ShuffleVectorInstruction,
  SwitchInstruction,
} from "../model/ir.ts";
import { alignOf } from "../model/layout.ts";
import { castParts, narrowBinary, narrowCompare, wideBinary, wideCompare } from "./legalize-ints.ts";
import { legalizeIntrinsic } from "./legalize-intrinsics.ts";
import { emitCopy, emitFill, knownAlignment, loadParts, partWidths, storeParts } from "./legalize-memory.ts";
import {
  constantParts,
  containerOf,
  isLegal,
  isWide,
  legalFunctionType,
  partRange,
  partTypes,
} from "./legalize-types.ts";
import { bitcastParts, elementAt, insertElement, rebuildVector, selectElement, takeApart } from "./legalize-vectors.ts";
import { forEachOperand, mapOperands } from "../model/operands.ts";
import { I32, VOID, functionType, intType, isInt, scalarOf, pointerOf } from "../model/types.ts";

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

  constructor(fn: IrFunction, module: IrModule) {
    this.#fn = fn;
    this.#e = new Emitter(module, fn, new NameSource(fn), newBlock(fn, ""));
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
        this.#parts.set(
          param,
          loadParts(e, type, param, alignOf(type), {
            volatile: false,
            ordering: null,
            scope: null,
            cache: null,
            invariant: false,
          }),
        );
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
    const e = this.#e;
    switch (i.op) {
      case "phi":
        return this.#phi(i);
      case "binary":
        return this.#binary(i);
      case "fneg":
        return this.#elementwise(i, i.operand, (value) =>
          newInstruction(e, { op: "fneg", type: value.type, name: e.name(), operand: value, fastMath: i.fastMath }),
        );
      case "freeze":
        return this.#elementwise(i, i.operand, (value) =>
          newInstruction(e, { op: "freeze", type: value.type, name: e.name(), operand: value }),
        );
      case "icmp":
      case "fcmp":
        return this.#compare(i);
      case "cast":
        return this.#cast(i);
      case "select": {
        if (isLegal(i.type)) return this.#keep(i);
        const conditions = this.#partsOf(i.condition);
        const [then, otherwise] = [this.#partsOf(i.then), this.#partsOf(i.else)];
        const each = conditions.length === 1 ? then.length : then.length / conditions.length;
        return this.#set(
          i,
          then.map((value, n) => e.select(conditions[Math.floor(n / each)] as IrValue, value, otherwise[n] as IrValue)),
        );
      }
      case "gep":
        return this.#gep(i);
      case "load":
        if (isLegal(i.type) && !isBit(i.type)) return this.#keep(i);
        return this.#set(i, loadParts(e, i.type, this.#single(i.pointer), i.align, i));
      case "store":
        if (isLegal(i.value.type) && !isBit(i.value.type)) return this.#keep(i);
        return storeParts(e, i.value.type, this.#partsOf(i.value), this.#single(i.pointer), i.align, i);
      case "cmpxchg": {
        const { type } = i.expected;
        if (!isLegal(type))
          throw unsupported(`cmpxchg of ${isInt(type) ? type.bits : 0} bits`, i.location ?? undefined);
        this.#keep(i);
        return this.#set(i, [e.extractValue(i, [0], type), e.extractValue(i, [1], intType(1))]);
      }
      case "atomicrmw": {
        if (isLegal(i.type)) return this.#keep(i);
        // Each element is atomic by itself, as CUDA's atomicAdd of half2 says it is.
        if (i.type.kind !== "vector" || !isLegal(i.type.element))
          throw unsupported(`atomicrmw of an integer of unusual width`, i.location ?? undefined);
        const bytes = (partWidths(i.type.element)[0] as number) / 8;
        const pointer = this.#single(i.pointer);
        return this.#set(
          i,
          this.#partsOf(i.value).map((value, n) =>
            e.append({
              ...i,
              type: value.type,
              name: e.name(),
              location: e.location,
              block: e.block,
              pointer: e.offset(pointer, n * bytes),
              value,
            }),
          ),
        );
      }
      case "call":
        return this.#call(i);
      case "extractvalue": {
        const { from, count } = partRange(i.aggregate.type, i.indices);
        return this.#set(i, this.#partsOf(i.aggregate).slice(from, from + count));
      }
      case "insertvalue": {
        const { from, count } = partRange(i.type, i.indices);
        const parts = [...this.#partsOf(i.aggregate)];
        parts.splice(from, count, ...this.#partsOf(i.element));
        return this.#set(i, parts);
      }
      case "extractelement":
        return this.#extractElement(i);
      case "insertelement":
        return this.#insertElement(i);
      case "shufflevector":
        return this.#shuffle(i);
      case "va_arg":
        if (!isLegal(i.type)) throw unsupported("va_arg of an aggregate", i.location ?? undefined);
        return this.#keep(i);
      case "switch":
        return this.#switch(i);
      case "ret": {
        if (i.value === null || isLegal(i.value.type)) return this.#keep(i);
        const parts = this.#partsOf(i.value);
        if (this.#resultPointer !== null)
          storeParts(e, originalResult, parts, this.#resultPointer, alignOf(originalResult), {
            volatile: false,
            ordering: null,
            scope: null,
            cache: null,
          });
        e.append(
          newInstruction(e, {
            op: "ret",
            type: VOID,
            name: "",
            value: this.#resultPointer === null ? (parts[0] ?? null) : null,
          }),
        );
        return;
      }
      case "alloca":
      case "fence":
      case "br":
      case "condbr":
      case "unreachable":
        return this.#keep(i);
    }
  }

  /** The instruction as it is, on the parts of its operands, each of which must be one. */
  #keep(i: IrInstruction): void {
    mapOperands(i, (value) => (value.kind === "metadata" || value.kind === "inline-asm" ? value : this.#single(value)));
    i.block = this.#e.block;
    this.#e.append(i);
  }

  #elementwise(i: IrInstruction, operand: IrValue, make: (value: IrValue) => IrInstruction): void {
    if (isLegal(i.type)) return this.#keep(i);
    this.#set(
      i,
      this.#partsOf(operand).map((value) => this.#e.append(make(value))),
    );
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

  #binary(i: BinaryInstruction): void {
    const e = this.#e;
    if (isLegal(i.type)) return this.#keep(i);
    const scalar = scalarOf(i.type);
    const [lhs, rhs] = [this.#partsOf(i.lhs), this.#partsOf(i.rhs)];
    const each = partTypes(scalar).length;
    const result: IrValue[] = [];
    for (let n = 0; n < lhs.length; n += each) {
      const [a, b] = [lhs.slice(n, n + each), rhs.slice(n, n + each)];
      if (isInt(scalar) && isWide(scalar)) result.push(...wideBinary(e, i.operator, scalar.bits, a, b));
      else if (isInt(scalar)) result.push(narrowBinary(e, i.operator, scalar.bits, a[0] as IrValue, b[0] as IrValue));
      else result.push(e.binary(i.operator, a[0] as IrValue, b[0] as IrValue, i.fastMath));
    }
    this.#set(i, result);
  }

  #compare(i: Extract<IrInstruction, { op: "icmp" | "fcmp" }>): void {
    const e = this.#e;
    const operandType = i.lhs.type;
    if (isLegal(operandType)) return this.#keep(i);
    const scalar = scalarOf(operandType);
    const [lhs, rhs] = [this.#partsOf(i.lhs), this.#partsOf(i.rhs)];
    const each = partTypes(scalar).length;
    const result: IrValue[] = [];
    for (let n = 0; n < lhs.length; n += each) {
      const [a, b] = [lhs.slice(n, n + each), rhs.slice(n, n + each)];
      const [x, y] = [a[0] as IrValue, b[0] as IrValue];
      if (i.op === "fcmp") result.push(e.fcmp(i.predicate, x, y, i.fastMath));
      else if (isInt(scalar) && isWide(scalar)) result.push(wideCompare(e, i.predicate, scalar.bits, a, b));
      else if (isInt(scalar)) result.push(narrowCompare(e, i.predicate, scalar.bits, x, y));
      else result.push(e.icmp(i.predicate, x, y));
    }
    this.#set(i, result);
  }

  #cast(i: CastInstruction): void {
    const e = this.#e;
    const from = i.operand.type;
    if (isLegal(from) && isLegal(i.type)) return this.#keep(i);
    const parts = this.#partsOf(i.operand);
    if (i.operator === "bitcast") return this.#set(i, bitcastParts(e, from, i.type, parts));
    const [a, b] = [scalarOf(from), scalarOf(i.type)];
    const each = partTypes(a).length;
    const result: IrValue[] = [];
    for (let n = 0; n < parts.length; n += each)
      result.push(...castParts(e, i.operator, a, b, parts.slice(n, n + each)));
    this.#set(i, result);
  }

  #gep(i: GepInstruction): void {
    const e = this.#e;
    if (isLegal(i.type)) {
      // Indices of unusual width are signed.
      i.indices = i.indices.map((index) =>
        isLegal(index.type) || isConstant(index)
          ? index
          : (castParts(
              e,
              (index.type as { bits: number }).bits > 32 ? "trunc" : "sext",
              index.type,
              I32,
              this.#partsOf(index),
            )[0] as IrValue),
      );
      i.indices = i.indices.map((index) =>
        isConstant(index) && index.kind === "const-int" && !isLegal(index.type)
          ? constI32(Number(BigInt.asIntN(32, BigInt.asIntN(index.type.bits, index.value))))
          : index,
      );
      return this.#keep(i);
    }
    const length = i.type.kind === "vector" ? i.type.length : 1;
    const lane = (value: IrValue, n: number): IrValue => {
      const parts = this.#partsOf(value);
      return (value.type.kind === "vector" ? parts[n] : parts[0]) as IrValue;
    };
    const element = scalarOf(i.type);
    this.#set(
      i,
      Array.from({ length }, (_, n) =>
        e.append(
          newInstruction<GepInstruction>(e, {
            op: "gep",
            type: element,
            name: e.name(),
            sourceType: i.sourceType,
            base: lane(i.base, n),
            indices: i.indices.map((index) => lane(index, n)),
            inbounds: i.inbounds,
          }),
        ),
      ),
    );
  }

  // ---------------------------------------------------------------- vectors

  #extractElement(i: ExtractElementInstruction): void {
    const each = partTypes(i.type);
    const parts = this.#partsOf(i.vector);
    const index = i.index.kind === "const-int" ? Number(i.index.value) : this.#single(i.index);
    this.#set(
      i,
      typeof index === "number" ? elementAt(parts, each, index) : selectElement(this.#e, parts, each.length, index),
    );
  }

  #insertElement(i: InsertElementInstruction): void {
    const index = i.index.kind === "const-int" ? Number(i.index.value) : this.#single(i.index);
    this.#set(i, insertElement(this.#e, this.#partsOf(i.vector), this.#partsOf(i.element), index));
  }

  #shuffle(i: ShuffleVectorInstruction): void {
    const all = [...this.#partsOf(i.lhs), ...this.#partsOf(i.rhs)];
    const elementParts = partTypes(scalarOf(i.type));
    const each = elementParts.length;
    this.#set(
      i,
      i.mask.flatMap((entry) =>
        entry < 0 ? elementParts.map((type) => constPoison(type)) : all.slice(entry * each, (entry + 1) * each),
      ),
    );
  }

  // ---------------------------------------------------------------- calls and switches

  #switch(i: SwitchInstruction): void {
    const { type } = i.value;
    if (isLegal(type)) return this.#keep(i);
    if (!isInt(type) || isWide(type)) throw unsupported("switch on an integer above 64 bits", i.location ?? undefined);
    const container = containerOf(type);
    i.cases = i.cases.map(({ value, target }) => ({ value: { ...value, type: container } satisfies ConstInt, target }));
    this.#keep(i);
  }

  #call(call: CallInstruction): void {
    const e = this.#e;
    const { callee } = call;
    if (callee.kind === "function" && callee.blocks.length === 0 && callee !== this.#fn)
      return this.#intrinsic(call, callee);
    if (callee.kind === "inline-asm") return this.#target(call);
    const type = legalFunctionType(call.functionType, pointerOf(this.#fn));
    if (isLegal(call.type) && call.args.every((arg) => isLegal(arg.type))) return this.#keep(call);
    const results = partTypes(call.type);
    const args = call.args.flatMap((arg) => [...this.#partsOf(arg)]);
    const byval = call.args.flatMap((arg, n) =>
      this.#partsOf(arg).map(() => (isLegal(arg.type) ? (call.byval[n] ?? null) : null)),
    );
    const spill = results.length > 1 ? this.#alloca(call.type) : null;
    if (spill !== null) {
      args.unshift(spill);
      byval.unshift(null);
    }
    const target = callee.kind === "function" ? callee : this.#single(callee);
    const made = e.append(
      newInstruction<CallInstruction>(e, {
        op: "call",
        type: type.result,
        name: type.result.kind === "void" ? "" : e.name(),
        callee: target,
        functionType: type,
        args,
        fastMath: call.fastMath,
        attributes: call.attributes,
        byval,
      }),
    );
    if (spill !== null)
      this.#set(
        call,
        loadParts(e, call.type, spill, spill.align, {
          volatile: false,
          ordering: null,
          scope: null,
          cache: null,
          invariant: false,
        }),
      );
    else if (call.type.kind !== "void") this.#set(call, results.length === 0 ? [] : [made]);
  }

  #intrinsic(call: CallInstruction, callee: IrFunction): void {
    const e = this.#e;
    const range = intrinsicOf(callee.name)?.memoryRange ?? null;
    if (range !== null) {
      const [first, second, length, isVolatile] = call.args.map((arg) => this.#partsOf(arg)[0] as IrValue);
      const isVolatileFlag = isVolatile?.kind === "const-int" && isVolatile.value === 1n;
      if (first && second && length && isVolatile && range !== "memset") {
        const align = Math.min(this.#alignmentOf(call, 0), this.#alignmentOf(call, 1));
        return emitCopy(e, range, first, second, length, align, isVolatileFlag);
      }
      if (first && second && length && isVolatile)
        return emitFill(e, first, second, length, this.#alignmentOf(call, 0), isVolatileFlag);
    }
    if (isLlvmName(callee.name) && !isNvvmName(callee.name)) {
      const parts = legalizeIntrinsic(
        e,
        call,
        callee.name,
        call.args.map((arg) => (arg.kind === "metadata" ? [arg] : this.#partsOf(arg))),
      );
      if (parts !== null) return call.type.kind === "void" ? undefined : this.#set(call, parts);
    }
    this.#target(call);
  }

  /** What the target defines: it keeps its signature. Vectors are built for it, several results are taken apart. */
  #target(call: CallInstruction): void {
    const e = this.#e;
    const isPlain = isLegal(call.type) && call.args.every((arg) => arg.kind === "metadata" || isLegal(arg.type));
    if (isPlain) return this.#keep(call);
    const args = call.args.map((arg) =>
      arg.kind === "metadata" || isLegal(arg.type)
        ? arg.kind === "metadata"
          ? arg
          : this.#single(arg)
        : isConstant(arg)
          ? arg
          : rebuildVector(e, arg.type, this.#partsOf(arg)),
    );
    const callee =
      call.callee.kind === "function" || call.callee.kind === "inline-asm" ? call.callee : this.#single(call.callee);
    const made = e.append<CallInstruction>({
      ...call,
      name: call.type.kind === "void" ? "" : call.name,
      args,
      callee,
      block: e.block,
    });
    if (call.type.kind === "void") return;
    this.#set(call, isLegal(call.type) ? [made] : takeApart(e, made, call.type));
  }

  // ---------------------------------------------------------------- alignment

  /**
   * What is known about the alignment of a pointer argument: what the call promises, or what the pointer comes from.
   */
  #alignmentOf(call: CallInstruction, n: number): number {
    const promised = call.argAlign?.[n] ?? 1;
    return Math.max(promised, knownAlignment(call.args[n] as IrValue, 0));
  }
}

/** An i1: legal as a value, but in memory it is a byte. */
function isBit(type: IrType): boolean {
  return type.kind === "int" && type.bits === 1;
}
