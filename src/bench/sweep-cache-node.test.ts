import { expect, test } from "vitest";
import type { SyncStore } from "../store/disk-store-node.ts";
import { sweepKeyOf } from "./sweep.ts";
import { type LadderVersion } from "../kernel-library/loaded-ladder.ts";
import type { VersionDeclaration } from "../kernel-library/ladder.ts";
import type { Surroundings, Trial } from "./results.ts";
import { sweepCache } from "./sweep-cache-node.ts";

type Declaration = VersionDeclaration<Record<string, number>>;
const surroundings: Surroundings = {
  time: "2026-01-02T03:04:05Z",
  heddle: "0",
  commit: null,
  dirty: false,
  machine: { host: "h", cpu: "c", cores: 1 },
  device: { kind: "emulated", name: "A", driver: null, engine: "auto" },
};
/** 1000 configurations: many more than the key can enumerate. */
const digits = [...Array(10).keys()];
const declared: Declaration = {
  parameters: { A: digits, B: digits, C: digits },
  launch: ({ n = 0 }) => [{ kernel: "k", grid: n, block: 32, args: [] }],
};
const trials: readonly Trial[] = [{ configuration: { A: 1, B: 2, C: 3 }, medianMs: 0.5, problem: null }];

const version = (declaration: Declaration, hash = "source"): LadderVersion => ({
  name: "1-v",
  path: "1-v.cu",
  idea: "",
  hash,
  declaration,
});
const memoryStore = (): SyncStore => {
  const kept = new Map<string, Uint8Array>();
  return { get: (key) => kept.get(key) ?? null, put: (key, bytes) => void kept.set(key, bytes) };
};

test("a sweep is found again for what it was made of, and for nothing else", () => {
  const store = memoryStore();
  sweepCache(store, surroundings).put(sweepKeyOf(version(declared), { n: 8 }), trials);
  const find = (
    declaration: Declaration,
    { hash = "source", n = 8, about = surroundings } = {},
  ): readonly Trial[] | null => sweepCache(store, about).get(sweepKeyOf(version(declaration, hash), { n }));
  expect(find({ ...declared })).toEqual(trials);
  expect(find(declared, { about: { ...surroundings, time: "2027-01-01T00:00:00Z", dirty: true } })).toEqual(trials);
  const others: Declaration[] = [
    // Far behind the first configurations, which are the same.
    { ...declared, parameters: { ...declared.parameters, A: [...digits, 16] } },
    { ...declared, parameters: { A: [0, 2, 3, 4], B: digits, C: digits } },
    { ...declared, allow: ({ A = 0 }) => A < 5 },
    { ...declared, launch: ({ n = 0 }) => [{ kernel: "k", grid: n, block: 64, args: [] }] },
  ];
  for (const other of others) expect(find(other)).toBeNull();
  expect(find({ ...declared, parameters: { C: digits, B: digits, A: digits } })).toBeNull();
  expect(find(declared, { hash: "edited" })).toBeNull();
  expect(find(declared, { n: 9 })).toBeNull();
  expect(find(declared, { about: { ...surroundings, device: { ...surroundings.device, name: "B" } } })).toBeNull();
});
