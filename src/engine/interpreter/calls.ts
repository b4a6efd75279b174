/** Calls: of functions with bodies, through function pointers, and of everything in the table of intrinsics. */
import { bug, unsupported } from "../../base/diagnostics.ts";
import type { CallInstruction, IrFunction, IrType, IrValue } from "../../ir/model/ir.ts";
import { alignOf, sizeOf } from "../../ir/model/layout.ts";
import { alignUp } from "../../base/align.ts";
import { formatType } from "../../ir/model/types.ts";
import type { BarrierFacts, IntrinsicFacts, ProductGroupFacts } from "../../ir/intrinsics/facts.ts";
import { requireIntrinsic } from "../../ir/intrinsics/lookup.ts";
import { arriveAtBarrier, arriveAtCluster, waitForCluster, type BarrierKind } from "./barriers.ts";
import type { Lowering } from "./operands.ts";
import type { Step } from "./thread.ts";
import type { Grid } from "./grid.ts";
import { llvmFunction } from "./llvm-functions.ts";
import { Fault } from "./memory.ts";
import { memoryIntrinsic } from "./memory-functions.ts";
import { nvvmFunction } from "./nvvm-functions.ts";
import type { Operand } from "./operands.ts";
import { giveWay } from "./deadlock-proof.ts";
import { commitProducts, waitForProducts } from "./product-groups.ts";
import { allocateLocal, type Frame, type Thread } from "./thread.ts";
import { threadValue } from "./thread-registers.ts";
import { storerOf, type Value } from "./value.ts";

/** No real program recurses deeper than this. */
const MAX_DEPTH = 10_000;

export function callStep(call: CallInstruction, lowering: Lowering): Step {
  const { callee } = call;
  const args = argumentOperands(call, lowering);
  const slot = lowering.slot(call);
  if (callee.kind === "inline-asm") return inlineAsm(callee.template, call);
  if (callee.kind !== "function") return indirectCall(call, lowering.operand(callee), args, slot, lowering.grid);
  if (callee.blocks.length > 0) return (thread, frame) => enter(callee, call, args, slot, thread, frame);
  return intrinsicStep(requireIntrinsic(callee.name, call.location), call, args, slot, lowering);
}

/**
 * PTX that says nothing (a barrier for the compiler) does nothing; all other inline PTX is translated before it comes
 * here.
 */
function inlineAsm(template: string, call: CallInstruction): Step {
  if (template.trim() === "" && call.type.kind === "void") return () => {};
  throw unsupported(`inline PTX "${template}"`, call.location ?? undefined);
}

function argumentOperands(call: CallInstruction, lowering: Lowering): Operand[] {
  return call.args.map((arg: IrValue) => lowering.operand(arg));
}

// ---------------------------------------------------------------- functions

function indirectCall(
  call: CallInstruction,
  pointer: Operand,
  args: readonly Operand[],
  slot: number,
  grid: Grid,
): Step {
  return (thread, frame) => {
    const address = pointer(thread, frame) as number;
    const target = grid.program.functionTable[address];
    if (!target)
      throw new Fault(
        "illegal-instruction",
        `call through a pointer (0x${address.toString(16)}) that is no function's`,
      );
    if (target.blocks.length === 0)
      throw unsupported(`calling ${target.name} through a pointer`, call.location ?? undefined);
    enter(target, call, args, slot, thread, frame);
  };
}

function enter(
  target: IrFunction,
  call: CallInstruction,
  args: readonly Operand[],
  slot: number,
  thread: Thread,
  frame: Frame,
): void {
  const stackPointer = thread.stackPointer;
  const values: Value[] = args.map((arg) => arg(thread, frame));
  // A struct passed by value: the callee gets a copy of its own.
  target.params.forEach((param, i) => {
    const type = call.byval[i] ?? param.byval;
    if (type) values[i] = copyToStack(thread, values[i] as number, type, param.align);
  });
  const variadic = target.functionType.isVarArg ? packVariadic(thread, call, values, target.params.length) : 0;
  values.length = target.params.length;
  thread.frame = pushFrame(thread, target, values, { caller: frame, resultSlot: slot, stackPointer, variadic });
}

type FrameLink = Pick<Frame, "caller" | "resultSlot" | "stackPointer" | "variadic">;

/** A new activation with its parameters in the first slots. */
export function pushFrame(thread: Thread, target: IrFunction, params: readonly Value[], link: FrameLink): Frame {
  const depth = (link.caller?.depth ?? 0) + 1;
  if (depth > MAX_DEPTH) throw new Fault("stack-overflow", `more than ${MAX_DEPTH} calls deep`);
  const code = thread.block.grid.codeOf(target);
  const values: Value[] = [...params];
  while (values.length < code.slotCount) values.push(0);
  return { code, values, pc: 0, depth, ...link };
}

function copyToStack(thread: Thread, source: number, type: IrType, align: number | null): number {
  const { memory } = thread.block.grid;
  const address = allocateLocal(thread, sizeOf(type), Math.max(align ?? 1, alignOf(type)));
  memory.copyWithin(address, source, sizeOf(type));
  return address;
}

/** The arguments that match `...`, one after another as va_arg reads them. */
function packVariadic(thread: Thread, call: CallInstruction, values: readonly Value[], fixed: number): number {
  const { memory } = thread.block.grid;
  const types = call.args.slice(fixed).map((arg) => arg.type);
  let size = 0;
  const offsets = types.map((type) => {
    size = alignUp(size, sizeOf(type) >= 8 ? 8 : 4);
    const offset = size;
    size += Math.max(4, sizeOf(type));
    return offset;
  });
  const base = allocateLocal(thread, size, 8);
  memory.check(base, size, 1, "store");
  types.forEach((type, i) => storerOf(type)(memory.view, base + (offsets[i] as number), values[fixed + i] as Value));
  return base;
}

// ---------------------------------------------------------------- intrinsics

function intrinsicStep(
  intrinsic: IntrinsicFacts,
  call: CallInstruction,
  args: readonly Operand[],
  slot: number,
  lowering: Lowering,
): Step {
  const { name } = intrinsic;
  const location = call.location ?? undefined;
  switch (intrinsic.kind) {
    case "pure": {
      const f = (intrinsic.isNvvm ? nvvmFunction : llvmFunction)(intrinsic, call.functionType);
      if (f === null) throw unsupported(`${name} at the signature ${formatType(call.functionType)}`, location);
      return (thread, frame) => {
        const result = f(args.map((arg) => arg(thread, frame)));
        if (slot >= 0) frame.values[slot] = result;
      };
    }
    case "thread": {
      const read = threadValue(intrinsic);
      return (thread, frame) => {
        const result = read(
          thread,
          args.map((arg) => arg(thread, frame)),
        );
        if (slot >= 0) frame.values[slot] = result;
      };
    }
    case "collective": {
      const maskIndex = maskArgument(intrinsic, args.length);
      return (thread, frame) => {
        const values = args.map((arg) => arg(thread, frame));
        thread.collective = {
          intrinsic,
          instruction: call,
          mask: maskIndex < 0 ? null : (values[maskIndex] as number),
          args: values,
          slot,
          serial: thread.warp.arrivals++,
        };
        thread.state = "waiting";
      };
    }
    case "sync":
      return intrinsic.productGroup === null
        ? synchronisation(intrinsic.barrier ?? bug(`no barrier ${name}`), args, slot)
        : productGroup(intrinsic.productGroup, args);
    case "memory": {
      const f = memoryIntrinsic(intrinsic, call, lowering.grid);
      return (thread, frame) => {
        const result = f(
          args.map((arg) => arg(thread, frame)),
          thread,
          frame,
        );
        if (slot >= 0) frame.values[slot] = result;
      };
    }
    case "control":
      return controlFunction(intrinsic, args);
    case "ignored":
      if (intrinsic.operation === "nanosleep") return giveWay;
      // A result that nobody should need (llvm.invariant.start) is null.
      return (_, frame) => {
        if (slot >= 0) frame.values[slot] = 0;
      };
  }
}

/** Where a collective's membermask stands among its arguments; -1: it has none. */
function maskArgument({ reduction, shuffle, operation, count: counts }: IntrinsicFacts, count: number): number {
  if (counts !== null) return -1;
  if (reduction !== null) return count - 1;
  const hasMask = shuffle === null ? operation !== "activemask" : shuffle.hasMask;
  return hasMask ? 0 : -1;
}

function synchronisation(barrier: BarrierFacts, args: readonly Operand[], slot: number): Step {
  const { scope, reduction, hasId, hasCount } = barrier;
  if (scope === "grid")
    return (thread) => {
      if (!thread.block.grid.launch.cooperative)
        throw new Fault("illegal-instruction", "a grid barrier needs a cooperative launch");
      thread.state = "waiting";
      thread.barrier = "grid";
    };
  if (scope === "cluster") return barrier.action === "arrive" ? arriveAtCluster : waitForCluster;
  const kind: BarrierKind = reduction ?? barrier.action;
  return (thread, frame) => {
    const values = args.map((arg) => arg(thread, frame)) as number[];
    const id = hasId ? (values[0] as number) : 0;
    const count = hasCount ? (values[1] as number) : null;
    arriveAtBarrier(thread, id, count, kind, reduction !== null && values.at(-1) !== 0, slot);
  };
}

function productGroup(what: ProductGroupFacts, [left]: readonly Operand[]): Step {
  if (what === "commit") return commitProducts;
  return (thread, frame) => waitForProducts(thread, left?.(thread, frame) as number);
}

function controlFunction({ operation }: IntrinsicFacts, args: readonly Operand[]): Step {
  switch (operation) {
    case "trap":
    case "ubsantrap":
      return () => {
        throw new Fault("trap", "the kernel executed a trap");
      };
    case "exit":
      return (thread) => {
        thread.state = "done";
      };
    case "__assertfail":
    case "__assert_fail":
      return (thread, frame) => {
        const { memory } = thread.block.grid;
        const [message, file, line = 0, functionName] = args.map((arg) => arg(thread, frame)) as number[];
        const text = (address: number | undefined): string => (address ? memory.readString(address) : "");
        const fault = new Fault("assert", `Assertion \`${text(message)}\` failed.`);
        fault.assertion = { expression: text(message), file: text(file), line, functionName: text(functionName) };
        throw fault;
      };
    default:
      return bug(`no meaning for ${operation}`);
  }
}
