/**
 * Python source → syntax tree. The grammar is py-ast's (npm), whose nodes are CPython's; nothing above this file knows
 * it. Values of number literals are read from the source, because its values do not tell `1` from `1.0`.
 */
import { parse as parsePython, type ExprNode, type StmtNode } from "py-ast";
import type { HeddleError } from "../../../base/diagnostics.ts";
import {
  BINARY_OPERATORS,
  expressionFrom,
  paramsFrom,
  type ParseContext,
  type Positioned,
} from "./parse-expressions.ts";
import type { Expression, FunctionDefinition, Span, Statement } from "./ast.ts";
import { sourceError, type SourceText } from "./source-text.ts";
import { unclosedBracket } from "./unclosed-bracket.ts";

/** @throws HeddleError "compile-error" with a caret where the text is no Python. */
export function parseSource(source: SourceText): readonly Statement[] {
  let body: readonly StmtNode[];
  try {
    body = parsePython(source.text).body;
  } catch (error) {
    throw syntaxError(source, error);
  }
  const context: ParseContext = { source, span: (node) => spanOf(source, node) };
  return body.map((node) => statementFrom(context, node));
}

function spanOf(source: SourceText, node: Positioned): Span {
  const { lineno: line = 1, col_offset: start = 0 } = node;
  const endLine = node.end_lineno ?? line;
  return {
    line,
    column: columnOf(source, line, start),
    endLine,
    endColumn: columnOf(source, endLine, node.end_col_offset ?? start + 1),
  };
}

/** From an offset in bytes of UTF-8 to a column of the text. */
function columnOf(source: SourceText, line: number, offset: number): number {
  const text = source.lines[line - 1] ?? "";
  let bytes = 0;
  let column = 0;
  for (; bytes < offset && column < text.length; column++) {
    bytes += utf8Bytes(text.charCodeAt(column));
  }
  return column + 1;
}

/** Of one code unit: the two halves of a surrogate pair make four bytes. */
function utf8Bytes(code: number): 1 | 2 | 3 {
  if (code < 0x80) return 1;
  return code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
}

function syntaxError(source: SourceText, error: unknown): HeddleError {
  if (error instanceof RangeError) {
    const span = { line: 1, column: 1, endLine: 1, endColumn: 2 };
    return sourceError(source, span, "SyntaxError: the source is nested too deeply");
  }
  if (!(error instanceof Error)) throw error;
  const place = error as Error & Positioned;
  // Errors of the lexer have their place in the message alone.
  const [, line] = /\bline (\d+)/.exec(error.message) ?? [];
  const [, column] = /\bcolumn (\d+)/.exec(error.message) ?? [];
  const lineno = Math.min(place.lineno ?? Number(line ?? 1), source.lines.length);
  const open = unclosedBracket(source.text);
  if (open !== null && open.line < lineno) {
    const from = { line: open.line, column: open.offset + 1 };
    const span = { ...from, endLine: from.line, endColumn: from.column + 1 };
    return sourceError(source, span, `SyntaxError: '${open.bracket}' was never closed`);
  }
  const span = spanOf(source, { lineno, col_offset: place.col_offset ?? Number(column ?? 0) });
  const what = error.message.replace(/ at line \d+(?:, column \d+)?$/, "");
  return sourceError(source, span, `SyntaxError: ${what.charAt(0).toLowerCase()}${what.slice(1)}`);
}

// ---------------------------------------------------------------- statements

const UNSUPPORTED: Readonly<Record<string, string>> = {
  ClassDef: "a class",
  AsyncFunctionDef: "an async function",
  With: "a `with` statement",
  AsyncWith: "a `with` statement",
  AsyncFor: "an `async for` loop",
  Raise: "a `raise` statement",
  Global: "a `global` statement",
  Nonlocal: "a `nonlocal` statement",
  Break: "a `break` statement",
  Continue: "a `continue` statement",
  Delete: "a `del` statement",
  Match: "a `match` statement",
  TypeAlias: "a `type` statement",
  TryStar: "an `except*` clause",
};

function statementFrom(context: ParseContext, node: StmtNode): Statement {
  const span = context.span(node);
  const expression = (value: ExprNode): Expression => expressionFrom(context, value);
  const block = (body: readonly StmtNode[]): Statement[] => body.map((child) => statementFrom(context, child));
  switch (node.nodeType) {
    case "FunctionDef":
      return functionFrom(context, node);
    case "Return":
      return { kind: "return", span, value: node.value == null ? null : expression(node.value) };
    case "Assign":
      return { kind: "assign", span, targets: node.targets.map(expression), value: expression(node.value) };
    case "AugAssign":
      return {
        kind: "augmented-assign",
        span,
        target: expression(node.target),
        operator: BINARY_OPERATORS[node.op.nodeType] ?? "+",
        value: expression(node.value),
      };
    case "AnnAssign":
      return {
        kind: "annotated-assign",
        span,
        target: expression(node.target),
        annotation: expression(node.annotation),
        value: node.value == null ? null : expression(node.value),
      };
    case "If":
      return { kind: "if", span, test: expression(node.test), then: block(node.body), otherwise: block(node.orelse) };
    case "For":
      return {
        kind: "for",
        span,
        target: expression(node.target),
        iterable: expression(node.iter),
        body: block(node.body),
        otherwise: block(node.orelse),
      };
    case "While":
      return {
        kind: "while",
        span,
        test: expression(node.test),
        body: block(node.body),
        otherwise: block(node.orelse),
      };
    case "Expr":
      return { kind: "expression", span, value: expression(node.value) };
    case "Pass":
      return { kind: "pass", span };
    case "Assert":
      return {
        kind: "assert",
        span,
        test: expression(node.test),
        message: node.msg == null ? null : expression(node.msg),
      };
    case "Import":
    case "ImportFrom":
      return importFrom(node, span);
    case "Try":
      return {
        kind: "try",
        span,
        body: [...block(node.body), ...block(node.orelse)],
        handler: node.handlers.length > 0 ? block(node.handlers[0]?.body ?? []) : [],
        otherwise: block(node.finalbody),
      };
    default: {
      const named = "name" in node && typeof node.name === "string" ? [node.name] : [];
      const binds = node.nodeType === "Global" ? node.names : named;
      return { kind: "unsupported", span, what: UNSUPPORTED[node.nodeType] ?? node.nodeType, binds };
    }
  }
}

type ImportNode = Extract<StmtNode, { nodeType: "Import" | "ImportFrom" }>;

function importFrom(node: ImportNode, span: Span): Statement {
  if (node.nodeType === "Import")
    return {
      kind: "import",
      span,
      names: node.names.map(({ name, asname }) => ({ path: name, alias: asname ?? null })),
    };
  return {
    kind: "import-from",
    span,
    path: `${".".repeat(node.level ?? 0)}${node.module ?? ""}`,
    names: node.names.map(({ name, asname }) => ({ name, alias: asname ?? null })),
  };
}

type FunctionNode = Extract<StmtNode, { nodeType: "FunctionDef" }>;

function functionFrom(context: ParseContext, node: FunctionNode): FunctionDefinition {
  return {
    kind: "function",
    span: context.span(node),
    name: node.name,
    params: paramsFrom(context, node.args),
    body: node.body.map((child) => statementFrom(context, child)),
    decorators: node.decorator_list.map((decorator) => expressionFrom(context, decorator)),
  };
}
