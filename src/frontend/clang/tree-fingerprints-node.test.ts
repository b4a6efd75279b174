import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import type { SyncStore } from "../../store/store.ts";
import { rememberedFingerprint } from "./tree-fingerprints-node.ts";

const root = mkdtempSync(join(tmpdir(), "heddle-fingerprints-"));
afterAll(() => {
  vi.useRealTimers();
  rmSync(root, { recursive: true });
});

let folder: string;
let made: number;
let store: SyncStore;
beforeEach(() => {
  vi.useRealTimers();
  folder = mkdtempSync(join(root, "tree-"));
  mkdirSync(join(folder, "inner"));
  writeFileSync(join(folder, "inner", "a.h"), "one");
  writeFileSync(join(folder, "b.h"), "two");
  made = 0;
  const files = new Map<string, Uint8Array>();
  store = { get: (key) => files.get(key) ?? null, put: (key, bytes) => void files.set(key, bytes) };
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
});

const ask = (about: readonly string[] = ["1.0"]): string =>
  rememberedFingerprint({ folder, about, store, make: () => `made ${++made}` });

test("a folder that has not changed is read once", () => {
  expect([ask(), ask()]).toEqual(["made 1", "made 1"]);
  expect(ask(["1.1"])).toBe("made 2");
});

test("a changed, a new, a removed and a renamed file are seen; so is one with its old size and time", () => {
  ask();
  writeFileSync(join(folder, "b.h"), "three");
  expect(ask()).toBe("made 2");
  writeFileSync(join(folder, "c.h"), "");
  expect(ask()).toBe("made 3");
  renameSync(join(folder, "c.h"), join(folder, "inner", "c.h"));
  expect(ask()).toBe("made 4");
  rmSync(join(folder, "inner", "c.h"));
  ask();
  const before = made;
  const then = new Date(1e12);
  writeFileSync(join(folder, "b.h"), "seven");
  utimesSync(join(folder, "b.h"), then, then);
  expect(ask()).toBe(`made ${before + 1}`);
  writeFileSync(join(folder, "b.h"), "eight");
  utimesSync(join(folder, "b.h"), then, then);
  expect(ask()).toBe(`made ${before + 2}`);
});

test("a folder with files of this very moment is not remembered, nor is one without a store", () => {
  vi.setSystemTime(Date.now() - 60_000);
  expect([ask(), ask()]).toEqual(["made 1", "made 2"]);
  const none = { folder, about: [], store: null, make: () => `made ${++made}` };
  expect(rememberedFingerprint(none)).toBe("made 3");
});
