import { expect, test } from "vitest";
import { foldedName } from "./print-run.ts";

test("long names of kernels lose their template arguments, then their end; short ones stay", () => {
  expect(foldedName("sum<float, 3>")).toBe("sum<float, 3>");
  const many = `<${"int, ".repeat(30)}pair<int, int>>`;
  expect(foldedName(`cutlass::Kernel${many}::Part${many}`)).toBe("cutlass::Kernel<…>::Part<…>");
  expect(foldedName("x".repeat(200))).toBe(`${"x".repeat(99)}…`);
  expect(foldedName("a".repeat(98) + "->")).toBe("a".repeat(98) + "->");
});
