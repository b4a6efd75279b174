/** Expressions of py-ast's tree → our own. */
import type { ExprNode, StmtNode } from "py-ast";
import type { CompareOperatorName, Expression, Param, Span, UnaryOperatorName } from "./ast.ts";
import type { SourceText } from "./source-text.ts";

/** What the conversion of nodes needs of the file. */
export interface ParseContext {
  readonly source: SourceText;
  span(node: Positioned): Span;
}
export interface Positioned {
  readonly lineno?: number;
  readonly col_offset?: number;
  readonly end_lineno?: number;
  readonly end_col_offset?: number;
}

export const BINARY_OPERATORS: Readonly<Record<string, Extract<Expression, { kind: "binary" }>["operator"]>> = {
  Add: "+",
  Sub: "-",
  Mult: "*",
  Div: "/",
  FloorDiv: "//",
  Mod: "%",
  Pow: "**",
  MatMult: "@",
  LShift: "<<",
  RShift: ">>",
  BitAnd: "&",
  BitOr: "|",
  BitXor: "^",
};
const COMPARE_OPERATORS: Readonly<Record<string, CompareOperatorName>> = {
  Eq: "==",
  NotEq: "!=",
  Lt: "<",
  LtE: "<=",
  Gt: ">",
  GtE: ">=",
  Is: "is",
  IsNot: "is not",
  In: "in",
  NotIn: "not in",
};
const UNARY_OPERATORS: Readonly<Record<string, UnaryOperatorName>> = { USub: "-", UAdd: "+", Invert: "~", Not: "not" };
const UNSUPPORTED: Readonly<Record<string, string>> = {
  SetComp: "a set comprehension",
  DictComp: "a dict comprehension",
  Set: "a set",
  Await: "`await`",
  Yield: "`yield`",
  YieldFrom: "`yield from`",
  NamedExpr: "an assignment expression (`:=`)",
  TemplateStr: "a template string",
};

export function expressionFrom(context: ParseContext, node: ExprNode): Expression {
  const span = context.span(node);
  const to = (child: ExprNode): Expression => expressionFrom(context, child);
  const all = (children: readonly ExprNode[]): Expression[] => children.map(to);
  const orNull = (child: ExprNode | null | undefined): Expression | null => (child == null ? null : to(child));
  switch (node.nodeType) {
    case "Name":
      return { kind: "name", span, id: node.id };
    case "Constant":
      return constantFrom(context, node, span);
    case "Attribute":
      return { kind: "attribute", span, value: to(node.value), name: node.attr };
    case "Subscript":
      return { kind: "subscript", span, value: to(node.value), index: to(node.slice) };
    case "Slice":
      return { kind: "slice", span, lower: orNull(node.lower), upper: orNull(node.upper), step: orNull(node.step) };
    case "Tuple":
      return { kind: "tuple", span, items: all(node.elts) };
    case "List":
      return { kind: "list", span, items: all(node.elts) };
    case "Dict":
      return dictFrom(context, node, span);
    case "Call":
      return {
        kind: "call",
        span,
        callee: to(node.func),
        args: all(node.args),
        keywords: node.keywords.map(({ arg, value }) => ({ name: arg ?? null, value: to(value) })),
      };
    case "Starred":
      return { kind: "starred", span, value: to(node.value) };
    case "BinOp":
      return {
        kind: "binary",
        span,
        operator: BINARY_OPERATORS[node.op.nodeType] ?? "+",
        left: to(node.left),
        right: to(node.right),
      };
    case "UnaryOp":
      return { kind: "unary", span, operator: UNARY_OPERATORS[node.op.nodeType] ?? "-", operand: to(node.operand) };
    case "BoolOp":
      return { kind: "bool-op", span, operator: node.op.nodeType === "And" ? "and" : "or", values: all(node.values) };
    case "Compare":
      return {
        kind: "compare",
        span,
        left: to(node.left),
        operators: node.ops.map(({ nodeType }) => COMPARE_OPERATORS[nodeType] ?? "=="),
        rights: all(node.comparators),
      };
    case "IfExp":
      return { kind: "conditional", span, test: to(node.test), then: to(node.body), otherwise: to(node.orelse) };
    case "Lambda":
      return { kind: "lambda", span, params: paramsFrom(context, node.args), body: to(node.body) };
    case "ListComp":
    case "GeneratorExp":
      return {
        kind: "comprehension",
        span,
        element: to(node.elt),
        generators: node.generators.map(({ target, iter, ifs }) => ({
          target: to(target),
          iterable: to(iter),
          conditions: all(ifs),
        })),
      };
    case "JoinedStr":
      return { kind: "f-string", span, parts: all(node.values) };
    case "FormattedValue":
      return to(node.value);
    default:
      return { kind: "unsupported", span, what: UNSUPPORTED[node.nodeType] ?? node.nodeType };
  }
}

type DictNode = Extract<ExprNode, { nodeType: "Dict" }>;

function dictFrom(context: ParseContext, node: DictNode, span: Span): Expression {
  const entries = [];
  for (const [i, key] of node.keys.entries()) {
    const value = node.values[i];
    if (key == null || value === undefined) return { kind: "unsupported", span, what: "`**` in a dict" };
    entries.push({ key: expressionFrom(context, key), value: expressionFrom(context, value) });
  }
  return { kind: "dict", span, entries };
}

type ConstantNode = Extract<ExprNode, { nodeType: "Constant" }>;

function constantFrom({ source }: ParseContext, { value }: ConstantNode, span: Span): Expression {
  if (value === null || value === undefined) return { kind: "constant", span, value: null };
  if (typeof value === "boolean") return { kind: "constant", span, value };
  if (typeof value === "string") return { kind: "string", span, value };
  const text = (source.lines[span.line - 1] ?? "").slice(span.column - 1, span.endColumn - 1).replaceAll("_", "");
  if (/^(?:0[xob][\da-f]+|\d+)$/i.test(text)) return { kind: "int", span, value: BigInt(text.toLowerCase()) };
  if (/^[\d.]+(?:e[+-]?\d+)?$/i.test(text)) return { kind: "float", span, value: Number(text) };
  return { kind: "unsupported", span, what: `the literal ${text}` };
}

type FunctionNode = Extract<StmtNode, { nodeType: "FunctionDef" }>;

/** Python's four lists as one, in their order. */
export function paramsFrom(context: ParseContext, args: FunctionNode["args"]): Param[] {
  const positional = [...args.posonlyargs, ...args.args];
  const withoutDefault = positional.length - args.defaults.length;
  const param = (
    arg: (typeof positional)[number],
    value: ExprNode | null | undefined,
    rest: Param["rest"] = null,
  ): Param => ({
    name: arg.arg,
    span: context.span(arg),
    annotation: arg.annotation == null ? null : expressionFrom(context, arg.annotation),
    default: value == null ? null : expressionFrom(context, value),
    rest,
  });
  return [
    ...positional.map((arg, i) => param(arg, i < withoutDefault ? null : args.defaults[i - withoutDefault])),
    ...(args.vararg == null ? [] : [param(args.vararg, null, "positional")]),
    ...args.kwonlyargs.map((arg, i) => param(arg, args.kw_defaults[i])),
    ...(args.kwarg == null ? [] : [param(args.kwarg, null, "keyword")]),
  ];
}
