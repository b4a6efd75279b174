import { expect, test } from "vitest";
import { ltoIrOf, programOfLtoIr } from "./lto-ir.ts";

test("LTO-IR carries a program", () => {
  const program = { name: 'a "b".cu', options: { fmad: false }, ir: "define void @f() {\n  ret void\n}\n" };
  const text = ltoIrOf(program);
  expect(text).not.toContain("\0");
  expect(programOfLtoIr(text)).toEqual(program);
});

test("what is no LTO-IR, or cut off, is none", () => {
  const text = ltoIrOf({ name: "a", options: { fmad: true }, ir: "" });
  expect(programOfLtoIr(".version 8.0\n")).toBe(null);
  expect(programOfLtoIr(text.slice(0, -8))).toBe(null);
});
