import { expect, test } from "vitest";
import { rehearseLaunch } from "./warm-up.ts";

test.each(["auto", "warp", "thread"] as const)("a rehearsal succeeds on the engine %s", async (engine) => {
  await expect(
    rehearseLaunch({
      device: "emulated",
      trace: false,
      engine,
      devices: 3,
      gpu: null,
      workers: null,
      reuse: true,
      check: null,
    }),
  ).resolves.toBeUndefined();
});
