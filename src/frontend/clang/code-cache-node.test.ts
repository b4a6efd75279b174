import { expect, test } from "vitest";
import { CodeCache } from "./code-cache-node.ts";
import { memoryStore } from "../../store/store.ts";

/** (func (export "f") (result i32) (i32.const 42)) */
const MODULE = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0, 10, 6, 1, 4, 0, 0x41,
  42, 0x0b,
]);

function answer(module: WebAssembly.Module): unknown {
  return (new WebAssembly.Instance(module).exports["f"] as () => number)();
}

test("code that was kept is used, and kept again only when it has learned as much once more", async () => {
  const store = memoryStore();
  const first = new CodeCache(store, "key");
  expect(answer(await first.compile(MODULE))).toBe(42);
  await first.keep(0);
  expect(await store.get("key")).toBeNull();
  await first.keep(3);
  const kept = await store.get("key");
  expect(kept?.[0]).toBe(3);

  const second = new CodeCache(store, "key");
  expect(answer(await second.compile(MODULE))).toBe(42);
  await second.keep(2);
  expect(await store.get("key")).toBe(kept);
  await second.keep(3);
  expect((await store.get("key"))?.[0]).toBe(6);
});

test("code that V8 does not take is compiled anew", async () => {
  const store = memoryStore();
  await store.put("key", new Uint8Array(1000).fill(7));
  const cache = new CodeCache(store, "key");
  expect(answer(await cache.compile(MODULE))).toBe(42);
  await cache.keep(1);
  expect((await store.get("key"))?.[0]).toBe(1);
});
