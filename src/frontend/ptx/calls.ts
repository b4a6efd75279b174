/** Calls: of functions of the module or of others, and through registers (PTX ISA 8.5, 9.7.12.5 and 7.1). */
import { newInstruction, NO_ATTRIBUTES } from "../../ir/model/build.ts";
import type { CallInstruction, FunctionType, IrType, IrValue } from "../../ir/model/ir.ts";
import { PTR, arrayType } from "../../ir/model/types.ts";
import { ptxCall } from "../../ir/inline-ptx/operations.ts";
import type { PtxOperand } from "../../ir/inline-ptx/syntax.ts";
import type { FunctionLowering } from "./lower-function.ts";
import { convention, scalarType } from "./symbols.ts";
import type { PtxCallParts, PtxSignature, PtxStatement, PtxVariable } from "./syntax.ts";

/** Their meaning is not that of a function of the module. */
const NO_FUNCTIONS: ReadonlySet<string> = new Set([
  "cudaLaunchDevice",
  "cudaLaunchDeviceV2",
  "cudaGetParameterBufferV2",
]);

export function lowerCall(
  lowering: FunctionLowering,
  statement: PtxStatement,
  { results, args, prototype }: PtxCallParts,
  prototypes: ReadonlyMap<string, PtxSignature>,
): void {
  const { emitter } = lowering;
  const call = ptxCall(statement);
  const [target] = statement.operands;
  if (target === undefined) return emitter.fail("the call names no function");
  const named = target.kind === "symbol" && target.variable === null ? lowering.symbols.function(target.name) : null;
  if (target.kind === "symbol" && target.variable === null && named === null)
    return emitter.fail(`unknown function '${target.name}'`);
  if (target.kind === "symbol" && NO_FUNCTIONS.has(target.name)) return emitter.unsupported(statement);
  const signature = named?.signature ?? (prototype === null ? undefined : prototypes.get(prototype));
  if (signature === undefined) return emitter.fail(`the call names no prototype`);
  if (args.length !== signature.params.length)
    return emitter.fail(
      `the call has ${args.length} arguments, and the function ${signature.params.length} parameters`,
    );
  if (results.length !== signature.results.length)
    return emitter.fail(`the call takes ${results.length} results, and the function has ${signature.results.length}`);
  const callee = named?.fn ?? emitter.readOperand(call, target, PTR);
  const form = convention(signature);
  // Of a function of the device library: its own types.
  const functionType: FunctionType = named === null ? form.type : named.fn.functionType;
  const values: IrValue[] = [];
  const byval: (IrType | null)[] = [];
  const [result] = results;
  if (form.returnsInMemory) {
    values.push(memoryOf(lowering, result as PtxOperand));
    byval.push(null);
  }
  signature.params.forEach(({ variable }, i) => {
    const arg = args[i] as PtxOperand;
    const type = functionType.params[values.length] ?? scalarType(variable.type);
    if (variable.length !== null) {
      values.push(memoryOf(lowering, arg));
      byval.push(arrayType(scalarType(variable.type), variable.length));
    } else {
      const slot = arg.kind === "symbol" && arg.variable !== null ? lowering.slot(arg.variable as PtxVariable) : null;
      const value = slot === null ? emitter.readOperand(call, arg, type) : emitter.coerce(slot.value as IrValue, type);
      values.push(value);
      byval.push(null);
    }
  });
  const isVoid = functionType.result.kind === "void";
  const made = emitter.add(
    newInstruction<CallInstruction>(emitter, {
      op: "call",
      type: functionType.result,
      name: isVoid ? "" : emitter.name("call"),
      callee,
      functionType,
      args: values,
      fastMath: null,
      attributes: NO_ATTRIBUTES,
      byval,
    }),
  );
  if (isVoid || result === undefined) return;
  const slot =
    result.kind === "symbol" && result.variable !== null ? lowering.slot(result.variable as PtxVariable) : null;
  if (slot !== null) slot.value = emitter.coerce(made, scalarOf(signature));
  else emitter.writeOperand(call, result, made);
}

function scalarOf({ results }: PtxSignature): IrType {
  return scalarType(results[0]?.variable.type ?? "b32");
}

function memoryOf(lowering: FunctionLowering, operand: PtxOperand): IrValue {
  if (operand.kind !== "symbol" || operand.variable === null)
    return lowering.emitter.fail("what is passed as an array is a variable of the parameter space");
  return lowering.place(operand.variable as PtxVariable);
}
