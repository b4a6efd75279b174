/** Modules of matrix products, and look-ups. */
import { HeddleError } from "../../base/diagnostics.ts";
import { withoutTape } from "../autograd/tape.ts";
import type { Tensor } from "../tensor.ts";
import { functional as F } from "./functional.ts";
import * as init from "./init.ts";
import { Module } from "./module.ts";
import type { Parameter } from "./parameter.ts";
import { newParameter, requireCount, type ModuleOptions } from "./place.ts";
import { Parameter as ParameterOf } from "./parameter.ts";

export interface LinearOptions extends ModuleOptions {
  /** Default true. */
  readonly bias?: boolean;
}

/** Weights and bias as all of PyTorch's layers begin: uniform, by the number of inputs of an output. */
export function resetWeights(weight: Tensor, bias: Tensor | null): void {
  init.kaimingUniform_(weight, { a: Math.sqrt(5) });
  if (bias === null) return;
  const { fanIn } = init.fansOf(weight);
  const bound = fanIn > 0 ? 1 / Math.sqrt(fanIn) : 0;
  init.uniform_(bias, -bound, bound);
}

const python = (value: boolean): string => (value ? "True" : "False");

/** x · weightᵀ + bias. */
export class Linear extends Module {
  readonly inFeatures: number;
  readonly outFeatures: number;
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  constructor(inFeatures: number, outFeatures: number, options: LinearOptions = {}) {
    super();
    requireCount("Linear", "inFeatures", inFeatures);
    requireCount("Linear", "outFeatures", outFeatures);
    this.inFeatures = inFeatures;
    this.outFeatures = outFeatures;
    this.weight = newParameter([outFeatures, inFeatures], options);
    this.bias = (options.bias ?? true) ? newParameter([outFeatures], options) : null;
    resetWeights(this.weight, this.bias);
  }

  override forward(input: Tensor): Tensor {
    return F.linear(input, this.weight, this.bias);
  }

  override extraRepr(): string {
    const bias = python(this.bias !== null);
    return `in_features=${this.inFeatures}, out_features=${this.outFeatures}, bias=${bias}`;
  }
}

/** x₁ · weight · x₂ + bias for each output. */
export class Bilinear extends Module {
  readonly weight: Parameter;
  readonly bias: Parameter | null;

  constructor(in1Features: number, in2Features: number, outFeatures: number, options: LinearOptions = {}) {
    super();
    this.weight = newParameter([outFeatures, in1Features, in2Features], options);
    this.bias = (options.bias ?? true) ? newParameter([outFeatures], options) : null;
    const bound = 1 / Math.sqrt(in1Features);
    init.uniform_(this.weight, -bound, bound);
    if (this.bias !== null) init.uniform_(this.bias, -bound, bound);
  }

  override forward(a: Tensor, b: Tensor): Tensor {
    const [out, rows, columns] = this.weight.shape as [number, number, number];
    // [n, out, columns] = a · weight, seen as one matrix of `rows` rows.
    const matrix = this.weight.permute(1, 0, 2).reshape(rows, out * columns);
    const left = a.reshape(-1, rows).matmul(matrix).reshape(-1, out, columns);
    const product = left.mul(b.reshape(-1, 1, columns)).sum(2);
    const all = product.reshape([...a.shape.slice(0, -1), out]);
    return this.bias === null ? all : all.add(this.bias);
  }

  override extraRepr(): string {
    const [out, rows, columns] = this.weight.shape;
    return `in1_features=${rows}, in2_features=${columns}, out_features=${out}, bias=${python(this.bias !== null)}`;
  }
}

export interface EmbeddingOptions extends ModuleOptions {
  /** A row that stays as it is: 0 at the beginning, and no gradient. */
  readonly paddingIdx?: number;
}

/** Rows of a table by whole numbers. */
export class Embedding extends Module {
  readonly paddingIdx: number | null;
  readonly weight: Parameter;

  constructor(numEmbeddings: number, embeddingDim: number, options: EmbeddingOptions = {}) {
    super();
    requireCount("Embedding", "numEmbeddings", numEmbeddings);
    requireCount("Embedding", "embeddingDim", embeddingDim);
    const { paddingIdx } = options;
    if (paddingIdx !== undefined && !(paddingIdx < numEmbeddings && paddingIdx >= -numEmbeddings))
      throw new HeddleError("bad-arguments", "Padding_idx must be within num_embeddings");
    this.paddingIdx = paddingIdx === undefined ? null : (paddingIdx + numEmbeddings) % numEmbeddings;
    this.weight = newParameter([numEmbeddings, embeddingDim], options);
    init.normal_(this.weight);
    const row = this.paddingIdx;
    if (row !== null) withoutTape(() => this.weight.select(0, row).zero_());
  }

  /** With a table that is there already. */
  static fromPretrained(table: Tensor, freeze = true): Embedding {
    const [rows, columns] = table.shape as [number, number];
    const made = new Embedding(rows, columns, { device: table.device, dtype: table.dtype });
    made.setMember("weight", new ParameterOf(table, !freeze));
    return made;
  }

  override forward(input: Tensor): Tensor {
    return F.embedding(input, this.weight, this.paddingIdx === null ? {} : { paddingIdx: this.paddingIdx });
  }

  override extraRepr(): string {
    const padding = this.paddingIdx === null ? "" : `, padding_idx=${this.paddingIdx}`;
    return `${this.weight.shape.join(", ")}${padding}`;
  }
}

/** Returns what it is given. */
export class Identity extends Module {
  override forward(input: Tensor): Tensor {
    return input;
  }
}

/** All dimensions from `startDim` to `endDim` as one. */
export class Flatten extends Module {
  readonly startDim: number;
  readonly endDim: number;

  constructor(startDim = 1, endDim = -1) {
    super();
    this.startDim = startDim;
    this.endDim = endDim;
  }

  override forward(input: Tensor): Tensor {
    return input.flatten(this.startDim, this.endDim);
  }

  override extraRepr(): string {
    return `start_dim=${this.startDim}, end_dim=${this.endDim}`;
  }
}

/** One dimension as several. */
export class Unflatten extends Module {
  readonly dim: number;
  readonly sizes: readonly number[];

  constructor(dim: number, sizes: readonly number[]) {
    super();
    this.dim = dim;
    this.sizes = sizes;
  }

  override forward(input: Tensor): Tensor {
    return input.unflatten(this.dim, this.sizes);
  }

  override extraRepr(): string {
    return `dim=${this.dim}, unflattened_size=(${this.sizes.join(", ")})`;
  }
}
