/** The worked application of the ladder gaussian-mixture (examples/clustering.ts). Needs dist/. */
import { expect, test } from "vitest";
import { openDevice } from "heddle";
import { cluster, firstMixture, picture, randomNumbers, somePoints } from "../../examples/clustering.ts";

test("the likelihood rises with every step, weights are parts of 1, and the picture shows both mixtures", async () => {
  const grid = 6;
  const points = somePoints(4000, randomNumbers(7));
  const device = await openDevice({ device: "emulated" });
  const found = await cluster(device, points, grid, 8);
  device.close();
  const { likelihoods, means, spreads, weights } = found;
  // The weights are smoothed, which a step's likelihood may pay for: not more than a thousandth.
  for (const [i, likelihood] of likelihoods.slice(1).entries()) {
    const before = likelihoods[i] as number;
    expect(likelihood).toBeGreaterThan(before - Math.abs(before) / 1000);
  }
  expect(likelihoods.at(-1)).toBeGreaterThan((likelihoods[0] as number) + 400);
  for (let cell = 0; cell < grid * grid; cell++)
    expect(weights.subarray(32 * cell, 32 * cell + 32).reduce((a, b) => a + b)).toBeCloseTo(1, 4);
  for (let k = 0; k < 32; k++) {
    const [xx, xy, yy] = spreads.subarray(3 * k, 3 * k + 3) as unknown as [number, number, number];
    expect(xx * yy - xy * xy).toBeGreaterThan(0);
  }
  expect(means.every(Number.isFinite)).toBe(true);
  expect(picture(points, [firstMixture(points, grid), found], ["a", "b"]).match(/<ellipse/g)).toHaveLength(64);
});
