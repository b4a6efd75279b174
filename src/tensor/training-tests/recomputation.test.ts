/** Checkpoints, hooks of modules, the memory timeline. */
import { beforeAll, describe, expect, it } from "vitest";
import { functional as F, memoryTrace, nn, openTensors, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

describe("checkpoint", () => {
  /** Gradients of the input and the parameters, with and without recomputation. */
  function both(make: () => { fn: (x: Tensor) => Tensor; parameters: Tensor[] }): Tensor[][] {
    return [false, true].map((isKept) => {
      torch.manualSeed(11);
      const { fn, parameters } = make();
      const x = torch.randn([4, 3], { requiresGrad: true });
      const before = x.mul(2);
      const y = isKept ? fn(before) : torch.checkpoint(fn, before);
      y.square().sum().backward();
      return [y, x.grad as Tensor, ...parameters.map((parameter) => parameter.grad as Tensor), torch.rand([2])];
    });
  }

  it("has the gradients of what it computes again, with the same random numbers", () => {
    const [plain, again] = both(() => {
      const [a, b] = [new nn.Linear(3, 5), new nn.Linear(5, 2)];
      const fn = (x: Tensor): Tensor => b.forward(F.dropout(a.forward(x).relu(), { p: 0.4 }));
      return { fn, parameters: [...a.parameters(), ...b.parameters()] };
    }) as [Tensor[], Tensor[]];
    expect(plain.map((tensor) => tensor.tolist())).toEqual(again.map((tensor) => tensor.tolist()));
  });

  it("computes twice, keeps nothing between, and takes several results and other arguments", () => {
    let calls = 0;
    const x = torch.ones([3], { requiresGrad: true });
    const [p, q] = torch.checkpoint(
      (of: Tensor, by: number) => {
        calls++;
        return [of.mul(by), of.exp()] as const;
      },
      x,
      3,
    );
    expect(calls).toBe(1);
    p.sum().add(q.detach().sum()).backward();
    expect(calls).toBe(2);
    expect(x.grad?.tolist()).toEqual([3, 3, 3]);
  });

  it("gradients of gradients", () => {
    const x = torch.tensor([2, 3], { requiresGrad: true });
    const y = torch.checkpoint((of: Tensor) => of.pow(3), x.mul(1));
    const [first] = torch.grad(y.sum(), x, { createGraph: true }) as [Tensor];
    const [second] = torch.grad(first.sum(), x) as [Tensor];
    expect(second.tolist()).toEqual([12, 18]);
  });

  it("refuses what is no tensor", () => {
    const x = torch.ones([1], { requiresGrad: true });
    expect(() => torch.checkpoint((() => 5) as never, x)).toThrow("checkpoint takes a function that returns a tensor");
  });
});

describe("hooks of modules", () => {
  it("see and replace inputs, outputs and gradients, until they are removed", () => {
    const layer = new nn.Linear(2, 2);
    const seen: string[] = [];
    const handles = [
      layer.registerForwardPreHook((_, [x]) => {
        seen.push("before");
        return [(x as Tensor).mul(2)];
      }),
      layer.registerForwardHook((_, __, y) => {
        seen.push("after");
        return (y as Tensor).add(1);
      }),
      layer.registerFullBackwardHook((_, [dx], [dy]) => {
        seen.push(`backward ${dy?.shape.join("x")}`);
        return [(dx as Tensor).mul(10)];
      }),
    ];
    const x = torch.ones([1, 2], { requiresGrad: true });
    const plain = (of: Tensor): Tensor => F.linear(of, layer.weight, layer.bias);
    const y = layer.forward(x);
    expect(y.tolist()).toEqual(plain(x.mul(2)).add(1).tolist());
    y.sum().backward();
    const expected = layer.weight.sum(0).mul(20).tolist() as number[];
    expect(((x.grad as Tensor).tolist() as number[][])[0]).toEqual(expected);
    expect(seen).toEqual(["before", "after", "backward 1x2"]);
    for (const handle of handles) handle.remove();
    expect(layer.forward(x).tolist()).toEqual(plain(x).tolist());
    expect([...layer.namedParameters()].map(([name]) => name)).toEqual(["weight", "bias"]);
    expect(seen.length).toBe(3);
  });

  it("are called in a Sequential, under autocast, too", () => {
    const net = new nn.Sequential(new nn.Linear(2, 3), new nn.ReLU());
    let calls = 0;
    net.at(1).registerForwardHook(() => void calls++);
    torch.autocast({}, () => net.forward(torch.ones([1, 2])));
    expect(calls).toBe(1);
  });
});

it("the memory timeline names operations and sums up", () => {
  torch.recordMemoryHistory();
  torch.tidy(() => {
    const x = torch.ones([100]);
    x.exp().sum();
  });
  const events = torch.memoryTimeline();
  torch.recordMemoryHistory(false);
  const operations = events.filter(({ kind }) => kind === "allocate").map(({ operation }) => operation);
  expect(operations).toEqual(["ones", "exp", "sum"]);
  expect(events.filter(({ kind }) => kind === "free").length).toBe(3);
  expect(events[1]?.allocatedBytes).toBe((events[0]?.allocatedBytes ?? 0) + 400);
  const trace = JSON.parse(memoryTrace(events)) as { traceEvents: { ph: string }[] };
  expect(trace.traceEvents.filter(({ ph }) => ph === "C").length).toBe(events.length);
  expect(torch.memoryTimeline()).toEqual([]);
});

it("deterministic algorithms are a switch", () => {
  torch.useDeterministicAlgorithms(true);
  expect(torch.areDeterministicAlgorithmsEnabled()).toBe(true);
  torch.useDeterministicAlgorithms(false);
});
