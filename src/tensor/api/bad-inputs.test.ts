/** What does not fit has a message, and costs nothing: tensors and device go on as before. */
import { beforeAll, describe, expect, it } from "vitest";
import { openDevice } from "../../index.ts";
import { functional as F, nn, openTensors, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

/** The device still computes. */
const expectWhole = (): void => expect(torch.ones([40_000]).add(1).sum().item()).toBe(80_000);
const ones = (...shape: number[]): Tensor => torch.ones(shape);

describe("gradients", () => {
  /** Few elements are computed by the host, many by kernels. */
  it.each([4, 40_000])("through a change in place, and a second time, of %i elements", (n) => {
    const x = torch.full([n], 0.5, { requiresGrad: true });
    const y = x.exp();
    const z = y.square().sum();
    y.add_(1);
    expect(() => z.backward()).toThrow(/modified by an inplace operation: \[float32 \[\d+\]\], which SquareBackward0/);
    expect(() => x.add_(1)).toThrow("a leaf Variable that requires grad is being used in an in-place operation");
    const loss = x.square().sum();
    loss.backward();
    expect(() => loss.backward()).toThrow("Trying to backward through the graph a second time");
    expect([x.values()[0], (x.grad as Tensor).values()[n - 1]]).toEqual([0.5, 1]);
  });

  it("of another shape or device, or of whole numbers", () => {
    const x = ones(2).requiresGrad_();
    expect(() => x.mul(2).backward(ones(3))).toThrow("Mismatch in shape: grad_output[0] has a shape of [3]");
    expect(() => x.mul(2).backward(ones(2).cpu())).toThrow("Expected all tensors to be on the same device");
    expect(() => x.mul(2).backward()).toThrow("grad can be implicitly created only for scalar outputs");
    expect(() => ones(2).long().requiresGrad_()).toThrow("only Tensors of floating point dtype can require gradients");
    expect(x.grad).toBeNull();
  });

  it("that are assigned fit their tensor", () => {
    const x = ones(2, 3).requiresGrad_();
    const refused = (grad: unknown, message: string): void => expect(() => (x.grad = grad as Tensor)).toThrow(message);
    refused(ones(3, 2), "assigned grad has data of a different size: [3, 2], and the tensor has [2, 3]");
    refused(ones(2, 3).double(), "assigned grad has data of a different type: float64, and the tensor has float32");
    refused(ones(2, 3).cpu(), "assigned grad has data located on a different device");
    refused(1, "assigned grad expected to be a Tensor or null but got number");
    refused(x, "can't assign Tensor as its own grad");
    expect(x.grad).toBeNull();
    x.grad = ones(2, 3);
    x.sum().backward();
    expect([...(x.grad as Tensor).values()]).toEqual([2, 2, 2, 2, 2, 2]);
    x.grad = null;
    expect(x.grad).toBeNull();
  });
});

describe("tensors of two devices", () => {
  const host = (...shape: number[]): Tensor => ones(...shape).cpu();
  const indices = (): Tensor => torch.tensor([1n], { device: null });
  const cases: Record<string, () => unknown> = {
    add: () => ones(2).add(host(2)),
    add_: () => ones(2).add_(host(2)),
    matmul: () => ones(2, 2).matmul(host(2, 2)),
    bmm: () => ones(1, 2, 2).bmm(host(1, 2, 2)),
    linear: () => F.linear(ones(2, 2), host(2, 2)),
    conv2d: () => F.conv2d(ones(1, 1, 3, 3), host(1, 1, 2, 2)),
    "a module": () => new nn.Conv2d(1, 1, 2).forward(host(1, 1, 3, 3)),
    cat: () => torch.cat([ones(2), host(2)]),
    stack: () => torch.stack([ones(2), host(2)]),
    gather: () => ones(3).gather(0, indices()),
    scatter: () => ones(3).scatter(0, indices(), ones(1)),
    indexSelect: () => ones(3).indexSelect(0, indices()),
    indexAdd: () => ones(3).indexAdd(0, indices(), ones(1)),
    embedding: () => F.embedding(indices(), ones(3, 2)),
    attention: () => F.scaledDotProductAttention(ones(1, 1, 2, 4), host(1, 1, 2, 4), ones(1, 1, 2, 4)),
    einsum: () => torch.einsum("ij,jk->ik", ones(2, 2), host(2, 2)),
    solve: () => torch.linalg.solve(torch.eye(2), host(2)),
    searchsorted: () => torch.searchsorted(ones(3), host(2)),
    equal: () => ones(2).equal(host(2)),
    allclose: () => ones(2).allclose(host(2)),
  };
  it.each(Object.keys(cases))("%s", (name) => {
    expect(cases[name]).toThrow("Expected all tensors to be on the same device");
  });

  it("go together where PyTorch lets them: numbers, copies, indices in brackets", () => {
    expect(
      ones(2)
        .add(torch.tensor(3, { device: null }))
        .tolist(),
    ).toEqual([4, 4]);
    expect(ones(2).copy_(host(2).mul(5)).tolist()).toEqual([5, 5]);
    expect(torch.arange(3).index(indices()).tolist()).toEqual([1n]);
  });
});

describe("types, shapes and values", () => {
  const cases: readonly (readonly [string, () => unknown, string])[] = [
    ["products of two types", () => ones(2, 3).matmul(ones(3, 2).double()), "to have the same dtype"],
    ["a float into whole numbers", () => ones(2).int().add_(0.5), "can't be cast to the desired output type int32"],
    ["a difference of conditions", () => ones(2).bool().sub(ones(2).bool()), "with two bool tensors is not supported"],
    ["shapes", () => ones(3).add(ones(4)), "The size of tensor a (3) must match the size of tensor b (4)"],
    [
      "shapes of stacks of matrices",
      () => ones(2, 3, 4).matmul(ones(2, 5, 6)),
      "(3x4 and 5x6)\n  the shapes are [2, 3, 4] and [2, 5, 6]",
    ],
    ["a vector", () => ones(2, 3).mv(ones(4)), "the shapes are [2, 3] and [4]"],
    ["what is stacked", () => torch.stack([ones(2), ones(3)]), "equal size\n  the shapes are [2] and [3]"],
    ["another shape", () => ones(2, 3).view(4, 2), "'[4, 2]' is invalid for input of size 6\n  the shape is [2, 3]"],
    ["sums of products", () => torch.einsum("ij,jk->ik", ones(2, 3), ones(4, 5)), "the shapes are [2, 3] and [4, 5]"],
    ["classes", () => F.crossEntropy(ones(4, 3), ones(5).long()), "the shapes are [4, 3] and [5]"],
    ["channels", () => F.batchNorm(ones(1, 3, 2, 2), ones(4), null), "the shapes are [1, 3, 2, 2] and [4]"],
    ["more than there is", () => ones(2).topk(5), "selected index k out of range: 5 of dimension 0 of [2]"],
    ["an empty range", () => torch.randint(5, 2, [3]), "expects 'from' to be less than 'to', but got from=5 >= to=2"],
    ["text", () => torch.tensor("abc" as unknown as number), 'numbers or booleans, not the string "abc"'],
    ["complex numbers", () => ones(2).to("complex64" as "float32"), "no complex numbers yet"],
    ["Fourier transforms", () => (torch as unknown as { fft: object }).fft, "torch.fft is not there"],
  ];
  it.each(cases)("%s", (_, work, message) => {
    expect(work).toThrow(message);
  });
});

describe("memory", () => {
  it("a full device keeps what it has", async () => {
    const device = await openDevice({ device: "emulated", memoryBytes: 8 << 20 });
    const own = await openTensors({ device });
    const [kept, all] = [own.ones([3]), [] as Tensor[]];
    expect(() => own.ones([2 ** 40])).toThrow("out of device memory: 4398046511104 bytes asked for");
    expect(() => {
      for (let i = 0; i < 8; i++) all.push(own.empty([2 ** 18]));
    }).toThrow(
      /out of device memory: 1048576 bytes asked for, \d+ free\n {2}the device was given 8388608 bytes for programs/,
    );
    expect(all).toHaveLength(7);
    for (const tensor of all) tensor.dispose();
    expect(kept.tolist()).toEqual([1, 1, 1]);
    expect(own.ones([40_000]).add(1).sum().item()).toBe(80_000);
    device.close();
  });

  it("a tensor that was disposed is no tensor any more", () => {
    const x = ones(40_000);
    const part = x.narrow(0, 0, 2);
    x.dispose();
    // A view keeps the memory.
    expect(part.tolist()).toEqual([1, 1]);
    part.dispose();
    expect(() => part.add(1)).toThrow("the tensor's memory was given back: it was disposed");
    expect(() => x.sum()).toThrow("disposed");
    expectWhole();
  });
});
