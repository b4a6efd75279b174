/**
 * How a module's pointers are held and become addresses: the one place where the two kinds of programs differ.
 *
 *   window-pointers.ts   32 bits, offsets into a window of GPU addresses (address-map.ts): host programs of 32 bits
 *   native-pointers.ts   64 bits, the GPU's own generic addresses: all others
 *
 * A pointer is held in the form of its space (analysis/pointers/pointer-spaces.ts). In both models "global", "constant"
 * and "generic" have one form, the program's; "shared" and "local" are addresses in that space.
 */
import type { IrConstant, IrFunction, IrValue, PointerBits } from "../../ir/model/ir.ts";
import type { PointerSpace } from "../../analysis/pointers/pointer-spaces.ts";
import type { PtxFunction } from "./ptx-function.ts";

/** What stands in brackets, and the state space of the instruction ("" for a generic address). */
export interface PtxAddress {
  readonly space: string;
  readonly text: string;
}

export interface PointerTerm {
  readonly index: IrValue;
  readonly scale: number;
}

export interface PointerModel {
  readonly bits: PointerBits;
  /** The class of registers that hold pointers. */
  readonly held: "r" | "rd";
  /** An operand for a constant that mentions no shared variable: a pointer, or a number made of one. */
  constant(f: PtxFunction, constant: IrConstant): string;
  toGeneric(f: PtxFunction, operand: string, held: PointerSpace): string;
  fromGeneric(f: PtxFunction, generic: string, space: PointerSpace): string;
  /** The GPU's 64-bit address of a pointer to global memory or of a generic one. */
  wideAddress(f: PtxFunction, value: IrValue): string;
  widen(f: PtxFunction, pointer: string, space: PointerSpace): string;
  /** Whether an access needs an address made from the pointer, which is then made once, where the pointer is. */
  readonly prepares: boolean;
  /** Where a pointer to __constant__ memory points, `offset` bytes on. */
  constantAddress(f: PtxFunction, base: IrValue, offset: number): PtxAddress;
  /** base + Σ index · scale + constant. */
  add(f: PtxFunction, base: string, terms: readonly PointerTerm[], constant: number): string;
  /** Sets `register`, a predicate: whether the generic pointer points into this memory. */
  testSpace(f: PtxFunction, register: string, generic: string, space: "global" | "shared" | "local" | "constant"): void;
  /** The code behind a function pointer. */
  functionAddress(f: PtxFunction, pointer: IrValue): string;
  /** Declarations of the table that function pointers are looked up in, if any. */
  functionTable(functions: readonly (IrFunction | null)[], nameOf: (fn: IrFunction | null) => string): string;
}
