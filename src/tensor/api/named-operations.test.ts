/** Profiles name the operations of tensors, with the shapes that they were given. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ChromeTrace } from "../../profile/timeline/chrome-trace.ts";
import { traceProblems } from "../../profile/timeline/trace-check.test-helper.ts";
import { profiler } from "../../profile.ts";
import { defineOp, functional as F, nn, openTensors, optim, Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});
const folder = mkdtempSync(join(tmpdir(), "heddle-shapes-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("a row for each operation and its shapes, with its kernels; scopes and traces have both", async () => {
  const own = Object.getOwnPropertyDescriptor(Tensor.prototype, "exp");
  const weight = torch.ones([4, 3], { requiresGrad: true });
  const sgd = new optim.SGD([weight], { lr: 0.1 });
  const twice = defineOp({ name: "twice", forward: (_, x: Tensor) => x.mul(2), backward: (_, g) => g.mul(2) });
  const large = torch.ones([2, 32_768]);
  profiler.start();
  profiler.scope("forward", () => {
    for (let i = 0; i < 2; i++) large.exp();
    torch.cat([large, large], 1);
    const linear = new nn.Linear(3, 4);
    linear.forward(torch.ones([5, 3]));
    F.mseLoss(twice(F.linear(torch.ones([2, 3]), weight, null)), torch.zeros([2, 4])).backward();
  });
  sgd.step();
  torch.noGrad(() => torch.tidy(() => void weight.numel()));
  const recorded = await profiler.stop();
  const rows = recorded.operations({ by: "tensor", sortBy: "name" });
  const calls = Object.fromEntries(rows.filter((row) => row.hostMs !== null).map((row) => [row.name, row.calls]));
  expect(calls).toMatchObject({
    "cat [2, 32768] [2, 32768]": 1,
    "exp [2, 32768]": 2,
    "linear [2, 3] [4, 3]": 1,
    "linear [5, 3] [4, 3] [4]": 1,
    "mseLoss [2, 4] [2, 4]": 1,
    "twice [2, 4]": 1,
    "twice backward [2, 4]": 1,
    "MmBackward0 [2, 4]": 1,
    "SGD.step": 1,
    ones: 2,
  });
  expect(Object.keys(calls).filter((name) => /^(tidy|noGrad|numel|backward|mul)/.test(name))).toEqual([]);
  const at = rows.findIndex(({ name }) => name === "exp [2, 32768]");
  expect(rows[at]).toMatchObject({ kind: "tensor operation", calls: 2 });
  expect(rows[at]?.hostMs).toBeGreaterThan(0);
  expect(rows[at + 1]).toMatchObject({ kind: "kernel", calls: 2, totalMs: rows[at]?.totalMs });
  expect(recorded.table({ by: "tensor" })).toMatch(/\nexp \[2, 32768\] +\d.*\n {2}exp_float32 /);
  const scopes = recorded.operations({ by: "scope" }).filter(({ kind }) => kind === "scope");
  expect(scopes.map(({ name }) => name).sort()).toEqual(expect.arrayContaining(["forward"]) as string[]);
  expect(scopes.some(({ name }) => name.includes("exp"))).toBe(false);
  await recorded.exportTrace(join(folder, "trace.json"));
  const trace = JSON.parse(readFileSync(join(folder, "trace.json"), "utf8")) as ChromeTrace;
  expect(traceProblems(trace)).toEqual([]);
  const kernel = trace.traceEvents.find(({ cat, name }) => cat === "kernel" && name.startsWith("exp"));
  expect(kernel?.args).toMatchObject({ operation: "exp", shapes: "[2, 32768]", scope: "forward" });
  // Behind the profiler everything is as before.
  expect(Object.getOwnPropertyDescriptor(Tensor.prototype, "exp")).toEqual(own);
});
