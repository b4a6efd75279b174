/** First and second derivatives of operations on parts, along dimensions and of matrices against differences. */
import { beforeAll, describe, it } from "vitest";
import { gradcheck, gradgradcheck, openTensors, type Tensors } from "../../tensor.ts";
import { operationCases } from "./gradient-cases.test-helper.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

describe("gradients of operations", () => {
  it.each(Object.entries(operationCases(() => torch)))("%s", (_, fn) => {
    torch.manualSeed(3);
    const x = torch.randn([3, 4]);
    gradcheck(fn, [x]);
    gradgradcheck(fn, [x]);
  });
});
