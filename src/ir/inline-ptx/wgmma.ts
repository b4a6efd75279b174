/**
 * wgmma as calls of our device library (libdevice/wgmma.cu; PTX ISA 8.5, 9.7.15).
 *
 * Each thread makes its part of a product at the instruction, so that fences are notes for checkers. A wait for groups
 * is for the other threads of the warpgroup (engine/interpreter/product-groups.ts). Accumulators go through local
 * memory of the function: up to 128 registers are too many for arguments.
 */
import type { AllocaInstruction, IrBlock, IrType, IrValue } from "../model/ir.ts";
import { newInstruction, newLoad, newStore } from "../model/build.ts";
import { F32, I1, I32, I64, intType } from "../model/types.ts";
import type { PtxCall, PtxEmitter } from "./emit.ts";
import { has } from "./handler.ts";
import type { PtxOperand } from "./syntax.ts";

/** The combinations of D, A and B that libdevice/wgmma.cu has. */
const PRODUCTS: ReadonlySet<string> = new Set(
  [
    "f32_f16_f16 f16_f16_f16 f32_bf16_bf16 f32_tf32_tf32",
    "f32_e4m3_e4m3 f32_e4m3_e5m2 f32_e5m2_e4m3 f32_e5m2_e5m2",
    "f16_e4m3_e4m3 f16_e4m3_e5m2 f16_e5m2_e4m3 f16_e5m2_e5m2",
    "s32_s8_s8 s32_s8_u8 s32_u8_s8 s32_u8_u8",
  ].flatMap((names) => names.split(" ")),
);

const K_BYTES = 32;
const ELEMENT_BYTES: Readonly<Record<string, number>> = { f16: 2, bf16: 2, tf32: 4, e4m3: 1, e5m2: 1, s8: 1, u8: 1 };
/** As libdevice/wgmma.cu numbers them. */
const OPTION = { keep: 1, negateA: 2, negateB: 4, transposeA: 8, transposeB: 16, sparseA: 32 } as const;
const MAX_REGISTERS = 128;

export function warpgroupMultiply(e: PtxEmitter, c: PtxCall): void {
  const [, operation] = c.words;
  if (operation === "fence" || operation === "commit_group")
    return e.callVoid(`llvm.nvvm.wgmma.${operation}.sync.aligned`, []);
  if (operation === "wait_group") return e.callVoid("llvm.nvvm.wgmma.wait_group.sync.aligned", [e.read(c, 0, I32)]);
  if (operation !== "mma_async") return e.unsupported(c);
  const shape = c.words.findIndex((word) => /^m64n\d+k\d+$/.test(word));
  const [, n = "", k = ""] = /^m64n(\d+)k(\d+)$/.exec(c.words[shape] ?? "") ?? e.unsupported(c);
  const columns = Number(n);
  const [d = "", a = "", b = ""] = c.words.slice(shape + 1).filter((word) => word !== "satfinite");
  const name = `${d}_${a}_${b}`;
  const isSparse = has(c, "sp");
  const depth = Number(k) * (ELEMENT_BYTES[a] ?? 0);
  if (!PRODUCTS.has(name) || depth !== (isSparse ? 2 * K_BYTES : K_BYTES) || columns % 8 !== 0 || columns > 256)
    return e.unsupported(c);
  const perRegister = d === "f16" ? 4 : 2;
  const registers = e.elements(c, 0);
  if (registers.length !== columns / perRegister) return e.unsupported(c);

  const type = d === "f32" ? F32 : I32;
  const accumulators = storeRegisters(e, c, "wgmma.d", registers, type);
  const aInRegisters = c.operands[1]?.kind === "vector";
  const aRegisters = aInRegisters ? storeRegisters(e, c, "wgmma.a", e.elements(c, 1), I32) : nullPointer(e);
  const aDescriptor = aInRegisters ? e.int(I64, 0) : e.read(c, 1, I64);
  e.callVoid(`__heddle_wgmma_${name}${isSparse ? "_sp" : ""}${has(c, "satfinite") ? "_sat" : ""}`, [
    accumulators,
    aRegisters,
    aDescriptor,
    e.read(c, 2, I64),
    e.i32(columns),
    optionsOf(e, c, aInRegisters, isSparse ? 5 : 3),
    ...(isSparse ? [e.read(c, 3, I32), e.i32(selectorOf(e, c, ELEMENT_BYTES[a] === 1 ? 1 : 2))] : []),
  ]);
  registers.forEach((register, i) =>
    e.writeOperand(c, register, e.add(newLoad(e, e.name(), type, elementOf(e, accumulators, i), 4))),
  );
}

/** Which lanes of a row have its metadata. */
function selectorOf(e: PtxEmitter, c: PtxCall, count: number): number {
  const selector = immediate(e, c, 4);
  return selector >= 0 && selector < count ? selector : e.unsupported(c);
}

function immediate(e: PtxEmitter, c: PtxCall, index: number): number {
  const value = e.read(c, index, I32);
  return value.kind === "const-int" ? Number(BigInt.asIntN(32, value.value)) : e.unsupported(c);
}

/**
 * From `first` on scale-d, then imm-scale-a and imm-scale-b of floats, then imm-trans-a and imm-trans-b of what K may
 * cross.
 */
function optionsOf(e: PtxEmitter, c: PtxCall, aInRegisters: boolean, first: number): IrValue {
  const immediates = c.operands.slice(first + 1).map((_, i) => immediate(e, c, first + 1 + i));
  const [scaleA = 1, scaleB = 1, ...transposed] = immediates;
  const [transposeA, transposeB] = aInRegisters ? [0, transposed[0]] : transposed;
  let options = has(c, "sp") ? OPTION.sparseA : 0;
  if (scaleA === -1) options |= OPTION.negateA;
  if (scaleB === -1) options |= OPTION.negateB;
  if (transposeA === 1) options |= OPTION.transposeA;
  if (transposeB === 1) options |= OPTION.transposeB;
  if (c.operands[first] === undefined) return e.i32(options | OPTION.keep);
  const keeps = e.read(c, first, I1);
  return e.select(keeps, e.i32(options | OPTION.keep), e.i32(options));
}

function storeRegisters(
  e: PtxEmitter,
  c: PtxCall,
  name: string,
  registers: readonly PtxOperand[],
  type: IrType,
): IrValue {
  const place = localWords(e, name);
  registers.forEach((register, i) => {
    e.add(newStore(e, e.readOperand(c, register, type), elementOf(e, place, i), 4));
  });
  return place;
}

/** Local memory of the function for all statements that ask for this name. */
function localWords(e: PtxEmitter, name: string): IrValue {
  const entry = e.fn.blocks[0] as IrBlock;
  const own = entry.instructions.find((i) => i.op === "alloca" && i.name === name);
  if (own !== undefined) return own;
  const alloca = newInstruction<AllocaInstruction>(
    { block: entry, location: null },
    {
      op: "alloca",
      type: e.pointer,
      name,
      allocatedType: { kind: "array", element: I32, length: MAX_REGISTERS },
      count: null,
      align: 16,
    },
  );
  entry.instructions.unshift(alloca);
  return alloca;
}

function elementOf(e: PtxEmitter, base: IrValue, index: number): IrValue {
  if (index === 0) return base;
  return e.add(
    newInstruction(e, {
      op: "gep",
      type: e.pointer,
      name: e.name(),
      sourceType: intType(8),
      base,
      indices: [e.i32(4 * index)],
      inbounds: true,
    }),
  );
}

function nullPointer(e: PtxEmitter): IrValue {
  return e.cast("inttoptr", e.i32(0), e.pointer);
}
