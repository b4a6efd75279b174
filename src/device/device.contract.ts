/**
 * What every Device must do, as test cases. An implementation's test calls `deviceContract` with how to open it and how
 * to compile CUDA C++ for it; a case that it cannot pass is named in `exceptions` with the reason.
 */
import type { ExpectStatic } from "vitest";
import { dim3 } from "../base/dim3.ts";
import { CONTRACT_SOURCE, ContractBench, ramp } from "./contract-bench.ts";
import { CONTRACT_CASES, type ContractCase } from "./contract-cases.ts";
import type { Device } from "./device.ts";
import type { DeviceObserver, LaunchRun, ObservedLaunch } from "../machine/observer.ts";
import type { DeviceProgram } from "../program/device-program.ts";

/** The test runner: Vitest, or on a machine without it (a GPU machine) something with the same functions. */
export interface TestFramework {
  describe(title: string, body: () => void): void;
  it(title: string, body: () => Promise<void>): void;
  beforeAll(body: () => Promise<void>): void;
  afterAll(body: () => void): void;
  readonly expect: ExpectStatic;
}

export interface DeviceUnderTest {
  readonly name: string;
  /** @param observer a tool that needs launch events only. */
  open(observer?: DeviceObserver): Device;
  /** null: the device compiles the source itself. */
  readonly compile: ((source: string) => Promise<DeviceProgram>) | null;
  /** Case title → why this device does not pass it. */
  readonly exceptions?: Readonly<Record<string, string>>;
}

export function deviceContract(subject: DeviceUnderTest, framework: TestFramework): void {
  const { describe, it, beforeAll, afterAll, expect } = framework;
  const test = (title: string, body: ContractCase): void => {
    const reason = subject.exceptions?.[title];
    it(reason === undefined ? title : `${title} (exception: ${reason})`, async () => {
      const bench = new ContractBench(subject.open(), program);
      try {
        if (reason === undefined) await body(bench, expect);
        else await expect((async () => body(bench, expect))(), "an exception that is none any more").rejects.toThrow();
      } finally {
        bench.device.close();
      }
    });
  };
  let program: DeviceProgram | null = null;

  describe(`device contract: ${subject.name}`, () => {
    beforeAll(async () => {
      program = subject.compile === null ? null : await subject.compile(CONTRACT_SOURCE);
    });
    afterAll(() => {
      const unknown = Object.keys(subject.exceptions ?? {}).filter(
        (title) => !CONTRACT_CASES.some(([known]) => known === title),
      );
      expect(unknown, "exceptions that name no case").toEqual([]);
    });
    for (const [title, body] of CONTRACT_CASES) test(title, body);

    it("tells a tool of each launch: the kernel, its shape, what ran it, its time and its work", async () => {
      const seen: [ObservedLaunch, LaunchRun][] = [];
      const observer: DeviceObserver = {
        name: "launch timer",
        needs: "launches",
        launched: (launch, _fault, run) => void seen.push([launch, run]),
      };
      const bench = new ContractBench(subject.open(observer), program);
      try {
        const x = bench.floats(ramp(100));
        bench.launch("scale", 2, 64, [x, 100]);
        await bench.launchLater("scale", 4, 32, [x, 100]);
        expect(bench.readFloats(x, 100)[99]).toBe(99 * 9);
      } finally {
        bench.device.close();
      }
      expect(seen.map(([{ kernel, ordinal, grid, block }]) => ({ kernel, ordinal, grid, block }))).toEqual([
        { kernel: "scale", ordinal: 1, grid: dim3(2), block: dim3(64) },
        { kernel: "scale", ordinal: 2, grid: dim3(4), block: dim3(32) },
      ]);
      expect(seen.map(([, { blocks, threads }]) => [blocks, threads])).toEqual([
        [2, 128],
        [4, 128],
      ]);
      for (const [, { engine, elapsedMs }] of seen) {
        expect(["warp", "thread", "interpreter", "gpu"]).toContain(engine);
        expect(elapsedMs).toBeGreaterThan(0);
      }
    });
  });
}
