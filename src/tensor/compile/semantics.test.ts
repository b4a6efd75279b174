/** What compiled functions do beside computing: breaks, guards, changes in place, modules, errors, graphs. */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { openDevice } from "../../index.ts";
import { functional as F, nn, openTensors, optim, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: await openDevice({ device: "emulated" }) });
  torch.manualSeed(7);
});

const silent = { silent: true } as const;
const leaf = (of: Tensor): Tensor => of.detach().clone().requiresGrad_();

function expectClose(actual: Tensor, expected: Tensor, tolerance = 1e-5): void {
  expect([actual.dtype, actual.shape]).toEqual([expected.dtype, expected.shape]);
  const [a, b] = [actual.values(), expected.values()];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    expect(Math.abs(x - y) / Math.max(1, Math.abs(y)), `element ${i}: ${x} for ${y}`).toBeLessThan(tolerance);
  }
}

describe("breaks", () => {
  it("a number that is read ends a graph; both ways are right", () => {
    const fn = (x: Tensor): Tensor => {
      const y = x.mul(2).add(1);
      return y.sum().item() > 0 ? y.exp().sum() : y.square();
    };
    const compiled = torch.compile(fn, silent);
    for (const x of [torch.ones([3]), torch.full([3], -5), torch.ones([3])]) expectClose(compiled(x), fn(x));
    expect(compiled.explain().breaks).not.toEqual([]);
    expect(() => torch.compile(fn, { ...silent, fullgraph: true })(torch.ones([3]))).toThrow(/no whole graph/);
  });

  it("gradients flow through functions that break", () => {
    const fn = (x: Tensor): Tensor => {
      const y = x.exp().mul(x);
      return y.mean().item() > 0 ? y.tanh().sum() : y.sum();
    };
    const [a, b] = [leaf(torch.randn([5])), torch.zeros([1])];
    const other = leaf(a);
    torch.compile(fn, silent)(a).backward();
    fn(other).backward();
    expectClose(a.grad as Tensor, other.grad as Tensor);
    expect(b.item()).toBe(0);
  });
});

describe("guards", () => {
  it("other shapes, types and numbers are traced again, which is said once each", () => {
    const lines: string[] = [];
    const spy = vi.spyOn(console, "error").mockImplementation((line: string) => void lines.push(line));
    const fn = (x: Tensor, factor: number): Tensor => x.mul(factor);
    const compiled = torch.compile(fn);
    const calls: [Tensor, number][] = [
      [torch.ones([2]), 2],
      [torch.ones([3]), 2],
      [torch.ones([3]).to("float64"), 2],
      [torch.ones([3]), 4],
      [torch.ones([2]), 2],
    ];
    for (const [x, factor] of calls) expectClose(compiled(x, factor), fn(x, factor));
    spy.mockRestore();
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^heddle: compile\(fn\) traces again \(2 of 8\): argument 0 is float32 \[3\]/);
    expect(compiled.explain().traces).toBe(4);
  });

  it("after its limit of traces a function runs as it is", () => {
    const compiled = torch.compile((x: Tensor, by: number) => x.add(by), { ...silent, recompileLimit: 2 });
    for (let by = 0; by < 5; by++) expect(compiled(torch.ones([1]), by).item()).toBe(1 + by);
    expect(compiled.explain().traces).toBe(2);
  });

  it("plain values from around are seen where they are named", () => {
    let factor = 2;
    const compiled = torch.compile((x: Tensor) => x.mul(factor), { ...silent, guards: () => [factor] });
    expect(compiled(torch.ones([1])).item()).toBe(2);
    factor = 3;
    expect(compiled(torch.ones([1])).item()).toBe(3);
  });

  it("the tape on and off", () => {
    const compiled = torch.compile((x: Tensor) => x.mul(2), silent);
    const x = leaf(torch.ones([2]));
    expect(compiled(x).requiresGrad).toBe(true);
    expect(torch.noGrad(() => compiled(x)).requiresGrad).toBe(false);
    expect(compiled(x.detach()).requiresGrad).toBe(false);
  });
});

describe("state", () => {
  it("arguments and captured tensors change in place", () => {
    const sums = torch.zeros([3]);
    const fn = (x: Tensor): void => {
      torch.noGrad(() => {
        sums.add_(x);
        x.mul_(2);
      });
    };
    const compiled = torch.compile(fn, silent);
    const x = torch.ones([3]);
    for (let i = 0; i < 3; i++) compiled(x);
    expect([sums.tolist(), x.tolist()]).toEqual([
      [7, 7, 7],
      [8, 8, 8],
    ]);
    expect(compiled.explain()).toMatchObject({ traces: 1, breaks: [] });
  });

  it("what was read before a change stays as it was", () => {
    const fn = (x: Tensor): Tensor => {
      const before = x.mul(3);
      x.add_(1);
      return before.add(x);
    };
    const compiled = torch.compile(fn, silent);
    for (const start of [1, 2]) {
      const [a, b] = [torch.full([4], start), torch.full([4], start)];
      expectClose(compiled(a), fn(b));
      expectClose(a, b);
    }
  });

  it("random numbers are those without compile, and others at each call", () => {
    const fn = (x: Tensor): Tensor => F.dropout(x, { p: 0.5 }).add(torch.rand([40]));
    const compiled = torch.compile(fn, silent);
    const x = torch.ones([40]);
    const of = (work: (x: Tensor) => Tensor): Tensor[] => {
      torch.manualSeed(5);
      return [work(x), work(x), torch.rand([4])];
    };
    const [ours, theirs] = [of(compiled), of(fn)];
    for (const [i, tensor] of ours.entries()) expectClose(tensor, theirs[i] as Tensor, 1e-7);
  });

  it("an error keeps its message, and what was done before it", () => {
    const x = torch.zeros([2]);
    const compiled = torch.compile((y: Tensor): Tensor => {
      y.add_(1);
      throw new RangeError("no such thing");
    }, silent);
    expect(() => compiled(x)).toThrow(new RangeError("no such thing"));
    expect(x.tolist()).toEqual([1, 1]);
    expect(() => torch.compile((y: Tensor) => y.matmul(y), silent)(torch.ones([2, 3]))).toThrow(/cannot be multiplied/);
  });

  it("a saved argument that changes before backward is an error, as without compile", () => {
    const compiled = torch.compile((a: Tensor, b: Tensor) => a.mul(b).sum(), silent);
    const [a, b] = [leaf(torch.ones([2])), torch.ones([2])];
    const loss = compiled(a, b);
    b.add_(1);
    expect(() => loss.backward()).toThrow(/modified by an inplace operation/);
  });

  it("several results, some of them arguments and views", () => {
    const fn = (x: Tensor, y: Tensor): { a: Tensor; b: readonly Tensor[]; c: number } => ({
      a: x,
      b: [x.view(6), x.add(y), y.mul(2).t()],
      c: 3,
    });
    const compiled = torch.compile(fn, silent);
    for (let i = 0; i < 2; i++) {
      const [x, y] = [torch.randn([2, 3]), torch.randn([2, 3])];
      const [ours, theirs] = [compiled(x, y), fn(x, y)];
      expect(ours.a).toBe(x);
      expect(ours.c).toBe(3);
      for (const [k, tensor] of ours.b.entries()) expectClose(tensor, theirs.b[k] as Tensor);
      ours.b[0]?.zero_();
      expect(x.sum().item()).toBe(0);
    }
  });
});

/** Losses and gradients of some steps, with and without compile. */
function compareTraining(make: () => nn.Module, input: () => Tensor, tolerance = 1e-4): void {
  torch.manualSeed(1);
  const [ours, theirs] = [make(), make()];
  theirs.loadStateDict(ours.stateDict());
  const call = (model: nn.Module, x: Tensor): Tensor => (model as unknown as nn.TensorModule).forward(x);
  const compiled = torch.compile(ours as unknown as nn.TensorModule, silent);
  const step = (model: nn.Module, work: (x: Tensor) => Tensor, optimizer: optim.SGD, x: Tensor): Tensor => {
    optimizer.zeroGrad();
    const loss = work(x).square().mean();
    loss.backward();
    optimizer.step();
    expect(model.training).toBe(true);
    return loss;
  };
  const [a, b] = [new optim.SGD(ours.parameters(), { lr: 0.1 }), new optim.SGD(theirs.parameters(), { lr: 0.1 })];
  for (let i = 0; i < 3; i++) {
    const x = input();
    torch.manualSeed(i);
    const actual = step(ours, compiled, a, x);
    torch.manualSeed(i);
    const expected = step(theirs, (own) => call(theirs, own), b, x);
    expectClose(actual, expected, tolerance);
  }
  const state = theirs.stateDict();
  for (const [name, tensor] of Object.entries(ours.stateDict())) expectClose(tensor, state[name] as Tensor, tolerance);
  expect(compiled.explain()).toMatchObject({ traces: 1, breaks: [] });
  ours.eval();
  theirs.eval();
  const x = input();
  expectClose(compiled(x), call(theirs, x), tolerance);
}

describe("modules", () => {
  it("a perceptron with dropout", () => {
    compareTraining(
      () => new nn.Sequential(new nn.Linear(6, 8), new nn.GELU(), new nn.Dropout(0.2), new nn.Linear(8, 3)),
      () => torch.randn([5, 6]),
    );
  });

  it("a network of convolutions", () => {
    compareTraining(
      () =>
        new nn.Sequential(
          new nn.Conv2d(1, 3, 3, { padding: 1 }),
          new nn.BatchNorm2d(3),
          new nn.ReLU(),
          new nn.MaxPool2d(2),
          new nn.Flatten(),
          new nn.Linear(27, 4),
        ),
      () => torch.randn([4, 1, 6, 6]),
    );
  });

  it("norms and attention", () => {
    class Block extends nn.Module {
      readonly norm = new nn.LayerNorm(8);
      readonly attention = new nn.MultiheadAttention(8, 2, { batchFirst: true });
      readonly last = new nn.Linear(8, 8);
      override forward(x: Tensor): Tensor {
        const y = this.norm.forward(x);
        const [mixed] = this.attention.forward(y, y, y);
        return this.last.forward(x.add(mixed)).relu().add(x);
      }
    }
    compareTraining(
      () => new Block(),
      () => torch.randn([2, 5, 8]),
    );
  });

  it("a module from around the function follows its switch", () => {
    const model = new nn.Dropout(0.5);
    const compiled = torch.compile((x: Tensor) => model.forward(x), silent);
    const x = torch.ones([200]);
    expect(compiled(x).eq(0).any().item()).toBe(1);
    model.eval();
    expect(compiled(x).eq(0).any().item()).toBe(0);
  });
});

describe("mixed precision", () => {
  it("autocast around and inside", () => {
    const [x, w] = [torch.randn([4, 8]), leaf(torch.randn([8, 3]))];
    const inside = (a: Tensor): Tensor => torch.autocast({}, () => a.matmul(w).softmax(1)).float();
    expectClose(torch.compile(inside, silent)(x), inside(x), 1e-2);
    const compiled = torch.compile((a: Tensor) => a.matmul(w), silent);
    expect(torch.autocast({}, () => compiled(x)).dtype).toBe("bfloat16");
    expect(compiled(x).dtype).toBe("float32");
  });

  it("roundings on the way are as without compile where they are asked for", () => {
    const fn = (x: Tensor): Tensor => x.mul(1.1).add(0.3).exp().sub(x).mul(x);
    const x = torch.randn([300]).to("bfloat16");
    const compiled = torch.compile(fn, { ...silent, emulatePrecisionCasts: true });
    expectClose(compiled(x), fn(x), 1e-6);
    expectClose(torch.compile(fn, silent)(x), fn(x), 0.05);
  });
});

describe("a call", () => {
  it("costs the host less than half of what the operations one by one do", () => {
    const fn = (x: Tensor, y: Tensor): Tensor => x.mul(2).add(y).gelu().sub(x.exp()).tanh().mul(y).add(1).sigmoid();
    const compiled = torch.compile(fn, silent);
    const [x, y] = [torch.randn([64]), torch.randn([64])];
    expectClose(compiled(x, y), fn(x, y));
    // An emulated launch takes its time on the host, too: what is left is the call.
    for (const program of compiled.programs) program.cudaLaunch = () => {};
    const cost = (work: typeof fn): number => {
      let least = Infinity;
      for (let round = 0; round < 5; round++) {
        const begin = process.cpuUsage();
        for (let i = 0; i < 200; i++) work(x, y).dispose();
        least = Math.min(least, process.cpuUsage(begin).user);
      }
      return least;
    };
    const [own, others] = [cost(compiled), cost(fn)];
    expect(own).toBeLessThan(others / 2);
  });
});

describe("gradients of gradients", () => {
  it("are those of the function itself: arguments on the tape, parameters, dropout", () => {
    const w = leaf(torch.randn([4]));
    const fn = (x: Tensor): Tensor => F.dropout(x.mul(w).tanh(), { p: 0.5 }).mul(x).sum();
    const penalty = (work: typeof fn): Tensor[] => {
      torch.manualSeed(5);
      const x = leaf(torch.tensor([0.5, -1, 2, 0.1]));
      const [first] = torch.grad(work(x.mul(2)), [x], { createGraph: true });
      torch.rand([3]); // the function runs again with its own numbers
      (first as Tensor).square().sum().backward();
      const found = [first, x.grad, w.grad].map((own) => (own as Tensor).detach().clone());
      w.grad = null;
      return found;
    };
    const compiled = torch.compile(fn, silent);
    for (let round = 0; round < 2; round++) {
      const expected = penalty(fn);
      for (const [i, own] of penalty(compiled).entries()) expectClose(own, expected[i] as Tensor);
    }
  });

  it("are refused where the function changes tensors, or what it reads has changed", () => {
    const [total, x] = [torch.zeros([3]), leaf(torch.randn([3]))];
    const counting = torch.compile((a: Tensor) => (torch.noGrad(() => total.add_(a)), a.square().sum()), silent);
    expect(() => torch.grad(counting(x), [x], { createGraph: true })).toThrow(/compiled function that changes tensors/);
    const factor = torch.ones([3]);
    const y = torch.compile((a: Tensor) => a.square().mul(factor).sum(), silent)(x);
    factor.add_(1);
    expect(() => torch.grad(y, [x], { createGraph: true })).toThrow(/modified by an inplace operation/);
  });
});

describe("epilogues", () => {
  it("what follows a product or a convolution is one kernel behind it", () => {
    const [x, w, bias, rest] = [[4, 8], [8, 6], [6], [4, 6]].map((shape) => torch.randn(shape)) as [
      Tensor,
      Tensor,
      Tensor,
      Tensor,
    ];
    const linear = (): Tensor => F.linear(x, w.t(), bias).gelu().add(rest).mul(0.5);
    const image = torch.randn([2, 3, 6, 6]);
    const conv = new nn.Conv2d(3, 4, 3, { padding: 1 });
    const other = torch.randn([2, 4, 6, 6]);
    const convolution = (): Tensor => conv.forward(image).silu().add(other).mul(2);
    for (const fn of [linear, convolution]) {
      const compiled = torch.compile(fn, silent);
      expectClose(torch.noGrad(compiled), torch.noGrad(fn));
      expect(compiled.explain().kernels).toBe(1);
    }
  });
});

describe("graphs", () => {
  it("CUDAGraph replays what was captured", () => {
    const x = torch.ones([4]);
    const compiled = torch.compile((a: Tensor) => a.mul(2).add(1), silent);
    compiled(x);
    const graph = new torch.cuda.CUDAGraph();
    expect(() => graph.replay()).toThrow(/without a preceding successful capture/);
    const y = torch.cuda.graph(graph, () => compiled(x));
    for (const value of [1, 5]) {
      x.fill_(value);
      graph.replay();
      expect(y.tolist()).toEqual([1, 1, 1, 1].map((one) => 2 * value + one));
    }
    graph.reset();
    expect(() => graph.replay()).toThrow(/capture/);
  });
});

it("inside of tidy, what the function was given stays, and gradients that it leaves do, too", () => {
  for (const mode of ["default", "reduce-overhead"] as const) {
    const [x, w] = [torch.randn([3, 4]), torch.randn([4, 4]).requiresGrad_()];
    const forward = torch.compile((a: Tensor) => a.matmul(w).gelu().mean(), { silent: true, mode });
    const whole = torch.compile((a: Tensor) => void a.matmul(w).gelu().mean().backward(), { silent: true, mode });
    const [right] = torch.grad(x.matmul(w).gelu().mean(), [w]);
    for (let i = 0; i < 4; i++) {
      torch.tidy(() => {
        const [own] = torch.grad(forward(x), [w]);
        expect(own?.allclose(right as Tensor)).toBe(true);
      });
      w.grad = null;
      torch.tidy(() => whole(x));
      expect((w.grad as Tensor | null)?.allclose(right as Tensor)).toBe(true);
    }
    expect(x.toArray()).toHaveLength(12);
  }
});
