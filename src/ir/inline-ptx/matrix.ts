/**
 * PTX matrix instructions as calls of our device library (libdevice/mma.cu), which does them with shuffles (PTX ISA
 * 8.5, 9.7.13).
 *
 * The names say the whole shape: `__heddle_mma_m16n8k16_f32_f16_f16_f32`. A fragment is passed and returned as its
 * 32-bit registers, in the instruction's order; f64 fragments as doubles, f32 ones as floats.
 */
import type { IrType, IrValue } from "../model/ir.ts";
import type { PtxHandler } from "./handler.ts";
import type { PtxCall, PtxEmitter } from "./emit.ts";
import { warpgroupMultiply } from "./wgmma.ts";
import { F32, F64, I32 } from "../model/types.ts";

const has = (c: PtxCall, word: string): boolean => c.words.includes(word);
const registerType = (word: string): IrType => REGISTER_TYPES[word] ?? I32;
const REGISTER_TYPES: Readonly<Record<string, IrType>> = { f64: F64, f32: F32 };

function fragment(e: PtxEmitter, c: PtxCall, index: number, type: IrType): IrValue[] {
  return e.elements(c, index).map((operand) => e.readOperand(c, operand, type));
}
function writeFragment(e: PtxEmitter, c: PtxCall, values: readonly IrValue[]): void {
  e.elements(c, 0).forEach((operand, i) => e.writeOperand(c, operand, values[i] ?? e.unsupported(c)));
}

/** The combinations that libdevice/mma.cu has. */
const MMA: ReadonlySet<string> = new Set([
  "m16n8k16_f32_f16_f16_f32",
  "m16n8k16_f16_f16_f16_f16",
  "m16n8k8_f32_f16_f16_f32",
  "m16n8k8_f16_f16_f16_f16",
  "m16n8k16_f32_bf16_bf16_f32",
  "m16n8k8_f32_bf16_bf16_f32",
  "m16n8k8_f32_tf32_tf32_f32",
  "m16n8k4_f32_tf32_tf32_f32",
  "m8n8k4_f64_f64_f64_f64",
  "m16n8k32_s32_s8_s8_s32",
  "m16n8k32_s32_u8_u8_s32",
  "m16n8k32_s32_s8_u8_s32",
  "m16n8k32_s32_u8_s8_s32",
  "m16n8k16_s32_s8_s8_s32",
  "m16n8k16_s32_u8_u8_s32",
  "m16n8k16_s32_s8_u8_s32",
  "m16n8k16_s32_u8_s8_s32",
]);

function multiply(e: PtxEmitter, c: PtxCall): void {
  const shape = c.words.find((word) => /^m\d+n\d+k\d+$/.test(word)) ?? e.unsupported(c);
  const types = c.words.slice(c.words.indexOf(shape) + 1).filter((word) => /^(?:[fsb]\d+|u8|bf16|tf32)$/.test(word));
  const [d, a, b, accumulator] = types;
  const name = [shape, ...types].join("_");
  if (!MMA.has(name) || !has(c, "row") || !has(c, "col") || has(c, "sp")) return e.unsupported(c);
  const result = registerType(d as string);
  const args = [
    ...fragment(e, c, 1, registerType(a === "f64" ? "f64" : "b32")),
    ...fragment(e, c, 2, registerType(b === "f64" ? "f64" : "b32")),
    ...fragment(e, c, 3, registerType(accumulator as string)),
  ];
  writeFragment(
    e,
    c,
    e.callMany(`__heddle_mma_${name}${has(c, "satfinite") ? "_sat" : ""}`, result, e.elements(c, 0).length, args),
  );
}

function loadMatrix(e: PtxEmitter, c: PtxCall): void {
  const count = e.elements(c, 0).length;
  if (!has(c, "m8n8") || !has(c, "b16") || !has(c, `x${count}`)) return e.unsupported(c);
  writeFragment(
    e,
    c,
    e.callMany(`__heddle_ldmatrix_x${count}${has(c, "trans") ? "_trans" : ""}`, I32, count, [e.address(c, 1)]),
  );
}
function storeMatrix(e: PtxEmitter, c: PtxCall): void {
  const values = fragment(e, c, 1, I32);
  if (!has(c, "m8n8") || !has(c, "b16") || !has(c, `x${values.length}`)) return e.unsupported(c);
  e.callVoid(`__heddle_stmatrix_x${values.length}${has(c, "trans") ? "_trans" : ""}`, [e.address(c, 0), ...values]);
}
function moveMatrix(e: PtxEmitter, c: PtxCall): void {
  if (!has(c, "m8n8") || !has(c, "trans") || !has(c, "b16")) return e.unsupported(c);
  e.write(c, 0, e.call("__heddle_movmatrix_trans", I32, [e.read(c, 1, I32)]));
}

export const MATRIX: Readonly<Record<string, PtxHandler>> = {
  mma: multiply,
  ldmatrix: loadMatrix,
  stmatrix: storeMatrix,
  movmatrix: moveMatrix,
  wgmma: warpgroupMultiply,
};
