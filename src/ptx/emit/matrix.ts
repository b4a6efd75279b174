/** Matrix instructions of a warp: the names of libdevice/mma.cu say the instruction (PTX ISA 8.5, 9.7.14). */
import { bug } from "../../base/diagnostics.ts";
import type { CallInstruction, IrType, IrValue } from "../../ir/model/ir.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { registerClass } from "./ptx-types.ts";

export function emitMatrixFunction(f: PtxFunction, i: CallInstruction, name: string): void {
  const words = name.slice("__heddle_".length);
  if (words.startsWith("mma_")) return multiply(f, i, words.slice(4));
  const count = Number(/_x(\d)/.exec(words)?.[1] ?? 1);
  const trans = words.endsWith("_trans") ? ".trans" : "";
  if (words.startsWith("ldmatrix")) {
    const at = f.inRegister(f.pointerIn(i.args[0] as IrValue, "shared"), f.pointers.held);
    return f.emit(
      `ldmatrix.sync.aligned.m8n8.x${count}${trans}.shared.b16 {${resultRegisters(f, i).join(", ")}}, [${at}]`,
    );
  }
  if (words.startsWith("stmatrix")) {
    const at = f.inRegister(f.pointerIn(i.args[0] as IrValue, "shared"), f.pointers.held);
    return f.emit(
      `stmatrix.sync.aligned.m8n8.x${count}${trans}.shared.b16 [${at}], {${i.args
        .slice(1)
        .map((value) => f.register(value))
        .join(", ")}}`,
    );
  }
  f.emit(`movmatrix.sync.aligned.m8n8.trans.b16 ${f.define(i)}, ${f.register(i.args[0] as IrValue)}`);
}

function resultRegisters(f: PtxFunction, i: CallInstruction): readonly string[] {
  if (i.type.kind !== "struct") return [f.define(i)];
  const registers = i.type.elements.map((element: IrType) => f.fresh(registerClass(element)));
  f.results.set(i, registers);
  return registers;
}

/** What the functions' names say: shape, types of D, A, B and C, and what differs from the usual instruction. */
const PRODUCT =
  /^m(\d+)n(\d+)k(\d+)_(\w+?)_(\w+?)_(\w+?)_([a-z0-9]+?)(?:_(sat|xor|and|sp|sp_sat|(?:row|col)_(?:row|col)))?$/;

/** mma.sync D = A B + C: how many registers each fragment has follows from the shape. */
function multiply(f: PtxFunction, i: CallInstruction, words: string): void {
  const match = PRODUCT.exec(words) ?? bug(`the matrix function ${words}`);
  const parts = match.slice(1) as Words;
  const [m, n, k, d, a, b, c, form] = parts;
  const values = i.args.map((value) => f.register(value));
  if (form === "sp" || form === "sp_sat") return multiplySparse(f, i, values, parts);
  const isVolta = form?.includes("_") ?? false; // four products, whose fragments have two registers
  const [aCount, bCount] = isVolta ? [2, 2] : [registers(m, k, a), registers(k, n, b)];
  const fragment = (from: number, to: number): string => `{${values.slice(from, to).join(", ")}}`;
  const order = isVolta ? (form as string).replace("_", ".") : "row.col";
  const operation = form === "xor" || form === "and" ? `.${form}.popc` : "";
  const name =
    `mma.sync.aligned.m${m}n${n}k${k}.${order}${form === "sat" ? ".satfinite" : ""}` +
    `.${d}.${a}.${b}.${c}${operation}`;
  const fragments = [
    `{${resultRegisters(f, i).join(", ")}}`,
    fragment(0, aCount),
    fragment(aCount, aCount + bCount),
    fragment(aCount + bCount, values.length),
  ];
  f.emit(`${name} ${fragments.join(", ")}`);
}

/** What a function's name says: the sides, the types and the form. */
type Words = [string, string, string, string, string, string, string, string | undefined];

/** mma.sp: half of A is stored, metadata and an immediate selector follow. */
function multiplySparse(f: PtxFunction, i: CallInstruction, values: readonly string[], words: Words): void {
  const [m, n, k, d, a, b, c, form] = words;
  const selector = i.args[i.args.length - 1] as IrValue;
  const stored = registers(m, k, a) / 2;
  const factors = stored + registers(k, n, b);
  const fragment = (from: number, to: number): string => `{${values.slice(from, to).join(", ")}}`;
  f.emit(
    `mma.sp.sync.aligned.m${m}n${n}k${k}.row.col${form === "sp_sat" ? ".satfinite" : ""}.${d}.${a}.${b}.${c} ` +
      `{${resultRegisters(f, i).join(", ")}}, ${fragment(0, stored)}, ${fragment(stored, factors)}, ` +
      `${fragment(factors, values.length - 2)}, ${values[values.length - 2]}, ` +
      `${selector.kind === "const-int" ? selector.value : bug(`a selector that is no number: ${words.join()}`)}`,
  );
}

/** Registers of a fragment in each lane. */
function registers(rows: string, columns: string, type: string): number {
  // The number that a type's name ends with: "tf32", "bf16", "s8". "e4m3" and "e5m2" have 8 bits.
  const bits = type.startsWith("e") ? 8 : Number((/\d+$/.exec(type) as RegExpExecArray)[0]);
  return Math.max(1, (Number(rows) * Number(columns) * bits) / 32 / (bits === 64 ? 64 : 32));
}
