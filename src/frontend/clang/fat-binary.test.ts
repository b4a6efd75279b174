import { expect, test } from "vitest";
import { decodeFatBinary, encodeFatBinary, fatBinaryLength } from "./fat-binary.ts";

test("round trip, inside a larger memory", () => {
  const blob = encodeFatBinary({ id: "a.cu#1", program: { ir: "define void @k() { ret void }\n; é", name: "a.cu", options: { fmad: false } } });
  const memory = new Uint8Array(blob.length + 50);
  memory.set(blob, 7);
  expect(fatBinaryLength(memory, 7)).toBe(blob.length);
  expect(decodeFatBinary(memory, 7)).toEqual({ id: "a.cu#1", program: { ir: "define void @k() { ret void }\n; é", name: "a.cu", options: { fmad: false } } });
});
