/**
 * Under asynccheck, what is read or written too early is wrong, and what waits is right: every pair of suite/async.cu,
 * and what no finding tells, by what the kernels compute.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TEST_MODEL } from "../../base/test-model.test-helper.ts";
import type { Device, GpuModule } from "../../device/device.ts";
import { openNodeDevice } from "../../device/emulated/open-device-node.ts";
import { clangForTests } from "../../frontend/clang/clang-resources.test-helper.ts";
import { createCompiler } from "../../frontend/clang/compile.ts";
import { cachedDeviceLibrary } from "../../frontend/clang/device-library.ts";
import { openNodeStore } from "../../frontend/clang/prebuilt-node.ts";
import { sha256 } from "../../store/sha256.ts";
import { createCheckers } from "../checkers.ts";
import { Checks } from "../checks.ts";
import { launchOf, readSuite, type Pair } from "../suite.test-helper.ts";

const SUITE = readFileSync(new URL("../suite/async.cu", import.meta.url), "utf8");
const OWN = readFileSync(new URL("late-completion.test-data.cu", import.meta.url), "utf8");
/** What is wrong by rules that results do not show here. */
const INVISIBLE: ReadonlySet<string> = new Set(["missing-proxy-fence", "wrong-swizzle"]);

let plain: { device: Device; module: GpuModule };
let late: { device: Device; module: GpuModule };
beforeAll(async () => {
  const store = openNodeStore();
  const compiler = await createCompiler({ resources: clangForTests(), store });
  const library = await cachedDeviceLibrary(compiler, store, sha256);
  const text = SUITE + OWN;
  const { program } = await compiler.compileDevice(
    { path: "async.cu", text },
    { model: TEST_MODEL.name, arch: "sm_90a" },
    null,
  );
  const open = (observer: Checks | null): { device: Device; module: GpuModule } => {
    const device = openNodeDevice({ workers: 1, library, gpu: "h100", ...(observer === null ? {} : { observer }) });
    return { device, module: device.loadModule(program) };
  };
  plain = open(null);
  late = open(new Checks(createCheckers(["asynccheck"])));
});
afterAll(() => {
  plain.device.close();
  late.device.close();
});

/** What a kernel computes, in shared memory that begins as -1. */
function resultOf({ device, module }: typeof plain, kernel: string, pair: Pair): readonly number[] {
  launchOf(
    device,
    module,
    "paint",
    { ...pair, settings: [], grid: { x: 16, y: 1, z: 1 }, sharedBytes: 40_000 },
    TEST_MODEL,
  );
  const { out, faulted } = launchOf(device, module, kernel, pair, TEST_MODEL);
  expect(faulted).toBe(false);
  return [...out];
}

describe.each([...readSuite(SUITE), ...readSuite(OWN)].map((pair) => [pair.name, pair] as const))(
  "%s",
  (name, pair) => {
    it.skipIf(INVISIBLE.has(pair.expected))("computes what it should where it waits, and only there", () => {
      // Without the checker, operations are complete at once.
      const expected = resultOf(plain, `${name}_right`, pair);
      expect(resultOf(late, `${name}_right`, pair)).toEqual(expected);
      expect(resultOf(late, `${name}_wrong`, pair)).not.toEqual(expected);
    });
  },
);
