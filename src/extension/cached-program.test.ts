import { expect, test } from "vitest";
import type { CompiledProgram } from "../program/compiled-program.ts";
import type { ContentCache } from "../store/store.ts";
import { sha256 } from "../store/sha256.ts";
import { cachedProgram } from "./cached-program.ts";

const PROGRAM: CompiledProgram = {
  device: [{ ir: "define void @k()", name: "a.cu", options: { fmad: false } }],
  host: { wasm: new Uint8Array([0, 1, 255]) },
  warnings: "a.cu:1: warning\n",
};

function open(version = "1", files = new Map<string, Uint8Array>()): ContentCache {
  return {
    store: { get: (key) => files.get(key) ?? null, put: (key, bytes) => void files.set(key, bytes) },
    hash: sha256,
    version,
  };
}

test("a program is made once, and comes back as it was", async () => {
  const cache = open();
  let made = 0;
  const make = (): Promise<CompiledProgram> => {
    made++;
    return Promise.resolve(PROGRAM);
  };
  expect(await cachedProgram(cache, ["sources", { model: "lp64" }], make)).toEqual(PROGRAM);
  expect(await cachedProgram(cache, ["sources", { model: "lp64" }], make)).toEqual(PROGRAM);
  expect(made).toBe(1);
});

test("other parts and other compilers make another program", async () => {
  const files = new Map<string, Uint8Array>();
  let made = 0;
  const ask = (version: string, parts: readonly unknown[]): Promise<CompiledProgram> =>
    cachedProgram(open(version, files), parts, () => {
      made++;
      return Promise.resolve(PROGRAM);
    });
  await ask("1", ["a", "b"]);
  await ask("1", ["ab"]);
  await ask("1", ["a", "b", { nvccForm: true }]);
  await ask("2", ["a", "b"]);
  expect(made).toBe(4);
});

test("what cannot be made is not cached", async () => {
  const cache = open();
  await expect(cachedProgram(cache, ["x"], () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await cachedProgram(cache, ["x"], () => Promise.resolve(PROGRAM))).toEqual(PROGRAM);
});
