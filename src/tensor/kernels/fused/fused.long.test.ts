/** Fused layers against the same layers one by one in float64 on the host. */
import { beforeAll, describe, expect, it } from "vitest";
import { openDevice } from "../../../index.ts";
import { Gpu } from "../../../library/gpu.ts";
import { functional as F, openTensors, type Tensor, type Tensors } from "../../../tensor.ts";
import { convolutionBlock, type BlockOptions } from "../../operations/convolution-block.ts";
import { linearLayer } from "../../operations/linear-layer.ts";
import { tensorDeviceOf } from "../tensor-device.ts";

let gpu: Gpu;
let torch: Tensors;

async function open(followsGpu: boolean): Promise<void> {
  const { raw, onPrint } = await openDevice({ device: "emulated" });
  gpu = new Gpu(raw, onPrint, null, followsGpu);
  torch = await openTensors({ device: gpu });
  const device = tensorDeviceOf(gpu.raw);
  if (device !== null) {
    device.leastElements = 1;
    // The emulated device runs one kernel after the other; what waits for the one before has to compile.
    if (followsGpu) device.ahead = "begin";
  }
  torch.manualSeed(7);
}

const host = { device: null } as const;
const randn = (...shape: number[]): Tensor => torch.randn(shape, host).to("bfloat16").to("float32");

/** ‖a - b‖ / ‖b‖ */
function distance(a: Tensor, b: Tensor): number {
  const [x, y] = [a.values(), b.values()];
  expect([a.shape, x.length]).toEqual([b.shape, y.length]);
  let [apart, size] = [0, 0];
  for (let i = 0; i < x.length; i++) {
    apart += ((x[i] as number) - (y[i] as number)) ** 2;
    size += (y[i] as number) ** 2;
  }
  return Math.sqrt(apart / Math.max(size, 1e-30));
}

/** Rounded where kernels round, so that the same element of a window is the greatest; its gradient stays as it is. */
function rounded(x: Tensor): Tensor {
  const value = x.detach();
  return x.add(value.to("bfloat16").double().sub(value));
}

/** Of the results of a first layer its norm takes the statistics before they are rounded. */
function normOfRounded(y: Tensor, gain: Tensor, shift: Tensor): Tensor {
  const [mean, variance] = [y.mean([0, 2, 3], { keepdim: true }), y.var([0, 2, 3], { correction: 0, keepdim: true })];
  const [by, and] = [gain.reshape(-1, 1, 1), shift.reshape(-1, 1, 1)];
  return rounded(y).sub(mean).mul(variance.add(1e-5).rsqrt()).mul(by).add(and);
}

/** Half a unit in the last place of bfloat16, relative. */
const ROUNDING = 2 ** -9;

interface Case {
  readonly x: readonly [number, number, number, number];
  readonly filters: number;
  readonly kernel: readonly [number, number];
  readonly options?: Partial<BlockOptions>;
  readonly forX?: boolean;
  readonly isChannelsLast?: boolean;
  /** As if the device had so many processors. */
  readonly processors?: number;
}

/** What `work` returns on a device of so many processors. */
function onProcessors<T>(count: number | undefined, work: () => T): T {
  const { raw } = gpu;
  if (count === undefined) return work();
  const { properties } = raw;
  Object.defineProperty(raw, "properties", {
    value: { ...properties, multiProcessorCount: count },
    configurable: true,
    writable: true,
  });
  try {
    return work();
  } finally {
    Object.defineProperty(raw, "properties", { value: properties, configurable: true, writable: true });
  }
}

describe.each([
  ["as the emulated device computes them", false],
  ["as a GPU gets them: tensor cores, pipelines, wide accesses", true],
])("fused layers, %s", (_, followsGpu) => {
  beforeAll(() => open(followsGpu));

  describe("a convolution block", () => {
    it.each([
      ["a first layer", { x: [5, 1, 12, 10], filters: 32, kernel: [3, 3], options: { padding: [1, 1], pool: [2, 2] } }],
      ["three channels, as they come", { x: [2, 3, 9, 9], filters: 16, kernel: [3, 3], options: { pool: [2, 2] } }],
      ["a first layer with stride", { x: [2, 3, 15, 14], filters: 16, kernel: [4, 4], options: { stride: [2, 3] } }],
      [
        "a second layer",
        { x: [3, 32, 8, 6], filters: 64, kernel: [3, 3], options: { padding: [1, 1], pool: [2, 2] }, forX: true },
      ],
      [
        "flattened",
        {
          x: [3, 16, 8, 6],
          filters: 32,
          kernel: [3, 3],
          options: { padding: [1, 1], pool: [2, 2], flattens: true },
          forX: true,
        },
      ],
      [
        "elements beside the windows, many filters",
        { x: [2, 16, 9, 7], filters: 80, kernel: [3, 3], options: { padding: [1, 1], pool: [2, 3] }, forX: true },
      ],
      [
        "stride, dilation, no pooling, no ReLU",
        {
          x: [2, 48, 11, 12],
          filters: 16,
          kernel: [3, 2],
          options: { stride: [2, 1], padding: [1, 2], dilation: [1, 2], hasRelu: false },
          forX: true,
          isChannelsLast: true,
        },
      ],
      ["a wide window", { x: [2, 16, 10, 10], filters: 16, kernel: [1, 5], options: { pool: [2, 1] }, forX: true }],
      [
        "many pixels, weights in shared memory",
        {
          x: [19, 16, 8, 6],
          filters: 64,
          kernel: [3, 3],
          options: { padding: [1, 1], pool: [2, 2] },
          forX: true,
          processors: 1,
        },
      ],
      [
        "many pixels, weights in shared memory, some filters, stride and dilation",
        {
          x: [12, 32, 14, 14],
          filters: 48,
          kernel: [2, 3],
          options: { stride: [1, 2], padding: [0, 1], dilation: [2, 1], hasRelu: false },
          forX: true,
          isChannelsLast: true,
          processors: 1,
        },
      ],
      ["many images", { x: [20, 1, 28, 28], filters: 16, kernel: [5, 5], options: { padding: [2, 2], pool: [2, 2] } }],
    ] as readonly (readonly [string, Case])[])(
      "%s",
      (_, { x, filters, kernel, options, forX = false, isChannelsLast = false, processors }) => {
        const given: BlockOptions = {
          stride: [1, 1],
          padding: [0, 0],
          dilation: [1, 1],
          pool: [1, 1],
          hasRelu: true,
          flattens: false,
          ...options,
        };
        const inputs = [
          randn(...x),
          randn(filters, x[1], ...kernel)
            .mul(0.3)
            .to("bfloat16")
            .float(),
          randn(filters).mul(0.2).add(1),
          randn(filters).mul(0.3),
          randn(filters),
        ];
        const run = (isFused: boolean): Tensor[] => {
          const own = inputs.map((input, i) => {
            const made = isFused ? input.to(gpu) : input.double();
            return made.requiresGrad_(i > 0 || forX);
          }) as [Tensor, Tensor, Tensor, Tensor, Tensor];
          const [a, weight, gain, shift, bias] = own;
          const place = isFused ? { device: gpu } : { device: null, dtype: "float64" as const };
          const running = [torch.zeros([filters], place), torch.ones([filters], place)] as const;
          const image = isChannelsLast ? a.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2) : a;
          let out: Tensor;
          if (isFused) {
            const norm = {
              weight: gain,
              bias: shift,
              runningMean: running[0],
              runningVariance: running[1],
              epsilon: 1e-5,
              momentum: 0.1,
            };
            const made = torch.autocast({ dtype: "bfloat16" }, () =>
              convolutionBlock(image, weight, bias, norm, given),
            );
            if (made === null) throw new Error("not fused");
            out = made;
          } else {
            const { stride, padding, dilation, pool, hasRelu, flattens } = given;
            const y = F.conv2d(image, weight, { stride, padding, dilation });
            const lifted = (forX ? rounded(y) : y).add(bias.reshape(-1, 1, 1));
            out = F.batchNorm(lifted, ...running, { weight: gain, bias: shift, training: true });
            if (!forX) out = normOfRounded(y, gain, shift);
            out = rounded(out);
            if (hasRelu) out = out.relu();
            if (pool.join() !== "1,1") out = F.maxPool2d(out, pool);
            if (flattens) out = out.flatten(1);
          }
          const asked = own.slice(forX ? 0 : 1, 4);
          const weights = torch
            .arange(out.numel(), undefined, 1, host)
            .remainder(7)
            .sub(2)
            .to("float32")
            .reshape(out.shape);
          const gradOutputs = [isFused ? weights.to("bfloat16").to(gpu) : weights.double()];
          const gradients = torch.grad(out, asked, { gradOutputs }) as Tensor[];
          return [out, ...running, ...gradients].map((tensor) => tensor.detach().cpu().double());
        };
        const [fused, plain] = [onProcessors(processors, () => run(true)), run(false)];
        const names = ["result", "running mean", "running variance", ...(forX ? ["x"] : []), "weight", "gain", "shift"];
        for (const [i, name] of names.entries()) {
          expect(distance(fused[i] as Tensor, plain[i] as Tensor), name).toBeLessThan(2 * ROUNDING);
        }
      },
    );
  });

  describe("a convolution block that does not train", () => {
    it.each([
      ["a first layer", { x: [5, 1, 12, 10], filters: 32, kernel: [3, 3], options: { padding: [1, 1], pool: [2, 2] } }],
      ["a window of 48 elements", { x: [2, 3, 9, 9], filters: 16, kernel: [4, 4], options: { pool: [2, 1] } }],
      [
        "a second layer, flattened, elements beside the windows",
        {
          x: [7, 16, 9, 7],
          filters: 80,
          kernel: [3, 3],
          options: { padding: [1, 1], pool: [2, 2], flattens: true },
        },
      ],
      ["no pooling, no ReLU", { x: [2, 48, 6, 5], filters: 16, kernel: [3, 2], options: { hasRelu: false } }],
      [
        "many pixels, weights in shared memory",
        {
          x: [17, 16, 9, 14],
          filters: 80,
          kernel: [3, 2],
          options: { padding: [1, 1], dilation: [1, 2], pool: [2, 2] },
          processors: 1,
        },
      ],
      [
        "many pixels, weights in shared memory, flattened, no pooling",
        {
          x: [11, 32, 12, 11],
          filters: 48,
          kernel: [3, 3],
          options: { stride: [1, 1], flattens: true, hasRelu: false },
          processors: 1,
        },
      ],
    ] as readonly (readonly [string, Case])[])("%s", (_, { x, filters, kernel, options, processors }) => {
      const given: BlockOptions = {
        stride: [1, 1],
        padding: [0, 0],
        dilation: [1, 1],
        pool: [1, 1],
        hasRelu: true,
        flattens: false,
        ...options,
      };
      const small = randn(filters, x[1], ...kernel).mul(0.3);
      const [images, weight] = [randn(...x), small.to("bfloat16").float()];
      const numbers = [0.2, 0.3, 1, 0.5, 0.4].map((by) => randn(filters).mul(by)) as Tensor[];
      const [gain, shift, bias, mean, spread] = numbers as [Tensor, Tensor, Tensor, Tensor, Tensor];
      const [weights, variance] = [gain.add(1), spread.square().add(0.5)];
      const on = (tensor: Tensor): Tensor => tensor.to(gpu);
      const norm = {
        weight: on(weights),
        bias: on(shift),
        runningMean: on(mean),
        runningVariance: on(variance),
        epsilon: 1e-5,
        momentum: 0.1,
      };
      const fused = onProcessors(processors, () =>
        torch.noGrad(() =>
          torch.autocast({ dtype: "bfloat16" }, () =>
            convolutionBlock(on(images), on(weight), on(bias), norm, given, false),
          ),
        ),
      );
      const { stride, padding, dilation, pool, hasRelu, flattens } = given;
      let plain = F.conv2d(images.double(), weight.double(), { bias: bias.double(), stride, padding, dilation });
      const of = { weight: weights.double(), bias: shift.double(), training: false };
      plain = F.batchNorm(plain, mean.double(), variance.double(), of);
      if (hasRelu) plain = plain.relu();
      if (pool.join() !== "1,1") plain = F.maxPool2d(plain, pool);
      if (flattens) plain = plain.flatten(1);
      expect(distance((fused as Tensor).cpu().double(), plain)).toBeLessThan(2 * ROUNDING);
    });
  });

  describe("a linear layer", () => {
    it.each([
      [5, 40, 10, false, true],
      [70, 1056, 128, true, true],
      [64, 128, 10, false, true],
      [3, 200, 72, true, false],
    ])("%i rows, %i → %i, ReLU: %s, bias: %s", (rows, inputs, outputs, hasRelu, hasBias) => {
      const given = [randn(rows, inputs), randn(outputs, inputs).mul(0.0625), randn(outputs)];
      const run = (isFused: boolean): Tensor[] => {
        const own = given.map((tensor, i) => {
          const made = isFused ? tensor.to(gpu) : tensor.double();
          return (isFused && i === 0 ? made.to("bfloat16") : made).requiresGrad_(true);
        }) as [Tensor, Tensor, Tensor];
        const [x, weight, bias] = own;
        let out: Tensor;
        if (isFused) {
          const made = torch.autocast({ dtype: "bfloat16" }, () =>
            linearLayer(x, weight, hasBias ? bias : null, hasRelu),
          );
          if (made === null) throw new Error("not fused");
          out = made;
        } else {
          out = F.linear(x, weight, hasBias ? bias : null);
          if (hasRelu) out = out.relu();
        }
        const weights = torch
          .arange(out.numel(), undefined, 1, host)
          .remainder(5)
          .sub(1)
          .to("float32")
          .reshape(out.shape);
        const gradOutputs = [isFused ? weights.to("bfloat16").to(gpu) : weights.double()];
        const gradients = torch.grad(out, hasBias ? own : own.slice(0, 2), { gradOutputs }) as Tensor[];
        return [out, ...gradients].map((tensor) => tensor.detach().cpu().double());
      };
      const [fused, plain] = [run(true), run(false)];
      for (const [i, tensor] of fused.entries())
        expect(distance(tensor, plain[i] as Tensor), `number ${i}`).toBeLessThan(2 * ROUNDING);
    });
  });

  describe("a mean cross entropy", () => {
    it.each([
      [5, 10, "float32"],
      [300, 10, "bfloat16"],
      [700, 37, "float32"],
      [9, 1500, "bfloat16"],
    ] as const)("of %i rows of %i classes, %s", (rows, classes, dtype) => {
      const logits = randn(rows, classes).mul(2);
      const target = torch.arange(rows, undefined, 1, host).mul(7).remainder(classes).to("int64");
      target.select(0, 1).fill_(-100);
      const run = (place: Gpu | null): Tensor[] => {
        const own = logits
          .to(place)
          .to(place === null ? "float64" : dtype)
          .requiresGrad_(true);
        const loss = torch.autocast({}, () => F.crossEntropy(own, target.to(place)));
        const [gradient] = torch.grad(loss.mul(3), own) as [Tensor];
        return [loss, gradient].map((tensor) => tensor.detach().cpu().double());
      };
      const [fused, plain] = [run(gpu), run(null)];
      expect(distance(fused[0] as Tensor, plain[0] as Tensor)).toBeLessThan(1e-5);
      expect(distance(fused[1] as Tensor, plain[1] as Tensor)).toBeLessThan(dtype === "float32" ? 1e-5 : ROUNDING);
    });

    it("has a gradient of its gradient, and says which class there is not", () => {
      const run = (place: Gpu | null): Tensor => {
        const x = torch
          .tensor(
            [
              [1, 2, -1],
              [0.5, 0, 3],
            ],
            { device: place },
          )
          .requiresGrad_(true);
        const target = torch.tensor([2n, 0n], { device: place });
        const [first] = torch.grad(F.crossEntropy(x, target), x, { createGraph: true }) as [Tensor];
        const [second] = torch.grad(first.square().sum(), x) as [Tensor];
        return second.cpu();
      };
      expect(distance(run(gpu), run(null))).toBeLessThan(1e-5);
      const wrong = torch.tensor([2n, 3n]);
      expect(() => F.crossEntropy(torch.zeros([2, 3]), wrong).item()).toThrow(/index 3 is out of bounds .* size 3/);
    });
  });
});
