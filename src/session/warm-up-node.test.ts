import { expect, test } from "vitest";
import { warmUpLaunch } from "./warm-up-node.ts";

test.each(["auto", "warp", "thread"] as const)("a warm-up launch succeeds on the engine %s", async (engine) => {
  await expect(
    warmUpLaunch({
      device: "emulated",
      trace: false,
      engine,
      devices: 3,
      gpu: null,
      workers: null,
      reuse: true,
      check: null,
      profile: false,
      caches: false,
    }),
  ).resolves.toBeUndefined();
});
