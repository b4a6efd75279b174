/**
 * Loads of neighbouring words of a shared variable, at addresses that are known when compiling: NVIDIA's assembler
 * reads 16 bytes at once where three of four words are wanted, and nothing is written in between. It places the
 * variable, so it can align it.
 */
import { constantGepOffset } from "../../ir/model/gep.ts";
import type {
  IrConstant,
  IrFunction,
  IrGlobal,
  IrInstruction,
  IrModule,
  IrValue,
  LoadInstruction,
} from "../../ir/model/ir.ts";
import { SHARED_SPACE, sizeOf } from "../../ir/model/layout.ts";
import { hasSideEffects } from "../../ir/model/operands.ts";

export const QUAD_BYTES = 16;
const WORD_BYTES = 4;
const LEAST_WORDS = 3;

export interface SharedQuad {
  /** The first of the loads, which stands for all. */
  readonly leader: LoadInstruction;
  readonly variable: IrGlobal;
  /** A multiple of QUAD_BYTES. */
  readonly offset: number;
}

/** Aligns the shared variables of a module as the assembler may. */
export function alignSharedVariables(module: IrModule): void {
  for (const global of module.globals.values()) {
    const bytes = sizeOf(global.valueType);
    if (isShared(global) && bytes >= QUAD_BYTES) global.align = Math.max(global.align, QUAD_BYTES);
  }
}

export function sharedQuads(fn: IrFunction): Map<LoadInstruction, SharedQuad> {
  const quads = new Map<LoadInstruction, SharedQuad>();
  for (const { instructions } of fn.blocks) {
    let open = new Map<string, { readonly variable: IrGlobal; readonly offset: number; loads: LoadInstruction[] }>();
    const close = (): void => {
      for (const { variable, offset, loads } of open.values()) {
        const words = new Set(loads.map(({ pointer }) => placeOf(pointer)?.offset));
        if (words.size < LEAST_WORDS) continue;
        for (const load of loads) quads.set(load, { leader: loads[0] as LoadInstruction, variable, offset });
      }
      open = new Map();
    };
    for (const i of instructions) {
      const place = i.op === "load" ? sharedWord(i) : null;
      if (place !== null) {
        const offset = Math.floor(place.offset / QUAD_BYTES) * QUAD_BYTES;
        const key = `${place.variable.name} ${offset}`;
        const known = open.get(key);
        if (known === undefined) open.set(key, { variable: place.variable, offset, loads: [i as LoadInstruction] });
        else known.loads.push(i as LoadInstruction);
      } else if (mayWrite(i)) close();
    }
    close();
  }
  return quads;
}

function mayWrite(i: IrInstruction): boolean {
  return i.op !== "load" && hasSideEffects(i);
}

/** null: no plain load of a word at a known place in a shared variable. */
function sharedWord(i: LoadInstruction): { readonly variable: IrGlobal; readonly offset: number } | null {
  if (i.volatile || i.ordering !== null || sizeOf(i.type) !== WORD_BYTES) return null;
  const place = placeOf(i.pointer);
  if (place === null || !isShared(place.variable) || place.variable.align < QUAD_BYTES) return null;
  return place.offset + WORD_BYTES <= sizeOf(place.variable.valueType) ? place : null;
}

/** A constant address as a variable and the bytes behind it. */
function placeOf(pointer: IrValue): { readonly variable: IrGlobal; readonly offset: number } | null {
  if (pointer.kind === "global") return { variable: pointer, offset: 0 };
  const step = pointer.kind === "const-expr" || pointer.kind === "instruction" ? stepOf(pointer) : null;
  if (step === null) return null;
  const from = placeOf(step.base);
  return from === null ? null : { variable: from.variable, offset: from.offset + step.offset };
}

function stepOf(
  value: IrInstruction | (IrConstant & { readonly kind: "const-expr" }),
): { readonly base: IrValue; readonly offset: number } | null {
  const i = value.kind === "instruction" ? value : value.instruction;
  if (i.op === "cast" && i.operator === "addrspacecast") return { base: i.operand, offset: 0 };
  const offset = i.op === "gep" ? constantGepOffset(i) : null;
  return i.op === "gep" && offset !== null ? { base: i.base, offset } : null;
}

function isShared(global: IrGlobal): boolean {
  return global.type.addressSpace === SHARED_SPACE;
}
