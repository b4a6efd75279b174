/**
 * What a function can know of definedness before it runs: memory that always is initialised, and values that can never
 * be undefined.
 *
 * A value can be undefined if it comes from memory, from `undef`, or from another value that can be. Parameters are
 * defined: what is passed is checked where it is passed.
 */
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import { isLlvmName } from "../../ir/intrinsics/name-fields.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { isToolAddress } from "../../machine/observer.ts";
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";

/** Where a pointer may point, as far as initialisation is concerned. */
export type MemoryClass =
  /** Nobody can leave it undefined: constants, parameters. Has no shadow. */
  | "defined"
  /** Seen by this block or thread only. */
  | "block"
  /** Seen by the host and other launches, or it is not known which. */
  | "shared-with-host";

const SHARED_SPACE = 3;
const CONSTANT_SPACE = 4;
const PARAMETER_SPACE = 101;

/** @param defined parameters that are taken to point to memory which is, and stays, defined. */
export function memoryClass(pointer: IrValue, defined: ReadonlySet<IrValue> = NONE): MemoryClass {
  if (
    pointer.type.kind === "ptr" &&
    (pointer.type.addressSpace === PARAMETER_SPACE || pointer.type.addressSpace === CONSTANT_SPACE)
  )
    return "defined";
  if (isToolAddress(pointer)) return "defined";
  const roots = [...originsOf(pointer)];
  // What is passed by value may lie where there are no shadows.
  if (roots.some((root) => root.kind === "param" && root.byval !== null)) return "defined";
  const classes = new Set(roots.map((root) => (defined.has(root) ? "defined" : classOfRoot(root))));
  if (classes.has("shared-with-host")) return "shared-with-host";
  return classes.has("block") ? "block" : "defined";
}

const NONE: ReadonlySet<IrValue> = new Set();

function classOfRoot(root: IrValue): MemoryClass {
  if (root.kind === "global" && root.type.addressSpace === SHARED_SPACE) return "block";
  if (root.kind === "global")
    return root.isConstant || root.type.addressSpace === CONSTANT_SPACE ? "defined" : "shared-with-host";
  return root.kind === "instruction" && root.op === "alloca" ? "block" : "shared-with-host";
}

/** Values of the function that can be undefined. @param defined as in memoryClass. */
export function maybeUndefined(fn: IrFunction, defined: ReadonlySet<IrValue> = NONE): ReadonlySet<IrValue> {
  const found = new Set<IrValue>();
  const users = new Map<IrValue, IrInstruction[]>();
  const work: IrValue[] = [];
  const add = (value: IrValue): void => {
    if (found.has(value)) return;
    found.add(value);
    work.push(value);
  };
  for (const block of fn.blocks) {
    for (const i of block.instructions) {
      if (isSource(i, defined)) add(i);
      for (const operand of operandsOf(i)) {
        if (containsUndefined(operand) && passesOn(i)) add(i);
        if (operand.kind !== "instruction") continue;
        const list = users.get(operand);
        if (list === undefined) users.set(operand, [i]);
        else list.push(i);
      }
    }
  }
  for (let value = work.pop(); value !== undefined; value = work.pop())
    for (const user of users.get(value) ?? []) if (passesOn(user)) add(user);
  return found;
}

/** Whether the value comes from memory. */
function isSource(i: IrInstruction, defined: ReadonlySet<IrValue>): boolean {
  switch (i.op) {
    case "load":
      return memoryClass(i.pointer, defined) !== "defined";
    case "atomicrmw":
      return i.operator === "xchg";
    case "call":
      return isLoadIntrinsic(i) && memoryClass(i.args[0] as IrValue, defined) !== "defined";
    default:
      return false;
  }
}

/** Loads through the read-only cache. */
export function isLoadIntrinsic(call: CallInstruction): boolean {
  return calledIntrinsic(call)?.isReadOnlyLoad === true;
}

/** Whether the result of an instruction can be undefined because an operand is. */
function passesOn(i: IrInstruction): boolean {
  switch (i.op) {
    case "binary":
    case "fneg":
    case "icmp":
    case "fcmp":
    case "cast":
    case "select":
    case "phi":
    case "gep":
    case "extractvalue":
    case "insertvalue":
    case "extractelement":
    case "insertelement":
    case "shufflevector":
      return true;
    case "call":
      return passesThroughCall(i);
    default:
      return false;
  }
}

/**
 * Calls whose result depends on their arguments alone, and shuffles; what goes into votes and into other functions is
 * checked there.
 */
export function passesThroughCall(call: CallInstruction): boolean {
  const { callee, args, type } = call;
  if (callee.kind !== "function" || type.kind === "void") return false;
  if (isShuffle(callee.name)) return true;
  if (isDecision(callee.name) || args.some((arg) => arg.type.kind === "ptr" || arg.type.kind === "opaque"))
    return false;
  return callee.name.startsWith("__nv_") || isLlvmName(callee.name);
}

/** Operations in which threads decide something together. */
export function isDecision(name: string): boolean {
  const { kind, shuffle, operation } = intrinsicOf(name) ?? {};
  if (kind === "sync") return true;
  return kind === "collective" && shuffle === null && operation !== "activemask";
}

export function isShuffle(name: string): boolean {
  return (intrinsicOf(name)?.shuffle ?? null) !== null;
}

export function containsUndefined(value: IrValue): boolean {
  return value.kind === "const-undef" || (value.kind === "const-aggregate" && value.elements.some(containsUndefined));
}
