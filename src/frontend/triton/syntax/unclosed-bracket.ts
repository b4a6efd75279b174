/** The bracket that a source opens and does not close: the cause of a syntax error further down, as in CPython. */

export interface OpenBracket {
  readonly bracket: string;
  /** From 1. */
  readonly line: number;
  /** From 0. */
  readonly offset: number;
}

const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };
/** Comments, strings of both kinds with what they escape, lines, brackets. */
const PARTS = /#[^\n]*|("""|''')(?:\\[^]|(?!\1)[^])*\1|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|[()[\]{}]/g;

/** The innermost one; null if all are closed, or if one is closed by another kind. */
export function unclosedBracket(text: string): OpenBracket | null {
  const open: { readonly bracket: string; readonly at: number }[] = [];
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    if (part === "(" || part === "[" || part === "{") open.push({ bracket: part, at: index });
    else if (CLOSES[part] !== undefined && open.pop()?.bracket !== CLOSES[part]) return null;
  }
  const last = open.at(-1);
  if (last === undefined) return null;
  const before = text.slice(0, last.at).split("\n");
  return { bracket: last.bracket, line: before.length, offset: before.at(-1)?.length ?? 0 };
}
