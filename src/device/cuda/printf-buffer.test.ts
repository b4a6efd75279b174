import { expect, it } from "vitest";
import { formatRecords } from "./printf-buffer.ts";

/** A record as ptx/ptx-module.ts describes it. */
function record(format: string, args: Uint8Array, texts: readonly string[] = []): Uint8Array {
  const text = new TextEncoder().encode([format, ...texts].map((part) => `${part}\0`).join(""));
  const argumentBytes = Math.ceil(args.length / 8) * 8;
  const bytes = new Uint8Array(Math.ceil((16 + argumentBytes + text.length) / 8) * 8);
  new Uint32Array(bytes.buffer, 0, 3).set([bytes.length, format.length + 1, args.length]);
  bytes.set(args, 16);
  bytes.set(text, 16 + argumentBytes);
  return bytes;
}

const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]));
const words = (...values: number[]): Uint8Array => new Uint8Array(Int32Array.from(values).buffer);

it("formats records one after the other, with the texts that belong to each", () => {
  const records = join(
    record("%d and %s|", words(-5, 4096), ["five"]),
    record("%s%s.", words(1, 0), ["a", ""]),
    record("end\n", new Uint8Array(0)),
  );
  expect(formatRecords(records, 4)).toBe("-5 and five|a(null).end\n");
});

it("takes longs and pointers at the size of the program that printed", () => {
  const args = new Uint8Array(BigInt64Array.of(-6n, 0x1234n, 4096n).buffer);
  expect(formatRecords(record("%ld %p %s", args, ["text"]), 8)).toBe("-6 0x1234 text");
});

it("stops at a record that nobody finished", () => {
  expect(
    formatRecords(join(record("one", new Uint8Array(0)), new Uint8Array(32), record("two", new Uint8Array(0))), 4),
  ).toBe("one");
});
