import { expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import type { ObservedMemory } from "../../machine/observer.ts";
import { blocksBytes, markWrites } from "./windows.ts";

test("each place where a window may begin has two words", () => {
  expect(blocksBytes({ windows: { start: 4096, end: 4096 + 1024 } } as ObservedMemory)).toBe(4 * 2 * 4);
});

test("what the device library stores is defined; what only tools call stores nothing that has a shadow", () => {
  const store = (name: string, calls = ""): string =>
    `define void @${name}(ptr %p) {\n${calls}  store i32 1, ptr %p\n  ret void\n}\n`;
  const call = (name: string): string => `  call void @${name}(ptr %p)\n`;
  const module = parseModule(
    store("user", call("library") + call("__heddle_tool_check_hook")) +
      store("library", call("shared")) +
      store("shared") +
      store("__heddle_tool_check_hook", call("record") + call("shared")) +
      store("record"),
    "calls.ll",
  );
  const user = module.functions.get("user");
  markWrites(module, new Set(user === undefined ? [] : [user]), 1);
  const stores = [...module.functions.values()].map(({ name, blocks }) => [
    name,
    blocks.flatMap(({ instructions }) => instructions.filter(({ op }) => op === "store")).length,
  ]);
  expect(Object.fromEntries(stores)).toEqual({
    user: 1,
    library: 2,
    shared: 2,
    __heddle_tool_check_hook: 1,
    record: 1,
  });
});
