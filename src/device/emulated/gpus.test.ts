import { describe, expect, it } from "vitest";
import { DEFAULT_GPU, GPU_NAMES, gpuProperties } from "./gpus.ts";

describe("GPU catalogue", () => {
  it.each(GPU_NAMES)("%s is consistent", (name) => {
    const gpu = gpuProperties(name);
    expect(gpu.sharedMemPerBlockOptin + gpu.reservedSharedMemPerBlock).toBeLessThanOrEqual(
      gpu.sharedMemPerMultiprocessor,
    );
    expect(gpu.maxThreadsPerMultiProcessor % 32).toBe(0);
    expect(gpu.source).not.toBe("");
    // Where the source names a bandwidth, the clock and the bus give it to 3 %.
    const published = /([\d.]+) (GB|TB)\/s/.exec(gpu.source);
    if (published === null) return;
    const bytesPerSecond = Number(published[1]) * (published[2] === "TB" ? 1e12 : 1e9);
    const computed = (2 * gpu.memoryClockRateKHz * 1000 * gpu.memoryBusWidthBits) / 8;
    expect(Math.abs(computed / bytesPerSecond - 1)).toBeLessThan(0.03);
  });

  it("the default compiles as sm_80", () => {
    expect(gpuProperties(DEFAULT_GPU).computeCapability).toEqual({ major: 8, minor: 0 });
  });

  it("forgives spelling and lists what it has", () => {
    expect(gpuProperties("RTX 4090")).toEqual(gpuProperties("rtx4090"));
    expect(gpuProperties("NVIDIA GeForce RTX 3070").multiProcessorCount).toBe(46);
    expect(() => gpuProperties("voodoo2")).toThrow(/voodoo2/);
  });
});
