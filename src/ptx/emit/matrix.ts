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

/** mma.sync D = A B + C: how many registers each fragment has follows from the shape. */
function multiply(f: PtxFunction, i: CallInstruction, words: string): void {
  const match =
    /^m(\d+)n(\d+)k(\d+)_(\w+?)_(\w+?)_(\w+?)_([a-z0-9]+?)(_sat)?$/.exec(words) ?? bug(`the matrix function ${words}`);
  const [, m, n, k, d, a, b, c, sat] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string | undefined,
  ];
  // The number that a type's name ends with: "tf32", "bf16", "s8".
  const bits = Number((/\d+$/.exec(a) as RegExpExecArray)[0]);
  const registers = (rows: string, columns: string): number =>
    Math.max(1, (Number(rows) * Number(columns) * bits) / 32 / (bits === 64 ? 64 : 32));
  const values = i.args.map((value) => f.register(value));
  const [aCount, bCount] = [registers(m, k), registers(k, n)];
  const fragment = (from: number, to: number): string => `{${values.slice(from, to).join(", ")}}`;
  const name = `mma.sync.aligned.m${m}n${n}k${k}.row.col${sat === undefined ? "" : ".satfinite"}.${d}.${a}.${b}.${c}`;
  const fragments = [
    `{${resultRegisters(f, i).join(", ")}}`,
    fragment(0, aCount),
    fragment(aCount, aCount + bCount),
    fragment(aCount + bCount, values.length),
  ];
  f.emit(`${name} ${fragments.join(", ")}`);
}
