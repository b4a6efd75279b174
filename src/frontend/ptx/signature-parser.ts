/** Parameters and results of functions (PTX ISA 8.5, 7.1). */
import { ptxType } from "../../ir/inline-ptx/emit.ts";
import type { PtxParameter, PtxSignature } from "./syntax.ts";
import type { TokenReader } from "./token-reader.ts";
import { readVariables, type VariableForm } from "./variable-parser.ts";

/** (.param .b32 a, .reg .u32 b) */
export function readParameters(tokens: TokenReader): PtxParameter[] {
  tokens.expect("(");
  const params: PtxParameter[] = [];
  const form: VariableForm = { linkage: "internal", hasInitializer: false };
  while (tokens.peek().text !== ")") {
    if (params.length > 0) tokens.expect(",");
    const isRegister = tokens.peek().text.startsWith(".reg");
    const [variable] = readVariables(tokens, { ...form, isOne: true });
    if (variable === undefined) return tokens.fail("expected a parameter");
    const register = isRegister ? { name: variable.name, type: variable.type } : null;
    if (register !== null && ptxType(register.type) === null) tokens.fail(`unknown type .${register.type}`);
    params.push({ variable, register });
  }
  tokens.expect(")");
  return params;
}

/** (.param .b32 _) _ (.param .b64 _), of a .callprototype. */
export function readPrototype(tokens: TokenReader): PtxSignature {
  const results = tokens.peek().text === "(" ? readParameters(tokens) : [];
  tokens.word();
  const params = tokens.peek().text === "(" ? readParameters(tokens) : [];
  return { results, params };
}
