/** Where it matters whether a value is defined: the *sinks* of a function, and the values that they depend on. */
import { isPrint } from "../../ir/intrinsics/print-functions.ts";
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";
import { calledIntrinsic } from "../../ir/model/called-intrinsic.ts";
import type { CallInstruction, IrFunction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { isDecision, isLoadIntrinsic, isShuffle, memoryClass } from "./definedness.ts";
import type { ShadowValues } from "./shadow-values.ts";

/** What an undefined value would decide. */
export type Use =
  | "branch"
  | "address"
  | "size"
  | "atomic"
  | "vote"
  | "argument"
  | "result"
  | "printed"
  /** Arithmetic has made it, and it is stored to device memory. */
  | "computed"
  /** As a copy: a fault once the host reads it. */
  | "stored";

/** A use of a value that must be defined. */
export interface Sink {
  readonly use: Use;
  readonly values: readonly IrValue[];
}

type AddSink = (use: Use, ...values: readonly (IrValue | null)[]) => void;

export class Sinks {
  readonly #function: IrFunction;
  readonly #shadows: ShadowValues;
  readonly #defined: ReadonlySet<IrValue>;
  readonly #byInstruction = new Map<IrInstruction, readonly Sink[]>();
  /** Values that a sink depends on. */
  readonly #sources: ReadonlySet<IrValue>;

  /** @param defined as in memoryClass. */
  constructor(fn: IrFunction, shadows: ShadowValues, defined: ReadonlySet<IrValue>) {
    this.#function = fn;
    this.#shadows = shadows;
    this.#defined = defined;
    for (const { instructions } of fn.blocks) for (const i of instructions) this.#find(i);
    this.#sources = this.sourcesOf([...this.#byInstruction.values()].flat().flatMap(({ values }) => values));
  }

  at(i: IrInstruction): readonly Sink[] {
    return this.#byInstruction.get(i) ?? [];
  }

  dependOn(value: IrValue): boolean {
    return this.#sources.has(value);
  }

  /** The values that can be undefined among all that `values` are made of. */
  sourcesOf(values: readonly IrValue[]): Set<IrValue> {
    const seen = new Set<IrValue>();
    for (const value of values) this.#collect(value, seen);
    return seen;
  }

  #collect(value: IrValue, seen: Set<IrValue>): void {
    const work = [value];
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      if (seen.has(at) || !this.#shadows.canBeUndefined(at)) continue;
      seen.add(at);
      if (at.kind === "instruction" && at.op !== "load" && at.op !== "atomicrmw") work.push(...operandsOf(at));
    }
  }

  /** What is stored into a local object. */
  printed(pointer: IrValue): IrValue[] {
    const [buffer] = originsOf(pointer) as ReadonlySet<IrValue>;
    if (buffer === undefined) return [];
    return this.#function.blocks.flatMap(({ instructions }) =>
      instructions.flatMap((i) => (i.op === "store" && originsOf(i.pointer).has(buffer) ? [i.value] : [])),
    );
  }

  #find(i: IrInstruction): void {
    const sinks: Sink[] = [];
    const add: AddSink = (use, ...values) => {
      const relevant = values.filter(
        (value): value is IrValue => value !== null && this.#shadows.canBeUndefined(value),
      );
      if (relevant.length > 0) sinks.push({ use, values: relevant });
    };
    switch (i.op) {
      case "condbr":
        add("branch", i.condition);
        break;
      case "switch":
        add("branch", i.value);
        break;
      case "load":
        add("address", i.pointer);
        break;
      case "store":
        add("address", i.pointer);
        if (memoryClass(i.pointer, this.#defined) === "shared-with-host") add("stored", i.value);
        break;
      case "atomicrmw":
        add("address", i.pointer);
        if (i.operator !== "xchg") add("atomic", i.value);
        break;
      case "cmpxchg":
        add("address", i.pointer);
        add("atomic", i.expected);
        break;
      // In C++, a number or a pointer must be defined when it is returned.
      case "ret":
        add("result", i.value !== null && isScalar(i.value) ? i.value : null);
        break;
      case "call":
        this.#findInCall(i, add);
        break;
      default:
    }
    if (sinks.length > 0) this.#byInstruction.set(i, sinks);
  }

  #findInCall(i: CallInstruction, add: AddSink): void {
    const { callee, args } = i;
    if (callee.kind === "inline-asm") return;
    if (callee.kind !== "function") {
      add("branch", callee);
      for (const arg of args) if (isScalar(arg)) add("argument", arg);
      return;
    }
    const { name } = callee;
    const range = calledIntrinsic(i)?.memoryRange ?? null;
    if (range !== null) {
      add("address", args[0] as IrValue, range === "memset" ? null : (args[1] as IrValue));
      add("size", args[2] as IrValue);
    } else if (isPrint(name)) add("printed", ...this.printed(args[1] as IrValue));
    else if (isLoadIntrinsic(i)) add("address", args[0] as IrValue);
    else if (isDecision(name)) add("vote", ...args);
    else if (isShuffle(name)) return;
    else if (callee.blocks.length > 0 && !name.startsWith("__nv_")) {
      for (const [index, arg] of args.entries())
        if (callee.params[index]?.attributes.has("noundef") === true && isScalar(arg)) add("argument", arg);
    }
  }
}

function isScalar({ type }: IrValue): boolean {
  return type.kind === "int" || type.kind === "float" || type.kind === "ptr";
}
