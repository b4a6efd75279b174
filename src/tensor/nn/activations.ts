/** Activations and pooling as modules. */
import { functional as F } from "./functional.ts";
import type { AvgPoolOptions, MaxPoolOptions } from "../api/pooling.ts";
import type { Sizes } from "../api/layers.ts";
import type { Tensor } from "../tensor.ts";
import * as init from "./init.ts";
import { Module } from "./module.ts";
import { pythonNumber } from "./norms.ts";
import type { Parameter } from "./parameter.ts";
import { newParameter, tuple, type ModuleOptions } from "./place.ts";

export class ReLU extends Module {
  override forward(input: Tensor): Tensor {
    return input.relu();
  }
}
export class ReLU6 extends Module {
  override forward(input: Tensor): Tensor {
    return input.relu6();
  }
}
export class Sigmoid extends Module {
  override forward(input: Tensor): Tensor {
    return input.sigmoid();
  }
}
export class Tanh extends Module {
  override forward(input: Tensor): Tensor {
    return input.tanh();
  }
}
export class SiLU extends Module {
  override forward(input: Tensor): Tensor {
    return input.silu();
  }
}
export class Mish extends Module {
  override forward(input: Tensor): Tensor {
    return input.mish();
  }
}
export class SELU extends Module {
  override forward(input: Tensor): Tensor {
    return input.selu();
  }
}
export class Hardswish extends Module {
  override forward(input: Tensor): Tensor {
    return input.hardswish();
  }
}
export class Hardsigmoid extends Module {
  override forward(input: Tensor): Tensor {
    return input.hardsigmoid();
  }
}

export class GELU extends Module {
  readonly approximate: "none" | "tanh";

  constructor(approximate: "none" | "tanh" = "none") {
    super();
    this.approximate = approximate;
  }

  override forward(input: Tensor): Tensor {
    return F.gelu(input, this.approximate);
  }

  override extraRepr(): string {
    return `approximate='${this.approximate}'`;
  }
}

export class LeakyReLU extends Module {
  readonly negativeSlope: number;

  constructor(negativeSlope = 0.01) {
    super();
    this.negativeSlope = negativeSlope;
  }

  override forward(input: Tensor): Tensor {
    return input.leakyRelu(this.negativeSlope);
  }

  override extraRepr(): string {
    return `negative_slope=${pythonNumber(this.negativeSlope)}`;
  }
}

export class ELU extends Module {
  readonly alpha: number;

  constructor(alpha = 1) {
    super();
    this.alpha = alpha;
  }

  override forward(input: Tensor): Tensor {
    return input.elu(this.alpha);
  }

  override extraRepr(): string {
    return `alpha=${pythonNumber(this.alpha)}`;
  }
}

export class Softplus extends Module {
  readonly beta: number;
  readonly threshold: number;

  constructor(beta = 1, threshold = 20) {
    super();
    this.beta = beta;
    this.threshold = threshold;
  }

  override forward(input: Tensor): Tensor {
    return F.softplus(input, this.beta, this.threshold);
  }

  override extraRepr(): string {
    return `beta=${pythonNumber(this.beta)}, threshold=${pythonNumber(this.threshold)}`;
  }
}

/** A ReLU whose slope below 0 is trained. */
export class PReLU extends Module {
  readonly weight: Parameter;

  constructor(numParameters = 1, value = 0.25, options: ModuleOptions = {}) {
    super();
    this.weight = newParameter([numParameters], options);
    init.constant_(this.weight, value);
  }

  override forward(input: Tensor): Tensor {
    return F.prelu(input, this.weight);
  }

  override extraRepr(): string {
    return `num_parameters=${this.weight.length}`;
  }
}

export class Softmax extends Module {
  readonly axis: number;

  constructor(dim = -1) {
    super();
    this.axis = dim;
  }

  override forward(input: Tensor): Tensor {
    return input.softmax(this.axis);
  }

  override extraRepr(): string {
    return `dim=${this.axis}`;
  }
}

export class LogSoftmax extends Softmax {
  override forward(input: Tensor): Tensor {
    return input.logSoftmax(this.axis);
  }
}

const text = (sizes: Sizes): string => (typeof sizes === "number" ? String(sizes) : tuple(sizes));

abstract class MaxPool extends Module {
  readonly kernelSize: Sizes;
  readonly options: MaxPoolOptions;
  readonly #pool: typeof F.maxPool2d;

  constructor(kernelSize: Sizes, options: MaxPoolOptions, pool: typeof F.maxPool2d) {
    super();
    this.kernelSize = kernelSize;
    this.options = options;
    this.#pool = pool;
  }

  override forward(input: Tensor): Tensor {
    return this.#pool(input, this.kernelSize, this.options);
  }

  override extraRepr(): string {
    const { stride = this.kernelSize, padding = 0, dilation = 1, ceilMode = false } = this.options;
    const rest = `dilation=${text(dilation)}, ceil_mode=${ceilMode ? "True" : "False"}`;
    return `kernel_size=${text(this.kernelSize)}, stride=${text(stride)}, padding=${text(padding)}, ${rest}`;
  }
}

export class MaxPool1d extends MaxPool {
  constructor(kernelSize: Sizes, options: MaxPoolOptions = {}) {
    super(kernelSize, options, F.maxPool1d);
  }
}
export class MaxPool2d extends MaxPool {
  constructor(kernelSize: Sizes, options: MaxPoolOptions = {}) {
    super(kernelSize, options, F.maxPool2d);
  }
}
export class MaxPool3d extends MaxPool {
  constructor(kernelSize: Sizes, options: MaxPoolOptions = {}) {
    super(kernelSize, options, F.maxPool3d);
  }
}

abstract class AvgPool extends Module {
  readonly kernelSize: Sizes;
  readonly options: AvgPoolOptions;
  readonly #pool: typeof F.avgPool2d;

  constructor(kernelSize: Sizes, options: AvgPoolOptions, pool: typeof F.avgPool2d) {
    super();
    this.kernelSize = kernelSize;
    this.options = options;
    this.#pool = pool;
  }

  override forward(input: Tensor): Tensor {
    return this.#pool(input, this.kernelSize, this.options);
  }

  override extraRepr(): string {
    const { stride = this.kernelSize, padding = 0 } = this.options;
    return `kernel_size=${text(this.kernelSize)}, stride=${text(stride)}, padding=${text(padding)}`;
  }
}

export class AvgPool1d extends AvgPool {
  constructor(kernelSize: Sizes, options: AvgPoolOptions = {}) {
    super(kernelSize, options, F.avgPool1d);
  }
}
export class AvgPool2d extends AvgPool {
  constructor(kernelSize: Sizes, options: AvgPoolOptions = {}) {
    super(kernelSize, options, F.avgPool2d);
  }
}

/** Windows that give an output of a size. */
export class AdaptiveAvgPool2d extends Module {
  readonly outputSize: number | readonly (number | null)[];

  constructor(outputSize: number | readonly (number | null)[]) {
    super();
    this.outputSize = outputSize;
  }

  override forward(input: Tensor): Tensor {
    return F.adaptiveAvgPool2d(input, this.outputSize);
  }

  override extraRepr(): string {
    const size = this.outputSize;
    return `output_size=${typeof size === "number" ? size : `(${size.map((one) => one ?? "None").join(", ")})`}`;
  }
}
