/** Where products of warpgroups have their operands in scratch memory. */
import { SLICES } from "../../../analysis/lane-addresses/lane-shape.ts";
import { COUNT_SLOTS } from "./count-helpers.ts";
import { SCRATCH_BYTES, SLOT_BYTES } from "./lane-scratch.ts";

/** 32-bit words of K of a row or column. */
export const WORDS = 8;
export const VECTOR_BYTES = 16;
/** A register of all lanes. */
export const REGISTER_BYTES: number = SLICES * VECTOR_BYTES;
const MAX_REGISTERS = 128;
const MAX_PARTS = 4;
/** Behind everything else in scratch memory: accumulators, registers of A, then A and B as they are multiplied. */
export const SUMS: number = (SCRATCH_BYTES + COUNT_SLOTS * SLOT_BYTES + 15) & ~15;
export const A_REGISTERS: number = SUMS + MAX_REGISTERS * REGISTER_BYTES;
export const ROWS: number = A_REGISTERS + 4 * REGISTER_BYTES;
export const COLUMNS: number = ROWS + 16 * WORDS * MAX_PARTS * 4;
const ELEMENTS_END: number = COLUMNS + 2 * WORDS * MAX_PARTS * VECTOR_BYTES;
/** From a first element of a word to the exponents of all. */
export const TO_EXPONENTS: number = ELEMENTS_END - ROWS;
/** The scratch memory of kernels with such products. */
export const WARPGROUP_SCRATCH_BYTES: number = ELEMENTS_END + TO_EXPONENTS;
