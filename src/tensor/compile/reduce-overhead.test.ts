/** `mode: "reduce-overhead"`: functions whose launches are captured compute what they compute without. */
import { beforeAll, expect, it } from "vitest";
import { openDevice } from "../../index.ts";
import { functional as F, nn, openTensors, optim, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: await openDevice({ device: "emulated" }) });
  torch.manualSeed(3);
});

const graphed = { silent: true, mode: "reduce-overhead" } as const;

it("results are right for arguments anywhere, and stay when the function is called again", () => {
  const fn = (x: Tensor, y: Tensor): Tensor => x.mul(2).add(y).softmax(1).mul(y);
  const compiled = torch.compile(fn, graphed);
  const pairs = Array.from({ length: 5 }, () => [torch.randn([3, 7]), torch.randn([9, 7]).narrow(0, 2, 3)] as const);
  const results = pairs.map(([x, y]) => compiled(x, y));
  for (const [i, [x, y]] of pairs.entries()) expect(results[i]?.allclose(fn(x, y))).toBe(true);
  const { captures, notCaptured } = compiled.explain();
  expect([captures >= 1 && captures <= 3, notCaptured]).toEqual([true, []]);
});

it("a model is trained to the same numbers: forward, backward, dropout", () => {
  const train = (mode: "default" | "reduce-overhead"): number[] => {
    torch.manualSeed(11);
    const model = new nn.Sequential(new nn.Linear(6, 16), new nn.GELU(), new nn.Dropout(0.2), new nn.Linear(16, 3));
    const step = torch.compile((x: Tensor, classes: Tensor) => F.crossEntropy(model.forward(x), classes), {
      silent: true,
      mode,
    });
    const optimizer = new optim.SGD(model.parameters(), { lr: 0.2 });
    const losses = Array.from({ length: 6 }, (_, i) => {
      const x = torch.randn([8, 6]);
      const classes = torch.arange(8).add(i).remainder(3);
      optimizer.zeroGrad();
      const loss = step(x, classes);
      loss.backward();
      optimizer.step();
      return loss.item() as number;
    });
    if (mode === "reduce-overhead") {
      expect(step.explain().notCaptured).toEqual([]);
      expect(step.explain().captures).toBeGreaterThanOrEqual(2);
    }
    return losses;
  };
  const [plain, captured] = [train("default"), train("reduce-overhead")];
  for (const [i, loss] of captured.entries()) expect(Math.abs(loss - (plain[i] as number))).toBeLessThan(1e-5);
});

it("two calls before their gradients: each has its own", () => {
  const w = torch.randn([5]).requiresGrad_();
  const fn = (x: Tensor): Tensor =>
    x
      .mul(w)
      .tanh()
      .exp()
      .matmul(torch.ones([5]));
  const compiled = torch.compile(fn, graphed);
  const inputs = Array.from({ length: 4 }, () => torch.randn([5]));
  const gradientOf = (work: typeof fn, list: readonly Tensor[]): Tensor => {
    w.grad = null;
    const outputs = list.map((x) => work(x));
    for (const output of outputs) output.backward();
    return (w.grad as unknown as Tensor).clone();
  };
  for (const list of [inputs.slice(0, 1), inputs.slice(0, 1), inputs, inputs.slice(1)])
    expect(gradientOf(compiled, list).allclose(gradientOf(fn, list), { atol: 1e-6 })).toBe(true);
});

it("a tensor that is changed in place is one tensor, or there is no graph, which is said", () => {
  const compiled = torch.compile((x: Tensor) => void x.mul_(2), graphed);
  const tensors = [1, 2, 3].map((value) => torch.full([4], value));
  for (const x of [...tensors, ...tensors]) compiled(x);
  expect(tensors.map((x) => x.tolist())).toEqual([4, 8, 12].map((value) => [value, value, value, value]));
  expect(compiled.explain().notCaptured).toEqual(["it changes a tensor in place that is another one at each call"]);
});

it("a mode that is not there is named", () => {
  const mode = "max-autotune" as "default";
  expect(() => torch.compile((x: Tensor) => x, { mode })).toThrow('compile has no mode "max-autotune"');
});
