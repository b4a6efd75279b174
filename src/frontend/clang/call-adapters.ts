/**
 * Adapters for calls of functions that C code has not declared, or has declared with another type. Other machines run a
 * call that passes an argument too many, or that expects a result of a void function. WebAssembly compares the types,
 * and the linker replaces the callee by a trap. An adapter has the type that the caller expects, and calls the function
 * that there is.
 */
import { ByteReader } from "../../wasm/byte-reader.ts";
import { VALUE_TYPE_CODES, type ValueType } from "../../wasm/types.ts";
import { concatenate } from "../../base/bytes.ts";
import { leb } from "../../program/fat-binary.ts";

/** Value types by their codes (WebAssembly 5.3.1), as C has them. */
const C_TYPES: Readonly<Record<number, string>> = { 0x7f: "int", 0x7e: "long long", 0x7d: "float", 0x7c: "double" };
const SECTION = { custom: 0, type: 1, import: 2, function: 3 } as const;
/** Of the tool conventions' "linking" section. */
const SYMBOL_TABLE = 8;
const SYMBOL = { function: 0, data: 1, section: 3, undefined: 0x10, explicitName: 0x40 } as const;

export interface FunctionType {
  readonly parameters: readonly number[];
  readonly results: readonly number[];
}
export interface Imported {
  readonly name: string;
  readonly type: FunctionType;
  readonly nameStart: number;
  readonly nameEnd: number;
}
export interface ObjectFunctions {
  readonly imported: readonly Imported[];
  readonly defined: ReadonlyMap<string, FunctionType>;
  readonly importSection: { readonly start: number; readonly contentStart: number; readonly end: number } | null;
}

/** Functions of the linker's warnings about types that differ, and the types of those that archives define. */
export function mismatches(linkerReport: string): ReadonlyMap<string, FunctionType | null> {
  const found = new Map<string, FunctionType | null>();
  for (const [, name, places] of linkerReport.matchAll(
    /function signature mismatch: (.*)\n((?:>>> defined as .*\n)*)/g,
  )) {
    // "(i64, i32) -> i32 in /…/libc.a(75-posix.c.o)"
    const [, parameters, result] = /^>>> defined as \((.*)\) -> (\w+) in .*\.a\(.*\)$/m.exec(places as string) ?? [];
    const type =
      parameters === undefined
        ? null
        : { parameters: parameters.split(", ").flatMap(codesOf), results: codesOf(result as string) };
    found.set(name as string, type);
  }
  return found;
}

function codesOf(name: string): number[] {
  const code = VALUE_TYPE_CODES[name as ValueType] as number | undefined;
  return code === undefined ? [] : [code];
}

/**
 * @param named see `mismatches` @param objects by path, archives not among them.
 * @returns the objects that had to be changed, and C code of the functions between; null if nothing can be done.
 */
export function adaptCalls(
  named: ReadonlyMap<string, FunctionType | null>,
  objects: ReadonlyMap<string, Uint8Array>,
): { readonly changed: ReadonlyMap<string, Uint8Array>; readonly source: string } | null {
  const functions = new Map([...objects].map(([path, bytes]) => [path, readFunctions(bytes)] as const));
  const adapters = new Map<string, string>();
  const changed = new Map<string, Uint8Array>();
  for (const [path, { imported, importSection }] of functions) {
    const renamed = new Map<Imported, string>();
    for (const call of imported) {
      if (!named.has(call.name)) continue;
      const callee =
        [...functions.values()].map(({ defined }) => defined.get(call.name)).find((type) => type !== undefined) ??
        named.get(call.name);
      if (callee == null || typeName(callee) === typeName(call.type) || !canServe(callee, call.type)) continue;
      const name = `__heddle_call_${typeName(call.type)}_${call.name}`;
      adapters.set(name, adapter(adapters.size, name, call, callee));
      renamed.set(call, name);
    }
    if (renamed.size > 0 && importSection !== null)
      changed.set(path, rename(objects.get(path) as Uint8Array, importSection, renamed));
  }
  return changed.size === 0 ? null : { changed, source: [...adapters.values()].join("") };
}

/**
 * As on machines that do not compare types: superfluous arguments and results are dropped, integers have any width. A
 * missing result is 0.
 */
function canServe(callee: FunctionType, call: FunctionType): boolean {
  const takesThem = callee.parameters.every((type, i) => isLike(call.parameters[i], type));
  return (
    isOfC(callee) &&
    isOfC(call) &&
    takesThem &&
    (callee.results.length === 0 || call.results.length === 0 || isLike(callee.results[0], call.results[0]))
  );
}

/** The same, or both integers: C converts them. */
function isLike(a: number | undefined, b: number | undefined): boolean {
  const isInteger = (type: number | undefined): boolean =>
    type === VALUE_TYPE_CODES.i32 || type === VALUE_TYPE_CODES.i64;
  return a === b || (isInteger(a) && isInteger(b));
}

/** Whether C has types like a function's. */
export function isOfC({ parameters, results }: FunctionType): boolean {
  return [...parameters, ...results].every((code) => code in C_TYPES);
}

/** Declares a function of another name in C. */
export function declaration(alias: string, name: string, type: FunctionType): string {
  return `${resultOf(type)} ${alias}(${parametersOf(type)}) __asm__("${name}");\n`;
}

const resultOf = ({ results }: FunctionType): string =>
  results.length === 0 ? "void" : (C_TYPES[results[0] as number] as string);
const parametersOf = ({ parameters }: FunctionType): string =>
  parameters.map((code, i) => `${C_TYPES[code]} a${i}`).join(", ") || "void";

function adapter(index: number, name: string, call: Imported, callee: FunctionType): string {
  const passes = `callee${index}(${callee.parameters.map((_, i) => `a${i}`).join(", ")})`;
  const withResult = callee.results.length === 0 ? `${passes}; return 0;` : `return ${passes};`;
  const body = call.type.results.length === 0 ? `${passes};` : withResult;
  return (
    declaration(`callee${index}`, call.name, callee) +
    declaration(`call${index}`, name, call.type) +
    `${resultOf(call.type)} call${index}(${parametersOf(call.type)}) { ${body} }\n`
  );
}

function typeName({ parameters, results }: FunctionType): string {
  const letters = (types: readonly number[]): string => types.map((type) => type.toString(16)).join("");
  return `${letters(parameters)}_${letters(results)}`;
}

/** Functions of an object by its tables. */
export function readFunctions(object: Uint8Array): ObjectFunctions {
  const r = new ByteReader(object, 8);
  const types: FunctionType[] = [];
  const imported: Imported[] = [];
  const own: number[] = [];
  const defined = new Map<string, FunctionType>();
  let importSection: ObjectFunctions["importSection"] = null;
  let importedFunctions = 0;
  const typeOf = (index: number): FunctionType => types[index] ?? { parameters: [], results: [] };
  while (!r.done) {
    const start = r.at;
    const id = r.u8();
    const bytes = r.uleb();
    const end = r.at + bytes;
    if (id === SECTION.type) {
      for (let left = r.uleb(); left > 0; left--) {
        r.u8(); // 0x60
        const list = (): number[] => Array.from({ length: r.uleb() }, () => r.u8());
        types.push({ parameters: list(), results: list() });
      }
    } else if (id === SECTION.import) {
      importSection = { start, contentStart: r.at, end };
      for (let left = r.uleb(); left > 0; left--) {
        name(r);
        const nameStart = r.at;
        const field = name(r);
        const nameEnd = r.at;
        if (readImportKind(r) === "function") {
          imported.push({ name: field, type: typeOf(r.uleb()), nameStart, nameEnd });
          importedFunctions++;
        }
      }
    } else if (id === SECTION.function) {
      for (let left = r.uleb(); left > 0; left--) own.push(r.uleb());
    } else if (id === SECTION.custom && name(r) === "linking") {
      r.uleb(); // version
      while (r.at < end)
        readSymbols(r, (symbol, index) => defined.set(symbol, typeOf(own[index - importedFunctions] as number)));
    }
    r.at = end;
  }
  return { imported, defined, importSection };
}

/** Of anything but a function, reads the description, too. */
function readImportKind(r: ByteReader): "function" | "other" {
  const limits = (): void => {
    const flags = r.uleb();
    r.uleb();
    if ((flags & 1) !== 0) r.uleb();
  };
  switch (r.u8()) {
    case 0:
      return "function";
    case 1:
      r.u8();
      limits();
      break;
    case 2:
      limits();
      break;
    case 3:
      r.u8();
      r.u8();
      break;
    default:
      r.u8();
      r.uleb();
  }
  return "other";
}

/** One subsection of "linking"; `found` hears of the functions that are defined here and seen by other objects. */
function readSymbols(r: ByteReader, found: (name: string, index: number) => void): void {
  const isSymbolTable = r.u8() === SYMBOL_TABLE;
  const bytes = r.uleb();
  const end = r.at + bytes;
  for (let left = isSymbolTable ? r.uleb() : 0; left > 0; left--) {
    const kind = r.u8();
    const flags = r.uleb();
    const isDefined = (flags & SYMBOL.undefined) === 0;
    if (kind === SYMBOL.section) {
      r.uleb();
    } else if (kind === SYMBOL.data) {
      name(r);
      if (isDefined) for (let i = 0; i < 3; i++) r.uleb();
    } else {
      const index = r.uleb();
      const isLocal = (flags & 3) === 2;
      const symbol = isDefined || (flags & SYMBOL.explicitName) !== 0 ? name(r) : null;
      if (kind === SYMBOL.function && isDefined && !isLocal && symbol !== null) found(symbol, index);
    }
  }
  r.at = end;
}

function name(r: ByteReader): string {
  const bytes = r.uleb();
  r.at += bytes;
  return new TextDecoder().decode(r.bytes.subarray(r.at - bytes, r.at));
}

/** Offsets in an object count from the start of a section: the others stay as they are. */
function rename(
  object: Uint8Array,
  section: NonNullable<ObjectFunctions["importSection"]>,
  names: ReadonlyMap<Imported, string>,
): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = section.contentStart;
  for (const [{ nameStart, nameEnd }, to] of names) {
    const text = new TextEncoder().encode(to);
    parts.push(object.subarray(at, nameStart), leb(text.length), text);
    at = nameEnd;
  }
  parts.push(object.subarray(at, section.end));
  const content = concatenate(parts);
  return concatenate([
    object.subarray(0, section.start),
    Uint8Array.of(SECTION.import),
    leb(content.length),
    content,
    object.subarray(section.end),
  ]);
}
