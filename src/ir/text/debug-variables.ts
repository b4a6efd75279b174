/**
 * The variables that unoptimized LLVM IR describes (LangRef, "Debug Records"; DWARF 5, 5.1 and 4.1): their types, the
 * lines on which they are in scope, and the memory that holds them. The IR's model does not keep them: they are read
 * from the text, where something asks.
 */
import { numberField, parseNode, type MetadataNode } from "./parse-metadata.ts";

export type DebugType =
  | {
      readonly kind: "scalar";
      readonly name: string;
      readonly encoding: "signed" | "unsigned" | "float" | "boolean" | "character";
      readonly bytes: number;
    }
  | { readonly kind: "pointer"; readonly name: string; readonly bytes: number }
  | { readonly kind: "array"; readonly name: string; readonly element: DebugType; readonly counts: readonly number[] }
  | {
      readonly kind: "struct";
      readonly name: string;
      readonly bytes: number;
      readonly members: readonly { readonly name: string; readonly offset: number; readonly type: DebugType }[];
    }
  /** Something that has no value to show. */
  | { readonly kind: "opaque"; readonly name: string; readonly bytes: number };

export interface DebugVariable {
  readonly name: string;
  readonly type: DebugType;
  /** The function of the source that it belongs to, mangled; it may be inlined into that of the IR. */
  readonly functionName: string;
  readonly file: string;
  /** Of the declaration. */
  readonly line: number;
  /** The lines on which it is in scope. */
  readonly from: number;
  readonly to: number;
  readonly isParameter: boolean;
  /** The `alloca` or parameter of the IR that holds its address. */
  readonly place: string;
  /** The place holds the address of its address. */
  readonly isIndirect: boolean;
}

export interface DebugGlobal {
  readonly name: string;
  readonly type: DebugType;
  /** The function that it is local to, mangled; null: none. */
  readonly functionName: string | null;
}

export interface DebugInfo {
  /** By function of the IR. */
  readonly functions: ReadonlyMap<string, readonly DebugVariable[]>;
  /** By symbol. */
  readonly globals: ReadonlyMap<string, DebugGlobal>;
}

/** @param ir of one unit, as Clang writes it: one definition, record or node a line */
export function readDebugInfo(ir: string): DebugInfo {
  return new Reader(ir).read();
}

const DEFINITION = /^define [^@]*@("(?:[^"\\]|\\.)*"|[\w.$-]+)\(/;
const RECORD = /^\s*#dbg_declare\(ptr %("(?:[^"\\]|\\.)*"|[\w.$-]+), !(\d+), !DIExpression\(([^)]*)\), !(\d+)\)/;
const GLOBAL = /^@("(?:[^"\\]|\\.)*"|[\w.$-]+) = .*, !dbg !(\d+)/;
const PLACE = /!dbg !(\d+)/;

const ENCODINGS: Readonly<Record<string, Extract<DebugType, { kind: "scalar" }>["encoding"]>> = {
  DW_ATE_signed: "signed",
  DW_ATE_unsigned: "unsigned",
  DW_ATE_float: "float",
  DW_ATE_boolean: "boolean",
  DW_ATE_signed_char: "character",
  DW_ATE_unsigned_char: "unsigned",
  DW_ATE_UTF: "unsigned",
};
const NOTHING: DebugType = { kind: "opaque", name: "void", bytes: 0 };

/** First and last line. */
type Lines = [number, number];

class Reader {
  readonly #lines: readonly string[];
  /** Metadata by number, as text. */
  readonly #texts = new Map<string, string>();
  readonly #nodes = new Map<string, MetadataNode>();
  readonly #types = new Map<string, DebugType>();

  constructor(ir: string) {
    this.#lines = ir.split("\n");
    for (const line of this.#lines) {
      const match = /^!(\d+) = (.*)$/.exec(line);
      if (match) this.#texts.set(match[1] as string, match[2] as string);
    }
  }

  read(): DebugInfo {
    const functions = new Map<string, readonly DebugVariable[]>();
    const globals = new Map<string, DebugGlobal>();
    let at: { readonly name: string; readonly records: RegExpExecArray[]; readonly places: Set<string> } | null = null;
    for (const line of this.#lines) {
      if (at === null) {
        const definition = DEFINITION.exec(line);
        if (definition) at = { name: unquoted(definition[1] as string), records: [], places: new Set() };
        const global = definition ? null : GLOBAL.exec(line);
        if (global) this.#global(unquoted(global[1] as string), global[2] as string, globals);
      } else if (line === "}") {
        functions.set(at.name, this.#variables(at.records, at.places));
        at = null;
      } else {
        const record = RECORD.exec(line);
        if (record) at.records.push(record);
        const place = PLACE.exec(line);
        if (place) at.places.add(place[1] as string);
      }
    }
    return { functions, globals };
  }

  #global(symbol: string, id: string, globals: Map<string, DebugGlobal>): void {
    const expression = this.#node(id);
    const node = this.#follow(expression.fields.get("var"));
    if (node === null) return;
    const type = this.#type(node.fields.get("type"));
    const name = node.fields.get("name") ?? symbol;
    globals.set(symbol, { name, type, functionName: this.#functionOf(node.fields.get("scope")) });
  }

  #variables(records: readonly RegExpExecArray[], places: ReadonlySet<string>): DebugVariable[] {
    const scopes = new Map<string, Lines>();
    for (const id of places) this.#extendScopes(id, scopes);
    return records.flatMap(([, place, id, expression, where]) => {
      const isIndirect = expression === "DW_OP_deref";
      if (expression !== "" && !isIndirect) return [];
      const node = this.#node(id as string);
      const scope = node.fields.get("scope");
      const functionName = this.#functionOf(scope);
      const name = node.fields.get("name");
      if (functionName === null || name === undefined) return [];
      const line = numberField(node, "line");
      const [from, to] = scopes.get(scope as string) ?? [line, line];
      // The place is where the variable comes into scope: that of an inlined function is as good as any.
      void where;
      return {
        name,
        type: this.#type(node.fields.get("type")),
        functionName,
        file: this.#fileOf(node),
        line,
        from,
        to: Math.max(to, line),
        isParameter: node.fields.has("arg"),
        place: unquoted(place as string),
        isIndirect,
      };
    });
  }

  /** The lines of the scopes around an instruction's place contain the place. */
  #extendScopes(place: string, scopes: Map<string, Lines>): void {
    for (let at: string | undefined = place; at !== undefined;) {
      const node: MetadataNode = this.#node(at);
      const line = numberField(node, "line");
      let scope = node.fields.get("scope");
      for (let steps = 0; scope?.startsWith("!") && steps < 1000; steps++) {
        const lines = scopes.get(scope);
        if (lines === undefined) scopes.set(scope, [line, line]);
        else if (line !== 0) {
          lines[0] = Math.min(lines[0], line);
          lines[1] = Math.max(lines[1], line);
        }
        const outer: MetadataNode = this.#node(scope.slice(1));
        if (outer.kind === "DISubprogram") break;
        scope = outer.fields.get("scope");
      }
      at = node.fields.get("inlinedAt")?.slice(1);
    }
  }

  #functionOf(scope: string | undefined): string | null {
    for (let at = scope, steps = 0; at?.startsWith("!") && steps < 1000; steps++) {
      const node: MetadataNode = this.#node(at.slice(1));
      if (node.kind === "DISubprogram") return node.fields.get("linkageName") ?? node.fields.get("name") ?? null;
      at = node.fields.get("scope");
    }
    return null;
  }

  #fileOf(node: MetadataNode): string {
    const file = this.#follow(node.fields.get("file"));
    const name = file?.fields.get("filename") ?? "";
    const directory = file?.fields.get("directory") ?? "";
    return directory === "" || name.startsWith("/") ? name : `${directory.replace(/\/$/, "")}/${name}`;
  }

  // ---------------------------------------------------------------- types

  #type(reference: string | undefined): DebugType {
    if (reference === undefined || !reference.startsWith("!")) return NOTHING;
    const known = this.#types.get(reference);
    if (known !== undefined) return known;
    // A type that contains itself does so behind a pointer, whose target is a name.
    this.#types.set(reference, { kind: "opaque", name: "…", bytes: 0 });
    const type = this.#readType(this.#node(reference.slice(1)));
    this.#types.set(reference, type);
    return type;
  }

  #readType(node: MetadataNode): DebugType {
    const bytes = numberField(node, "size") / 8;
    const name = node.fields.get("name") ?? "";
    const tag = node.fields.get("tag");
    if (node.kind === "DIBasicType") {
      const encoding = ENCODINGS[node.fields.get("encoding") ?? ""];
      return encoding === undefined ? { kind: "opaque", name, bytes } : { kind: "scalar", name, encoding, bytes };
    }
    const base = node.fields.get("baseType");
    if (node.kind === "DIDerivedType") {
      if (tag === "DW_TAG_pointer_type") return { kind: "pointer", name: `${this.#nameOf(base)}*`, bytes: bytes || 4 };
      if (tag === "DW_TAG_reference_type" || tag === "DW_TAG_rvalue_reference_type")
        return { kind: "pointer", name: `${this.#nameOf(base)}&`, bytes: bytes || 4 };
      const type = this.#type(base);
      if (tag === "DW_TAG_typedef") return { ...type, name };
      return tag === "DW_TAG_const_type" ? { ...type, name: `const ${type.name}` } : type;
    }
    if (node.kind !== "DICompositeType") return { kind: "opaque", name, bytes };
    if (tag === "DW_TAG_array_type") return this.#arrayType(node, this.#type(base));
    if (tag === "DW_TAG_enumeration_type") {
      const type = this.#type(base);
      return type.kind === "scalar" ? { ...type, name } : { kind: "scalar", name, encoding: "signed", bytes };
    }
    const members = this.#elements(node).flatMap((member) => {
      const isBase = member.fields.get("tag") === "DW_TAG_inheritance";
      if (!isBase && (member.fields.get("tag") !== "DW_TAG_member" || isStatic(member))) return [];
      if (member.fields.get("flags")?.includes("DIFlagBitField")) return [];
      const type = this.#type(member.fields.get("baseType"));
      const own = isBase ? type.name : (member.fields.get("name") ?? "");
      return { name: own, offset: numberField(member, "offset") / 8, type };
    });
    return { kind: "struct", name, bytes, members };
  }

  #arrayType(node: MetadataNode, element: DebugType): DebugType {
    const counts = this.#elements(node).map((range) => numberField(range, "count"));
    return { kind: "array", name: `${element.name}${counts.map((count) => `[${count}]`).join("")}`, element, counts };
  }

  #elements(node: MetadataNode): MetadataNode[] {
    const list = this.#follow(node.fields.get("elements"));
    return (list?.elements ?? []).flatMap((element) => this.#follow(element) ?? []);
  }

  /** The name of what a pointer points to, without reading its members: they may point back. */
  #nameOf(reference: string | undefined): string {
    const node = this.#follow(reference);
    if (node === null) return "void";
    const tag = node.fields.get("tag");
    const base = node.fields.get("baseType");
    if (tag === "DW_TAG_const_type") return `const ${this.#nameOf(base)}`;
    if (tag === "DW_TAG_pointer_type") return `${this.#nameOf(base)}*`;
    if (tag === "DW_TAG_array_type") return this.#type(reference).name;
    return node.fields.get("name") ?? (base === undefined ? "…" : this.#nameOf(base));
  }

  #follow(reference: string | undefined): MetadataNode | null {
    if (reference === undefined || !/^!\d+$/.test(reference)) return null;
    return this.#texts.has(reference.slice(1)) ? this.#node(reference.slice(1)) : null;
  }

  #node(id: string): MetadataNode {
    let node = this.#nodes.get(id);
    if (node === undefined) this.#nodes.set(id, (node = parseNode(this.#texts.get(id) ?? "")));
    return node;
  }
}

function isStatic(member: MetadataNode): boolean {
  return member.fields.get("flags")?.includes("DIFlagStaticMember") === true;
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1) : name;
}
