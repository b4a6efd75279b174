/** The body of one function (LangRef, "Functions"). */
import type { IrFunction, IrInstruction } from "../model/ir.ts";
import { isTerminator } from "../model/operands.ts";
import { parseInstruction } from "./parse-instructions.ts";
import type { Parser } from "./parser.ts";
import { FunctionScope } from "./function-scope.ts";

/** Parses the body whose opening brace is the current token, up to and with the closing brace. */
export function parseFunctionBody(p: Parser, fn: IrFunction): void {
  const scope = new FunctionScope(p, fn);
  p.resetDepth();
  p.expect("{");
  if (p.isPunctuation("}")) p.fail("a function needs at least one block");
  while (!p.isPunctuation("}")) {
    scope.openBlock();
    for (;;) {
      const instruction = parseOne(scope);
      if (isTerminator(instruction)) break;
    }
  }
  p.next();
  scope.finish();
}

function parseOne(scope: FunctionScope): IrInstruction {
  const p: Parser = scope.parser;
  const at = p.start;
  let name: string | null = null;
  if (p.at("local")) {
    name = p.value;
    p.next();
    p.expect("=");
  }
  const instruction = parseInstruction(scope);
  scope.add(instruction, name, at);
  return instruction;
}
