import { expect, test } from "vitest";
import type { KernelBackend } from "../../engine/backend.ts";
import { CodeStore } from "./code-store.ts";
import type { GridLaunch } from "./grid-runner.ts";
import { DeviceMemory } from "./memory.ts";

test("code of a launch takes the place of the former launch's, if both do not fit", () => {
  const backend: KernelBackend = {
    name: "large",
    compile: () => ({ backend: "large", wasm: new Uint8Array(20 << 20), metadata: null }),
  };
  const store = new CodeStore(new DeviceMemory(1), [backend]);
  const launchOf = (name: string): GridLaunch =>
    ({ program: launches, kernel: { name }, descriptor: { block: { x: 32, y: 1, z: 1 } } }) as unknown as GridLaunch;
  const launches = {};
  const kernels = ["first", "second"].map((name) => store.compiled(launchOf(name)) ?? expect.unreachable());
  for (const kernel of [...kernels, ...kernels]) expect(store.place(kernel).bytes).toBeGreaterThan(20 << 20);
  // The launch's own code stays when its record needs room.
  expect(() => store.allocate(new Uint8Array(20 << 20))).toThrow(/does not fit/);
});
