/**
 * Assembles a WebAssembly module (core specification §5.5). Imports are declared before functions, so that every index
 * is known when it is used. `finish()` gives the bytes; `sourceMarks()` then maps byte offsets, as they stand in V8's
 * stack traces (`wasm-function[3]:0x1a2`), to the marks that FunctionBuilder.mark recorded.
 */
import { bug } from "../base/diagnostics.ts";
import { ByteWriter } from "./byte-writer.ts";
import { FunctionBuilder } from "./function-builder.ts";
import type { BranchHint, EncodedBody, SourceMark } from "./function-body.ts";
import type { CodeTypes, Signature } from "./wide-addresses.ts";
import { VALUE_TYPE_CODES, type FunctionRef, type ValueType } from "./types.ts";
import {
  encodeLimits,
  SECTIONS,
  writeSection,
  writeNumberSection,
  encodeOffset,
  encodeTable,
  encodeInitial,
} from "./sections.ts";

export interface MemoryLimits {
  readonly minPages: number;
  readonly maxPages?: number;
  readonly shared?: boolean;
  /** Addresses have 64 bits. Code may have addresses of 32 on the stack: they are extended (wide-addresses.ts). */
  readonly wide?: boolean;
}

export type Initial = number | bigint | { readonly f32: number } | { readonly f64: number };

interface Import {
  readonly module: string;
  readonly name: string;
  readonly encode: (out: ByteWriter) => void;
}

export class ModuleBuilder {
  readonly #types = new Map<string, { index: number; params: readonly ValueType[]; results: readonly ValueType[] }>();
  readonly #imports: Import[] = [];
  readonly #functions: FunctionBuilder[] = [];
  readonly #exports: { name: string; kind: number; index: number }[] = [];
  readonly #globals: { type: ValueType; mutable: boolean; initial: Initial }[] = [];
  readonly #tables: { min: number; max: number | undefined }[] = [];
  readonly #elements: { table: number; offset: number; functions: readonly number[] }[] = [];
  readonly #data: { offset: number | null; bytes: Uint8Array }[] = [];
  readonly #importNames: string[] = [];
  readonly #importedGlobalTypes: ValueType[] = [];
  readonly #importSignatures: Signature[] = [];
  #isWide = false;
  #importedTables = 0;
  #memory: MemoryLimits | null = null;
  #startFunction: number | null = null;
  #marks: SourceMark[] | null = null;

  /** The index of a function type, made once for each signature. */
  type(params: readonly ValueType[], results: readonly ValueType[]): number {
    const key = `${params.join()}>${results.join()}`;
    let entry = this.#types.get(key);
    if (entry === undefined) this.#types.set(key, (entry = { index: this.#types.size, params, results }));
    return entry.index;
  }

  importFunction(
    module: string,
    name: string,
    params: readonly ValueType[],
    results: readonly ValueType[] = [],
  ): FunctionRef {
    if (this.#functions.length > 0) bug("function imports come before functions");
    const type = this.type(params, results);
    this.#imports.push({
      module,
      name,
      encode: (out) => {
        out.u8(0);
        out.u32(type);
      },
    });
    this.#importNames.push(`${module}.${name}`);
    this.#importSignatures.push({ params, results });
    return { index: this.#importNames.length - 1, params, results };
  }

  importMemory(module: string, name: string, limits: MemoryLimits): void {
    this.#isWide = limits.wide === true;
    this.#imports.push({
      module,
      name,
      encode: (out) => {
        out.u8(2);
        encodeLimits(out, limits);
      },
    });
  }

  importGlobal(module: string, name: string, type: ValueType, mutable = false): number {
    if (this.#globals.length > 0) bug("global imports come before globals");
    this.#imports.push({
      module,
      name,
      encode: (out) => {
        out.u8(3);
        out.u8(VALUE_TYPE_CODES[type]);
        out.u8(mutable ? 1 : 0);
      },
    });
    return this.#importedGlobalTypes.push(type) - 1;
  }

  importTable(module: string, name: string, min: number, max?: number): number {
    if (this.#tables.length > 0) bug("table imports come before tables");
    this.#imports.push({
      module,
      name,
      encode: (out) => {
        out.u8(1);
        encodeTable(out, min, max);
      },
    });
    return this.#importedTables++;
  }

  /** A memory of the module's own (tests); device code imports the device's. */
  defineMemory(limits: MemoryLimits): void {
    this.#memory = limits;
    this.#isWide = limits.wide === true;
  }

  /** A new function; it may be called (by others too) before its body is written. */
  function(name: string, params: readonly ValueType[], results: readonly ValueType[] = []): FunctionBuilder {
    const index = this.#importNames.length + this.#functions.length;
    this.type(params, results);
    const built = new FunctionBuilder({ index, params, results }, name, params, results, (p, r) => this.type(p, r));
    this.#functions.push(built);
    return built;
  }

  global(type: ValueType, mutable: boolean, initial: Initial = type === "i64" ? 0n : 0): number {
    this.#globals.push({ type, mutable, initial });
    return this.#importedGlobalTypes.length + this.#globals.length - 1;
  }

  table(min: number, max?: number): number {
    this.#tables.push({ min, max });
    return this.#importedTables + this.#tables.length - 1;
  }

  /** Puts functions into a table from `offset` on. */
  element(table: number, offset: number, functions: readonly (FunctionRef | FunctionBuilder)[]): void {
    this.#elements.push({
      table,
      offset,
      functions: functions.map((f) => (f instanceof FunctionBuilder ? f.ref.index : f.index)),
    });
  }

  /** An active data segment at `offset`, or a passive one (null) for memory.init. Returns the segment's index. */
  dataSegment(offset: number | null, bytes: Uint8Array): number {
    this.#data.push({ offset, bytes });
    return this.#data.length - 1;
  }

  exportFunction(name: string, target: FunctionRef | FunctionBuilder): void {
    this.#exports.push({ name, kind: 0, index: target instanceof FunctionBuilder ? target.ref.index : target.index });
  }
  exportTable(name: string, index = 0): void {
    this.#exports.push({ name, kind: 1, index });
  }
  exportMemory(name: string): void {
    this.#exports.push({ name, kind: 2, index: 0 });
  }
  exportGlobal(name: string, index: number): void {
    this.#exports.push({ name, kind: 3, index });
  }
  start(target: FunctionBuilder): void {
    this.#startFunction = target.ref.index;
  }

  /** The function's name by its index, for stack traces. */
  functionName(index: number): string {
    return this.#importNames[index] ?? this.#functions[index - this.#importNames.length]?.name ?? `#${index}`;
  }

  /** Sorted by offset from the module's first byte. Only after finish(). */
  sourceMarks(): readonly SourceMark[] {
    return this.#marks ?? bug("sourceMarks() before finish()");
  }

  finish(): Uint8Array<ArrayBuffer> {
    const types = this.#isWide ? this.#codeTypes() : null;
    const bodies = this.#functions.map((f) => f.encode(types)); // may intern further types
    const out = new ByteWriter(1024);
    out.raw(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
    this.#typeAndImportSections(out);
    this.#definitionSections(out);
    if (this.#startFunction !== null) writeNumberSection(out, SECTIONS.start, this.#startFunction);
    this.#elementSection(out);
    if (this.#data.length > 0) writeNumberSection(out, SECTIONS.dataCount, this.#data.length);
    this.#hintSection(
      out,
      bodies.map(({ hints }) => hints),
    );
    this.#codeSection(out, bodies);
    this.#dataSection(out);
    this.#nameSection(out);
    return out.finish();
  }

  #codeTypes(): Omit<CodeTypes, "local"> {
    const types = [...this.#types.values()];
    const imported = this.#importSignatures.length;
    return {
      global: (index) =>
        this.#importedGlobalTypes[index] ??
        this.#globals[index - this.#importedGlobalTypes.length]?.type ??
        bug(`unknown global ${index}`),
      function: (index) =>
        this.#importSignatures[index] ?? this.#functions[index - imported] ?? bug(`unknown function ${index}`),
      type: (index) => types[index] ?? bug(`unknown type ${index}`),
    };
  }

  #typeAndImportSections(out: ByteWriter): void {
    writeSection(out, SECTIONS.type, this.#types.size, (s) => {
      for (const { params, results } of this.#types.values()) {
        s.u8(0x60);
        for (const list of [params, results]) {
          s.u32(list.length);
          for (const type of list) s.u8(VALUE_TYPE_CODES[type]);
        }
      }
    });
    writeSection(out, SECTIONS.import, this.#imports.length, (s) => {
      for (const imported of this.#imports) {
        s.name(imported.module);
        s.name(imported.name);
        imported.encode(s);
      }
    });
  }

  /** Functions, tables, memory, globals and exports. */
  #definitionSections(out: ByteWriter): void {
    writeSection(out, SECTIONS.function, this.#functions.length, (s) => {
      for (const f of this.#functions) s.u32(this.type(f.params, f.results));
    });
    writeSection(out, SECTIONS.table, this.#tables.length, (s) => {
      for (const table of this.#tables) encodeTable(s, table.min, table.max);
    });
    const memory = this.#memory;
    if (memory !== null) writeSection(out, SECTIONS.memory, 1, (s) => encodeLimits(s, memory));
    writeSection(out, SECTIONS.global, this.#globals.length, (s) => {
      for (const global of this.#globals) {
        s.u8(VALUE_TYPE_CODES[global.type]);
        s.u8(global.mutable ? 1 : 0);
        encodeInitial(s, global.type, global.initial);
      }
    });
    writeSection(out, SECTIONS.export, this.#exports.length, (s) => {
      for (const exported of this.#exports) {
        s.name(exported.name);
        s.u8(exported.kind);
        s.u32(exported.index);
      }
    });
  }

  #elementSection(out: ByteWriter): void {
    writeSection(out, SECTIONS.element, this.#elements.length, (s) => {
      for (const { table, offset, functions } of this.#elements) {
        if (table === 0) s.u32(0);
        else {
          s.u32(2);
          s.u32(table);
        }
        encodeOffset(s, offset);
        if (table !== 0) s.u8(0); // elemkind funcref
        s.u32(functions.length);
        for (const f of functions) s.u32(f);
      }
    });
  }

  #codeSection(out: ByteWriter, bodies: readonly EncodedBody[]): void {
    const marks: SourceMark[] = [];
    const start = writeSection(out, SECTIONS.code, bodies.length, (s) => {
      for (const { body, marks: own } of bodies) {
        s.u32(body.length);
        for (const { offset, mark } of own) marks.push({ offset: s.length + offset, mark });
        s.raw(body);
      }
    });
    this.#marks = marks.map(({ offset, mark }) => ({ offset: offset + start, mark }));
  }

  #dataSection(out: ByteWriter): void {
    writeSection(out, SECTIONS.data, this.#data.length, (s) => {
      for (const { offset, bytes } of this.#data) {
        if (offset === null) s.u8(1);
        else {
          s.u8(0);
          encodeOffset(s, offset);
        }
        s.u32(bytes.length);
        s.raw(bytes);
      }
    });
  }

  /**
   * Custom section "metadata.code.branch_hint" (the WebAssembly branch hinting proposal): engines that do not know it
   * pass it over.
   */
  #hintSection(out: ByteWriter, hints: readonly (readonly BranchHint[])[]): void {
    const hinted = hints.flatMap((list, n) => (list.length > 0 ? [{ list, index: n + this.#importNames.length }] : []));
    if (hinted.length === 0) return;
    const s = new ByteWriter();
    s.name("metadata.code.branch_hint");
    s.u32(hinted.length);
    for (const { list, index } of hinted) {
      s.u32(index);
      s.u32(list.length);
      for (const { offset, likely } of list) {
        s.u32(offset);
        s.u32(1);
        s.u8(likely ? 1 : 0);
      }
    }
    out.u8(0);
    out.u32(s.length);
    out.raw(s.written());
  }

  /** Custom section "name", function names only (core specification §7.4.1). */
  #nameSection(out: ByteWriter): void {
    const names = new ByteWriter();
    const total = this.#importNames.length + this.#functions.length;
    names.u32(total);
    for (let i = 0; i < total; i++) {
      names.u32(i);
      names.name(this.functionName(i));
    }
    const s = new ByteWriter();
    s.name("name");
    s.u8(1);
    s.u32(names.length);
    s.raw(names.written());
    out.u8(0);
    out.u32(s.length);
    out.raw(s.written());
  }
}

/** The mark that byte `offset` of the module belongs to, or null. */
export function findMark(marks: readonly SourceMark[], offset: number): number | null {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle] as SourceMark).offset <= offset) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : (marks[low - 1] as SourceMark).mark;
}
