/** Attention as modules, as torch.nn has them. */
import { HeddleError } from "../../base/diagnostics.ts";
import { chunkOf } from "./parts.ts";
import type { Tensor } from "../tensor.ts";
import { functional as F } from "./functional.ts";
import * as init from "./init.ts";
import { Linear } from "./linear.ts";
import { Module } from "./module.ts";
import { Dropout, LayerNorm } from "./norms.ts";
import type { Parameter } from "./parameter.ts";
import { newParameter, type ModuleOptions } from "./place.ts";

export interface MultiheadAttentionOptions extends ModuleOptions {
  readonly dropout?: number;
  readonly bias?: boolean;
  /** Inputs are [batch, length, features] instead of [length, batch, features]. */
  readonly batchFirst?: boolean;
}

export interface AttentionOptions {
  /** [batch, length of keys]: true where a key does not count. */
  readonly keyPaddingMask?: Tensor | null;
  /** [length, length of keys]: true where a key does not count, or numbers that are added. */
  readonly attnMask?: Tensor | null;
  /** The weights are returned, too: the mean of all heads, or each head's. Default true. */
  readonly needWeights?: boolean;
  readonly averageAttnWeights?: boolean;
}

/** A linear layer that PyTorch prints by a name of its own. */
class NonDynamicallyQuantizableLinear extends Linear {}

/** Several heads that each look at all positions. */
export class MultiheadAttention extends Module {
  readonly embedDim: number;
  readonly numHeads: number;
  readonly dropout: number;
  readonly batchFirst: boolean;
  readonly inProjWeight: Parameter;
  readonly inProjBias: Parameter | null;
  readonly outProj: Linear;

  constructor(embedDim: number, numHeads: number, options: MultiheadAttentionOptions = {}) {
    super();
    if (embedDim % numHeads !== 0) throw new HeddleError("bad-arguments", "embed_dim must be divisible by num_heads");
    const { bias = true } = options;
    this.embedDim = embedDim;
    this.numHeads = numHeads;
    this.dropout = options.dropout ?? 0;
    this.batchFirst = options.batchFirst ?? false;
    this.inProjWeight = newParameter([3 * embedDim, embedDim], options);
    this.inProjBias = bias ? newParameter([3 * embedDim], options) : null;
    this.outProj = new NonDynamicallyQuantizableLinear(embedDim, embedDim, options);
    init.xavierUniform_(this.inProjWeight);
    if (this.inProjBias !== null) init.zeros_(this.inProjBias);
    if (this.outProj.bias !== null) init.zeros_(this.outProj.bias);
  }

  override forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    options: AttentionOptions = {},
  ): [output: Tensor, weights: Tensor | null] {
    const isBatched = query.rank === 3;
    // From here on [batch, length, features].
    const arranged = (x: Tensor): Tensor => {
      if (!isBatched) return x.unsqueeze(0);
      return this.batchFirst ? x : x.transpose(0, 1);
    };
    const [output, weights] = this.#attend(arranged(query), arranged(key), arranged(value), options);
    const isAveraged = options.averageAttnWeights ?? true;
    const shown = isAveraged ? weights.mean(1) : weights;
    const shownWeights = isBatched ? shown : shown.squeeze(0);
    const ordered = this.batchFirst || !isBatched ? output : output.transpose(0, 1);
    return [isBatched ? ordered : ordered.squeeze(0), (options.needWeights ?? true) ? shownWeights : null];
  }

  #attend(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    { keyPaddingMask = null, attnMask = null }: AttentionOptions,
  ): [Tensor, Tensor] {
    const size = this.embedDim / this.numHeads;
    const heads = [query, key, value].map((x, part) => {
      const projected = F.linear(
        x,
        chunkOf(this.inProjWeight, part),
        this.inProjBias && chunkOf(this.inProjBias, part),
      );
      return projected.unflatten(-1, [this.numHeads, size]).transpose(1, 2);
    }) as [Tensor, Tensor, Tensor];
    const [q, k, v] = heads;
    let scores = q.mul(Math.sqrt(1 / size)).matmul(k.mT);
    if (attnMask !== null)
      scores = masked(scores, attnMask.rank === 3 ? attnMask.unflatten(0, [-1, this.numHeads]) : attnMask);
    if (keyPaddingMask !== null) scores = masked(scores, keyPaddingMask.reshape([-1, 1, 1, k.shape[2] as number]));
    const weights = F.dropout(scores.softmax(-1), { p: this.dropout, training: this.training });
    const mixed = weights.matmul(v).transpose(1, 2).flatten(2);
    return [this.outProj.forward(mixed), weights];
  }
}

function masked(scores: Tensor, mask: Tensor): Tensor {
  return mask.dtype === "bool" ? scores.maskedFill(mask, -Infinity) : scores.add(mask);
}

export interface EncoderLayerOptions extends ModuleOptions {
  readonly dimFeedforward?: number;
  readonly dropout?: number;
  readonly activation?: "relu" | "gelu";
  readonly layerNormEps?: number;
  readonly batchFirst?: boolean;
  /** Norms stand before attention and feedforward, not behind them. */
  readonly normFirst?: boolean;
  readonly bias?: boolean;
}

export interface EncoderOptions {
  readonly srcMask?: Tensor | null;
  readonly srcKeyPaddingMask?: Tensor | null;
}

/** Attention to all positions, and two linear layers for each. */
export class TransformerEncoderLayer extends Module {
  readonly selfAttn: MultiheadAttention;
  readonly linear1: Linear;
  readonly dropout: Dropout;
  readonly linear2: Linear;
  readonly norm1: LayerNorm;
  readonly norm2: LayerNorm;
  readonly dropout1: Dropout;
  readonly dropout2: Dropout;
  readonly activation: "relu" | "gelu";
  readonly normFirst: boolean;

  constructor(dModel: number, nhead: number, options: EncoderLayerOptions = {}) {
    super();
    const { dimFeedforward = 2048, dropout: p = 0.1, activation = "relu", layerNormEps: eps = 1e-5 } = options;
    const { normFirst = false, batchFirst = false } = options;
    this.selfAttn = new MultiheadAttention(dModel, nhead, { ...options, dropout: p, batchFirst });
    this.linear1 = new Linear(dModel, dimFeedforward, options);
    this.dropout = new Dropout(p);
    this.linear2 = new Linear(dimFeedforward, dModel, options);
    this.norm1 = new LayerNorm(dModel, { ...options, eps });
    this.norm2 = new LayerNorm(dModel, { ...options, eps });
    this.dropout1 = new Dropout(p);
    this.dropout2 = new Dropout(p);
    this.activation = activation;
    this.normFirst = normFirst;
  }

  override forward(src: Tensor, options: EncoderOptions = {}): Tensor {
    if (this.normFirst) {
      const x = src.add(this.#attention(this.norm1.forward(src), options));
      return x.add(this.#feedForward(this.norm2.forward(x)));
    }
    const x = this.norm1.forward(src.add(this.#attention(src, options)));
    return this.norm2.forward(x.add(this.#feedForward(x)));
  }

  #attention(x: Tensor, { srcMask = null, srcKeyPaddingMask = null }: EncoderOptions): Tensor {
    const [output] = this.selfAttn.forward(x, x, x, {
      attnMask: srcMask,
      keyPaddingMask: srcKeyPaddingMask,
      needWeights: false,
    });
    return this.dropout1.forward(output);
  }

  #feedForward(x: Tensor): Tensor {
    const inner = this.linear1.forward(x);
    const active = this.activation === "relu" ? inner.relu() : inner.gelu();
    return this.dropout2.forward(this.linear2.forward(this.dropout.forward(active)));
  }
}
