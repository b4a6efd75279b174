/** What an instruction does to memory that other threads see, as racecheck looks at it. */
import type { AtomicOrdering, CallInstruction, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import { storeSize } from "../../ir/model/layout.ts";
import { operandsOf } from "../../ir/model/operands.ts";
import { isToolAddress } from "../../machine/observer.ts";
import { accessesOf } from "../../instrument/accesses.ts";
import { originsOf } from "../../analysis/pointers/pointer-origins.ts";
import { isExchangeGuess } from "./exchange-guess.ts";

/** "atomic": what changes memory; volatile counts as atomic, without order. */
export type RaceKind = "read" | "write" | "atomic" | "atomic-read";

export function changesMemory(kind: RaceKind): boolean {
  return kind === "write" || kind === "atomic";
}

export function isAtomic(kind: RaceKind): boolean {
  return kind === "atomic" || kind === "atomic-read";
}

export interface RaceAccess {
  readonly pointer: IrValue;
  readonly kind: RaceKind;
  /** Known at compile time. */
  readonly bytes: number;
  /** Of the address, in bytes, as far as the code promises it. */
  readonly align: number;
  /** Which threads an atomic operation is atomic for. */
  readonly scope: "block" | "device";
  readonly volatile: boolean;
  /** What is written or was read, where that is one value. */
  readonly value: IrValue | null;
  /** Of `bytes`, so many are accessed; the thread has accessed memory at `otherwise` in any case. null: all are. */
  readonly part: { readonly length: IrValue; readonly otherwise: IrValue } | null;
}

/** Copies and fills in the code that are longer are loops (pass-expand-mem-intrinsics.ts). */
export const LONGEST_BYTES = 256;
const CONSTANT_SPACE = 4;
const LOCAL_SPACE = 5;

export function raceAccessesOf(i: IrInstruction): RaceAccess[] {
  switch (i.op) {
    case "load":
      return access(
        i,
        i.pointer,
        i.ordering !== null || i.volatile || isExchangeGuess(i) ? "atomic-read" : "read",
        storeSize(i.type),
        i,
      );
    case "store":
      return access(
        i,
        i.pointer,
        i.ordering !== null || i.volatile ? "atomic" : "write",
        storeSize(i.value.type),
        i.value,
      );
    case "atomicrmw":
      return access(i, i.pointer, "atomic", storeSize(i.value.type), i);
    case "cmpxchg":
      return access(i, i.pointer, "atomic", storeSize(i.expected.type), null);
    case "call":
      return callAccesses(i);
    default:
      return [];
  }
}

function access(
  i: IrInstruction & { scope?: string | null; volatile?: boolean; ordering?: AtomicOrdering | null; align?: number },
  pointer: IrValue,
  kind: RaceKind,
  bytes: number,
  value: IrValue | null,
): RaceAccess[] {
  if (isToolAddress(pointer) || accessesOf(i).length === 0) return [];
  const scope = i.scope === "block" || i.scope === "singlethread" ? "block" : "device";
  return [
    {
      pointer,
      kind,
      bytes,
      align: i.align ?? bytes,
      scope,
      volatile: i.volatile === true && (i.ordering ?? null) === null,
      value,
      part: null,
    },
  ];
}

/** The length of an access in bytes; 0 where it is computed. */
function knownLength(bytes: number | IrValue): number {
  if (typeof bytes === "number") return bytes;
  return bytes.kind === "const-int" ? Number(bytes.value) : 0;
}

function callAccesses(i: CallInstruction): RaceAccess[] {
  return accessesOf(i).flatMap(({ pointer, kind, bytes, mostBytes }): RaceAccess[] => {
    const extent = mostBytes ?? knownLength(bytes);
    if (extent === 0 || extent > LONGEST_BYTES || kind === "atomic") return [];
    // Copies and fills promise what they promise; other intrinsics want their data aligned.
    const align =
      typeof bytes === "number" || mostBytes !== undefined ? extent : (i.argAlign?.[i.args.indexOf(pointer)] ?? 1);
    return [
      {
        pointer,
        kind,
        bytes: extent,
        align,
        scope: "device",
        volatile: false,
        value: i.type.kind === "void" ? null : i,
        part: mostBytes === undefined ? null : { length: bytes as IrValue, otherwise: i.args[0] as IrValue },
      },
    ];
  });
}

/** Memory that no other thread can write: the thread's own, or constant. */
export function isPrivate(pointer: IrValue): boolean {
  return [...originsOf(pointer)].every((root) => {
    if (
      root.type.kind === "ptr" &&
      (root.type.addressSpace === CONSTANT_SPACE || root.type.addressSpace === LOCAL_SPACE)
    )
      return true;
    if (root.kind === "global") return root.isConstant;
    if (root.kind === "param") return root.byval !== null;
    return (
      root.kind === "const-null" || root.kind === "const-undef" || (root.kind === "instruction" && root.op === "alloca")
    );
  });
}

/** What every thread writes by it, the same in all of the launch; null: not known to be. */
export function launchConstant({ kind, value }: RaceAccess): IrValue | null {
  return kind === "write" && value !== null && isLaunchConstant(value) ? value : null;
}

/** Whether a value is made of constants and parameters alone. */
export function isLaunchConstant(value: IrValue, depth = 8): boolean {
  if (value.kind === "param") return value.function.isKernel && value.byval === null;
  if (value.kind !== "instruction") return value.kind.startsWith("const-");
  if (depth === 0 || (value.op !== "binary" && value.op !== "cast" && value.op !== "fneg" && value.op !== "select"))
    return false;
  return operandsOf(value).every((operand) => isLaunchConstant(operand, depth - 1));
}
