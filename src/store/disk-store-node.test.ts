import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cacheDirectory, nodeStore } from "./disk-store-node.ts";

const directory = mkdtempSync(join(tmpdir(), "heddle-cache-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("what was put is got, by another store too", async () => {
  await nodeStore(directory).put("abcdef", Uint8Array.of(1, 2, 3));
  expect(await nodeStore(directory).get("abcdef")).toEqual(Buffer.from([1, 2, 3]));
  expect(await nodeStore(directory).get("absent")).toBeNull();
});

test("a damaged file counts as absent and is removed", async () => {
  const store = nodeStore(directory);
  await store.put("dddddd", Uint8Array.of(1, 2, 3));
  writeFileSync(join(directory, "dd", "dddddd"), "half a fi");
  expect(await store.get("dddddd")).toBeNull();
  expect(readdirSync(join(directory, "dd"))).toEqual([]);
});

test("many writers of one key leave one whole file", async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => nodeStore(directory).put("eeeeee", new Uint8Array(1000).fill(i))),
  );
  const found = await nodeStore(directory).get("eeeeee");
  expect(found?.length).toBe(1000);
  expect(new Set(found).size).toBe(1);
  expect(readdirSync(join(directory, "ee"))).toEqual(["eeeeee"]);
});

test("a cache that cannot be written says so once", async () => {
  const file = join(directory, "a-file");
  writeFileSync(file, "");
  const said: string[] = [];
  const store = nodeStore(join(file, "cache"), { warn: (message) => said.push(message) });
  await store.put("aaaaaa", Uint8Array.of(1));
  await store.put("bbbbbb", Uint8Array.of(1));
  expect(said).toHaveLength(1);
});

test("the directory follows the environment", () => {
  expect(cacheDirectory({ HEDDLE_CACHE_DIR: "/x" })).toBe("/x");
  expect(cacheDirectory({ XDG_CACHE_HOME: "/y" })).toBe("/y/heddle");
});
