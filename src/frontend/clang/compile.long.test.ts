/** A host program of much of the C++ library, and the device library, which take Clang long. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { memoryStore } from "../../store/store.ts";
import { nodeStore } from "../../store/disk-store-node.ts";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { createCompiler } from "./compile.ts";
import { runHost, undefinedFunctions } from "./host-module.test-helper.ts";
import { prebuiltDirectory } from "./prebuilt-node.ts";
import { storeOver } from "./prebuilt.ts";

test("exceptions, containers, threads, setjmp and POSIX link, and run", async () => {
  // Headers and libraries as `npm ci` has made them; nothing of earlier runs.
  const store = storeOver(nodeStore(prebuiltDirectory()), memoryStore());
  const compiler = await createCompiler({ resources: clangForTests(), store });
  const text = readFileSync(new URL("fixtures/host-library.cu", import.meta.url), "utf8");
  const program = await compiler.compileProgram([{ path: "host-library.cu", text }], {}, null);
  const wasm = program.host?.wasm as Uint8Array;
  expect(undefinedFunctions(wasm).filter((name) => !/^__(?:cuda|heddle)/.test(name))).toEqual([]);
  const { output, exitCode } = runHost(wasm, ["program"]);
  expect(output.split("\n").slice(0, 8)).toEqual([
    "~first",
    "caught thrown",
    "~second",
    "caught 42",
    "caught again",
    "out of range",
    "threads 10",
    expect.stringMatching(/^3.14 1 \d+$/),
  ]);
  expect(exitCode).toBe(3);
  expect(runHost(wasm, ["program", "throw"]).output).toContain(
    "terminate called after throwing an instance of 'std::logic_error'\n  what():  left main",
  );
});

test("the device library compiles", async () => {
  const compiler = await createCompiler({ resources: clangForTests(), store: memoryStore() });
  const units = await compiler.compileDeviceLibrary();
  expect(units.map((unit) => unit.ir).join("")).toMatch(/define [^\n]*@__nv_expf\(/);
});
