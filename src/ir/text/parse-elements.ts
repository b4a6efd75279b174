/** Elements of structs, arrays and vectors (LangRef, "Vector Operations", "Aggregate Operations"). */
import { formatType, isInt, sameType, typeAtIndices, vectorType } from "../model/types.ts";
import type { IrInstruction, IrValue } from "../model/ir.ts";
import type { FunctionScope } from "./function-scope.ts";
import type { Parser } from "./parser.ts";
import { finishInstruction, isMetadataNext } from "./parse-instruction-parts.ts";
import type { Base } from "./parse-instruction-parts.ts";

export function parseAggregateAccess(
  s: FunctionScope,
  base: Base,
  op: "extractvalue" | "insertvalue",
  at: number,
): IrInstruction {
  const p: Parser = s.parser;
  const aggregate = s.typedValue();
  let element: IrValue | null = null;
  if (op === "insertvalue") {
    p.expect(",");
    element = s.typedValue();
  }
  const indices: number[] = [];
  while (p.isPunctuation(",") && !isMetadataNext(s)) {
    p.next();
    indices.push(p.parseNumber());
  }
  if (indices.length === 0) p.failExpected("an index");
  const elementType = typeAtIndices(aggregate.type, indices);
  if (elementType === null) p.fail(`${formatType(aggregate.type)} has no such element`, at);
  if (element === null)
    return finishInstruction(s, { ...base, op: "extractvalue", type: elementType, aggregate, indices });
  if (!sameType(elementType, element.type)) p.fail(`the element is a ${formatType(elementType)}`, at);
  return finishInstruction(s, { ...base, op: "insertvalue", type: aggregate.type, aggregate, element, indices });
}

export function parseVectorAccess(
  s: FunctionScope,
  base: Base,
  op: "extractelement" | "insertelement" | "shufflevector",
  at: number,
): IrInstruction {
  const p: Parser = s.parser;
  const vector = s.typedValue();
  const { type } = vector;
  if (type.kind !== "vector") p.fail(`${op} needs a vector`, at);
  p.expect(",");
  const second = s.typedValue();
  if (op === "extractelement") {
    if (!isInt(second.type)) p.fail("an index is an integer", at);
    return finishInstruction(s, { ...base, op, type: type.element, vector, index: second });
  }
  p.expect(",");
  const third = s.typedValue();
  if (op === "insertelement") {
    if (!sameType(second.type, type.element) || !isInt(third.type))
      p.fail("insertelement needs an element and an index", at);
    return finishInstruction(s, { ...base, op, type, vector, element: second, index: third });
  }
  if (!sameType(second.type, type)) p.fail("shufflevector needs two vectors of one type", at);
  if (third.type.kind !== "vector") p.fail("the mask of shufflevector is a constant vector", at);
  const { length } = third.type;
  const mask: number[] = [];
  for (let i = 0; i < length; i++) {
    const entry = third.kind === "const-aggregate" ? third.elements[i] : undefined;
    if (third.kind === "const-zero") mask.push(0);
    else if (third.kind === "const-undef" || entry?.kind === "const-undef") mask.push(-1);
    else if (entry?.kind === "const-int" && entry.value < 2 * type.length) mask.push(Number(entry.value));
    else p.fail("the mask of shufflevector has numbers of elements", at);
  }
  return finishInstruction(s, { ...base, op, type: vectorType(type.element, length), lhs: vector, rhs: second, mask });
}
