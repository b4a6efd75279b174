import { describe, expect, it } from "vitest";
import { clangForTests } from "../frontend/clang/clang-resources.test-helper.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import { CodeSection } from "./code-section.ts";
import { Dwarf } from "./dwarf.ts";

const SOURCE = `#include <stdio.h>
extern "C" int cudaHere(int);
static inline int twice(int i) {
  return cudaHere(i) + 1;
}
__attribute__((noinline)) static int passOn(int i) {
  return cudaHere(i);
}
struct Guard { ~Guard() { cudaHere(5); } };
int main(int argc, char **) {
  Guard guard;
  cudaHere(1);
  int sum = twice(argc);
  passOn(argc);
  if (argc > 7) throw argc;
  return sum + passOn(3);
}
`;

async function compiled(): Promise<{ wasm: Uint8Array; module: WebAssembly.Module }> {
  const compiler = await createCompiler({ resources: clangForTests(), store: openNodeStore() });
  const { host } = await compiler.compileProgram([{ path: "dir/here.cpp", text: SOURCE }], { observed: true }, null);
  const wasm = host?.wasm as Uint8Array;
  return { wasm, module: new WebAssembly.Module(wasm as BufferSource) };
}

/**
 * Offsets of all calls of the function that is imported under a name: the operand of \`call\` is padded to five bytes
 * by the linker.
 */
function callsOf(wasm: Uint8Array, module: WebAssembly.Module, name: string): number[] {
  const index = WebAssembly.Module.imports(module)
    .filter(({ kind }) => kind === "function")
    .findIndex((entry) => entry.name === name);
  expect(index).toBeGreaterThanOrEqual(0);
  const operand = [0, 1, 2, 3, 4].map((byte) => ((index >>> (7 * byte)) & 0x7f) | (byte < 4 ? 0x80 : 0));
  return Array.from(wasm.keys()).filter(
    (at) => wasm[at] === 0x10 && operand.every((value, byte) => wasm[at + 1 + byte] === value),
  );
}

describe("places in a host module", async () => {
  const { wasm, module } = await compiled();
  const code = new CodeSection(wasm);
  const dwarf = Dwarf.of(module) as Dwarf;
  const calls = callsOf(wasm, module, "cudaHere").map((offset) => ({
    frames: dwarf.frames(offset - code.start),
    fate: code.fateOfResult(offset),
  }));

  it("every call is at its line, inlined functions with the line that called them", () => {
    const lines = calls.map(({ frames }) =>
      frames.map(({ line, column, functionName }) => `${line}:${column} ${functionName}`).join(" < "),
    );
    expect(new Set(lines)).toEqual(
      new Set([
        "7:10 null",
        "12:3 main",
        "4:10 twice < 13:13 main",
        expect.stringMatching(/^9:27 ~Guard < 17:1 main$/),
      ]),
    );
    expect(new Set(calls.flatMap(({ frames }) => frames.map(({ file }) => file)))).toEqual(new Set(["./dir/here.cpp"]));
  });

  it("what becomes of the result is read from the code", () => {
    const fates = Object.fromEntries(calls.map(({ frames, fate }) => [frames[0]?.line, fate]));
    expect(fates).toEqual({ 4: "used", 7: "returned", 9: "dropped", 12: "dropped" });
  });

  it("an address that is in no function has no frames", () => {
    expect(dwarf.frames(0x7fff_ffff)).toEqual([]);
    expect(Dwarf.of(new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0])))).toBeNull();
  });
});
