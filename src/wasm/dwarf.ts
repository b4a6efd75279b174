/**
 * From an address in a module's code to the functions and lines it came from, inlined ones too: what Clang writes with
 * -debug-info-kind=line-tables-only (DWARF 4; DWARF for WebAssembly: addresses count from the start of the code
 * section's content).
 */
import { bug } from "../base/diagnostics.ts";
import { ByteReader } from "./byte-reader.ts";
import { readLineProgram, type LineProgram, type LineRow } from "./dwarf-lines.ts";

/** A function that was running at an address. */
export interface CodeFrame {
  /** null: unknown. */
  readonly functionName: string | null;
  readonly file: string;
  /** 0: unknown. */
  readonly line: number;
  readonly column: number;
}

const TAG = { compileUnit: 0x11, inlinedSubroutine: 0x1d, subprogram: 0x2e } as const;
const ATTRIBUTE = {
  name: 0x03,
  stmtList: 0x10,
  lowPc: 0x11,
  highPc: 0x12,
  compDir: 0x1b,
  abstractOrigin: 0x31,
  ranges: 0x55,
  callColumn: 0x57,
  callFile: 0x58,
  callLine: 0x59,
} as const;
const FORM_ADDRESS = 0x01;
const FORM_REF_ADDRESS = 0x10;
/** In a list of ranges: the entry gives the base of those behind it. */
const BASE_SELECTION = 0xffff_ffff;

interface Range {
  readonly start: number;
  readonly end: number;
}

interface Scope {
  /** Offset in .debug_info of the entry that has the name: its own, or the abstract function's. */
  readonly origin: number;
  readonly ranges: readonly Range[];
  /** Of an inlined function: where it was called. */
  readonly call: { readonly file: string; readonly line: number; readonly column: number } | null;
  readonly inlined: Scope[];
}

interface Abbreviation {
  readonly tag: number;
  readonly hasChildren: boolean;
  readonly attributes: readonly (readonly [attribute: number, form: number])[];
}
type Attributes = ReadonlyMap<number, { readonly form: number; readonly value: number | string }>;

export class Dwarf {
  readonly #sections: ReadonlyMap<string, Uint8Array>;
  readonly #functions: Scope[] = [];
  readonly #names = new Map<number, string>();
  readonly #origins = new Map<number, number>();
  #addressBytes = 4;
  readonly #rows: LineRow[] = [];

  /** null: the module has none. */
  static of(module: WebAssembly.Module): Dwarf | null {
    const section = (name: string): Uint8Array | null => {
      const [content] = WebAssembly.Module.customSections(module, name);
      return content === undefined ? null : new Uint8Array(content);
    };
    const sections = new Map<string, Uint8Array>();
    for (const name of [".debug_info", ".debug_abbrev", ".debug_line", ".debug_str", ".debug_ranges"]) {
      const content = section(name);
      if (content !== null) sections.set(name, content);
    }
    return sections.has(".debug_info") && sections.has(".debug_line") ? new Dwarf(sections) : null;
  }

  constructor(sections: ReadonlyMap<string, Uint8Array>) {
    this.#sections = sections;
    const info = new ByteReader(this.#section(".debug_info"));
    while (!info.done) this.#readUnit(info);
    this.#rows.sort((a, b) => a.address - b.address || Number(b.endsSequence) - Number(a.endsSequence));
  }

  /** Innermost first; empty where nothing is known about the address. */
  frames(address: number): CodeFrame[] {
    const row = this.#rowAt(address);
    const top = this.#functions.find(({ ranges }) => covers(ranges, address));
    // Clang leaves out functions into which nothing was inlined: their lines are there all the same.
    if (top === undefined)
      return row === null ? [] : [{ functionName: null, file: row.file, line: row.line, column: row.column }];
    const scopes = [top];
    for (let inner = next(top); inner !== undefined; inner = next(inner)) scopes.unshift(inner);
    function next(scope: Scope): Scope | undefined {
      return scope.inlined.find(({ ranges }) => covers(ranges, address));
    }
    return scopes.map((scope, index) => {
      const at = index === 0 ? row : (scopes[index - 1] as Scope).call;
      return {
        functionName: this.#nameOf(scope.origin),
        file: at?.file ?? "",
        line: at?.line ?? 0,
        column: at?.column ?? 0,
      };
    });
  }

  #rowAt(address: number): LineRow | null {
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle] as LineRow).address <= address) low = middle + 1;
      else high = middle;
    }
    const row = this.#rows[low - 1];
    return row === undefined || row.endsSequence ? null : row;
  }

  #nameOf(offset: number): string | null {
    const name = this.#names.get(offset);
    if (name !== undefined) return name;
    const origin = this.#origins.get(offset);
    return origin === undefined ? null : this.#nameOf(origin);
  }

  #section(name: string): Uint8Array {
    return this.#sections.get(name) ?? new Uint8Array();
  }

  #readUnit(info: ByteReader): void {
    const start = info.at;
    const end = info.u32() + info.at;
    const version = info.u16();
    const abbreviations = this.#abbreviations(info.u32());
    this.#addressBytes = info.u8();
    if (version !== 4) {
      info.at = end;
      return;
    }
    let lines: LineProgram = { files: [], rows: [] };
    let unitBase = 0;
    /** Parents of the entry that comes next; null: not a function. */
    const parents: (Scope | null)[] = [];
    while (info.at < end) {
      const offset = info.at;
      const code = info.uleb();
      if (code === 0) {
        parents.pop();
        continue;
      }
      const entry = abbreviations.get(code);
      if (entry === undefined) bug(`.debug_info refers to the abbreviation ${code}, which is not there`);
      const attributes = this.#attributes(info, entry);
      const value = (attribute: number): number | null => {
        const found = attributes.get(attribute)?.value;
        return typeof found === "number" ? found : null;
      };
      let scope: Scope | null = null;
      if (entry.tag === TAG.compileUnit) {
        unitBase = value(ATTRIBUTE.lowPc) ?? 0;
        lines = readLineProgram(
          this.#section(".debug_line"),
          value(ATTRIBUTE.stmtList) ?? 0,
          String(attributes.get(ATTRIBUTE.compDir)?.value ?? "."),
        );
        this.#rows.push(...lines.rows);
      } else if (entry.tag === TAG.subprogram || entry.tag === TAG.inlinedSubroutine) {
        const name = attributes.get(ATTRIBUTE.name)?.value;
        if (typeof name === "string") this.#names.set(offset, name);
        const reference = attributes.get(ATTRIBUTE.abstractOrigin);
        if (reference !== undefined)
          this.#origins.set(offset, Number(reference.value) + (reference.form === FORM_REF_ADDRESS ? 0 : start));
        const ranges = this.#ranges(attributes, unitBase);
        const callLine = value(ATTRIBUTE.callLine);
        scope = {
          origin: offset,
          ranges,
          inlined: [],
          call:
            callLine === null
              ? null
              : {
                  file: lines.files[value(ATTRIBUTE.callFile) ?? 0] ?? "",
                  line: callLine,
                  column: value(ATTRIBUTE.callColumn) ?? 0,
                },
        };
        const parent = parents.findLast((candidate) => candidate !== null);
        if (entry.tag === TAG.inlinedSubroutine) parent?.inlined.push(scope);
        else if (ranges.length > 0) this.#functions.push(scope);
      }
      if (entry.hasChildren) parents.push(scope);
    }
    info.at = end;
  }

  #ranges(attributes: Attributes, unitBase: number): Range[] {
    const low = attributes.get(ATTRIBUTE.lowPc)?.value;
    const high = attributes.get(ATTRIBUTE.highPc);
    // An address of 0 is code that the linker left out.
    if (typeof low === "number" && high !== undefined)
      return low === 0
        ? []
        : [{ start: low, end: high.form === FORM_ADDRESS ? Number(high.value) : low + Number(high.value) }];
    const list = attributes.get(ATTRIBUTE.ranges)?.value;
    if (typeof list !== "number") return [];
    const ranges: Range[] = [];
    const r = new ByteReader(this.#section(".debug_ranges"), list);
    let base = unitBase;
    for (;;) {
      const [start, end] = [this.#address(r), this.#address(r)];
      if (start === 0 && end === 0) return ranges;
      if (start === BASE_SELECTION || start > Number.MAX_SAFE_INTEGER) base = end;
      else ranges.push({ start: base + start, end: base + end });
    }
  }

  #abbreviations(offset: number): Map<number, Abbreviation> {
    const r = new ByteReader(this.#section(".debug_abbrev"), offset);
    const abbreviations = new Map<number, Abbreviation>();
    for (let code = r.uleb(); code !== 0; code = r.uleb()) {
      const tag = r.uleb();
      const hasChildren = r.u8() !== 0;
      const attributes: [number, number][] = [];
      for (;;) {
        const pair: [number, number] = [r.uleb(), r.uleb()];
        if (pair[0] === 0 && pair[1] === 0) break;
        attributes.push(pair);
      }
      abbreviations.set(code, { tag, hasChildren, attributes });
    }
    return abbreviations;
  }

  #attributes(r: ByteReader, { attributes }: Abbreviation): Attributes {
    const values = new Map<number, { form: number; value: number | string }>();
    for (const [attribute, form] of attributes) values.set(attribute, { form, value: this.#value(r, form) });
    return values;
  }

  /** Of the unit that is read: 4 bytes, or 8 in 64-bit programs. */
  #address(r: ByteReader): number {
    return this.#addressBytes === 8 ? r.u32() + r.u32() * 2 ** 32 : r.u32();
  }

  /** DWARF 4 section 7.5.4. Blocks give 0: nothing here asks for them. */
  #value(r: ByteReader, form: number): number | string {
    const skip = (bytes: number): number => {
      r.at += bytes;
      return 0;
    };
    switch (form) {
      case 0x01:
        return this.#address(r);
      case 0x06:
      case 0x10:
      case 0x13:
      case 0x17:
        return r.u32(); // data4, ref_addr, ref4, sec_offset
      case 0x03:
        return skip(r.u16()); // block2
      case 0x04:
        return skip(r.u32()); // block4
      case 0x05:
      case 0x12:
        return r.u16(); // data2, ref2
      case 0x07:
      case 0x14:
      case 0x20:
        return r.u32() + r.u32() * 2 ** 32; // data8, ref8, ref_sig8
      case 0x08:
        return r.cString(); // string
      case 0x09:
      case 0x18:
        return skip(r.uleb()); // block, exprloc
      case 0x0a:
        return skip(r.u8()); // block1
      case 0x0b:
      case 0x0c:
      case 0x11:
        return r.u8(); // data1, flag, ref1
      case 0x0d:
        return r.sleb(); // sdata
      case 0x0e:
        return new ByteReader(this.#section(".debug_str"), r.u32()).cString(); // strp
      case 0x0f:
      case 0x15:
        return r.uleb(); // udata, ref_udata
      case 0x16:
        return this.#value(r, r.uleb()); // indirect
      case 0x19:
        return 1; // flag_present
      default:
        bug(`the DWARF form 0x${form.toString(16)} is not known`);
    }
  }
}

function covers(ranges: readonly Range[], address: number): boolean {
  return ranges.some(({ start, end }) => address >= start && address < end);
}
