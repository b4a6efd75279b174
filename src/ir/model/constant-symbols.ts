/** The functions and globals inside of constants: visited, and replaced. */
import type { ConstExprInstruction, IrConstant, IrFunction, IrGlobal, IrValue } from "./ir.ts";

/** Visits every function and global that a value names, inside constant expressions and aggregates too. */
export function forEachSymbol(value: IrValue, visit: (symbol: IrFunction | IrGlobal) => void): void {
  switch (value.kind) {
    case "function":
    case "global":
      return visit(value);
    case "const-aggregate":
      for (const element of value.elements) forEachSymbol(element, visit);
      return;
    case "const-expr":
      for (const operand of expressionOperands(value.instruction)) forEachSymbol(operand, visit);
      return;
    default:
      return;
  }
}

function expressionOperands(instruction: ConstExprInstruction): readonly IrConstant[] {
  switch (instruction.op) {
    case "gep":
      return [instruction.base, ...instruction.indices];
    case "cast":
      return [instruction.operand];
    case "binary":
      return [instruction.lhs, instruction.rhs];
  }
}

/** Rebuilds constants with other symbols; constants without a replaced symbol stay the same object. */
export function constantMapper(
  replace: (symbol: IrFunction | IrGlobal) => IrFunction | IrGlobal,
): (constant: IrConstant) => IrConstant {
  const map = (constant: IrConstant): IrConstant => {
    switch (constant.kind) {
      case "function":
      case "global":
        return replace(constant);
      case "const-aggregate": {
        const elements = constant.elements.map(map);
        return elements.every((element, i) => element === constant.elements[i]) ? constant : { ...constant, elements };
      }
      case "const-expr": {
        const { instruction } = constant;
        if (expressionOperands(instruction).every((operand) => map(operand) === operand)) return constant;
        switch (instruction.op) {
          case "gep":
            return {
              ...constant,
              instruction: { ...instruction, base: map(instruction.base), indices: instruction.indices.map(map) },
            };
          case "cast":
            return { ...constant, instruction: { ...instruction, operand: map(instruction.operand) } };
          case "binary":
            return {
              ...constant,
              instruction: { ...instruction, lhs: map(instruction.lhs), rhs: map(instruction.rhs) },
            };
        }
      }
      // falls through
      default:
        return constant;
    }
  };
  return map;
}
