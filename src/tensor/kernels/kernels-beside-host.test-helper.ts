/** Operations as kernels of an emulated device beside the same ones on the host. */
import { beforeAll, expect } from "vitest";
import { openDevice, type Gpu } from "../../index.ts";
import { openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { tensorDeviceOf } from "./tensor-device.ts";

export let gpu: Gpu;
export let torch: Tensors;
beforeAll(async () => {
  gpu = await openDevice({ device: "emulated" });
  torch = await openTensors({ device: gpu });
  const device = tensorDeviceOf(gpu.raw);
  if (device !== null) device.leastElements = 1;
  torch.manualSeed(5);
});

export const host = { device: null } as const;

export function expectSame(actual: Tensor, expected: Tensor, tolerance = 1e-4): void {
  expect([actual.dtype, actual.shape]).toEqual([expected.dtype, expected.shape]);
  const [a, b] = [actual.values(), expected.values()];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (x === y || (x !== x && y !== y)) continue;
    expect(Math.abs(x - y), `element ${i}: ${x} for ${y}`).toBeLessThan(tolerance * Math.max(1, Math.abs(y)));
  }
}

/** Values and gradients of a function of some tensors, by kernels and on the host. */
export function compare(fn: (...inputs: Tensor[]) => Tensor, inputs: readonly Tensor[], tolerance = 1e-4): void {
  const [there, here] = [gpu, null].map((place) => {
    const own = inputs.map((input) => input.to(place).requiresGrad_(input.isFloatingPoint));
    const result = fn(...own);
    const asked = own.filter((tensor) => tensor.requiresGrad);
    const weights = torch.arange(result.numel(), undefined, 1, host).remainder(7).add(1).to("float32");
    const given = weights.reshape(result.shape).to(result.dtype).to(place);
    const gradients = result.requiresGrad ? torch.grad(result, asked, { gradOutputs: [given] }) : [];
    return [result, ...gradients];
  }) as [(Tensor | null)[], (Tensor | null)[]];
  for (const [i, tensor] of there.entries()) {
    const expected = here[i] as Tensor;
    expectSame((tensor as Tensor).cpu(), expected, tolerance);
  }
}

export const randn = (...shape: number[]): Tensor => torch.randn(shape, host);
