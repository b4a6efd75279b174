/** Operations of one's own: by kernels in CUDA and Triton, and by other operations. */
import { beforeAll, describe, expect, it } from "vitest";
import { compile, openKernels, type DeviceArray } from "../../index.ts";
import { loadTriton } from "../../triton.ts";
import { defineOp, gradcheck, gradgradcheck, openTensors, type Tensor, type Tensors } from "../../tensor.ts";

let torch: Tensors;
beforeAll(async () => {
  torch = await openTensors({ device: "emulated" });
});

const POLYNOMIAL = `
__global__ void forward(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i] + x[i] + 1;
}
__global__ void backward(float* dx, const float* dy, const float* x, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) dx[i] = dy[i] * (factor * x[i] + 1);
}`;

async function polynomial(factor: number): Promise<(x: Tensor) => Tensor> {
  const program = await compile(POLYNOMIAL, { device: torch.device });
  const [forward, backward] = [await program.kernel("forward"), await program.kernel("backward")];
  const shape = (x: Tensor) => ({ grid: Math.ceil(x.numel() / 256), block: 256 });
  return torch.defineOp({
    name: "polynomial",
    shapes: (x: Tensor) => x.shape,
    forward(context, x: Tensor) {
      context.saveForBackward(x);
      const y = torch.emptyLike(x);
      torch.launch(forward, shape(x), y, x, x.numel());
      return y;
    },
    backward({ savedTensors: [x] }, gradient) {
      const dx = torch.emptyLike(x as Tensor);
      torch.launch(backward, shape(dx), dx, gradient.contiguous(), x as Tensor, dx.numel(), factor);
      return dx;
    },
  });
}

describe("defineOp", () => {
  it("of CUDA: x² + x + 1 with its backward, inside of other operations", async () => {
    const op = await polynomial(2);
    const x = torch.tensor([1, 2, 3], { requiresGrad: true });
    op(x.mul(2)).sum().backward();
    expect(x.grad?.tolist()).toEqual([10, 18, 26]);
    gradcheck(op, [torch.tensor([0.5, -1, 2])], { dtype: "float32" });
    await expect(
      polynomial(3).then((wrong) => gradcheck(wrong, [torch.tensor([0.5, -1, 2])], { dtype: "float32" })),
    ).rejects.toThrow(/the gradient by element \[0\] of input 0 is 1, but differences of values give 0\.79\d+/);
  });

  it("of Triton: softmax with a backward by hand", async () => {
    const { kernels } = await loadTriton(
      `import triton
import triton.language as tl

@triton.jit
def softmax(y, x, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + row * n + i, e / tl.sum(e, axis=0), mask=i < n)

@triton.jit
def softmax_backward(dx, dy, y, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    g = tl.load(dy + row * n + i, mask=i < n, other=0.0)
    p = tl.load(y + row * n + i, mask=i < n, other=0.0)
    tl.store(dx + row * n + i, p * (g - tl.sum(g * p, axis=0)), mask=i < n)
`,
      { device: torch.device },
    );
    const softmax = torch.defineOp({
      name: "softmax",
      forward(context, x: Tensor) {
        const y = torch.emptyLike(x);
        torch.launch(kernels.softmax!, { grid: [x.size(0)] }, y, x, x.size(1), { BLOCK: 8 });
        context.saveForBackward(y);
        return y;
      },
      backward({ savedTensors: [y] }, gradient) {
        const dx = torch.emptyLike(y as Tensor);
        torch.launch(
          kernels.softmax_backward!,
          { grid: [dx.size(0)] },
          dx,
          gradient.contiguous(),
          y as Tensor,
          dx.size(1),
          { BLOCK: 8 },
        );
        return dx;
      },
    });
    const x = torch.randn([3, 5], { requiresGrad: true });
    const weights = torch.randn([3, 5]);
    softmax(x).mul(weights).sum().backward();
    const other = x.detach().requiresGrad_();
    other.softmax(1).mul(weights).sum().backward();
    expect(
      x.grad
        ?.sub(other.grad as Tensor)
        .abs()
        .max()
        .item(),
    ).toBeLessThan(1e-6);
  });

  it("of other operations: gradients of gradients; several inputs, results and constants", () => {
    const gated = defineOp({
      name: "gated",
      forward(context, a: Tensor, b: Tensor, factor: number) {
        context.saveForBackward(a, b);
        context.state["factor"] = factor;
        return a.mul(b).mul(factor);
      },
      backward({ savedTensors: [a, b], state }, gradient) {
        const scaled = gradient.mul(state["factor"] as number);
        return [scaled.mul(b as Tensor), scaled.mul(a as Tensor)];
      },
    });
    const fn = (a: Tensor, b: Tensor): Tensor => gated(a, b, 3);
    gradcheck(fn, [torch.randn([2, 3]), torch.randn([2, 3])]);
    gradgradcheck(fn, [torch.randn([2, 3]), torch.randn([2, 3])]);
  });

  it.each([1, 2])("of a ladder's winner: a wrong backward is found (factor %i)", async (factor) => {
    const kernels = openKernels(torch.device);
    const softmax = torch.defineOp({
      name: "softmax",
      async forward(context, x: Tensor) {
        const array = x.deviceArray() as DeviceArray<"float32">;
        const y = torch.fromArray(await kernels.softmax(array, { columns: x.size(1) }), x.shape);
        context.saveForBackward(y);
        return y;
      },
      backward({ savedTensors: [y] }, gradient) {
        const p = y as Tensor;
        return p.mul(gradient.sub(gradient.mul(p).sum(1, { keepdim: true }))).mul(factor);
      },
    });
    const check = gradcheck(softmax, [torch.tensor([[0.5, -1, 2]])], { dtype: "float32" });
    if (factor === 1) expect(await check).toBe(true);
    else await expect(check).rejects.toThrow(/the gradient by element \[0, 0\] of input 0 is -0\.\d+, but differences/);
    expect(() => gradgradcheck(softmax as never, [torch.ones([1, 3])])).toThrow("not a promise");
  });

  it("a fused activation: bias and GELU in one kernel, with both gradients", async () => {
    const program = await compile(
      `__global__ void forward(float* y, const float* x, const float* bias, int n, int columns) {
         int i = blockIdx.x * blockDim.x + threadIdx.x;
         if (i >= n) return;
         float v = x[i] + bias[i % columns];
         y[i] = v * normcdff(v);
       }
       __global__ void backward(float* dx, const float* dy, const float* x, const float* bias, int n, int columns) {
         int i = blockIdx.x * blockDim.x + threadIdx.x;
         if (i >= n) return;
         float v = x[i] + bias[i % columns];
         dx[i] = dy[i] * (normcdff(v) + v * expf(-v * v / 2) * 0.3989422804f);
       }`,
      { device: torch.device },
    );
    const [forward, backward] = [await program.kernel("forward"), await program.kernel("backward")];
    const grid = (x: Tensor) => ({ grid: Math.ceil(x.numel() / 256), block: 256 });
    const biasGelu = torch.defineOp({
      name: "biasGelu",
      shapes: (x: Tensor, _bias: Tensor) => x.shape,
      forward(context, x: Tensor, bias: Tensor) {
        context.saveForBackward(x, bias);
        const y = torch.emptyLike(x);
        torch.launch(forward, grid(x), y, x, bias, x.numel(), bias.numel());
        return y;
      },
      backward({ savedTensors }, gradient) {
        const [x, bias] = savedTensors as [Tensor, Tensor];
        const dx = torch.emptyLike(x);
        torch.launch(backward, grid(x), dx, gradient.contiguous(), x, bias, x.numel(), bias.numel());
        return [dx, dx.sum(0)];
      },
    });
    const [x, bias] = [torch.randn([3, 4]), torch.randn([4])];
    gradcheck(biasGelu, [x, bias], { dtype: "float32" });
    expect(biasGelu(x, bias).allclose(x.add(bias).gelu(), { atol: 1e-6 })).toBe(true);
  });

  it("what does not fit is refused by name", () => {
    const x = torch.ones([2], { requiresGrad: true });
    const none = defineOp({ name: "none", forward: (_, y: Tensor) => y.mul(2) });
    expect(() => none(x).sum().backward()).toThrow("the operation none has no backward");
    const short = defineOp({ name: "short", forward: (_, y: Tensor) => y.mul(2), backward: () => torch.ones([3]) });
    expect(() => short(x).sum().backward()).toThrow(
      "backward of short returns a gradient of shape [3] for an input of shape [2]",
    );
    const shaped = defineOp({ name: "shaped", forward: (_, y: Tensor) => y.sum(), shapes: (y: Tensor) => y.shape });
    expect(() => shaped(x)).toThrow("result 0 of shaped has the shape [], but shapes says [2]");
    expect(() => torch.launch(null as never, { grid: 1, block: 1 }, x.expand([3, 2]))).toThrow("without gaps");
  });
});
