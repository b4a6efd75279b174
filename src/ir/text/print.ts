/**
 * Prints the model as textual LLVM IR again (LangRef). What it prints, `parseModule` reads back to the same model, and
 * LLVM's own tools read too. Source locations become fresh debug metadata; what the model does not keep (tbaa, flags
 * that only add poison, orderings of read-modify-writes, which become seq_cst) is not there.
 */
import { unreachable } from "../../base/diagnostics.ts";
import { formatFloatLiteral } from "../model/float-literals.ts";
import { signedValue } from "../model/build.ts";
import type {
  AtomicRmwInstruction,
  CacheHint,
  CallInstruction,
  CmpxchgInstruction,
  CondBrInstruction,
  ConstExpr,
  FastMath,
  IrBlock,
  IrConstant,
  IrFunction,
  IrGlobal,
  IrInstruction,
  IrModule,
  IrType,
  IrValue,
  LoadInstruction,
  PhiInstruction,
  StoreInstruction,
  StructType,
} from "../model/ir.ts";
import { formatStructBody, formatType, quoteName, quoteString } from "../model/types.ts";
import { MetadataWriter } from "./metadata-writer.ts";

export function printModule(module: IrModule): string {
  const metadata = new MetadataWriter();
  const out: string[] = [`source_filename = ${quoteString(module.sourceFile)}`];
  if (module.dataLayout !== "") out.push(`target datalayout = ${quoteString(module.dataLayout)}`);
  if (module.triple !== "") out.push(`target triple = ${quoteString(module.triple)}`);
  out.push("");
  for (const [name, type] of module.structTypes) out.push(`%${quoteName(name)} = type ${formatStructBody(type)}`);
  for (const global of module.globals.values()) out.push(printGlobal(global));
  for (const [name, target] of module.aliases)
    out.push(`@${quoteName(name)} = alias ${formatType(aliasType(target))}, ${formatOperand(target)}`);
  for (const fn of module.functions.values()) out.push("", printFunctionWith(fn, metadata));
  out.push("", ...metadata.lines, "");
  return out.join("\n");
}

/** One function, without the metadata that its locations would need: for reading, not for parsing. */
export function printFunction(fn: IrFunction): string {
  return printFunctionWith(fn, null);
}

/** One instruction without its location: for messages. */
export function printInstruction(instruction: IrInstruction): string {
  const named = instruction.type.kind !== "void" ? `%${quoteName(instruction.name)} = ` : "";
  return named + instructionText(instruction, null);
}

// ---------------------------------------------------------------- top level

function printGlobal(global: IrGlobal): string {
  const words = [`@${quoteName(global.name)} =`];
  if (global.linkage !== "external" || global.initializer === null) words.push(global.linkage);
  if (global.type.addressSpace !== 0) words.push(`addrspace(${global.type.addressSpace})`);
  words.push(global.isConstant ? "constant" : "global", formatType(global.valueType));
  if (global.initializer !== null) words.push(formatValue(global.initializer));
  return `${words.join(" ")}, align ${global.align}`;
}

function aliasType(target: IrConstant): IrType {
  if (target.kind === "function") return target.functionType;
  return target.kind === "global" ? target.valueType : target.type;
}

function parameterAttribute(attribute: string, byval: IrType | null): string {
  if (attribute === "byval" && byval !== null) return `byval(${formatType(byval)})`;
  return needsType.has(attribute) ? "" : attributeText(attribute);
}

function printFunctionWith(fn: IrFunction, metadata: MetadataWriter | null): string {
  const isDeclaration = fn.blocks.length === 0;
  const params = fn.params.map((param) => {
    const words = [formatType(param.type)];
    for (const attribute of param.attributes) words.push(parameterAttribute(attribute, param.byval));
    if (param.align !== null) words.push(`align ${param.align}`);
    if (!isDeclaration) words.push(`%${quoteName(param.name)}`);
    return words.filter((word) => word !== "").join(" ");
  });
  if (fn.functionType.isVarArg) params.push("...");
  const words = [isDeclaration ? "declare" : "define"];
  if (fn.linkage !== "external") words.push(fn.linkage);
  if (fn.isKernel) words.push("ptx_kernel");
  words.push(`${formatType(fn.functionType.result)} @${quoteName(fn.name)}(${params.join(", ")})`);
  for (const attribute of fn.attributes) words.push(attributeText(attribute));
  const debug =
    fn.location === null || metadata === null
      ? ""
      : ` !dbg !${metadata.subprogram(fn.location.file, fn.location.functionName ?? "", fn.location.line, fn)}`;
  if (isDeclaration) return words.join(" ");
  const lines = [`${words.join(" ")}${debug} {`];
  for (const [i, block] of fn.blocks.entries()) {
    if (i > 0) lines.push("");
    lines.push(...printBlock(block, metadata));
  }
  lines.push("}");
  return lines.join("\n");
}

/** Attributes that hold a type we do not keep. */
const needsType: ReadonlySet<string> = new Set(["sret", "byref", "inalloca", "preallocated", "elementtype"]);

/** Words as they are; `key=value` and names with other characters are string attributes. */
function attributeText(attribute: string): string {
  if (/^[a-z_0-9]+(?:\(.*\))?$/s.test(attribute)) return attribute;
  const at = attribute.indexOf("=");
  return at < 0
    ? quoteString(attribute)
    : `${quoteString(attribute.slice(0, at))}=${quoteString(attribute.slice(at + 1))}`;
}

function printBlock(block: IrBlock, metadata: MetadataWriter | null): string[] {
  const lines = [`${/^[-a-zA-Z$._0-9]+$/.test(block.name) ? block.name : quoteString(block.name)}:`];
  for (const instruction of block.instructions) {
    const named = instruction.type.kind !== "void" ? `%${quoteName(instruction.name)} = ` : "";
    const debug =
      instruction.location === null || metadata === null ? "" : `, !dbg !${metadata.location(instruction.location)}`;
    lines.push(`  ${named}${instructionText(instruction, metadata)}${debug}`);
  }
  return lines;
}

// ---------------------------------------------------------------- instructions

function incomingText({ value, block }: PhiInstruction["incoming"][number]): string {
  return `[ ${formatValue(value)}, ${blockName(block)} ]`;
}

function listText(...values: readonly IrValue[]): string {
  return values.map(formatOperand).join(", ");
}

function branchText({ condition, then, else: otherwise }: CondBrInstruction): string {
  return `${formatOperand(condition)}, label ${blockName(then)}, label ${blockName(otherwise)}`;
}

type Access = LoadInstruction | StoreInstruction | CmpxchgInstruction | AtomicRmwInstruction;

function accessText(i: Access, metadata: MetadataWriter | null): string {
  const isVolatile = i.volatile ? "volatile " : "";
  if (i.op === "cmpxchg") {
    const operands = listText(i.pointer, i.expected, i.desired);
    return `cmpxchg ${isVolatile}${operands}${scopeText(i.scope)} ${i.ordering} ${i.failureOrdering}`;
  }
  if (i.op === "atomicrmw")
    return (
      `atomicrmw ${isVolatile}${i.operator} ${listText(i.pointer, i.value)}${scopeText(i.scope)} ${i.ordering}` +
      (i.align === undefined ? "" : `, align ${i.align}`)
    );
  const isAtomic = i.ordering === null ? "" : "atomic ";
  const ordering = i.ordering === null ? "" : `${scopeText(i.scope)} ${i.ordering}`;
  if (i.op === "store") {
    const access = `${isAtomic}${isVolatile}${listText(i.value, i.pointer)}${ordering}`;
    return `store ${access}, align ${i.align}${cacheText(i.cache, metadata)}`;
  }
  const invariant = i.invariant ? `, !invariant.load ${metadata === null ? "!{}" : `!${metadata.empty()}`}` : "";
  const access = `${isAtomic}${isVolatile}${formatType(i.type)}, ${formatOperand(i.pointer)}${ordering}`;
  return `load ${access}, align ${i.align}${cacheText(i.cache, metadata)}${invariant}`;
}

function callText(i: CallInstruction): string {
  const type = i.functionType.isVarArg ? formatType(i.functionType) : formatType(i.functionType.result);
  const args = i.args.map((arg, n) => {
    if (arg.kind === "metadata") return `metadata ${arg.text}`;
    const byval = i.byval[n] ? ` byval(${formatType(i.byval[n])})` : "";
    const align = i.argAlign?.[n] ?? null;
    return `${formatType(arg.type)}${byval}${align === null ? "" : ` align ${align}`} ${formatValue(arg)}`;
  });
  const attributes = [...i.attributes].map((attribute) => ` ${attributeText(attribute)}`).join("");
  return `call ${fastMathText(i.fastMath)}${type} ${formatValue(i.callee)}(${args.join(", ")})${attributes}`;
}

function instructionText(i: IrInstruction, metadata: MetadataWriter | null): string {
  switch (i.op) {
    case "binary": {
      const flags =
        (i.nuw ? "nuw " : "") + (i.nsw ? "nsw " : "") + (i.exact ? "exact " : "") + (i.disjoint ? "disjoint " : "");
      return `${i.operator} ${flags}${fastMathText(i.fastMath)}${formatOperand(i.lhs)}, ${formatValue(i.rhs)}`;
    }
    case "fneg":
      return `fneg ${fastMathText(i.fastMath)}${formatOperand(i.operand)}`;
    case "icmp":
      return `icmp ${i.predicate} ${formatOperand(i.lhs)}, ${formatValue(i.rhs)}`;
    case "fcmp":
      return `fcmp ${fastMathText(i.fastMath)}${i.predicate} ${formatOperand(i.lhs)}, ${formatValue(i.rhs)}`;
    case "cast":
      return `${i.operator} ${i.nneg ? "nneg " : ""}${formatOperand(i.operand)} to ${formatType(i.type)}`;
    case "select":
      return `select ${formatOperand(i.condition)}, ${formatOperand(i.then)}, ${formatOperand(i.else)}`;
    case "freeze":
      return `freeze ${formatOperand(i.operand)}`;
    case "phi":
      return `phi ${formatType(i.type)} ${i.incoming.map(incomingText).join(", ")}`;
    case "gep":
      return (
        `getelementptr ${i.inbounds ? "inbounds " : ""}${formatType(i.sourceType)}, ` +
        `${listText(i.base, ...i.indices)}`
      );
    case "alloca": {
      const count = i.count === null ? "" : `, ${formatOperand(i.count)}`;
      const space = i.type.kind === "ptr" && i.type.addressSpace !== 0 ? `, addrspace(${i.type.addressSpace})` : "";
      return `alloca ${formatType(i.allocatedType)}${count}, align ${i.align}${space}`;
    }
    case "load":
    case "store":
    case "cmpxchg":
    case "atomicrmw":
      return accessText(i, metadata);
    case "fence":
      return `fence${scopeText(i.scope)} ${i.ordering}`;
    case "call":
      return callText(i);
    case "extractvalue":
      return `extractvalue ${formatOperand(i.aggregate)}, ${i.indices.join(", ")}`;
    case "insertvalue":
      return `insertvalue ${formatOperand(i.aggregate)}, ${formatOperand(i.element)}, ${i.indices.join(", ")}`;
    case "extractelement":
      return `extractelement ${formatOperand(i.vector)}, ${formatOperand(i.index)}`;
    case "insertelement":
      return `insertelement ${formatOperand(i.vector)}, ${formatOperand(i.element)}, ${formatOperand(i.index)}`;
    case "shufflevector": {
      const mask = i.mask.map((entry) => (entry < 0 ? "i32 poison" : `i32 ${entry}`)).join(", ");
      return `shufflevector ${formatOperand(i.lhs)}, ${formatOperand(i.rhs)}, <${i.mask.length} x i32> <${mask}>`;
    }
    case "va_arg":
      return `va_arg ${formatOperand(i.list)}, ${formatType(i.type)}`;
    case "br":
      return `br label ${blockName(i.target)}${loopText(i.loop, metadata)}`;
    case "condbr":
      return `br ${branchText(i)}${loopText(i.loop, metadata)}`;
    case "switch": {
      const cases = i.cases.map(({ value, target }) => `${formatOperand(value)}, label ${blockName(target)}`);
      return `switch ${formatOperand(i.value)}, label ${blockName(i.defaultTarget)} [ ${cases.join(" ")} ]`;
    }
    case "ret":
      return i.value === null ? "ret void" : `ret ${formatOperand(i.value)}`;
    case "unreachable":
      return "unreachable";
  }
}

function blockName(block: IrBlock): string {
  return `%${quoteName(block.name)}`;
}
function scopeText(scope: string | null): string {
  return scope === null ? "" : ` syncscope(${quoteString(scope)})`;
}
function cacheText(cache: CacheHint | null, metadata: MetadataWriter | null): string {
  if (cache === null) return "";
  return cache === "cs"
    ? `, !nontemporal ${metadata === null ? "!{i32 1}" : `!${metadata.one()}`}`
    : `, !heddle.cg ${metadata === null ? "!{}" : `!${metadata.empty()}`}`;
}
function loopText(loop: string | null, metadata: MetadataWriter | null): string {
  return loop === null || metadata === null ? "" : `, !llvm.loop !${metadata.loop(loop)}`;
}

function fastMathText(flags: FastMath | null): string {
  if (flags === null) return "";
  return (["reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn"] as const)
    .map((flag) => (flags[flag] ? `${flag} ` : ""))
    .join("");
}

// ---------------------------------------------------------------- values

/** With its type: `i32 %x`. */
export function formatOperand(value: IrValue): string {
  return `${formatType(value.type)} ${formatValue(value)}`;
}

/** Without its type: `%x`, `5`, `@f`. */
export function formatValue(value: IrValue): string {
  switch (value.kind) {
    case "instruction":
    case "param":
      return `%${quoteName(value.name)}`;
    case "global":
    case "function":
      return `@${quoteName(value.name)}`;
    case "const-int":
      if (value.type.bits === 1) return value.value === 1n ? "true" : "false";
      return signedValue(value).toString();
    case "const-float":
      return formatFloatLiteral(value.bits, value.type.format);
    case "const-null":
      return "null";
    case "const-undef":
      return value.poison ? "poison" : "undef";
    case "const-zero":
      return "zeroinitializer";
    case "const-bytes":
      return `c${bytesText(value.bytes)}`;
    case "const-aggregate": {
      const inner = value.elements.map(formatOperand).join(", ");
      if (value.type.kind === "array") return `[${inner}]`;
      if (value.type.kind === "vector") return `<${inner}>`;
      return formatStruct(value.type, inner);
    }
    case "const-expr":
      return expressionText(value);
    case "inline-asm":
      return (
        `asm ${value.sideEffect ? "sideeffect " : ""}` +
        `${quoteString(value.template)}, ${quoteString(value.constraints)}`
      );
    case "metadata":
      return value.text;
    default:
      return unreachable(value);
  }
}

function formatStruct(type: StructType, inner: string): string {
  const body = inner === "" ? "{}" : `{ ${inner} }`;
  return type.packed ? `<${body}>` : body;
}

function bytesText(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 4096)
    parts.push(quoteString(String.fromCharCode(...bytes.subarray(at, at + 4096))).slice(1, -1));
  return `"${parts.join("")}"`;
}

function expressionText({ type, instruction: i }: ConstExpr): string {
  switch (i.op) {
    case "gep":
      return `getelementptr (${formatType(i.sourceType)}, ${[i.base, ...i.indices].map(formatOperand).join(", ")})`;
    case "cast":
      return `${i.operator} (${formatOperand(i.operand)} to ${formatType(type)})`;
    case "binary":
      return `${i.operator} (${formatOperand(i.lhs)}, ${formatOperand(i.rhs)})`;
  }
}
