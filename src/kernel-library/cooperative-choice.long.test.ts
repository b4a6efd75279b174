/** A call takes a cooperative version only where all of its blocks are on the GPU at once. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDevice, openKernels } from "../index.ts";

const ROOT = join(import.meta.dirname, "../..");
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-cooperative-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/heddle"));
  // Without results that are promoted: the latest version that fits is chosen.
  for (const ladder of ["scan", "moe-routing", "common"])
    cpSync(join(ROOT, "kernels", ladder), join(folder, ladder), {
      recursive: true,
      filter: (file) => !file.endsWith("promoted.json"),
    });
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["h200", "6-prefetched", "4-one-launch"],
  // Of 40 multiprocessors, which hold fewer than 132 blocks.
  ["t4", "4-look-back", "3-two-launches"],
] as const)("on %s", async (gpu, scan, routing) => {
  const device = await openDevice({ device: "emulated", gpu, workers: 1 });
  const kernels = openKernels(device, { folder });
  const tokens = { tokens: 8192, experts: 8, top: 2, hidden: 64, normalized: 0 };
  expect((await kernels.choice("scan", { n: 1 << 22 })).version).toBe(scan);
  expect((await kernels.choice("moe-routing", tokens)).version).toBe(routing);
  if (gpu === "t4") {
    const x = Int32Array.from({ length: 1 << 20 }, (_, i) => i % 5);
    const { y } = await kernels.run("scan", {}, { x: device.array(x) });
    let sum = 0;
    expect(await y?.read()).toEqual(x.map((value) => (sum += value)));
  }
  await kernels.close();
  device.close();
});
