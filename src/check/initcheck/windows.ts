/**
 * Memory that code outside of the user's own functions makes or writes: shared memory, which is undefined when a block
 * begins, and what the device library stores, which counts as defined.
 */
import { CHECK_NAMES } from "../check-names.ts";
import { constI32, constI8, constZero, newBlock, newCall, NO_ATTRIBUTES, NameSource } from "../../ir/model/build.ts";
import { newFunction } from "../../ir/model/build-module.ts";
import { Emitter } from "../../ir/model/emitter.ts";
import { forEachSymbol } from "../../ir/model/constant-symbols.ts";
import { isConstant } from "../../ir/model/build.ts";
import type { IrFunction, IrGlobal, IrInstruction, IrModule, IrValue } from "../../ir/model/ir.ts";
import { SHARED_SPACE, isDynamicShared, sizeOf } from "../../ir/model/layout.ts";
import { directCallees } from "../../ir/graph/call-graph.ts";
import { forEachOperand } from "../../ir/model/operands.ts";
import { I32, VOID, functionType } from "../../ir/model/types.ts";
import { TOOL_PREFIX, type ObservedMemory } from "../../machine/observer.ts";
import { LAUNCH_VARIABLE, LAUNCH_WORDS } from "../../instrument/allocation-table.ts";
import { IrEdits } from "../../instrument/ir-edits.ts";
import { accessesOf } from "../../instrument/accesses.ts";
import { memoryClass } from "./definedness.ts";
import { UNDEFINED, fillShadow } from "./shadow-types.ts";

/**
 * For each place where a block's shared window may begin: the launch and the block that were there last, each plus 1.
 */
export const BLOCKS_VARIABLE = "blocks";
const WINDOW_SHIFT = 8;
const STAMP_BYTES = 8;

/** Bytes of the variable. */
export function blocksBytes({ windows }: ObservedMemory): number {
  return ((windows.end - windows.start) >>> WINDOW_SHIFT) * STAMP_BYTES;
}

/**
 * A function that leaves the shared memory of a kernel undefined; called where a kernel begins. Whichever warp or
 * thread of a block is there first does it for all, before any other begins: a block runs on one thread of the host.
 * null: the kernel has no shared memory.
 *
 * @param windowsStart where windows begin.
 */
export function blockStart(
  module: IrModule,
  kernel: IrFunction,
  plane: number,
  windowsStart: number,
): IrFunction | null {
  const variables = sharedVariables(module, kernel);
  const [window] = variables;
  if (window === undefined) return null;
  const fn = newFunction(`${CHECK_NAMES.prefix}block_start_${kernel.name}`, functionType(VOID, []));
  fn.linkage = "internal";
  fn.attributes = NO_ATTRIBUTES;
  module.functions.set(fn.name, fn);
  const [entry, first, done] = [newBlock(fn, "entry"), newBlock(fn, "first"), newBlock(fn, "done")];
  fn.blocks = [entry, first, done];
  const e = new Emitter(module, fn, new NameSource(fn), entry);
  const launch = CHECK_NAMES.variable(module, LAUNCH_VARIABLE);
  const register = (name: string): IrValue => e.intrinsic(`llvm.nvvm.read.ptx.sreg.${name}`, I32, []);
  const row = e.add(register("ctaid.y"), e.mul(register("nctaid.y"), register("ctaid.z")));
  const block = e.add(e.add(register("ctaid.x"), e.mul(register("nctaid.x"), row)), constI32(1));
  const serial = e.load(I32, e.offset(launch, LAUNCH_WORDS.serial), 4);
  const granule = e.lshr(e.sub(e.cast("ptrtoint", window, I32), constI32(windowsStart)), WINDOW_SHIFT);
  const stamp = e.offset(CHECK_NAMES.variable(module, BLOCKS_VARIABLE), e.mul(granule, constI32(STAMP_BYTES)));
  const isSame = e.and(
    e.icmp("eq", e.load(I32, stamp, 4), serial),
    e.icmp("eq", e.load(I32, e.offset(stamp, 4), 4), block),
  );
  e.condBr(isSame, done, first);
  e.block = first;
  e.store(serial, stamp, 4);
  e.store(block, e.offset(stamp, 4), 4);
  for (const variable of variables) {
    const bytes = isDynamicShared(variable)
      ? e.load(I32, e.offset(launch, LAUNCH_WORDS.sharedBytes), 4)
      : constI32(sizeOf(variable.valueType));
    fillShadow(
      e,
      CHECK_NAMES.shadowPointer(e, plane, e.cast("ptrtoint", variable, I32)),
      bytes,
      constI8(UNDEFINED),
      variable.align,
    );
  }
  e.br(done);
  e.block = done;
  e.append({ kind: "instruction", op: "ret", type: VOID, name: "", value: null, block: done, location: null });
  return fn;
}

/** Shared variables that a kernel, or what it calls, names. */
function sharedVariables(module: IrModule, kernel: IrFunction): IrGlobal[] {
  const variables = new Set<IrGlobal>();
  const functions = new Set<IrFunction>([kernel]);
  const note = (value: IrValue): void => {
    if (!isConstant(value)) return;
    forEachSymbol(value, (symbol) => {
      if (symbol.kind === "function") functions.add(symbol);
      else if (symbol.type.addressSpace === SHARED_SPACE && !symbol.name.startsWith(TOOL_PREFIX)) variables.add(symbol);
    });
  };
  for (const fn of functions) {
    for (const block of fn.blocks) {
      for (const i of block.instructions) {
        forEachOperand(i, note);
        // Who is called through a pointer is not known.
        if (i.op === "call" && i.callee.kind !== "function" && i.callee.kind !== "inline-asm")
          for (const other of module.functions.values()) if (!other.isKernel) functions.add(other);
      }
    }
  }
  return [...variables];
}

/** Functions that are not the user's: what they write is defined from then on. */
export function markWrites(module: IrModule, own: ReadonlySet<IrFunction>, plane: number): void {
  const tools = toolFunctions(module);
  for (const fn of module.functions.values()) {
    if (own.has(fn) || fn.blocks.length === 0 || tools.has(fn)) continue;
    const edits = new IrEdits(module, fn);
    for (const block of fn.blocks) for (const i of block.instructions) markWrite(edits, i, plane);
    edits.apply();
  }
}

/** The functions of tools, and what only those call: they write memory of tools, which has no shadow. */
function toolFunctions(module: IrModule): Set<IrFunction> {
  const all = [...module.functions.values()];
  const tools = calledFrom(all.filter(({ name }) => name.startsWith(TOOL_PREFIX)));
  for (const fn of calledFrom(
    all.filter((fn) => !tools.has(fn)),
    ({ name }) => !name.startsWith(TOOL_PREFIX),
  ))
    tools.delete(fn);
  return tools;
}

function calledFrom(
  roots: readonly IrFunction[],
  follows: (callee: IrFunction) => boolean = () => true,
): Set<IrFunction> {
  const reached = new Set(roots);
  for (const fn of reached) for (const callee of directCallees(fn)) if (follows(callee)) reached.add(callee);
  return reached;
}

function markWrite(edits: IrEdits, i: IrInstruction, plane: number): void {
  for (const { pointer, kind, bytes } of accessesOf(i)) {
    if (kind === "read" || memoryClass(pointer) !== "shared-with-host") continue;
    const e = edits.after(i);
    const shadow = CHECK_NAMES.shadowPointer(e, plane, e.cast("ptrtoint", pointer, I32));
    if (typeof bytes === "number" && [1, 2, 4, 8].includes(bytes))
      e.store(constZero({ kind: "int", bits: 8 * bytes }), shadow, i.op === "store" ? i.align : bytes);
    else fillShadow(e, shadow, typeof bytes === "number" ? constI32(bytes) : bytes, constI8(0), 1);
  }
}

/** Calls `start` first thing in the kernel. */
export function callAtEntry(edits: IrEdits, start: IrFunction): void {
  const e = edits.behindAllocas();
  e.append(newCall(e, "", start, []));
}
