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

const BYTES = ["s8", "u8"];
const NIBBLES = ["s4", "u4"];
const SMALL_FLOATS = ["e4m3", "e5m2"];
/** All pairs of these types of A and B with these shapes, sums of one type. */
const pairs = (shapes: readonly string[], sum: string, types: readonly string[]): string[] =>
  shapes.flatMap((shape) => types.flatMap((a) => types.map((b) => `${shape}_${sum}_${a}_${b}_${sum}`)));

/** The combinations that libdevice/mma.cu and mma-forms.cu have. */
const MMA: ReadonlySet<string> = new Set([
  "m16n8k16_f32_f16_f16_f32",
  "m16n8k16_f16_f16_f16_f16",
  "m16n8k8_f32_f16_f16_f32",
  "m16n8k8_f16_f16_f16_f16",
  "m16n8k16_f32_bf16_bf16_f32",
  "m16n8k8_f32_bf16_bf16_f32",
  "m16n8k8_f32_tf32_tf32_f32",
  "m16n8k4_f32_tf32_tf32_f32",
  ...["m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"].map((shape) => `${shape}_f64_f64_f64_f64`),
  ...pairs(["m8n8k16", "m16n8k16", "m16n8k32"], "s32", BYTES),
  ...pairs(["m8n8k32", "m16n8k32", "m16n8k64"], "s32", NIBBLES),
  ...pairs(["m16n8k16", "m16n8k32"], "f32", SMALL_FLOATS),
  ...pairs(["m16n8k16", "m16n8k32"], "f16", SMALL_FLOATS),
]);
/** The combinations with a sparse A of libdevice/mma-sparse.cu, and how many values their selector has. */
const SPARSE: ReadonlyMap<string, number> = new Map(
  (
    [
      [4, ["m16n8k16_f32_f16_f16_f32", "m16n8k16_f16_f16_f16_f16", "m16n8k16_f32_bf16_bf16_f32"]],
      [2, ["m16n8k32_f32_f16_f16_f32", "m16n8k32_f16_f16_f16_f16", "m16n8k32_f32_bf16_bf16_f32"]],
      [4, ["m16n8k8_f32_tf32_tf32_f32"]],
      [2, ["m16n8k16_f32_tf32_tf32_f32"]],
      [2, [...pairs(["m16n8k32"], "s32", BYTES), ...pairs(["m16n8k64"], "s32", NIBBLES)]],
      [1, [...pairs(["m16n8k64"], "s32", BYTES), ...pairs(["m16n8k128"], "s32", NIBBLES)]],
      [1, pairs(["m16n8k64"], "f32", SMALL_FLOATS)],
    ] as const
  ).flatMap(([selectors, names]) => names.map((name): [string, number] => [name, selectors])),
);
const BIT_SHAPES: ReadonlySet<string> = new Set(["m8n8k128", "m16n8k128", "m16n8k256"]);
/** Volta's products, one for each quad pair: any order of A and B, and both sums of one type. */
const VOLTA: ReadonlySet<string> = new Set(["m8n8k4_f32_f16_f16_f32", "m8n8k4_f16_f16_f16_f16"]);

const isSparse = (c: PtxCall): boolean => has(c, "sp") || has(c, "sp::ordered_metadata");

/** What the device library calls an instruction, or null if it has none. */
function multiplyName(c: PtxCall, shape: string, types: readonly string[]): string | null {
  const name = [shape, ...types].join("_");
  const orders = c.words.filter((word) => word === "row" || word === "col");
  if (orders.length !== 2) return null;
  if (isSparse(c)) {
    if (orders.join() !== "row,col" || !SPARSE.has(name)) return null;
    return `${name}_sp${has(c, "satfinite") ? "_sat" : ""}`;
  }
  if (VOLTA.has(name) && !has(c, "satfinite")) return `${name}_${orders.join("_")}`;
  if (orders.join() !== "row,col") return null;
  if (types.join() === "s32,b1,b1,s32" && BIT_SHAPES.has(shape) && has(c, "popc"))
    return has(c, "xor") || has(c, "and") ? `${name}_${has(c, "xor") ? "xor" : "and"}` : null;
  return MMA.has(name) ? `${name}${has(c, "satfinite") ? "_sat" : ""}` : null;
}

function multiply(e: PtxEmitter, c: PtxCall): void {
  const shape = c.words.find((word) => /^m\d+n\d+k\d+$/.test(word)) ?? e.unsupported(c);
  const types = c.words
    .slice(c.words.indexOf(shape) + 1)
    .filter((word) => /^(?:[fsb]\d+|u[48]|bf16|tf32|e4m3|e5m2)$/.test(word));
  const [d, a, b, accumulator] = types;
  const name = multiplyName(c, shape, types);
  if (name === null) return e.unsupported(c);
  const result = registerType(d as string);
  const args = [
    ...fragment(e, c, 1, registerType(a === "f64" ? "f64" : "b32")),
    ...fragment(e, c, 2, registerType(b === "f64" ? "f64" : "b32")),
    ...fragment(e, c, 3, registerType(accumulator as string)),
    ...(isSparse(c) ? [e.read(c, 4, I32), selectorOf(e, c, SPARSE.get([shape, ...types].join("_")) ?? 0)] : []),
  ];
  writeFragment(e, c, e.callMany(`__heddle_mma_${name}`, result, e.elements(c, 0).length, args));
}

/** Which of the four lanes of a row contribute metadata: an immediate. */
function selectorOf(e: PtxEmitter, c: PtxCall, values: number): IrValue {
  const selector = e.read(c, 5, I32);
  return selector.kind === "const-int" && Number(selector.value) < values ? selector : e.unsupported(c);
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
