/**
 * Tokens of a C++ source for lost-constants.ts: comments, literals of text and directives are left out, object-like
 * macros are replaced. Branches of #if are all kept: who reads the tokens takes what differs between them as unknown.
 */
export interface Token {
  readonly text: string;
  readonly kind: "name" | "number" | "sign";
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  /** Of #include "…", in order. */
  readonly included: readonly string[];
}

/** Macros by name; null: defined more than once, with parameters, or undefined again. */
export type Macros = Map<string, readonly Token[] | null>;

const PIECE = new RegExp(
  [
    /(?<space>\s+|\\\r?\n|\/\/[^\n]*|\/\*[\s\S]*?\*\/)/,
    /(?<directive>(?<=^|\n)[ \t]*#(?:\\\r?\n|\/\*[\s\S]*?\*\/|[^\n])*)/,
    /(?<literal>(?:u8|[uUL])?(?:R"(?<delimiter>[^\s()\\]{0,16})\([\s\S]*?\)\k<delimiter>"|"(?:\\[\s\S]|[^"\\\n])*"))/,
    /(?<character>(?:u8|[uUL])?'(?:\\[\s\S]|[^'\\\n])*')/,
    /(?<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)/,
    /(?<name>[A-Za-z_]\w*)/,
    /(?<sign>::|<<|>>|[<>=!]=|&&|\|\||->|[^\s])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "y",
);

/** @param macros gains those that the text defines; `fixed` are those of the command line, which stay. */
export function readTokens(file: string, text: string, macros: Macros, fixed: ReadonlySet<string>): Tokens {
  const tokens: Token[] = [];
  const included: string[] = [];
  let line = 1;
  let lineStart = 0;
  // A macro's body is read in between.
  const pieces = new RegExp(PIECE);
  for (let match = pieces.exec(text); match !== null; match = pieces.exec(text)) {
    const [piece] = match;
    const { directive, number, name, sign, literal, character } = match.groups as Record<string, string | undefined>;
    const place = { file, line, column: match.index - lineStart + 1 };
    if (directive !== undefined) {
      const [, path] = /^\s*#\s*include\s*"([^"\n]+)"/.exec(directive) ?? [];
      if (path !== undefined) included.push(path);
      define(directive, macros, fixed, file);
    } else if (name !== undefined) tokens.push({ text: name, kind: "name", ...place });
    else if (number !== undefined) tokens.push({ text: number, kind: "number", ...place });
    else if (sign !== undefined) tokens.push({ text: sign, kind: "sign", ...place });
    else if (literal !== undefined || character !== undefined) tokens.push({ text: '"', kind: "sign", ...place });
    for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) {
      line++;
      lineStart = match.index + at + 1;
    }
  }
  return { tokens, included };
}

function define(directive: string, macros: Macros, fixed: ReadonlySet<string>, file: string): void {
  const [, what, name = "", rest = ""] =
    /^\s*#\s*(define|undef)\s+([A-Za-z_]\w*)([\s\S]*)$/.exec(directive.replaceAll(/\\\r?\n/g, " ")) ?? [];
  if (what === undefined || fixed.has(name)) return;
  const { tokens } = readTokens(file, ` ${rest}`, new Map(), new Set());
  const known = macros.get(name);
  const again = known !== undefined && (known === null || textOf(known) !== textOf(tokens));
  macros.set(name, what === "undef" || rest.startsWith("(") || again ? null : tokens);
}

export function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(" ");
}

/** Every object-like macro replaced; what replaces it stands at the place of its name. */
export function expandMacros(tokens: readonly Token[], macros: Macros): Token[] {
  const expanded: Token[] = [];
  const add = (token: Token, place: Token, open: ReadonlySet<string>): void => {
    const body = token.kind === "name" && !open.has(token.text) ? macros.get(token.text) : undefined;
    const { file, line, column } = place;
    if (body === undefined || body === null || body.length > LONGEST_MACRO)
      expanded.push({ ...token, file, line, column });
    else for (const inner of body) add(inner, place, new Set([...open, token.text]));
  };
  for (const token of tokens) add(token, token, new Set());
  return expanded;
}

/** Longer bodies are no constants. */
const LONGEST_MACRO = 64;
