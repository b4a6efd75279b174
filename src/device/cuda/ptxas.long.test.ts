/** The machine's own ptxas, if it has one. Without it a profile says that registers are an estimate. */
import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { load } from "../../index.ts";
import { profile } from "../../profile.ts";
import { toolkitPrograms } from "./library-search.ts";

const TRANSPOSE = new URL("../../../examples/transpose.cu", import.meta.url).pathname;

test("registers of an example", async () => {
  vi.stubEnv("HEDDLE_PTXAS", "");
  const { launches } = await profile(
    async (device) => {
      const program = await load(TRANSPOSE, { device });
      const [x, y] = [device.array(1024 * 1024, "float32"), device.array(1024 * 1024, "float32")];
      for (const [, name = ""] of readFileSync(TRANSPOSE, "utf8").matchAll(/__global__ void (\w+)/g))
        await (await program.kernel(name)).launch({ grid: [32, 32], block: [32, 8] }, y, x, 1024);
    },
    { gpu: "h100" },
  );
  vi.unstubAllEnvs();
  expect(launches.length).toBeGreaterThan(0);
  const hasPtxas = toolkitPrograms("ptxas").length > 0;
  for (const { facts } of launches) {
    expect(facts.registersFrom).toBe(hasPtxas ? "ptxas" : "estimate");
    expect(facts.spillBytes).toBe(hasPtxas ? 0 : null);
    // ptxas 13.0 takes 16 and 22 for sm_90.
    expect(facts.registersPerThread).toBeGreaterThanOrEqual(16);
    expect(facts.registersPerThread).toBeLessThanOrEqual(32);
  }
});
