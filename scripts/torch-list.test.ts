import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { listOnPage, torchList } from "./make-torch-list.mjs";

test("docs/triton-torch.md lists what Python scripts find in torch", () => {
  expect(listOnPage()).toBe(torchList());
});
