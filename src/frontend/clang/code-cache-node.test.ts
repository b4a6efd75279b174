import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { enableWasmFeatures, wasmFlags } from "../../engine/emit/v8-flags-node.ts";
import { CodeCache, sizeFlags } from "./code-cache-node.ts";
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

test("the flags that give sizes of memory, from both places where they may stand", () => {
  const flags = sizeFlags(
    ["--max-semi-space-size=64", "--single-threaded-gc", "--max_heap_size=7"],
    "--max-old-space-size=1 --max-semi-space-size=32 --stack-size=9",
  );
  expect(Object.fromEntries(flags)).toEqual({
    "max-old-space-size": "1",
    "max-semi-space-size": "64",
    "max-heap-size": "7",
  });
});

/** Prints V8's code of MODULE, as a process makes it that was given no sizes of memory. */
const OTHER_PROCESS = `
const { setFlagsFromString } = require("node:v8");
for (const flag of ${JSON.stringify(wasmFlags(Number(process.versions.node.split(".")[0])))}) setFlagsFromString(flag);
const module = new WebAssembly.Module(Buffer.from("${Buffer.from(MODULE).toString("hex")}", "hex"));
const { exports } = new WebAssembly.Instance(module);
setFlagsFromString("--allow-natives-syntax");
new Function("f", "%WasmTierUpFunction(f)")(exports.f);
process.stdout.write(Buffer.from(new Function("m", "return %SerializeWasmModule(m)")(module)).toString("hex"));
`;

test("code is taken from a process with other sizes of memory", async () => {
  expect(process.execArgv.join(" ")).toMatch(/--max-semi-space-size=/);
  enableWasmFeatures();
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", OTHER_PROCESS], { encoding: "utf8" });
  expect(stderr).toBe("");
  const store = memoryStore();
  const learned = Uint8Array.of(3, 0, 0, 0);
  await store.put("key", Uint8Array.from([...learned, ...Buffer.from(stdout, "hex")]));
  const cache = new CodeCache(store, "key");
  expect(answer(await cache.compile(MODULE))).toBe(42);
  // Code that was not taken has learned nothing, and is replaced.
  await cache.keep(2);
  expect((await store.get("key"))?.[0]).toBe(3);
});
