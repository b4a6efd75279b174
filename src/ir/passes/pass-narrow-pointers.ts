/**
 * Turns a module with 64-bit pointers into one for the emulated device, whose addresses have 32 bits: pointers are
 * values of 32 bits, and take 8 bytes in memory and among a kernel's arguments, with zeros in the upper half.
 *
 * - In types of memory (globals, alloca, gep, byval, structs as values) a pointer becomes an i64.
 * - A load reads the lower half, a store writes all 8 bytes.
 * - Indices of addresses are computed in 32 bits (narrow-indices.ts): addresses wrap around at 4 GiB anyway.
 * - Sums that are indices are taken apart where a part is the same in a whole loop (pass-hoist-address-terms.ts).
 *
 * Needs: a valid module. Afterwards: a valid module with 32-bit pointers. Kernels' pointer parameters are `wide`.
 */
import { SIZES } from "./sized-functions.ts";
import { WIDE_PRINTF } from "../intrinsics/print-functions.ts";
import { unsupported } from "../../base/diagnostics.ts";
import { NameSource, constInt, constNull, constUndef, newBinary, newCast } from "../model/build.ts";
import type {
  CallInstruction,
  ConstExpr,
  IrBlock,
  IrConstant,
  IrFunction,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
  StructType,
} from "../model/ir.ts";
import { intrinsicOf } from "../intrinsics/lookup.ts";
import { forEachOperand, mapOperands } from "../model/operands.ts";
import { I32, I64, functionType, isInt, ptrType } from "../model/types.ts";
import { useCounts } from "../model/uses.ts";
import { NarrowIndices } from "./narrow-indices.ts";
import { addressParts, asSum, takeAddress } from "./address-parts.ts";
import { hoistAddressTerms } from "./pass-hoist-address-terms.ts";

const TRIPLE = "nvptx-nvidia-cuda";
export function narrowPointers(module: IrModule): void {
  new PointerNarrower(module).run();
}

class PointerNarrower {
  readonly #module: IrModule;
  readonly #structs: Map<IrType, IrType> = new Map();
  readonly #constants: Map<IrConstant, IrConstant> = new Map();

  constructor(module: IrModule) {
    this.#module = module;
  }

  run(): void {
    const module = this.#module;
    for (const fn of module.functions.values()) this.#declaration(fn);
    for (const global of module.globals.values()) {
      global.type = ptrType(global.type.addressSpace);
      if (global.initializer !== null) global.initializer = this.#inMemory(global.initializer);
      global.valueType = this.memoryType(global.valueType);
    }
    for (const [name, target] of module.aliases) module.aliases.set(name, this.#constant(target));
    for (const fn of module.functions.values()) this.#body(fn);
    this.#rename();
    for (const [name, type] of module.structTypes) module.structTypes.set(name, this.memoryType(type) as StructType);
    module.triple = TRIPLE;
    module.dataLayout = module.dataLayout === "" ? "" : module.dataLayout.replace(/^e-/, "e-p:32:32-");
  }

  /** As a value: a pointer has 32 bits. */
  valueType(type: IrType): IrType {
    if (type.kind === "ptr") return ptrType(type.addressSpace);
    return this.memoryType(type);
  }

  /** As it lies in memory: a pointer takes 8 bytes. */
  memoryType(type: IrType): IrType {
    switch (type.kind) {
      case "ptr":
        return I64;
      case "vector":
        if (type.element.kind === "ptr") throw unsupported("a vector of pointers in a 64-bit program's device code");
        return type;
      case "array":
      case "struct":
        return this.#aggregate(type);
      case "function":
        return functionType(
          this.valueType(type.result),
          type.params.map((param) => this.valueType(param)),
          type.isVarArg,
        );
      default:
        return type;
    }
  }

  #aggregate(type: Extract<IrType, { kind: "array" | "struct" }>): IrType {
    const known = this.#structs.get(type);
    if (known !== undefined) return known;
    const mapped: IrType =
      type.kind === "array"
        ? { ...type, element: this.memoryType(type.element) }
        : { ...type, elements: type.elements.map((element) => this.memoryType(element)) };
    this.#structs.set(type, mapped);
    return mapped;
  }

  #declaration(fn: IrFunction): void {
    fn.type = ptrType(fn.type.addressSpace);
    fn.functionType = this.memoryType(fn.functionType) as typeof fn.functionType;
    for (const param of fn.params) {
      if (fn.isKernel && param.type.kind === "ptr" && param.byval === null) param.isWide = true;
      param.type = this.valueType(param.type);
      if (param.byval !== null) param.byval = this.memoryType(param.byval);
    }
  }

  /** A constant as an operand. */
  #constant(constant: IrConstant): IrConstant {
    const known = this.#constants.get(constant);
    if (known !== undefined) return known;
    const mapped = this.#mapConstant(constant);
    this.#constants.set(constant, mapped);
    return mapped;
  }

  #mapConstant(constant: IrConstant): IrConstant {
    switch (constant.kind) {
      case "const-null":
        return constNull(ptrType(constant.type.addressSpace));
      case "const-undef":
        return { ...constant, type: this.valueType(constant.type) };
      case "const-zero":
        return constant.type.kind === "ptr"
          ? constNull(ptrType(constant.type.addressSpace))
          : { ...constant, type: this.memoryType(constant.type) };
      case "const-aggregate":
        return {
          ...constant,
          type: this.memoryType(constant.type) as typeof constant.type,
          elements: constant.elements.map((element) => this.#inMemory(element)),
        };
      case "const-expr":
        return {
          ...constant,
          type: this.valueType(constant.type),
          instruction: this.#expression(constant.instruction),
        };
      default:
        return constant;
    }
  }

  #expression(i: Extract<IrConstant, { kind: "const-expr" }>["instruction"]): typeof i {
    switch (i.op) {
      case "gep":
        return {
          ...i,
          sourceType: this.memoryType(i.sourceType),
          base: this.#constant(i.base),
          indices: i.indices.map((index) =>
            index.kind === "const-int" && index.type.bits > 32
              ? constInt(I32, BigInt.asUintN(32, index.value))
              : this.#constant(index),
          ),
        };
      case "cast":
        return { ...i, operand: this.#constant(i.operand) };
      case "binary":
        return { ...i, lhs: this.#constant(i.lhs), rhs: this.#constant(i.rhs) };
    }
  }

  /** A constant as it lies in memory. */
  #inMemory(constant: IrConstant): IrConstant {
    if (constant.type.kind !== "ptr") return this.#constant(constant);
    if (constant.kind === "const-null" || constant.kind === "const-zero") return constInt(I64, 0n);
    if (constant.kind === "const-undef") return constUndef(I64);
    return {
      kind: "const-expr",
      type: I64,
      instruction: { op: "cast", operator: "ptrtoint", operand: this.#constant(constant) },
    };
  }

  #body(fn: IrFunction): void {
    if (fn.blocks.length === 0) return;
    const names = new NameSource(fn);
    const replaced: Map<IrValue, IrValue> = new Map();
    const entry = fn.blocks[0] as IrBlock;
    const [first, computed]: [IrInstruction[], Map<IrConstant, IrInstruction>] = [[], new Map()];
    for (const block of fn.blocks) {
      const instructions: IrInstruction[] = [];
      for (const i of block.instructions)
        this.#instruction(i, { names, instructions, replaced, entry, first, computed });
      block.instructions = instructions;
    }
    entry.instructions.unshift(...first);
    if (replaced.size > 0)
      for (const block of fn.blocks)
        for (const i of block.instructions)
          mapOperands(i, (value) => (replaced.get(value) === i ? value : (replaced.get(value) ?? value)));
    narrowAddresses(fn, names);
  }

  /** Adds the instruction with its new types, and what converts between pointers and their form in memory. */
  #instruction(i: IrInstruction, at: Rewriting): void {
    const { names, instructions, replaced } = at;
    if (replaced.size > 0) mapOperands(i, (value) => replaced.get(value) ?? value);
    const stored = (value: IrValue): IrValue => {
      if (value.type.kind !== "ptr") return value;
      const constant = isPlainConstant(value) ? this.#inMemory(value) : null;
      if (constant !== null) return constant;
      const wide = newCast(i, names.fresh("wide"), "ptrtoint", value, I64);
      instructions.push(wide);
      return wide;
    };
    if (i.op === "store") i.value = stored(i.value);
    else if (i.op === "insertvalue") i.element = stored(i.element);
    else if (i.op === "atomicrmw") i.value = stored(i.value);
    else if (i.op === "cmpxchg") {
      i.expected = stored(i.expected);
      i.desired = stored(i.desired);
    }
    mapOperands(i, (value) => (isConstantValue(value) ? this.#operand(value, at) : value));
    const isPointer = i.type.kind === "ptr";
    if (isPointer && (i.op === "extractvalue" || i.op === "atomicrmw" || i.op === "va_arg")) {
      const pointer = newCast(i, i.name, "inttoptr", i, this.valueType(i.type));
      i.name = names.fresh("wide");
      i.type = I64;
      replaced.set(i, pointer);
      instructions.push(i, pointer);
      return;
    }
    i.type = this.valueType(i.type);
    if (i.op === "alloca") i.allocatedType = this.memoryType(i.allocatedType);
    else if (i.op === "gep") i.sourceType = this.memoryType(i.sourceType);
    else if (i.op === "call") this.#call(i);
    instructions.push(i);
  }

  /**
   * A constant as an operand. An address that became an integer of 64 bits is computed at the beginning of the
   * function: engines know addresses of 32 bits as constants.
   */
  #operand(value: IrConstant, at: Rewriting): IrValue {
    const constant = this.#constant(value);
    if (!hasWideAddress(constant)) return constant;
    return at.computed.get(constant) ?? this.#compute(constant, at);
  }

  #compute(constant: ConstExpr, at: Rewriting): IrInstruction {
    const part = (operand: IrConstant): IrValue => (hasWideAddress(operand) ? this.#compute(operand, at) : operand);
    const { instruction: i, type } = constant;
    const place = { block: at.entry, location: null };
    const name = at.names.fresh("address");
    let computed: IrInstruction;
    if (i.op === "cast") computed = newCast(place, name, i.operator, part(i.operand), type);
    else if (i.op === "binary") computed = newBinary(place, name, i.operator, part(i.lhs), part(i.rhs));
    else throw unsupported("an address made of an integer among a 64-bit program's constants");
    at.computed.set(constant, computed);
    at.first.push(computed);
    return computed;
  }

  #call(i: CallInstruction): void {
    i.functionType = this.memoryType(i.functionType) as typeof i.functionType;
    i.byval = i.byval.map((type) => (type === null ? null : this.memoryType(type)));
    if (i.callee.kind === "inline-asm")
      i.callee = {
        ...i.callee,
        type: ptrType(i.callee.type.addressSpace),
        functionType: this.memoryType(i.callee.functionType) as typeof i.functionType,
      };
  }

  /** Functions that take a length or a size get the type, and the name, of 32-bit programs. */
  #rename(): void {
    const { functions } = this.#module;
    for (const fn of Array.from(functions.values())) {
      const hasLength = takesLength(fn.name);
      const positions = hasLength ? [2] : (SIZES[fn.name] ?? []);
      if (fn.name === "vprintf") this.#renamed(fn, WIDE_PRINTF);
      if (positions.length === 0 || fn.blocks.length > 0) continue;
      fn.functionType = narrowParameters(fn.functionType, positions);
      for (const at of positions) (fn.params[at] as { type: IrType }).type = I32;
      if (hasLength) this.#renamed(fn, fn.name.replace(/i64$/, "i32"));
    }
  }

  #renamed(fn: IrFunction, name: string): void {
    this.#module.functions.delete(fn.name);
    fn.name = name;
    this.#module.functions.set(name, fn);
  }
}

/** Indices, lengths and addresses of a function whose pointers have 32 bits already, in 32 bits. */
export function narrowAddresses(fn: IrFunction, names: NameSource = new NameSource(fn)): void {
  const indices = new NarrowIndices(names);
  for (const part of addressParts(fn)) if (part.op === "binary" && part.disjoint) asSum(part);
  const cut = new Map<IrValue, IrValue>();
  for (const block of fn.blocks) for (const i of block.instructions) narrow(i, indices, cut);
  for (const block of fn.blocks) block.instructions = indices.place(block.instructions, block === fn.blocks[0]);
  replaceConversions(fn, cut);
  removeUnusedIndices(fn);
  hoistAddressTerms(fn);
}

/** Uses of conversions use the low bits that are computed beside them. */
function replaceConversions(fn: IrFunction, cut: ReadonlyMap<IrValue, IrValue>): void {
  if (cut.size === 0) return;
  const find = (value: IrValue): IrValue => {
    const low = cut.get(value);
    return low === undefined ? value : find(low);
  };
  for (const block of fn.blocks) for (const i of block.instructions) mapOperands(i, find);
}

/** Indices and lengths in 32 bits. @param cut conversions to 32 bits, and the value that each is */
function narrow(i: IrInstruction, indices: NarrowIndices, cut: Map<IrValue, IrValue>): void {
  if (i.op === "gep") i.indices = i.indices.map((index) => indices.low(index));
  else if (i.op === "alloca" && i.count !== null) i.count = indices.low(i.count);
  else if (i.op === "cast" && i.operator === "inttoptr") i.operand = indices.low(i.operand);
  else if (i.op === "cast" && i.operator === "trunc") {
    takeAddress(i);
    if (i.operator !== "trunc" || !isInt(i.type) || i.type.bits > 32) return;
    const low = indices.ofConversion(i);
    if (low === null || low === i) return;
    if (i.type.bits === 32) cut.set(i, low);
    else i.operand = low;
  } else if (i.op === "call" && i.callee.kind === "function") {
    const { name } = i.callee;
    const positions = takesLength(name) ? [2] : (SIZES[name] ?? []);
    if (positions.length === 0) return;
    for (const at of positions) i.args[at] = indices.low(i.args[at] as IrValue);
    i.functionType = narrowParameters(i.functionType, positions);
  }
}

/** Copies and fills of so many bytes, an i64. */
function takesLength(name: string): boolean {
  const operation = intrinsicOf(name)?.operation ?? "";
  return /^mem(cpy|move|set)/.test(operation) && name.endsWith("i64");
}

/** Of an index that is computed in 32 bits, what computed it in 64 may be of no use any more. */
function removeUnusedIndices(fn: IrFunction): void {
  const uses = useCounts(fn);
  const isUnused = (i: IrInstruction): boolean =>
    (i.op === "cast" || i.op === "binary" || i.op === "select") && (uses.get(i) ?? 0) === 0;
  const work = fn.blocks.flatMap((block) => block.instructions.filter((i) => isUnused(i)));
  const removed = new Set<IrInstruction>();
  for (let i = work.pop(); i !== undefined; i = work.pop()) {
    removed.add(i);
    forEachOperand(i, (value) => {
      uses.set(value, (uses.get(value) ?? 0) - 1);
      if (value.kind === "instruction" && isUnused(value) && !removed.has(value)) work.push(value);
    });
  }
  if (removed.size === 0) return;
  for (const block of fn.blocks) block.instructions = block.instructions.filter((i) => !removed.has(i));
}

interface Rewriting {
  readonly entry: IrBlock;
  /** Instructions for the beginning of the function, and the constants that they compute. */
  readonly first: IrInstruction[];
  readonly computed: Map<IrConstant, IrInstruction>;
  readonly names: NameSource;
  readonly instructions: IrInstruction[];
  readonly replaced: Map<IrValue, IrValue>;
}

function narrowParameters(type: CallInstruction["functionType"], positions: readonly number[]): typeof type {
  return functionType(
    type.result,
    type.params.map((param, at) => (positions.includes(at) ? I32 : param)),
    type.isVarArg,
  );
}

/** Whether an integer of more than 32 bits is computed of an address. */
function hasWideAddress(constant: IrConstant): constant is ConstExpr {
  if (constant.kind !== "const-expr" || constant.type.kind !== "int") return false;
  const i = constant.instruction;
  if (i.op === "binary") return hasWideAddress(i.lhs) || hasWideAddress(i.rhs);
  if (i.op !== "cast") return false;
  return i.operator === "ptrtoint" ? constant.type.bits > 32 : hasWideAddress(i.operand);
}

function isConstantValue(value: IrValue): value is IrConstant {
  return value.kind.startsWith("const-");
}

/** A constant whose form in memory is a plain number. */
function isPlainConstant(value: IrValue): value is IrConstant {
  return value.kind === "const-null" || value.kind === "const-zero" || value.kind === "const-undef";
}
