/** A Python file's text, and errors that point into it. */
import { HeddleError } from "../../../base/diagnostics.ts";
import type { Span } from "./ast.ts";

export class SourceText {
  readonly file: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** True for the functions of Triton's library that are written in Python here: no message points into them. */
  readonly isLibrary: boolean;

  constructor(file: string, text: string, isLibrary = false) {
    this.file = file;
    this.text = text;
    this.lines = text.split(/\r\n|\r|\n/);
    this.isLibrary = isLibrary;
  }
}

/** Where a call was made, innermost first: a message about a helper names the calls that led to it. */
export interface CallPlace {
  readonly source: SourceText;
  readonly span: Span;
  /** The function that is called. */
  readonly callee: string;
  readonly caller: CallPlace | null;
}

/** The line and a caret under the place, as a compiler shows it. */
export function excerpt(source: SourceText, span: Span): string[] {
  const line = source.lines[span.line - 1];
  if (line === undefined) return [];
  const number = `${span.line}`;
  const end = span.endLine === span.line ? span.endColumn : line.length + 1;
  const lead = line.slice(0, span.column - 1).replaceAll(/[^\t]/g, " ");
  const carets = "^".padEnd(Math.max(1, Math.min(end, line.length + 1) - span.column), "~");
  return [`${number} | ${line}`, `${" ".repeat(number.length)} | ${lead}${carets}`];
}

/** An error of the user's source: summary, place, the line with a caret, the calls that led there, further notes. */
export function sourceError(
  source: SourceText,
  span: Span,
  summary: string,
  {
    notes = [],
    caller = null,
    isUnsupported = false,
  }: {
    readonly notes?: readonly string[];
    readonly caller?: CallPlace | null;
    readonly isUnsupported?: boolean;
  } = {},
): HeddleError {
  const calls: string[] = [];
  for (let call = caller; call !== null; call = call.caller)
    if (!call.source.isLibrary)
      calls.push(`called from ${call.source.file}:${call.span.line}:${call.span.column}, as ${call.callee}`);
  return new HeddleError(isUnsupported ? "unsupported" : "compile-error", summary, {
    location: { file: source.file, line: span.line, column: span.column },
    notes: [...excerpt(source, span), ...notes, ...calls],
  });
}
