import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { operationsPage, pageOnDisk } from "./make-tensor-operations.mjs";

test("docs/tensor-operations.md lists what tensors can do", () => {
  expect(pageOnDisk()).toBe(operationsPage());
});
