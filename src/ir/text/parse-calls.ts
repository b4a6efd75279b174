/** Calls: of functions, through pointers, of intrinsics and of inline assembly (LangRef, "call"). */
import { isLlvmName } from "../intrinsics/name-fields.ts";
import { NO_ATTRIBUTES } from "../model/build.ts";
import { newFunction } from "../model/build-module.ts";
import { METADATA, formatType, functionType, sameType } from "../model/types.ts";
import type { CallInstruction, FunctionType, InlineAsm, IrInstruction, IrType, IrValue } from "../model/ir.ts";
import type { FunctionScope } from "./function-scope.ts";
import type { Parser } from "./parser.ts";
import { finishInstruction, parseFastMath } from "./parse-instruction-parts.ts";
import type { Base } from "./parse-instruction-parts.ts";

export function parseCall(s: FunctionScope, base: Base): IrInstruction {
  const p: Parser = s.parser;
  const fastMath = parseFastMath(s);
  const attributes = new Set<string>();
  // Calling convention and attributes of the result.
  while (!p.atType()) {
    if (p.isWord("addrspace")) p.parseAddressSpace();
    else if (p.at("word") && p.value === "cc") {
      p.next();
      p.parseNumber();
    } else if (p.at("word") || p.at("string")) {
      if (p.isWord("align")) {
        p.next();
        p.parseNumber();
      } else p.parseFunctionAttribute(new Set());
    } else p.failExpected("a type");
  }
  const typeAt = p.start;
  const written = p.parseType();
  const callee = parseCallee(s, written);
  p.expect("(");
  const args: IrValue[] = [];
  const byval: (IrType | null)[] = [];
  const argAlign: (number | null)[] = [];
  p.nested(() => {
    if (p.isPunctuation(")")) return;
    do {
      const type = p.parseValueType();
      if (type.kind === "opaque" && type.name === "metadata") {
        args.push(parseMetadataOperand(s));
        byval.push(null);
        argAlign.push(null);
      } else {
        const attributes = p.parseParameterAttributes(null);
        byval.push(attributes.byval);
        argAlign.push(attributes.align);
        args.push(s.value(type));
      }
    } while (p.accept(","));
  });
  p.expect(")");
  const type: FunctionType =
    written.kind === "function"
      ? written
      : functionType(
          written,
          args.map((arg) => arg.type),
        );
  checkArguments(s, type, args, typeAt);
  const resolved = callee ?? autoDeclared(s, type);
  while (p.at("attribute-group") || p.at("word") || p.at("string")) {
    if (p.at("attribute-group")) {
      for (const attribute of p.attributeGroup(p.value, p.start)) attributes.add(attribute);
      p.next();
    } else if (startsNextInstruction(s) || !p.parseFunctionAttribute(attributes)) break;
  }
  if (p.isPunctuation("[")) p.skipGroup(); // operand bundles
  const target: IrValue = resolved.kind === "inline-asm" ? { ...resolved, functionType: type } : resolved;
  const instruction: CallInstruction = {
    ...base,
    op: "call",
    type: type.result,
    callee: target,
    functionType: type,
    args,
    fastMath,
    attributes: frozen(attributes),
    byval,
  };
  if (argAlign.some((align) => align !== null)) instruction.argAlign = argAlign;
  return finishInstruction(s, instruction);
}

/** Attribute words after a call stand on its line; the next instruction begins on another. */
function startsNextInstruction(s: FunctionScope): boolean {
  const p: Parser = s.parser;
  return p.text.slice(p.previousEnd, p.start).includes("\n");
}

function frozen(attributes: Set<string>): ReadonlySet<string> {
  return attributes.size === 0 ? NO_ATTRIBUTES : attributes;
}

/** null: an intrinsic that the text does not declare (`pendingIntrinsic` is its name). */
function parseCallee(s: FunctionScope, written: IrType): IrValue | null {
  const p: Parser = s.parser;
  if (p.accept("asm")) return parseInlineAsm(s, written);
  if (p.at("global") && isLlvmName(p.value) && p.findSymbol(p.value) === null) {
    s.pendingIntrinsic = p.value;
    p.next();
    return null;
  }
  return s.value(p.pointerType());
}

function autoDeclared(s: FunctionScope, type: FunctionType): IrValue {
  const fn = newFunction(s.pendingIntrinsic, type, [], s.parser.pointerType().bits);
  s.parser.module.functions.set(fn.name, fn);
  return fn;
}

function parseInlineAsm(s: FunctionScope, written: IrType): InlineAsm {
  const p: Parser = s.parser;
  let sideEffect = false;
  while (p.at("word")) {
    if (p.value === "sideeffect") sideEffect = true;
    p.next();
  }
  const template = p.parseString();
  p.expect(",");
  const constraints = p.parseString();
  const type = written.kind === "function" ? written : functionType(written, []);
  return { kind: "inline-asm", type: p.pointerType(), functionType: type, template, constraints, sideEffect };
}

function checkArguments(s: FunctionScope, type: FunctionType, args: readonly IrValue[], at: number): void {
  const enough = type.isVarArg ? args.length >= type.params.length : args.length === type.params.length;
  if (!enough) s.parser.fail(`${type.params.length} arguments were expected, but ${args.length} are here`, at);
  for (const [i, param] of type.params.entries()) {
    const arg = args[i] as IrValue;
    if (!sameType(arg.type, param))
      s.parser.fail(`argument ${i + 1} is a ${formatType(arg.type)}, but ${formatType(param)} was expected`, at);
  }
}

function parseMetadataOperand(s: FunctionScope): IrValue {
  const p: Parser = s.parser;
  const from = p.start;
  if (p.at("metadata")) {
    p.next();
    if (p.at("string") && p.start === p.previousEnd) p.next();
    else if (p.start === p.previousEnd && (p.isPunctuation("{") || p.isPunctuation("("))) p.skipGroup();
  } else s.typedValue();
  return { kind: "metadata", type: METADATA, text: p.text.slice(from, p.previousEnd) };
}
