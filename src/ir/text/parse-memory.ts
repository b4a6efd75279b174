/** Instructions that access memory (LangRef, "Memory Access and Addressing Operations"). */
import { alignOf, isSized, sizeOf } from "../model/layout.ts";
import { gepType } from "../model/gep.ts";
import { checkGepPath } from "./parse-constants.ts";
import { I1, VOID, formatType, isFloat, isInt, sameType, scalarBits, scalarOf, structType } from "../model/types.ts";
import type { AtomicOperator, AtomicOrdering, IrInstruction, IrValue } from "../model/ir.ts";
import type { FunctionScope } from "./function-scope.ts";
import type { Parser } from "./parser.ts";
import {
  finishInstruction,
  parseAlign,
  nextAfterComma,
  isMetadataNext,
  pointerOperand,
} from "./parse-instruction-parts.ts";
import type { Base } from "./parse-instruction-parts.ts";

const atomicOperators: ReadonlySet<string> = new Set<AtomicOperator>([
  "xchg",
  "add",
  "sub",
  "and",
  "nand",
  "or",
  "xor",
  "max",
  "min",
  "umax",
  "umin",
  "fadd",
  "fsub",
  "fmax",
  "fmin",
  "uinc_wrap",
  "udec_wrap",
  "usub_cond",
  "usub_sat",
]);

const orderings: ReadonlySet<string> = new Set<AtomicOrdering>([
  "unordered",
  "monotonic",
  "acquire",
  "release",
  "acq_rel",
  "seq_cst",
]);

export function parseLoad(s: FunctionScope, base: Base): IrInstruction {
  const p: Parser = s.parser;
  const atomic = p.accept("atomic");
  const isVolatile = p.accept("volatile");
  const at = p.start;
  const type = p.parseValueType();
  if (!isSized(type)) p.fail(`${formatType(type)} cannot be loaded`, at);
  p.expect(",");
  const pointer = pointerOperand(s);
  const scope = atomic ? parseScope(s) : null;
  const ordering = atomic ? parseOrdering(s) : null;
  const { align } = parseAlign(s);
  return finishInstruction(s, {
    ...base,
    op: "load",
    type,
    pointer,
    align: align ?? alignOf(type),
    volatile: isVolatile,
    ordering,
    scope,
    cache: null,
    invariant: false,
  });
}

export function parseStore(s: FunctionScope, base: Base): IrInstruction {
  const p: Parser = s.parser;
  const atomic = p.accept("atomic");
  const isVolatile = p.accept("volatile");
  const at = p.start;
  const value = s.typedValue();
  if (!isSized(value.type)) p.fail(`${formatType(value.type)} cannot be stored`, at);
  p.expect(",");
  const pointer = pointerOperand(s);
  const scope = atomic ? parseScope(s) : null;
  const ordering = atomic ? parseOrdering(s) : null;
  const { align } = parseAlign(s);
  return finishInstruction(s, {
    ...base,
    op: "store",
    type: VOID,
    value,
    pointer,
    align: align ?? alignOf(value.type),
    volatile: isVolatile,
    ordering,
    scope,
    cache: null,
  });
}

export function parseAlloca(s: FunctionScope, base: Base): IrInstruction {
  const p: Parser = s.parser;
  p.accept("inalloca");
  const at = p.start;
  const allocatedType = p.parseValueType();
  if (!isSized(allocatedType)) p.fail(`${formatType(allocatedType)} cannot be allocated`, at);
  let count: IrValue | null = null;
  if (p.isPunctuation(",") && !nextAfterComma(s) && !isMetadataNext(s)) {
    p.next();
    count = s.typedValue();
    if (!isInt(count.type)) p.fail("the number of elements is an integer", at);
  }
  const { align, addressSpace } = parseAlign(s);
  return finishInstruction(s, {
    ...base,
    op: "alloca",
    type: s.parser.pointerType(addressSpace),
    allocatedType,
    count,
    align: align ?? alignOf(allocatedType),
  });
}

export function parseGep(s: FunctionScope, base: Base, at: number): IrInstruction {
  const p: Parser = s.parser;
  let inbounds = false;
  for (;;) {
    if (p.isWord("inbounds")) inbounds = true;
    else if (!p.isWord("nuw") && !p.isWord("nusw")) break;
    p.next();
  }
  const sourceType = p.parseValueType();
  if (!isSized(sourceType)) p.fail(`${formatType(sourceType)} has no size`, at);
  p.expect(",");
  const pointer = s.typedValue();
  if (scalarOf(pointer.type).kind !== "ptr") p.fail("getelementptr needs a pointer", at);
  const indices: IrValue[] = [];
  while (p.isPunctuation(",") && !isMetadataNext(s)) {
    p.next();
    const index = s.typedValue();
    if (!isInt(scalarOf(index.type))) p.fail("an index is an integer", at);
    indices.push(index);
  }
  checkGepPath(p, sourceType, indices, at);
  return finishInstruction(s, {
    ...base,
    op: "gep",
    type: gepType(pointer.type, indices),
    sourceType,
    base: pointer,
    indices,
    inbounds,
  });
}

/** `syncscope("block")`, or null. */
export function parseScope(s: FunctionScope): string | null {
  const p: Parser = s.parser;
  if (!p.accept("syncscope")) return null;
  p.expect("(");
  const scope = p.parseString();
  p.expect(")");
  return scope;
}

export function parseOrdering(s: FunctionScope): AtomicOrdering {
  const p: Parser = s.parser;
  const word = p.value;
  if (!p.at("word") || !orderings.has(word)) p.failExpected("an atomic ordering");
  p.next();
  return word as AtomicOrdering;
}

export function parseAtomicRmw(s: FunctionScope, base: Base, at: number): IrInstruction {
  const p: Parser = s.parser;
  const isVolatile = p.accept("volatile");
  const operator = p.value;
  if (!p.at("word") || !atomicOperators.has(operator)) p.failExpected("an atomic operator");
  p.next();
  const pointer = pointerOperand(s);
  p.expect(",");
  const value = s.typedValue();
  const scalar = scalarOf(value.type);
  const isFloatOperator = /^f(?:add|sub|max|min)$/.test(operator);
  const fits = operator === "xchg" ? scalarBits(scalar) !== 0 : isInt(value.type);
  if (isFloatOperator ? !isFloat(scalar) : !fits) p.fail(`atomicrmw ${operator} of ${formatType(value.type)}`, at);
  const scope = parseScope(s);
  const ordering = parseOrdering(s);
  const { align } = parseAlign(s);
  return finishInstruction(s, {
    ...base,
    op: "atomicrmw",
    type: value.type,
    operator: operator as AtomicOperator,
    pointer,
    value,
    volatile: isVolatile,
    ordering,
    scope,
    ...(align !== null && align > sizeOf(value.type) && { align }),
  });
}

export function parseCmpxchg(s: FunctionScope, base: Base, at: number): IrInstruction {
  const p: Parser = s.parser;
  p.accept("weak");
  const isVolatile = p.accept("volatile");
  const pointer = pointerOperand(s);
  p.expect(",");
  const expected = s.typedValue();
  p.expect(",");
  const desired = s.typedValue();
  if (!sameType(expected.type, desired.type) || !(isInt(expected.type) || expected.type.kind === "ptr"))
    p.fail("cmpxchg needs two integers or pointers of one type", at);
  const scope = parseScope(s);
  const ordering = parseOrdering(s);
  const failureOrdering = parseOrdering(s);
  parseAlign(s);
  return finishInstruction(s, {
    ...base,
    op: "cmpxchg",
    type: structType([expected.type, I1]),
    pointer,
    expected,
    desired,
    volatile: isVolatile,
    ordering,
    failureOrdering,
    scope,
  });
}
