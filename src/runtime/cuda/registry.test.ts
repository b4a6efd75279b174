/** What stands for kernels: host addresses, which the program's code may hand over as negative numbers. */
import { expect, test } from "vitest";
import { openNodeDevice } from "../../device/emulated/open-device-node.ts";
import type { DeviceState } from "./device-state.ts";
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

const TWO_KERNELS = `@count = addrspace(1) externally_initialized global i32 0
define ptx_kernel void @a() {
  store i32 1, ptr addrspace(1) @count
  ret void
}
define ptx_kernel void @b() {
  ret void
}
`;

test.each([
  ["/heddle/libraries/x.cu", [["a", "count"], ["b"]]],
  ["user.cu", [["a", "b", "count"]]],
])("of %s is loaded what is used", (name, expected) => {
  const device = openNodeDevice({ workers: 1 });
  const loaded: string[][] = [];
  const load = device.loadModule.bind(device);
  device.loadModule = (programs) => {
    const module = load(programs);
    loaded.push([...module.kernelNames(), ...(module.variableNames?.() ?? [])].toSorted());
    return module;
  };
  const state = { ordinal: 0, device, modules: new Map(), parts: new Map() } as unknown as DeviceState;
  const registry = new Registry();
  const index = registry.addProgram({ ...program(TWO_KERNELS), name });
  for (const [address, kernel] of [
    [8, "a"],
    [16, "b"],
  ] as const)
    registry.addFunction(address, index, kernel);
  registry.addVariable(32, { program: index, name: "count", bytes: 4 });
  try {
    for (let round = 0; round < 2; round++)
      for (const address of [8, 16]) registry.kernel(registry.function(address), state);
    const { pointer } = registry.symbol(32, state);
    expect(registry.symbolAt(state, pointer + 3)?.name).toBe("count");
    expect(registry.symbolAt(state, pointer + 4)).toBeNull();
    expect(loaded).toEqual(expected);
  } finally {
    device.close();
  }
});
