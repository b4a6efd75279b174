/** What the loads and stores of varying values share: the access, its surroundings, and the tests of addresses. */
import type { IrInstruction, IrValue, LoadInstruction, StoreInstruction } from "../../../ir/model/ir.ts";
import { USER_BASE } from "../../../machine/memory-map.ts";
import type { FunctionBuilder, Local } from "../../../wasm/function-builder.ts";
import type { AccessLimits, ScalarContext } from "../../emit/environment.ts";
import { bytesOf, elementOf, type Element } from "./element.ts";
import type { MemoryHelpers } from "./memory-helpers.ts";
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import type { Values } from "./value-location.ts";
import type { SliceAddresses } from "./slice-addresses.ts";

export interface MemoryContext {
  readonly code: FunctionBuilder;
  readonly values: Values;
  readonly limits: AccessLimits;
  /** Index of the global that holds the scratch region's address. */
  readonly scratch: number;
  readonly helpers: MemoryHelpers;
  /** The mask of active lanes. */
  readonly mask: Local;
  /** All lanes are active whenever this block runs. */
  readonly isFull: boolean;
  siteOf(i: IrInstruction): number;
  /** A local that is 1 where all addresses of the access were found good ahead of it, or null. */
  flagOf(i: IrInstruction): Local | null;
  /** The addresses of all 32 lanes, or only those of the active ones, are known to be legal and aligned: no test. */
  isProvenInBounds(
    access: { readonly pointer: IrValue; readonly bytes: number; readonly align: number },
    lanes: "active" | "all",
  ): boolean;
  scalar(): ScalarContext;
}

export interface Access {
  readonly element: Element;
  readonly bytes: 1 | 2 | 4 | 8;
  readonly align: number;
  readonly pointer: IrValue;
}

export function accessOf(i: LoadInstruction | StoreInstruction): Access {
  const element = elementOf(i.op === "load" ? i.type : i.value.type);
  const bytes = bytesOf(element);
  return { element, bytes, align: Math.min(Math.max(i.align, 1), 16), pointer: i.pointer };
}

/** Pushes what `pushTest` pushes, or 1 where that is known already. */
export function pushTestOrFlag(context: MemoryContext, i: IrInstruction, pushTest: () => void): void {
  const flag = context.flagOf(i);
  if (flag === null) {
    pushTest();
    return;
  }
  const { code } = context;
  code.localGet(flag).hint("likely").if("i32");
  code.i32Const(1);
  code.else();
  pushTest();
  code.end();
}

/** Vector loads read the lanes that are masked off, too. */
export function isLoadInBounds(context: MemoryContext, access: Access): boolean {
  return context.isProvenInBounds(access, context.isFull ? "active" : "all");
}

/** What every helper takes first: (mask, site, base) or (mask, site, eight vectors of addresses). */
export function pushHelperArguments(
  context: MemoryContext,
  i: LoadInstruction | StoreInstruction,
  access: Access,
  addresses: SliceAddresses | null,
): void {
  context.code.localGet(context.mask);
  context.code.i32Const(context.siteOf(i));
  if (addresses !== null && addresses.offsets !== null) addresses.push(0);
  else for (let s = 0; s < SLICES; s++) context.values.pushVector(access.pointer, s);
}

export function pushIsFull(context: MemoryContext): void {
  context.code.localGet(context.mask);
  context.code.i32Const(-1).i32Eq();
}

export function andFullMask(context: MemoryContext): void {
  if (context.isFull) return;
  pushIsFull(context);
  context.code.i32And();
}

/** Pushes "all addresses are legal and aligned". */
export function pushLaneTest(context: MemoryContext, access: Access, pushAddresses: (slice: number) => void): void {
  const { code, limits, values } = context;
  const { bytes, align } = access;
  const k = Math.log2(Math.max(bytes, 1));
  const limit = code.local("v128");
  const address = code.local("v128");
  const bad = code.local("v128");
  code.globalGet(limits.scaled[k]!).i32x4Splat().localSet(limit);
  for (let s = 0; s < SLICES; s++) {
    pushAddresses(s);
    values.pushIntegers(USER_BASE);
    code.i32x4Sub().localSet(address);
    if (k > 0) {
      code
        .localGet(address)
        .i32Const(k)
        .i32x4ShrU()
        .localGet(address)
        .i32Const(32 - k)
        .i32x4Shl()
        .v128Or();
    } else code.localGet(address);
    code.localGet(limit).i32x4GtU();
    if (align > bytes) {
      code.localGet(address);
      values.pushIntegers(align - 1);
      code.v128And().i32x4Const(0, 0, 0, 0).i32x4Ne().v128Or();
    }
    if (s > 0) code.localGet(bad).v128Or();
    code.localSet(bad);
  }
  code.localGet(bad).v128AnyTrue().i32Eqz();
  code.free(limit, address, bad);
}
