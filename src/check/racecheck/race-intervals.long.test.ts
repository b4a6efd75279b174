import { expect, it } from "vitest";
import { dim3 } from "../../base/dim3.ts";
import { cachedDeviceLibrary } from "../../frontend/clang/device-library.ts";
import { openNodeDevice } from "../../device/emulated/open-device-node.ts";
import { clangForTests } from "../../frontend/clang/clang-resources.test-helper.ts";
import { createCompiler } from "../../frontend/clang/compile.ts";
import { openNodeStore } from "../../frontend/clang/prebuilt-node.ts";
import { sha256 } from "../../store/sha256.ts";
import { createCheckers } from "../checkers.ts";
import { Checks } from "../checks.ts";
import { INTERVALS } from "./race-state.ts";

it("what lies in memory that was free when intervals began anew is not taken for this launch's", async () => {
  const store = openNodeStore();
  const compiler = await createCompiler({ resources: clangForTests(), store });
  const { program } = await compiler.compileDevice(
    {
      path: "scatter.cu",
      text: 'extern "C" __global__ void scatter(int* out, int n) { out[3 * blockIdx.x % n] = blockIdx.x; }',
    },
    {},
    null,
  );
  const checks = new Checks(createCheckers(["racecheck"]));
  const device = openNodeDevice({
    workers: 1,
    library: await cachedDeviceLibrary(compiler, store, sha256),
    observer: checks,
  });
  const kernel = device.loadModule(program).kernel("scatter");
  // No multiple of 3: each block writes an element of its own.
  const count = Math.floor(INTERVALS / 12) * 3 + 1;
  const launch = (out: number, blocks: number): void => {
    expect(
      device.launchBlocking(
        kernel,
        { grid: dim3(blocks), block: dim3(1), sharedBytes: 0 },
        new Uint8Array(Int32Array.of(out, count).buffer),
      ).fault,
    ).toBe(null);
  };
  const [kept, old] = [device.allocate(4 * count), device.allocate(4 * count)];
  launch(old, count);
  device.free(old);
  for (let turn = 0; turn < 2; turn++) launch(kept, count);
  launch(kept, 100);
  // Freed memory is not given out again at once.
  let again = 0;
  for (let turn = 0; turn < 1000 && again !== old; turn++) device.free((again = device.allocate(4 * count)));
  while (again !== old) again = device.allocate(4 * count);
  launch(again, count);
  expect(checks.findings).toEqual([]);
  device.close();
});
