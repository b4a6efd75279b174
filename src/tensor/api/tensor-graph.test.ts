/** Steps that are recorded and launched again. What they compute: training-tests/fused-training.long.test.ts. */
import { beforeAll, expect, test } from "vitest";
import { functional as F, openTensors, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

test("kernels that check indices may be recorded first of all, and each replay tells what is out of range", () => {
  const scores = torch.tensor([
    [1, 2, 3],
    [3, 2, 1],
  ]);
  const classes = torch.tensor([0n, 2n]);
  const step = torch.graph(() => F.crossEntropy(scores, classes));
  step.launch();
  const expected = F.crossEntropy(scores, classes).item();
  expect(step.result.item()).toBeCloseTo(expected, 6);
  torch.upload(classes, new BigInt64Array([0n, 7n]));
  step.launch();
  expect(() => step.result.item()).toThrow("index 7 is out of bounds for a dimension with size 3");
  torch.upload(classes, new BigInt64Array([0n, 2n]));
  step.launch();
  expect(step.result.item()).toBeCloseTo(expected, 6);
  step.close();
});
