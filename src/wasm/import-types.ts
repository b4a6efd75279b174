/** What a module says of its memory and its imported functions (WebAssembly 5.5.4, 5.5.5; the memory64 proposal). */
import { ByteReader } from "./byte-reader.ts";
import { SECTIONS } from "./sections.ts";
import { VALUE_TYPE_CODES, type ValueType } from "./types.ts";

const INDEX_64 = 4;

export interface FunctionType {
  readonly parameters: readonly ValueType[];
  readonly results: readonly ValueType[];
}

export interface ImportedFunction {
  readonly module: string;
  readonly name: string;
  readonly type: FunctionType;
}

/** A reader at the beginning of this section's content; null: there is no such section. */
function sectionOf(wasm: Uint8Array, wanted: number): ByteReader | null {
  const r = new ByteReader(wasm, 8);
  while (!r.done) {
    const id = r.u8();
    const bytes = r.uleb();
    if (id === wanted) return r;
    r.at += bytes;
  }
  return null;
}

/** Whether the module's own memory has addresses of 64 bits. */
export function hasWideMemory(wasm: Uint8Array): boolean {
  const r = sectionOf(wasm, SECTIONS.memory);
  return r !== null && r.uleb() > 0 && (r.u8() & INDEX_64) !== 0;
}

const TYPES = new Map(Object.entries(VALUE_TYPE_CODES).map(([name, code]) => [code as number, name as ValueType]));

/** Only functions may be imported. */
export function importedFunctions(wasm: Uint8Array): ImportedFunction[] {
  const imports = sectionOf(wasm, SECTIONS.import);
  const types = sectionOf(wasm, SECTIONS.type);
  if (imports === null || types === null) return [];
  const valueTypes = (): ValueType[] => Array.from({ length: types.uleb() }, () => TYPES.get(types.u8()) as ValueType);
  const known = Array.from({ length: types.uleb() }, (): FunctionType => {
    types.u8();
    return { parameters: valueTypes(), results: valueTypes() };
  });
  const text = (): string => {
    const length = imports.uleb();
    const bytes = imports.bytes.slice(imports.at, imports.at + length);
    imports.at += length;
    return new TextDecoder().decode(bytes);
  };
  return Array.from({ length: imports.uleb() }, () => {
    const module = text();
    const name = text();
    imports.u8();
    return { module, name, type: known[imports.uleb()] as FunctionType };
  });
}

const KINDS = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;

/** Whether the memory that an object file imports has addresses of 64 bits. Null: it imports none. */
export function importsWideMemory(object: Uint8Array): boolean | null {
  const r = sectionOf(object, SECTIONS.import);
  if (r === null) return null;
  const limits = (): number => {
    const flags = r.u8();
    r.uleb();
    if ((flags & 1) !== 0) r.uleb();
    return flags;
  };
  for (let left = r.uleb(); left > 0; left--) {
    for (let name = 0; name < 2; name++) {
      const bytes = r.uleb();
      r.at += bytes;
    }
    const kind = r.u8();
    if (kind === KINDS.memory) return (limits() & INDEX_64) !== 0;
    if (kind === KINDS.function) r.uleb();
    else if (kind === KINDS.table) {
      r.u8();
      limits();
    } else if (kind === KINDS.global) r.at += 2;
    else {
      r.u8();
      r.uleb();
    }
  }
  return null;
}
