/** Operations that are compared with differences elsewhere, and random chains: compiled against not compiled. */
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { openDevice } from "../../index.ts";
import { openTensors, type Tensor, type Tensors } from "../../tensor.ts";
import { methodCases, operationCases } from "../api/gradient-cases.test-helper.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: await openDevice({ device: "emulated" }) });
});

function expectClose(actual: Tensor, expected: Tensor, tolerance: number): void {
  expect([actual.dtype, actual.shape]).toEqual([expected.dtype, expected.shape]);
  const [a, b] = [actual.values(), expected.values()];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (x === y || (x !== x && y !== y)) continue;
    expect(Math.abs(x - y) / Math.max(1, Math.abs(y)), `element ${i}: ${x} for ${y}`).toBeLessThan(tolerance);
  }
}

/** Values and gradients of a function, and of the function compiled, which is called twice. */
function compare(fn: (...inputs: Tensor[]) => Tensor, inputs: readonly Tensor[], tolerance: number): string[] {
  const of = (work: typeof fn): [Tensor, ...(Tensor | null)[]] => {
    const own = inputs.map((tensor) => (tensor.isFloatingPoint ? tensor.detach().clone().requiresGrad_() : tensor));
    const y = work(...own);
    const leaves = own.filter(({ requiresGrad }) => requiresGrad);
    if (!y.requiresGrad) return [y];
    return [y, ...torch.grad(y, leaves, { gradOutputs: [torch.onesLike(y).mul(0.3)] })];
  };
  const compiled = torch.compile(fn, { silent: true });
  const expected = of(fn);
  for (let call = 0; call < 2; call++)
    for (const [i, tensor] of of(compiled).entries()) {
      const other = expected[i] ?? null;
      expect(tensor === null).toBe(other === null);
      if (tensor !== null && other !== null) expectClose(tensor, other, tolerance);
    }
  return [...compiled.explain().breaks];
}

describe("operations", () => {
  const cases = { ...methodCases(() => torch), ...operationCases(() => torch) };
  it.each(Object.entries(cases))("%s", (_, fn) => {
    torch.manualSeed(3);
    compare(fn, [torch.randn([3, 4]).to("float64")], 1e-9);
  });
});

/** One step of a chain: of two tensors of [4, 6], another one of that shape. */
const STEPS: Readonly<Record<string, (x: Tensor, y: Tensor) => Tensor>> = {
  add: (x, y) => x.add(y),
  mul: (x, y) => x.mul(y).mul(0.5),
  where: (x, y) => torch.where(x.gt(y), x, y.mul(0.3)),
  tanh: (x) => x.tanh(),
  gelu: (x) => x.gelu(),
  softmax: (x) => x.softmax(1),
  logSoftmax: (x) => x.logSoftmax(0).mul(0.1),
  centred: (x) => x.sub(x.mean(1, { keepdim: true })),
  scaled: (x) => x.div(x.square().sum(0, { keepdim: true }).add(1)),
  greatest: (x, y) => x.sub(y.amax(1, { keepdim: true })),
  all: (x, y) => x.mul(y.sum().tanh()),
  turned: (x, y) => x.add(y.t().reshape(4, 6)),
  transposed: (x, y) => x.reshape(6, 4).t().mul(0.5).add(y),
  halves: (x, y) => torch.cat([x.narrow(1, 3, 3), y.narrow(1, 0, 3)], 1),
  rows: (x, y) => x.select(0, 1).expand(4, 6).add(y),
  product: (x, y) => x.matmul(y.t()).matmul(x).mul(0.05),
  small: (x) => x.to("float64").mul(1.5).to("float32"),
  whole: (x, y) => x.add(y.round().to("int32").remainder(3).to("float32")),
  changed: (x, y) => x.clone().mul_(2).add_(y),
  changedInPart: (x, y) => {
    const own = x.mul(1);
    torch.noGrad(() =>
      own
        .detach()
        .narrow(0, 1, 2)
        .copy_(y.narrow(0, 0, 2)),
    );
    return own.detach().add(y);
  },
};

describe("random chains", () => {
  it("are as without compile", () => {
    const step = fc.tuple(fc.constantFrom(...Object.keys(STEPS)), fc.nat(20), fc.nat(20));
    fc.assert(
      fc.property(fc.array(step, { minLength: 2, maxLength: 12 }), fc.nat(1000), (steps, seed) => {
        torch.manualSeed(seed);
        const inputs = [torch.randn([4, 6]), torch.randn([4, 6])];
        const fn = (...own: Tensor[]): Tensor => {
          const known = [...own];
          for (const [name, i, j] of steps) {
            const [x, y] = [known[i % known.length], known[j % known.length]] as [Tensor, Tensor];
            known.push((STEPS[name] as (x: Tensor, y: Tensor) => Tensor)(x, y));
          }
          return known.slice(2).reduce((sum, tensor) => sum.add(tensor));
        };
        expect(compare(fn, inputs, 2e-4)).toEqual([]);
      }),
      { numRuns: 60, seed: 5, endOnFailure: false },
    );
  });
});
