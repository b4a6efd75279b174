import { expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { createPtxPipeline } from "../../ptx/link-program.ts";
import { emitPtxModule } from "../../ptx/emit-module.ts";
import type { PtxModule, PtxTarget } from "../../ptx/ptx-module.ts";
import { NATIVE_TARGET, TEST_TARGET } from "../../ptx/test-target.test-helper.ts";
import { compileProgram, kernelFacts, type ProgramCompiler } from "./compile-program.ts";

const kernelIr = (name: string, bits: 32 | 64): string => `
target datalayout = "${bits === 32 ? "e-p:32:32-" : "e-"}i64:64-i128:128-i256:256-v16:16-v32:32"
target triple = "nvptx-nvidia-cuda"
define ptx_kernel void @${name}() {
  ret void
}
`;

function compiler(bits: 32 | 64): ProgramCompiler & { compilations: number } {
  const entries = new Map<string, Uint8Array>();
  const prepare = createPtxPipeline(null, bits);
  return {
    compilations: 0,
    prepare,
    emit(module, target): PtxModule {
      this.compilations++;
      return emitPtxModule(module, target);
    },
    generator: "test",
    store: { get: (key) => entries.get(key) ?? null, put: (key, bytes) => void entries.set(key, bytes) },
  };
}

test.each([32, 64] as const)("the cache tells programs apart, as text and as modules (%i-bit pointers)", (bits) => {
  const parts = compiler(bits);
  const target: PtxTarget = bits === 32 ? TEST_TARGET : NATIVE_TARGET;
  const kernelsOf = (ir: DeviceProgram["ir"], version = "12.4", at = target): string[] => {
    const programs = [{ ir, name: "a.ll", options: { fmad: true } }];
    const request = { programs, target: at, driverVersion: version, format: "test 1", factsOf: kernelFacts };
    const { facts, code } = compileProgram(parts, request);
    expect(new TextDecoder().decode(code)).toContain(`.entry ${facts[0]?.[0]}(`);
    return facts.map(([name]) => name);
  };
  for (const name of ["one", "two", "one", "two"]) {
    const text = kernelIr(name, bits);
    expect(kernelsOf(text)).toEqual([name]);
    expect(kernelsOf(parseModule(text, "a.ll"))).toEqual([name]);
  }
  expect(parts.compilations, "each text once, each module once").toBe(4);
  kernelsOf(kernelIr("one", bits), "13.0");
  kernelsOf(kernelIr("one", bits), "12.4", { ...target, lineInfo: true });
  kernelsOf(kernelIr("one", bits), "12.4", { ...target, computeCapability: { major: 8, minor: 0 } });
  expect(parts.compilations, "another driver, target or option").toBe(7);
});
