/** One function of the program as PTX: its header, its frame, its blocks in order. */
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { bug, unsupported } from "../../base/diagnostics.ts";
import { reversePostOrder } from "../../ir/graph/cfg.ts";
import type {
  AllocaInstruction,
  CallInstruction,
  InsertElementInstruction,
  IrBlock,
  IrFunction,
  IrInstruction,
  IrParam,
  IrType,
  IrValue,
} from "../../ir/model/ir.ts";
import { alignOf, sizeOf } from "../../ir/model/layout.ts";
import { alignUp } from "../../base/align.ts";
import { forEachOperand } from "../../ir/model/operands.ts";
import { I8, formatType, isInt, scalarBits } from "../../ir/model/types.ts";
import { coalesceCopies } from "./coalesce-copies.ts";
import { emitBinary, emitFcmp, emitFneg, emitIcmp, emitSelect } from "./arithmetic.ts";
import { emitAtomicRmw, emitCmpxchg } from "./atomics.ts";
import { emitProgramCall, functionHeader, passedOperand, receive } from "./calls.ts";
import { emitCast } from "./casts.ts";
import { emitBranch, labelOf } from "./control.ts";
import { emitInlineAsm } from "./inline-asm.ts";
import { hoistConstants } from "./hoist-constants.ts";
import { emitIntrinsic } from "./intrinsics.ts";
import { emitFence, emitGep, emitLoad, emitStore } from "./memory.ts";
import { launchBound, launchBounds } from "../../program/launch-bounds.ts";
import type { MemoryGroups } from "../passes/pass-vectorize-memory.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { kernelParamName } from "./ptx-function.ts";
import { memoryType, passedType, registerClass } from "./ptx-types.ts";

/** The whole definition. */
export function emitFunction(f: PtxFunction, groups: MemoryGroups): string {
  const { fn } = f;
  const order = reversePostOrder(fn);
  layOutFrame(f);
  const wide = basesOfAccesses(f);
  readParams(f, wide);
  order.forEach((block, at) => emitBlock(f, block, order[at + 1] ?? null, groups, wide));
  const body = f.program.target.keepsCopies === true ? f.lines : hoistConstants(coalesceCopies(f.lines, f.statements));
  const head = fn.isKernel ? kernelHeader(f) : `${functionHeader(fn, f.program.functionName(fn))}`;
  const frame = f.usesFrame
    ? [
        `\t.local .align ${f.frameAlign} .b8 frame[${Math.max(1, f.frameBytes)}];`,
        `\tmov.b${f.pointers.bits} ${f.frame}, frame;`,
      ]
    : [];
  const declarations = f.declarations();
  return [head, "{", ...declarations, ...frame, ...body, "}", ""].join("\n");
}

/** Where a call of a function may come before its text. */
export function declareFunction(f: PtxFunction["program"], fn: IrFunction): string {
  if (fn.isKernel) return `${kernelSignature(f, fn).join("\n")};`;
  return `${functionHeader(fn, f.functionName(fn))};`;
}

function kernelSignature(program: PtxFunction["program"], fn: IrFunction): string[] {
  const params = fn.params.map((param) => {
    if (param.byval === null)
      return `\t.param .${memoryType(isBit(param.type) ? I8 : param.type)} ${kernelParamName(param)}`;
    const [align, size] = [Math.max(param.align ?? 1, alignOf(param.byval)), Math.max(1, sizeOf(param.byval))];
    return `\t.param .align ${align} .b8 ${kernelParamName(param)}[${size}]`;
  });
  return [`.visible .entry ${program.functionName(fn)}(`, params.join(",\n"), ")"];
}

function kernelHeader(f: PtxFunction): string {
  const { fn } = f;
  const lines = kernelSignature(f.program, fn);
  const threads = launchBound(fn, "maxntid");
  if (threads !== null) lines.push(`.maxntid ${threads}, 1, 1`);
  const blocks = launchBound(fn, "minctasm");
  if (blocks !== null && threads !== null) lines.push(`.minnctapersm ${blocks}`);
  const registers = launchBound(fn, "maxnreg");
  if (registers !== null) lines.push(`.maxnreg ${registers}`);
  const cluster = launchBounds(fn, "cluster_dim");
  if (cluster !== null && f.program.architecture >= 90)
    lines.push(".explicitcluster", `.reqnctapercluster ${cluster.join(", ")}`);
  return lines.join("\n");
}

function isBit(type: IrType): boolean {
  return isInt(type) && type.bits === 1;
}

// ---------------------------------------------------------------- the frame and what is known at the entry

function layOutFrame(f: PtxFunction): void {
  for (const instruction of f.fn.blocks[0]?.instructions ?? []) {
    if (instruction.op !== "alloca" || (instruction.count !== null && instruction.count.kind !== "const-int")) continue;
    const count = instruction.count === null ? 1 : Number((instruction.count as { value: bigint }).value);
    f.frameOffsets.set(
      instruction,
      f.reserveFrame(
        alignUp(Math.max(1, sizeOf(instruction.allocatedType) * count), 4),
        Math.max(instruction.align, 4),
      ),
    );
  }
}

/**
 * Pointers to global memory, or generic ones, at which accesses begin: their 64-bit addresses are made where they are.
 */
function basesOfAccesses(f: PtxFunction): ReadonlySet<IrValue> {
  const bases = new Set<IrValue>();
  const add = (pointer: IrValue): void => {
    const { base } = f.splitPointer(pointer);
    const space = f.spaceOf(base);
    if ((base.kind === "instruction" || base.kind === "param") && (space === "global" || space === "generic"))
      bases.add(base);
  };
  for (const block of f.fn.blocks) {
    for (const i of block.instructions) {
      if (i.op === "load" || i.op === "store" || i.op === "atomicrmw" || i.op === "cmpxchg") add(i.pointer);
      else if (i.op === "call")
        for (const argument of i.args)
          if (argument.type.kind === "ptr" && i.callee.kind === "function" && accessesGlobalMemory(i.callee.name))
            add(argument);
    }
  }
  return bases;
}

/** Functions without a body that become memory instructions. */
function accessesGlobalMemory(name: string): boolean {
  const facts = intrinsicOf(name);
  if (facts === null) return name.startsWith("__heddle_atomic_");
  return facts.isReadOnlyLoad || facts.atomic !== null || facts.asyncCopy !== null || name.startsWith("__assert");
}

function readParams(f: PtxFunction, wide: ReadonlySet<IrValue>): void {
  const { fn } = f;
  const used = new Set<IrValue>();
  for (const block of fn.blocks)
    for (const i of block.instructions)
      forEachOperand(i, (value) => {
        if (value.kind === "param") used.add(value);
      });
  for (const param of fn.params) {
    if (!used.has(param) || f.spaceOf(param) === "param") continue;
    if (fn.isKernel) readKernelParam(f, param);
    else receive(f, param, param.type, `${f.program.functionName(fn)}_${param.index}`);
    if (wide.has(param)) f.prepareWide(param);
  }
}

function readKernelParam(f: PtxFunction, param: IrParam): void {
  if (registerClass(param.type) !== "p")
    return f.emit(`ld.param.${memoryType(param.type)} ${f.define(param)}, [${kernelParamName(param)}]`);
  f.emit(`setp.ne.u32 ${f.define(param)}, ${f.make("r", `ld.param.u8 $d, [${kernelParamName(param)}]`)}, 0`);
}

// ---------------------------------------------------------------- blocks and instructions

function emitBlock(
  f: PtxFunction,
  block: IrBlock,
  next: IrBlock | null,
  groups: MemoryGroups,
  wide: ReadonlySet<IrValue>,
): void {
  f.label(labelOf(f, block));
  const phis = block.instructions.filter((i) => i.op === "phi");
  for (const phi of phis) {
    f.define(phi);
    if (wide.has(phi)) f.prepareWide(phi);
  }
  for (const i of block.instructions) {
    if (i.op === "phi") continue;
    f.locate(i.location);
    emitInstruction(f, i, next, groups);
    if (wide.has(i)) f.prepareWide(i);
  }
}

function emitInstruction(f: PtxFunction, i: IrInstruction, next: IrBlock | null, groups: MemoryGroups): void {
  switch (i.op) {
    case "binary":
      return emitBinary(f, i);
    case "fneg":
      return emitFneg(f, i);
    case "icmp":
      return emitIcmp(f, i);
    case "fcmp":
      return emitFcmp(f, i);
    case "cast":
      return emitCast(f, i);
    case "select":
      return emitSelect(f, i);
    case "freeze":
      return f.alias(i, f.register(i.operand));
    case "phi":
      return;
    case "gep":
      return emitGep(f, i);
    case "alloca":
      return emitAlloca(f, i);
    case "load":
      return emitLoad(f, i, groups);
    case "store":
      return emitStore(f, i, groups);
    case "cmpxchg": {
      f.results.set(i, emitCmpxchg(f, i));
      return;
    }
    case "atomicrmw":
      return emitAtomicRmw(f, i, groups);
    case "fence":
      return emitFence(f, i);
    case "call":
      return emitCall(f, i);
    case "extractvalue": {
      const registers = f.results.get(i.aggregate) ?? bug("an aggregate that is no result of an instruction");
      return f.alias(i, registers[i.indices[0] as number] as string);
    }
    case "insertvalue":
      return bug("insertvalue after legalising");
    case "extractelement":
      return extractElement(f, i.vector, i, i.index);
    case "insertelement":
      return insertElement(f, i);
    case "shufflevector":
      return bug("shufflevector after legalising");
    case "va_arg":
      return variableArgument(f, i, i.list);
    case "br":
    case "condbr":
    case "switch":
      return emitBranch(f, i, next);
    case "ret":
      return emitReturn(f, i.value);
    case "unreachable":
      return f.emit("trap");
  }
}

function emitReturn(f: PtxFunction, value: IrValue | null): void {
  if (value !== null) f.emit(`st.param.${passedType(value.type)} [func_result], ${passedOperand(f, value)}`);
  f.emit("ret");
}

function emitCall(f: PtxFunction, i: CallInstruction): void {
  if (i.callee.kind === "inline-asm") return emitInlineAsm(f, i, i.callee);
  if (i.callee.kind === "function" && i.callee.blocks.length === 0) return emitIntrinsic(f, i, i.callee.name);
  emitProgramCall(f, i);
}

/** Of a size known only now: from the stack, with the address that PTX's alloca gives. */
function emitAlloca(f: PtxFunction, i: AllocaInstruction): void {
  if (f.frameOffsets.has(i)) return;
  const count = i.count === null ? "1" : f.operand(i.count);
  if (i.count !== null && scalarBits(i.count.type) === 64)
    throw unsupported("alloca of a 64-bit size on a GPU", i.location ?? undefined);
  const bytes = f.make("r", `mul.lo.s32 $d, ${f.inRegister(count, "r")}, ${Math.max(1, sizeOf(i.allocatedType))}`);
  const rounded = f.make(
    "rd",
    `cvt.u64.u32 $d, ${f.make("r", `and.b32 $d, ${f.make("r", `add.s32 $d, ${bytes}, 15`)}, -16`)}`,
  );
  const allocated = f.make("rd", `alloca.u64 $d, ${rounded}, ${Math.max(16, i.align)}`);
  if (f.pointers.bits === 64) return f.copy(i, allocated);
  f.emit(`cvt.u32.u64 ${f.define(i)}, ${allocated}`);
}

/** A va_list is a pointer to the next argument, each aligned to its own size. */
function variableArgument(f: PtxFunction, i: IrInstruction, list: IrValue): void {
  const { space, text } = f.address(list);
  const { held, bits } = f.pointers;
  const size = sizeOf(i.type);
  let at = f.make(held, `ld${space}.b${bits} $d, ${text}`);
  if (size > 4) at = f.make(held, `and.b${bits} $d, ${f.make(held, `add.s${bits} $d, ${at}, ${size - 1}`)}, ${-size}`);
  f.emit(`st${space}.b${bits} ${text}, ${f.make(held, `add.s${bits} $d, ${at}, ${size}`)}`);
  f.emit(`ld.${memoryType(i.type)} ${f.define(i)}, [${f.widen(at, "generic")}]`);
}

// ---------------------------------------------------------------- vectors that intrinsics of the target take

function insertElement(f: PtxFunction, i: InsertElementInstruction): void {
  if (i.type.kind !== "vector" || i.index.kind !== "const-int") return bug("insertelement after legalising");
  const parts = [...(f.vectorParts.get(i.vector) ?? Array.from({ length: i.type.length }, () => i.element))];
  parts[Number(i.index.value)] = i.element;
  f.vectorParts.set(i, parts);
  const bits = scalarBits(i.type.element);
  if (Number(i.index.value) !== i.type.length - 1) return; // a whole vector is built in order
  if (bits * i.type.length !== 32 || bits !== 16) throw unsupported(`a value of type ${formatType(i.type)} on a GPU`);
  const halves = parts.map((part) =>
    part.type.kind === "float" ? f.register(part) : f.make("h", `cvt.u16.u32 $d, ${f.register(part)}`),
  );
  f.emit(`mov.b32 ${f.define(i)}, {${halves.join(", ")}}`);
}

function extractElement(f: PtxFunction, vector: IrValue, i: IrInstruction, index: IrValue): void {
  if (vector.type.kind !== "vector" || index.kind !== "const-int") return bug("extractelement after legalising");
  let halves = f.results.get(vector);
  if (halves === undefined) {
    halves = [f.fresh("h"), f.fresh("h")];
    f.emit(`mov.b32 {${halves.join(", ")}}, ${f.register(vector)}`);
    f.results.set(vector, halves);
  }
  const half = halves[Number(index.value)] as string;
  if (i.type.kind === "float") return f.alias(i, half);
  f.emit(`cvt.u32.u16 ${f.define(i)}, ${half}`);
}
