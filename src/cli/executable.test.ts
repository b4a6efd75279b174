import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readExecutable, writeExecutable } from "./executable.ts";

const WASM = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 10, 13, 255);
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "heddle-executable-"))));
afterAll(() => rmSync(folder, { recursive: true }));

test("a program is read as it was written, from its executable or bare", () => {
  const [program, bare] = [join(folder, "program"), join(folder, "bare.wasm")];
  writeExecutable(program, WASM);
  writeFileSync(bare, WASM);
  expect([...readExecutable(program)]).toEqual([...WASM]);
  expect([...readExecutable(bare)]).toEqual([...WASM]);
});

test("what is no program, and what another version has built, is told apart", () => {
  const [script, old] = [join(folder, "script"), join(folder, "old")];
  writeFileSync(script, "#!/bin/sh\necho hello\n");
  expect(() => readExecutable(script)).toThrow("is not a program that heddle nvcc made");
  writeExecutable(old, WASM);
  writeFileSync(old, readFileSync(old, "latin1").replace(/#heddle-program-\d+/, "#heddle-program-1"), "latin1");
  expect(() => readExecutable(old)).toThrow(
    /was built by another version of Heddle: it has program format 1, this version runs format \d+/,
  );
  expect(() => readExecutable(join(folder, "none"))).toThrow("cannot be read");
});
