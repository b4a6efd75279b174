/** Every operation that is put on the tape has a case whose gradients are compared with differences. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { GradientNode } from "../autograd/tape.ts";
import { gradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { decompositionCases, methodCases, operationCases } from "./gradient-cases.test-helper.ts";
import { layerCases } from "./layer-cases.test-helper.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
  torch.manualSeed(5);
});

/** Names that have their comparisons elsewhere, and where. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ConvolutionBlockBackward0: "kernels/fused/fused.long.test.ts: kernels of bfloat16 beside the layers one by one",
  LinearBackward0: "likewise",
  LinearReluBackward0: "likewise",
  MaxPoolBackward0: "kernels/layer-kernels.long.test.ts: the kernel beside the host",
  CrossEntropyBackward0: "kernels/row-kernels.long.test.ts: likewise",
  NativeLayerNormBackward0: "kernels/row-kernels.long.test.ts: likewise",
  FusedRmsNormBackward0: "kernels/row-kernels.long.test.ts: likewise",
  AsStridedBackward0: "autograd/views.test.ts",
  CopySlices: "autograd/views.test.ts",
  CopyBackwards: "autograd/views.test.ts",
  SetItemBackward0: "autograd/views.test.ts",
  ToCopyBackward0: "the test below",
  CheckpointBackward: "training-tests/recomputation.test.ts",
  CtcLossBackward0: "decompositions.test.ts",
  CtcLossBackwardBackward0: "it refuses, as PyTorch's",
};

/** The names in the text of all operations. */
function namesInText(): Set<string> {
  const names = new Set<string>();
  const files = ["operations", "api"].flatMap((folder) =>
    readdirSync(join("src/tensor", folder)).map((file) => join("src/tensor", folder, file)),
  );
  for (const file of files) {
    if (file.includes(".test")) continue;
    for (const [, name] of readFileSync(file, "utf8").matchAll(/"(\w+Backwards?\d?|CopySlices)"/g))
      names.add(name as string);
  }
  return names;
}

/** The names on the tape behind results, and behind their gradients. */
function addNames(names: Set<string>, results: readonly Tensor[], inputs: readonly Tensor[]): void {
  const roots = results.filter(({ requiresGradient }) => requiresGradient);
  const follow = (tensors: readonly (Tensor | null)[]): void => {
    const stack: (GradientNode | null)[] = tensors.map((tensor) => tensor?.node ?? null);
    const seen = new Set<GradientNode>();
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (node === null || seen.has(node)) continue;
      seen.add(node);
      names.add(node.name);
      stack.push(...node.edges.map((edge) => edge?.node ?? null));
    }
  };
  follow(roots);
  const gradOutputs = roots.map((root) => root.detach().mul(0).add(1).requiresGrad_());
  follow(torch.grad(roots, inputs, { gradOutputs, createGraph: true }));
}

it("a conversion to another float", () => {
  const fn = (x: Tensor): Tensor => x.double().square();
  expect(gradcheck(fn, [torch.tensor([0.5, -1, 2])], { dtype: "float32" })).toBe(true);
});

it("no name is without a case", () => {
  const found = new Set<string>();
  const leaf = (...shape: readonly number[]): Tensor => torch.randn([...shape], { dtype: "float64" }).requiresGrad_();
  const cases = [
    ...Object.values({ ...methodCases(() => torch), ...operationCases(() => torch) }).map((fn) => ({
      shapes: [[3, 4]],
      fn: (x: Tensor) => [fn(x)],
    })),
    ...Object.values(decompositionCases(() => torch)).map((fn) => ({ shapes: [[3, 3]], fn })),
    ...Object.values(layerCases(() => torch)).map(({ shapes, fn }) => ({
      shapes,
      fn: (...inputs: Tensor[]) => [fn(...inputs)],
    })),
  ];
  for (const { shapes, fn } of cases) {
    const inputs = shapes.map((shape) => leaf(...shape));
    addNames(found, (fn as (...all: Tensor[]) => Tensor[])(...inputs), inputs);
  }
  const missing = [...namesInText()].filter((name) => !found.has(name) && ELSEWHERE[name] === undefined);
  expect(missing).toEqual([]);
  // Functions of elements have no names there: gradients.test.ts and element-gradients.long.test.ts take their tables.
  expect(Object.keys(ELSEWHERE).filter((name) => found.has(name) || !namesInText().has(name))).toEqual([]);
});
