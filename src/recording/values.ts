/** Values of variables: what lies in memory, by its type, as plain data. */
import { shortNumber } from "../base/short-number.ts";
import { bfloatToNumber } from "../base/bfloat.ts";
import { halfToNumber } from "../base/half.ts";
import type { DebugType } from "../ir/text/debug-variables.ts";

/**
 * NaN and infinities are "nan", "inf" and "-inf"; whole numbers above 2^53 are decimal text, pointers hexadecimal text.
 */
export type WatchedValue =
  | number
  | string
  | boolean
  | readonly WatchedValue[]
  | { readonly [member: string]: WatchedValue };

/** Elements of an array that a variable shows. */
const SHOWN_ELEMENTS = 256;
const DEEPEST = 8;

/** @returns null where nothing can be read */
export function readValue(type: DebugType, view: DataView, address: number, depth = 0): WatchedValue | null {
  if (depth > DEEPEST || address + bytesOf(type) > view.byteLength || bytesOf(type) === 0) return null;
  switch (type.kind) {
    case "scalar":
      return readScalar(type, view, address);
    case "pointer":
      return `0x${view.getUint32(address, true).toString(16)}`;
    case "array": {
      const stride = bytesOf(type.element);
      const count = Math.min(elementCount(type), SHOWN_ELEMENTS);
      return Array.from(
        { length: count },
        (_, i) => readValue(type.element, view, address + i * stride, depth + 1) ?? "",
      );
    }
    case "struct": {
      if (type.bytes === 2 && /half$/.test(type.name)) return number(halfToNumber(view.getUint16(address, true)));
      if (type.bytes === 2 && /bfloat16/.test(type.name)) return number(bfloatToNumber(view.getUint16(address, true)));
      const members: Record<string, WatchedValue> = {};
      for (const member of type.members)
        members[member.name] = readValue(member.type, view, address + member.offset, depth + 1) ?? "";
      return members;
    }
    case "opaque":
      return null;
  }
}

export function bytesOf(type: DebugType): number {
  return type.kind === "array" ? elementCount(type) * bytesOf(type.element) : type.bytes;
}

export function elementCount({ counts }: Extract<DebugType, { kind: "array" }>): number {
  return counts.reduce((product, count) => product * count, 1);
}

function readScalar(
  { encoding, bytes }: Extract<DebugType, { kind: "scalar" }>,
  view: DataView,
  address: number,
): WatchedValue | null {
  if (encoding === "boolean") return view.getUint8(address) !== 0;
  if (encoding === "float") {
    if (bytes === 2) return number(halfToNumber(view.getUint16(address, true)));
    if (bytes === 4) return number(view.getFloat32(address, true));
    return bytes === 8 ? number(view.getFloat64(address, true)) : null;
  }
  const isSigned = encoding !== "unsigned";
  if (bytes === 1) return isSigned ? view.getInt8(address) : view.getUint8(address);
  if (bytes === 2) return isSigned ? view.getInt16(address, true) : view.getUint16(address, true);
  if (bytes === 4) return isSigned ? view.getInt32(address, true) : view.getUint32(address, true);
  if (bytes !== 8) return null;
  const wide = isSigned ? view.getBigInt64(address, true) : view.getBigUint64(address, true);
  return BigInt(Number.MIN_SAFE_INTEGER) <= wide && wide <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(wide) : `${wide}`;
}

function number(value: number): WatchedValue {
  if (Number.isNaN(value)) return "nan";
  if (Number.isFinite(value)) return value;
  return value > 0 ? "inf" : "-inf";
}

/** A value for people. */
export function valueText(value: WatchedValue | null): string {
  if (value === null) return "–";
  if (typeof value === "number") return shortNumber(value, 7);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `{${value.map(valueText).join(", ")}}`;
  return `{${Object.entries(value)
    .map(([name, member]) => `${name}: ${valueText(member)}`)
    .join(", ")}}`;
}
