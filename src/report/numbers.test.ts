import { expect, test } from "vitest";
import { byteCount } from "./numbers.ts";

test.each([
  [0, "0 B"],
  [4096, "4096 B"],
  [12_582_912, "12.58 MB"],
])("%d bytes", (bytes, text) => expect(byteCount(bytes)).toBe(text));
