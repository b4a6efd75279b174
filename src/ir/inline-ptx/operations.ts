/** All instructions of PTX that have a meaning in IR: of inline assembly, and of modules in PTX (frontend/ptx). */
import { ARITHMETIC } from "./arithmetic.ts";
import { CONVERSIONS } from "./convert.ts";
import { ptxType, type PtxCall, type PtxType } from "./emit.ts";
import type { PtxHandler } from "./handler.ts";
import { MATRIX } from "./matrix.ts";
import { MEMORY } from "./memory.ts";
import type { PtxInstruction } from "./syntax.ts";
import { VIDEO } from "./video.ts";
import { WARP } from "./warp.ts";

/** Their results depend on the operands alone: under a guard they may be computed and not taken. */
export const PURE: Readonly<Record<string, PtxHandler>> = { ...ARITHMETIC, ...CONVERSIONS, ...VIDEO };

export const EFFECTS: Readonly<Record<string, PtxHandler>> = { ...MEMORY, ...WARP, ...MATRIX };

export function ptxCall(instruction: PtxInstruction): PtxCall {
  const types = instruction.opcode.map(ptxType).filter((type): type is PtxType => type !== null);
  return { words: instruction.opcode, operands: instruction.operands, types, source: instruction };
}
