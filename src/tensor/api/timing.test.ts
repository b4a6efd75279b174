/** Times of operations, and what is refused. */
import { expect, it } from "vitest";
import { openTensors } from "../../tensor.ts";

it("runs that count, behind runs that do not; what was made is given back", async () => {
  const torch = await openTensors({ device: "emulated" });
  const x = torch.ones([32_768]);
  let calls = 0;
  const held = torch.memoryStatistics().allocatedBytes;
  const work = (): unknown => (calls++, x.exp());
  const { medianMs, minMs, maxMs, intervalMs, runsMs } = await torch.time(work, { warmups: 2, runs: 7 });
  expect(calls).toBe(9);
  expect(runsMs).toHaveLength(7);
  // The work is between the events.
  expect(minMs).toBeGreaterThan(0);
  expect([minMs, intervalMs[0], medianMs, intervalMs[1], maxMs]).toEqual(
    [minMs, intervalMs[0], medianMs, intervalMs[1], maxMs].toSorted((a, b) => a - b),
  );
  expect(torch.memoryStatistics().allocatedBytes).toBe(held);
  const slow = await torch.time(() => new Promise((resolve) => void setTimeout(resolve, 3)), { warmups: 0, runs: 1 });
  expect(slow.medianMs).toBeGreaterThan(1);
  const sums: number[] = [];
  const later = async (): Promise<void> => {
    const y = x.mul(2);
    await Promise.resolve();
    sums.push(y.sum().item() as number);
  };
  await torch.time(later, { warmups: 0, runs: 2 });
  expect(sums).toEqual([65_536, 65_536]);
  await expect(torch.time(work, { runs: 0 })).rejects.toThrow("runs is a whole number from 1 on, not 0");
  await expect(torch.time(work, { run: 1 } as object)).rejects.toThrow('time has no option "run"');
});
