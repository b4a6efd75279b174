/** Convolutions as modules. */
import { HeddleError } from "../../base/diagnostics.ts";
import { functional as F } from "./functional.ts";
import type { Sizes } from "../api/layers.ts";
import type { PadMode } from "../operations/padding.ts";
import type { Tensor } from "../tensor.ts";
import { resetWeights } from "./linear.ts";
import { Module } from "./module.ts";
import type { Parameter } from "./parameter.ts";
import { newParameter, perDimension, requireCount, tuple, type ModuleOptions } from "./place.ts";

export interface ConvModuleOptions extends ModuleOptions {
  readonly stride?: Sizes;
  readonly padding?: Sizes | "same" | "valid";
  readonly dilation?: Sizes;
  readonly groups?: number;
  readonly bias?: boolean;
  /** What the margin holds; default: zeros. */
  readonly paddingMode?: "zeros" | Exclude<PadMode, "constant">;
}

const CONVOLUTIONS = { 1: F.conv1d, 2: F.conv2d, 3: F.conv3d } as const;
const TRANSPOSED = { 1: F.convTranspose1d, 2: F.convTranspose2d, 3: F.convTranspose3d } as const;
type Dims = 1 | 2 | 3;

interface Layout {
  readonly inChannels: number;
  readonly outChannels: number;
  readonly kernelSize: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[] | "same" | "valid";
  readonly dilation: readonly number[];
  readonly groups: number;
}

/** @throws HeddleError "bad-arguments" */
function layoutOf(
  what: string,
  dims: Dims,
  [inChannels, outChannels, kernelSize]: readonly [number, number, Sizes],
  options: ConvModuleOptions,
): Layout {
  const { stride = 1, padding = 0, dilation = 1, groups = 1 } = options;
  requireCount(what, "inChannels", inChannels);
  requireCount(what, "outChannels", outChannels);
  requireCount(what, "groups", groups);
  if (inChannels % groups !== 0) throw new HeddleError("bad-arguments", "in_channels must be divisible by groups");
  if (outChannels % groups !== 0) throw new HeddleError("bad-arguments", "out_channels must be divisible by groups");
  const all = (name: string, value: Sizes): readonly number[] => perDimension(what, name, value, dims);
  return {
    inChannels,
    outChannels,
    kernelSize: all("kernelSize", kernelSize),
    stride: all("stride", stride),
    padding: typeof padding === "string" ? padding : all("padding", padding),
    dilation: all("dilation", dilation),
    groups,
  };
}

function describe(layout: Layout, rest: readonly string[]): string {
  const { inChannels, outChannels, kernelSize, stride, padding, dilation, groups } = layout;
  const isNot = (values: readonly number[], usual: number): boolean => values.some((value) => value !== usual);
  const parts = [`${inChannels}, ${outChannels}, kernel_size=${tuple(kernelSize)}, stride=${tuple(stride)}`];
  if (typeof padding === "string") parts.push(`padding=${padding}`);
  else if (isNot(padding, 0)) parts.push(`padding=${tuple(padding)}`);
  if (isNot(dilation, 1)) parts.push(`dilation=${tuple(dilation)}`);
  const [outputPadding = "", ...others] = rest;
  if (outputPadding !== "") parts.push(outputPadding);
  if (groups !== 1) parts.push(`groups=${groups}`);
  return [...parts, ...others.filter((text) => text !== "")].join(", ");
}

abstract class Convolution extends Module {
  readonly layout: Layout;
  readonly paddingMode: "zeros" | Exclude<PadMode, "constant">;
  readonly weight: Parameter;
  readonly bias: Parameter | null;
  readonly #dims: Dims;

  constructor(dims: Dims, sizes: readonly [number, number, Sizes], options: ConvModuleOptions) {
    super();
    this.#dims = dims;
    this.layout = layoutOf(this.constructor.name, dims, sizes, options);
    this.paddingMode = options.paddingMode ?? "zeros";
    const { inChannels, outChannels, groups, kernelSize } = this.layout;
    this.weight = newParameter([outChannels, inChannels / groups, ...kernelSize], options);
    this.bias = (options.bias ?? true) ? newParameter([outChannels], options) : null;
    resetWeights(this.weight, this.bias);
  }

  override forward(input: Tensor): Tensor {
    const { stride, padding, dilation, groups } = this.layout;
    const convolve = CONVOLUTIONS[this.#dims];
    const options = { bias: this.bias, stride, dilation, groups };
    if (this.paddingMode === "zeros") return convolve(input, this.weight, { ...options, padding });
    const padded = F.pad(input, this.#margins(), { mode: this.paddingMode });
    return convolve(padded, this.weight, options);
  }

  /** From the last dimension on: before, after. */
  #margins(): readonly number[] {
    const { padding, kernelSize, dilation } = this.layout;
    return kernelSize
      .map((size, d): [number, number] => {
        if (padding === "valid") return [0, 0];
        if (padding !== "same") return [padding[d] as number, padding[d] as number];
        const total = (dilation[d] as number) * (size - 1);
        return [Math.floor(total / 2), total - Math.floor(total / 2)];
      })
      .reverse()
      .flat();
  }

  override extraRepr(): string {
    const bias = this.bias === null ? "bias=False" : "";
    return describe(this.layout, ["", bias, this.paddingMode === "zeros" ? "" : `padding_mode=${this.paddingMode}`]);
  }
}

/** @see functional.conv1d */
export class Conv1d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options: ConvModuleOptions = {}) {
    super(1, [inChannels, outChannels, kernelSize], options);
  }
}

export class Conv2d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options: ConvModuleOptions = {}) {
    super(2, [inChannels, outChannels, kernelSize], options);
  }
}

export class Conv3d extends Convolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options: ConvModuleOptions = {}) {
    super(3, [inChannels, outChannels, kernelSize], options);
  }
}

export interface ConvTransposeModuleOptions extends ModuleOptions {
  readonly stride?: Sizes;
  readonly padding?: Sizes;
  readonly outputPadding?: Sizes;
  readonly dilation?: Sizes;
  readonly groups?: number;
  readonly bias?: boolean;
}

abstract class TransposedConvolution extends Module {
  readonly layout: Layout;
  readonly outputPadding: readonly number[];
  readonly weight: Parameter;
  readonly bias: Parameter | null;
  readonly #dims: Dims;

  constructor(dims: Dims, sizes: readonly [number, number, Sizes], options: ConvTransposeModuleOptions) {
    super();
    this.#dims = dims;
    this.layout = layoutOf(this.constructor.name, dims, sizes, options);
    this.outputPadding = perDimension(this.constructor.name, "outputPadding", options.outputPadding ?? 0, dims);
    const { inChannels, outChannels, groups, kernelSize } = this.layout;
    this.weight = newParameter([inChannels, outChannels / groups, ...kernelSize], options);
    this.bias = (options.bias ?? true) ? newParameter([outChannels], options) : null;
    resetWeights(this.weight, this.bias);
  }

  override forward(input: Tensor): Tensor {
    const { stride, padding, dilation, groups } = this.layout;
    return TRANSPOSED[this.#dims](input, this.weight, {
      bias: this.bias,
      stride,
      padding: padding as readonly number[],
      outputPadding: this.outputPadding,
      dilation,
      groups,
    });
  }

  override extraRepr(): string {
    const hasPadding = this.outputPadding.some((size) => size !== 0);
    const bias = this.bias === null ? "bias=False" : "";
    return describe(this.layout, [hasPadding ? `output_padding=${tuple(this.outputPadding)}` : "", bias]);
  }
}

export class ConvTranspose1d extends TransposedConvolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options: ConvTransposeModuleOptions = {}) {
    super(1, [inChannels, outChannels, kernelSize], options);
  }
}

export class ConvTranspose2d extends TransposedConvolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options: ConvTransposeModuleOptions = {}) {
    super(2, [inChannels, outChannels, kernelSize], options);
  }
}

export class ConvTranspose3d extends TransposedConvolution {
  constructor(inChannels: number, outChannels: number, kernelSize: Sizes, options: ConvTransposeModuleOptions = {}) {
    super(3, [inChannels, outChannels, kernelSize], options);
  }
}
