/**
 * The encoded body of a function: locals, code added at places inside, marks and hints (WebAssembly 5.5.13, "Code
 * Section").
 */
import { ByteWriter } from "./byte-writer.ts";
import { VALUE_TYPE_CODES, type ValueType } from "./types.ts";
import { EXTEND } from "./wide-addresses.ts";

/** From byte `offset` on (in the body's instructions, later in the module) the code belongs to `mark`. */
export interface SourceMark {
  readonly offset: number;
  readonly mark: number;
}

/** The branch at byte `offset` of the body is likely, or unlikely, to be taken (an if: its condition to hold). */
export interface BranchHint {
  readonly offset: number;
  readonly likely: boolean;
}

export interface EncodedBody {
  readonly body: Uint8Array;
  /** Counted from the body's first byte. */
  readonly marks: readonly SourceMark[];
  readonly hints: readonly BranchHint[];
}

export interface BodyParts {
  readonly localTypes: readonly ValueType[];
  /** Runs before `code`. */
  readonly entry: Uint8Array;
  /** Without the `end` of the function. Marks, hints and insertions count from its first byte. */
  readonly code: Uint8Array;
  /** Code that is added inside, ascending. */
  readonly insertions: readonly Insertion[];
  readonly marks: readonly SourceMark[];
  readonly hints: readonly BranchHint[];
}

interface Insertion {
  readonly offset: number;
  readonly code: Uint8Array;
}

/** @param extend for a 64-bit memory: offsets in the code after which an address is extended; null: none */
export function encodeBody(parts: BodyParts, extend: ((code: Uint8Array) => readonly number[]) | null): EncodedBody {
  if (extend !== null) {
    const { body: code, marks, hints } = joined(parts, new ByteWriter(parts.code.length + 64));
    const insertions = extend(code).map((offset) => ({ offset, code: EXTEND }));
    const wide = { localTypes: parts.localTypes, entry: new Uint8Array(), code, insertions, marks, hints };
    return encodeBody(wide, null);
  }
  const out = new ByteWriter(parts.code.length + 64);
  writeLocals(out, parts.localTypes);
  const encoded = joined(parts, out);
  out.u8(END);
  return { ...encoded, body: out.written() };
}

/** Writes all code behind what is written already. */
function joined({ entry, code, insertions, marks, hints }: BodyParts, out: ByteWriter): EncodedBody {
  out.raw(entry);
  const start = out.length;
  let from = 0;
  for (const { offset, code: added } of insertions) {
    out.raw(code.subarray(from, offset));
    out.raw(added);
    from = offset;
  }
  out.raw(code.subarray(from));
  const moved = <T extends { readonly offset: number }>(list: readonly T[]): T[] => {
    let [next, shift] = [0, start];
    return list.map((item) => {
      for (; next < insertions.length && (insertions[next] as Insertion).offset <= item.offset; next++)
        shift += (insertions[next] as Insertion).code.length;
      return { ...item, offset: item.offset + shift };
    });
  };
  return { body: out.written(), marks: moved(marks), hints: moved(hints) };
}

const END = 0x0b;

/** Neighbours of one type form a group. */
function writeLocals(out: ByteWriter, localTypes: readonly ValueType[]): void {
  const groups: { type: ValueType; count: number }[] = [];
  for (const type of localTypes) {
    const last = groups.at(-1);
    if (last?.type === type) last.count++;
    else groups.push({ type, count: 1 });
  }
  out.u32(groups.length);
  for (const { type, count } of groups) {
    out.u32(count);
    out.u8(VALUE_TYPE_CODES[type]);
  }
}
