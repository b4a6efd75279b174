/**
 * Calls of functions of the program in PTX's calling convention (PTX ISA 8.5, 7 "Abstracting the ABI"): arguments and
 * results in .param variables. A struct by value is a pointer to the caller's, which the callee copies; arguments that
 * match `...` lie one after the other in memory, and their address comes last, as va_arg expects it.
 */
import { unsupported } from "../../base/diagnostics.ts";
import type { CallInstruction, IrFunction, IrType, IrValue } from "../../ir/model/ir.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { pointerOf } from "../../ir/model/types.ts";
import { alignUp } from "../../base/align.ts";
import { storedOperand } from "./memory.ts";
import type { PtxFunction } from "./ptx-function.ts";
import { memoryType, passedType, registerClass } from "./ptx-types.ts";

export function emitProgramCall(f: PtxFunction, i: CallInstruction): void {
  const { functionType } = i;
  const fixed = i.args.slice(0, functionType.params.length);
  const passed = fixed.map((argument) => ({ type: argument.type, operand: passedOperand(f, argument) }));
  if (functionType.isVarArg)
    passed.push({
      type: pointerOf(f.fn),
      operand: packVariableArguments(f, i.args.slice(functionType.params.length)),
    });
  const direct = i.callee.kind === "function" ? i.callee : null;
  const target = direct === null ? f.pointers.functionAddress(f, i.callee) : f.program.functionName(direct);
  const prototype = direct === null ? f.program.label().replace("$L", "$prototype") : null;
  f.lines.push("\t{");
  passed.forEach(({ type, operand }, n) => {
    f.emit(`.param .${passedType(type)} a${n}`);
    f.emit(`st.param.${passedType(type)} [a${n}], ${operand}`);
  });
  const hasResult = functionType.result.kind !== "void";
  if (hasResult) f.emit(`.param .${passedType(functionType.result)} result`);
  if (prototype !== null) {
    const params = passed.map(({ type }) => `.param .${passedType(type)} _`).join(", ");
    const result = hasResult ? `(.param .${passedType(functionType.result)} _) ` : "";
    f.lines.push(`\t${prototype}: .callprototype ${result}_ (${params});`);
  }
  const args = passed.map((_, n) => `a${n}`).join(", ");
  f.emit(`call ${hasResult ? "(result), " : ""}${target}, (${args})${prototype === null ? "" : `, ${prototype}`}`);
  if (hasResult && i.type.kind !== "void") receive(f, i, i.type, "result");
  f.lines.push("\t}");
}

export function passedOperand(f: PtxFunction, value: IrValue): string {
  if (value.type.kind === "int" && value.type.bits === 1) return f.make("r", `selp.b32 $d, 1, 0, ${f.operand(value)}`);
  return storedOperand(f, value);
}

/** Reads a .param variable into a value's register. */
export function receive(f: PtxFunction, value: IrValue, type: IrType, param: string): void {
  if (registerClass(type) !== "p") return f.emit(`ld.param.${passedType(type)} ${f.define(value)}, [${param}]`);
  f.emit(`setp.ne.u32 ${f.define(value)}, ${f.make("r", `ld.param.b32 $d, [${param}]`)}, 0`);
}

function packVariableArguments(f: PtxFunction, args: readonly IrValue[]): string {
  let bytes = 0;
  const places = args.map((argument) => {
    const size = sizeOf(argument.type);
    const at = alignUp(bytes, size);
    bytes = at + size;
    return at;
  });
  const base = f.reserveFrame(bytes, 8);
  args.forEach((argument, n) => {
    if (argument.type.kind === "int" && argument.type.bits < 32)
      throw unsupported("a variable argument that was not promoted");
    const place = base + (places[n] as number);
    f.emit(`st.local.${memoryType(argument.type)} [${f.frame}+${place}], ${storedOperand(f, argument)}`);
  });
  const { held, bits } = f.pointers;
  return f.toGeneric(f.make(held, `add.s${bits} $d, ${f.frame}, ${base}`), "local");
}

/** `.func (.param .b32 result) name (.param .b32 p0, …)` */
export function functionHeader(fn: IrFunction, name: string): string {
  const result =
    fn.functionType.result.kind === "void" ? "" : `(.param .${passedType(fn.functionType.result)} func_result) `;
  const params = fn.params.map((param) => `.param .${passedType(param.type)} ${name}_${param.index}`);
  if (fn.functionType.isVarArg) params.push(`.param .b${fn.type.bits} ${name}_rest`);
  return `.func ${result}${name}(${params.join(", ")})`;
}
