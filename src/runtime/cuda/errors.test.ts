import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { errorName, errorString } from "./errors.ts";

test("names are those of the header", () => {
  const header = readFileSync(new URL("../../../include/driver_types.h", import.meta.url), "utf8");
  const block = header.slice(header.indexOf("enum cudaError {"), header.indexOf("// older names"));
  const rows = [...block.matchAll(/\b(cuda\w+) = (\d+)/g)];
  expect(rows.length).toBeGreaterThan(120);
  for (const [, name, code] of rows)
    if (name !== "cudaApiFailureBase") expect(errorName(Number(code)), `error ${code}`).toBe(name);
});

test("phrases that programs print", () => {
  expect(errorString(0)).toBe("no error");
  expect(errorString(9)).toBe("invalid configuration argument");
  expect(errorString(700)).toBe("an illegal memory access was encountered");
  expect(errorString(424242)).toBe("unrecognized error code");
});
