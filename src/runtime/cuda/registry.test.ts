/** What stands for kernels: host addresses, which the program's code may hand over as negative numbers. */
import { expect, test } from "vitest";
import { Registry } from "./registry.ts";

const program = (ir: string): Parameters<Registry["addProgram"]>[0] => ({ name: "a.cu", ir, options: { fmad: true } });

test("a function is found by its address, as the program's code has it", () => {
  const registry = new Registry();
  registry.addFunction(-16, registry.addProgram(program("")), "k");
  for (const address of [-16, 0xffff_fff0]) {
    expect(registry.hasFunction(address)).toBe(true);
    expect(registry.function(address).name).toBe("k");
  }
  expect(registry.hasFunction(0x7fff_fff8)).toBe(false);
  expect(() => registry.function(8)).toThrow("not that of a __global__ function");
});

test("the architecture is the one in the program's code, asked once or often", () => {
  const registry = new Registry();
  const programs = ['attributes #0 = { "target-cpu"="sm_90a" }', "", 'attributes #0 = { "target-cpu"="sm_75" }'];
  programs.forEach((ir, i) => registry.addFunction(8 * (i + 1), registry.addProgram(program(ir)), "k"));
  for (let round = 0; round < 2; round++)
    expect([8, 16, 24].map((address) => registry.architecture(registry.function(address)))).toEqual([90, null, 75]);
});
