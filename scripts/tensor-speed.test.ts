import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { pageOnDisk, speedPage } from "./make-tensor-speed.mjs";

test("docs/tensor-speed.md has the figures of the last run", () => {
  expect(pageOnDisk()).toBe(speedPage());
});
