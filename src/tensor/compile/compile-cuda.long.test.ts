/** The CUDA text of compiled functions: it compiles, and computes what the Triton text does. */
import { beforeAll, describe, expect, it } from "vitest";
import { compile, openDevice, type Gpu } from "../../index.ts";
import { DeviceArray } from "../../library/device-array.ts";
import { openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { casesOf } from "./cases.test-helper.ts";

let gpu: Gpu;
let torch: Tensors;
beforeAll(async () => {
  gpu = await openDevice({ device: "emulated" });
  torch = await openTensors({ device: gpu });
});

const leaf = (of: Tensor): Tensor => of.detach().clone().requiresGrad_();

function expectClose(actual: Tensor, expected: Tensor): void {
  expect(actual.shape).toEqual(expected.shape);
  const [a, b] = [actual.values(), expected.values()];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    expect(Math.abs(x - y) / Math.max(1, Math.abs(y)), `element ${i}: ${x} for ${y}`).toBeLessThan(1e-5);
  }
}

describe("the CUDA text", () => {
  it.each(casesOf(() => torch))("%s", async (_, fn, make) => {
    const compiled = torch.compile(fn, { silent: true });
    const inputs = make().map(leaf);
    const gradientsOf = (): Tensor[] => {
      torch.manualSeed(3);
      const y = compiled(...inputs);
      if (!y.requiresGrad) return [y];
      const found = torch.grad(y, inputs, { gradOutputs: [torch.onesLike(y).mul(0.7)] });
      return [y, ...found.filter((gradient) => gradient !== null)];
    };
    const expected = gradientsOf();
    const module = await compile(compiled.source.cuda, { device: gpu });
    const kernels = new Map<string, Awaited<ReturnType<typeof module.kernel>>>();
    for (const { sources } of compiled.programs)
      for (const { name } of sources) kernels.set(name, await module.kernel(name));
    let launches = 0;
    for (const program of compiled.programs)
      program.cudaLaunch = ({ name, cuda }, pointers) => {
        launches++;
        const args = pointers.map((pointer) => DeviceArray.at(gpu.raw, "uint8", 1, pointer));
        kernels.get(name)?.prepare({ grid: cuda.grid, block: cuda.block }, args)();
      };
    const actual = gradientsOf();
    expect(launches).toBeGreaterThan(0);
    for (const [i, tensor] of actual.entries()) expectClose(tensor, expected[i] as Tensor);
  });
});
