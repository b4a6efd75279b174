/**
 * Metadata of a module: held as text, and parsed only where something refers to it (LangRef, "Metadata").
 *
 * What we read: DILocation → DILexicalBlock(File) → DISubprogram → DIFile chains, which become SourceLocation, and the
 * property names of `!llvm.loop`. Everything else is passed over.
 */
import type { SourceLocation } from "../../base/diagnostics.ts";
import type { Lexer } from "./lexer.ts";

export interface MetadataNode {
  /** "DILocation" …; "" for a tuple `!{…}` */
  readonly kind: string;
  /** name: value as text; strings unquoted. */
  readonly fields: ReadonlyMap<string, string>;
  /** The operands of a tuple, as text. */
  readonly elements: readonly string[];
}

interface Scope {
  readonly file: string;
  readonly line: number;
  readonly functionName: string | null;
}

/** Longer chains of scopes or inlined calls than any program has: a cycle. */
const MAX_CHAIN = 4000;

export class MetadataTable {
  readonly #lexer: Lexer;
  /** Offset of each numbered definition's right side. */
  readonly #definitions = new Map<string, { start: number; end: number }>();
  readonly #nodes = new Map<string, MetadataNode>();
  readonly #locations = new Map<string, SourceLocation | null>();
  readonly #scopes = new Map<string, Scope>();
  readonly #inProgress = new Set<string>();

  constructor(lexer: Lexer) {
    this.#lexer = lexer;
  }

  define(id: string, start: number, end: number): void {
    this.#definitions.set(id, { start, end });
  }

  /** The place a `!dbg` attachment names; null where it is none we understand. */
  location(id: string, at: number): SourceLocation | null {
    const known = this.#locations.get(id);
    if (known !== undefined) return known;
    this.#enter(id, at);
    const node = this.#node(id, at);
    let location: SourceLocation | null = null;
    if (node.kind === "DILocation") location = this.#locationOf(node, at);
    else if (node.kind === "DISubprogram") location = this.#subprogram(id, node, at);
    this.#inProgress.delete(id);
    this.#locations.set(id, location);
    return location;
  }

  /** The place that `!DILocation(…)` written at an instruction names. */
  inlineLocation(text: string, at: number): SourceLocation | null {
    const node = parseNode(text);
    return node.kind === "DILocation" ? this.#locationOf(node, at) : null;
  }

  /**
   * The property names of an llvm.loop node, separated by commas: "llvm.loop.mustprogress,llvm.loop.unroll.disable".
   */
  loopProperties(id: string, at: number): string {
    const names: string[] = [];
    for (const element of this.#node(id, at).elements) {
      const isOther = /^!\d+$/.test(element) && element !== `!${id}`;
      const named = isOther ? this.#node(element.slice(1), at) : null;
      const target = element.startsWith("!{") ? parseNode(element) : named;
      const first = target?.elements[0];
      if (first?.startsWith('!"')) names.push([first.slice(2, -1), ...(target?.elements.slice(1) ?? [])].join(" "));
    }
    return names.join(",");
  }

  #locationOf(node: MetadataNode, at: number): SourceLocation {
    const scope = this.#scopeOf(node.fields.get("scope"), at);
    const inlined = node.fields.get("inlinedAt");
    const inlinedAt = inlined === undefined ? null : this.location(inlined.slice(1), at);
    return {
      file: scope.file,
      line: numberField(node, "line"),
      column: numberField(node, "column"),
      ...(scope.functionName === null ? {} : { functionName: scope.functionName }),
      ...(inlinedAt === null ? {} : { inlinedAt }),
    };
  }

  #subprogram(id: string, node: MetadataNode, at: number): SourceLocation {
    const scope = this.#scopeOf(`!${id}`, at);
    return {
      file: scope.file,
      line: numberField(node, "line"),
      column: 0,
      ...(scope.functionName === null ? {} : { functionName: scope.functionName }),
    };
  }

  #scopeOf(reference: string | undefined, at: number): Scope {
    if (reference === undefined || reference === "null") return { file: "", line: 0, functionName: null };
    const known = this.#scopes.get(reference);
    if (known) return known;
    let file: string | null = null;
    let functionName: string | null = null;
    let current: string | undefined = reference;
    const chain = new Set<string>();
    while (current !== undefined && current.startsWith("!")) {
      if (chain.has(current)) this.#lexer.fail("the chain of debug scopes has no end", at);
      chain.add(current);
      const node = this.#node(current.slice(1), at);
      file ??= this.#file(node.kind === "DIFile" ? current : node.fields.get("file"), at);
      if (node.kind === "DISubprogram") {
        functionName = node.fields.get("linkageName") ?? node.fields.get("name") ?? null;
        break;
      }
      current = node.fields.get("scope");
    }
    const scope = { file: file ?? "", line: 0, functionName };
    this.#scopes.set(reference, scope);
    return scope;
  }

  #file(reference: string | undefined, at: number): string | null {
    if (reference === undefined || !/^!\d+$/.test(reference)) return null;
    const node = this.#node(reference.slice(1), at);
    if (node.kind !== "DIFile") return null;
    const name = node.fields.get("filename") ?? "";
    const directory = node.fields.get("directory") ?? "";
    return directory === "" || name.startsWith("/") || /^[A-Za-z]:/.test(name)
      ? name
      : `${directory.replace(/\/$/, "")}/${name}`;
  }

  #enter(id: string, at: number): void {
    if (this.#inProgress.has(id) || this.#inProgress.size > MAX_CHAIN)
      this.#lexer.fail(`the debug location !${id} refers to itself`, at);
    this.#inProgress.add(id);
  }

  #node(id: string, at: number): MetadataNode {
    const known = this.#nodes.get(id);
    if (known) return known;
    const definition = this.#definitions.get(id);
    if (definition === undefined) this.#lexer.fail(`there is no metadata !${id}`, at);
    const node = parseNode(this.#lexer.text.slice(definition.start, definition.end));
    this.#nodes.set(id, node);
    return node;
  }
}

export function numberField(node: MetadataNode, name: string): number {
  const value = Number(node.fields.get(name) ?? 0);
  return Number.isSafeInteger(value) && value >= 0 ? value : 0;
}

/** `distinct !Kind(a: 1, b: "x")` or `!{a, b}`. Text we do not understand gives a node without fields. */
export function parseNode(text: string): MetadataNode {
  const fields = new Map<string, string>();
  const elements: string[] = [];
  const open = text.search(/[({]/);
  if (open < 0) return { kind: "", fields, elements };
  const kind = /!(\w*)$/.exec(text.slice(0, open))?.[1] ?? "";
  for (const part of splitOperands(text, open + 1)) {
    const field = kind === "" ? null : /^(\w+):\s*(.*)$/s.exec(part);
    if (field === null) elements.push(part);
    else fields.set(field[1] as string, unquote(field[2] as string));
  }
  return { kind, fields, elements };
}

/** The comma-separated parts up to the bracket that closes the one before `from`. */
function splitOperands(text: string, from: number): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = from;
  for (let at = from; at < text.length; at++) {
    const c = text[at];
    if (c === '"') {
      const end = text.indexOf('"', at + 1);
      if (end < 0) break;
      at = end;
    } else if (c === "(" || c === "{" || c === "[") depth++;
    else if (c === ")" || c === "}" || c === "]") {
      if (depth === 0) {
        const last = text.slice(start, at).trim();
        if (last !== "") parts.push(last);
        return parts;
      }
      depth--;
    } else if (c === "," && depth === 0) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts;
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  return text
    .slice(1, -1)
    .replace(/\\(\\|[0-9a-fA-F]{2})/g, (_, code: string) =>
      code === "\\" ? "\\" : String.fromCharCode(parseInt(code, 16)),
    );
}
