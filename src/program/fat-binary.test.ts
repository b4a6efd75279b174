import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import {
  REFERENCE_TO_NOTHING,
  attachFatBinary,
  decodeFatBinary,
  encodeFatBinary,
  fatBinariesOf,
  functionProgramsOf,
  readReference,
} from "./fat-binary.ts";

const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const program = { ir: `define void @k() { ret void }\n; é${"x".repeat(200)}`, name: "a.cu", options: { fmad: false } };

/** A module whose only section is a custom one with these bytes. */
function moduleWith(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, bytes.length + 2, 1, 0x78, ...bytes]);
}

test("round trip, inside a larger memory", () => {
  const code = encodeFatBinary(program, hash);
  const memory = new Uint8Array(code.length + 50);
  memory.set(code, 7);
  expect(decodeFatBinary(memory, 7)).toEqual({ id: expect.stringMatching(/^[0-9a-f]{64}$/), program });
});

test("an object refers to the code in its section, and code of several objects is told apart", () => {
  const [first, second] = [program, { ...program, options: { fmad: true } }].map((each) =>
    encodeFatBinary(each, hash),
  ) as [Uint8Array, Uint8Array];
  const object = attachFatBinary(moduleWith(REFERENCE_TO_NOTHING), first);
  const reference = Buffer.from(object).indexOf("HEDDLE02");
  expect(readReference(object, reference)).toBe(decodeFatBinary(first).id);
  // The linker makes one section of all, or leaves several.
  const both = attachFatBinary(moduleWith(REFERENCE_TO_NOTHING), new Uint8Array([...first, ...second]));
  expect([...fatBinariesOf(new WebAssembly.Module(both as BufferSource)).values()]).toEqual([
    program,
    { ...program, options: { fmad: true } },
  ]);
  expect([...fatBinariesOf(new WebAssembly.Module(object as BufferSource))]).toEqual([
    [decodeFatBinary(first).id, program],
  ]);
});

test("an object without a reference carries functions that other units may call, and registers none", () => {
  const object = attachFatBinary(moduleWith(new Uint8Array(4)), encodeFatBinary(program, hash));
  const module = new WebAssembly.Module(object as BufferSource);
  expect(functionProgramsOf(module)).toEqual([program]);
  expect(fatBinariesOf(module).size).toBe(0);
});

test("an object that has no reference and nothing for others stays as it is, one that has two is refused", () => {
  const code = encodeFatBinary(program, hash);
  const own = encodeFatBinary({ ...program, ir: "define internal void @k() { ret void }\n" }, hash);
  expect(attachFatBinary(moduleWith(new Uint8Array(4)), own)).toEqual(moduleWith(new Uint8Array(4)));
  expect(() =>
    attachFatBinary(new Uint8Array([...moduleWith(REFERENCE_TO_NOTHING), ...moduleWith(REFERENCE_TO_NOTHING)]), code),
  ).toThrow(/BUG/);
});
