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

/** Whether the module's memory, its own or one that it imports, has addresses of 64 bits. */
export function hasWideMemory(wasm: Uint8Array): boolean {
  const r = sectionOf(wasm, SECTIONS.memory);
  if (r !== null && r.uleb() > 0) return (r.u8() & INDEX_64) !== 0;
  return importedMemory(wasm)?.isWide ?? false;
}

const TYPES = new Map(Object.entries(VALUE_TYPE_CODES).map(([name, code]) => [code as number, name as ValueType]));

/** Functions among the imports. */
export function importedFunctions(wasm: Uint8Array): ImportedFunction[] {
  const types = sectionOf(wasm, SECTIONS.type);
  if (types === null) return [];
  const valueTypes = (): ValueType[] => Array.from({ length: types.uleb() }, () => TYPES.get(types.u8()) as ValueType);
  const known = Array.from({ length: types.uleb() }, (): FunctionType => {
    types.u8();
    return { parameters: valueTypes(), results: valueTypes() };
  });
  return importsOf(wasm).flatMap(({ module, name, type }) =>
    type === null ? [] : [{ module, name, type: known[type] as FunctionType }],
  );
}

const KINDS = { function: 0, table: 1, memory: 2, global: 3, tag: 4 } as const;

export interface ImportedMemory {
  readonly isWide: boolean;
  /** In pages of 64 KiB. */
  readonly initial: number;
  /** null: not said. */
  readonly maximum: number | null;
}

interface Import {
  readonly module: string;
  readonly name: string;
  /** Of a function: the index of its type. */
  readonly type: number | null;
  readonly memory: ImportedMemory | null;
}

function importsOf(wasm: Uint8Array): Import[] {
  const r = sectionOf(wasm, SECTIONS.import);
  if (r === null) return [];
  const text = (): string => {
    const length = r.uleb();
    const bytes = r.bytes.slice(r.at, r.at + length);
    r.at += length;
    return new TextDecoder().decode(bytes);
  };
  const limits = (): ImportedMemory => {
    const flags = r.u8();
    const initial = r.uleb();
    return { isWide: (flags & INDEX_64) !== 0, initial, maximum: (flags & 1) === 0 ? null : r.uleb() };
  };
  return Array.from({ length: r.uleb() }, () => {
    const module = text();
    const name = text();
    const kind = r.u8();
    const memory = kind === KINDS.memory ? limits() : null;
    const type = kind === KINDS.function ? r.uleb() : null;
    if (kind === KINDS.table) {
      r.u8();
      limits();
    } else if (kind === KINDS.global) r.at += 2;
    else if (kind === KINDS.tag) {
      r.u8();
      r.uleb();
    }
    return { module, name, type, memory };
  });
}

/** The memory that a module imports; null: it has its own. */
export function importedMemory(wasm: Uint8Array): ImportedMemory | null {
  return importsOf(wasm).find(({ memory }) => memory !== null)?.memory ?? null;
}

/** Whether the memory that an object file imports has addresses of 64 bits. Null: it imports none. */
export function importsWideMemory(object: Uint8Array): boolean | null {
  return importedMemory(object)?.isWide ?? null;
}
