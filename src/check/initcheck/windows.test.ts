import { expect, test } from "vitest";
import type { ObservedMemory } from "../../machine/observer.ts";
import { blocksBytes } from "./windows.ts";

test("each place where a window may begin has two words", () => {
  expect(blocksBytes({ windows: { start: 4096, end: 4096 + 1024 } } as ObservedMemory)).toBe(4 * 2 * 4);
});
