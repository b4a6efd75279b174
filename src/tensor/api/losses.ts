/** Losses, as functions: of a prediction and its target. */
import { binary, unary, where } from "../operations/elementwise.ts";
import { float } from "../operations/operands.ts";
import { ctcLoss as ctc } from "../operations/ctc-loss.ts";
import * as losses from "../operations/losses.ts";
import { broadcastShapes } from "../operations/shapes.ts";
import type { Reduction } from "../operations/losses.ts";
import { failShape, fromValues, Tensor } from "../tensor.ts";
import "./element-methods.ts";
import "./reduction-methods.ts";

export interface LossOptions {
  /** The mean of all elements (the default), their sum, or each of them. */
  readonly reduction?: Reduction;
}

export function mseLoss(input: Tensor, target: Tensor, { reduction = "mean" }: LossOptions = {}): Tensor {
  return losses.reduced(losses.elementLoss("mse_loss", input, target), reduction);
}

export function l1Loss(input: Tensor, target: Tensor, { reduction = "mean" }: LossOptions = {}): Tensor {
  return losses.reduced(losses.elementLoss("l1_loss", input, target), reduction);
}

/** A square below `beta`, else the absolute difference. */
export function smoothL1Loss(
  input: Tensor,
  target: Tensor,
  { reduction = "mean", beta = 1 }: LossOptions & { readonly beta?: number } = {},
): Tensor {
  if (beta === 0) return l1Loss(input, target, { reduction });
  return losses.reduced(losses.elementLoss("smooth_l1_loss", input, target, [beta]), reduction);
}

export function huberLoss(
  input: Tensor,
  target: Tensor,
  { reduction = "mean", delta = 1 }: LossOptions & { readonly delta?: number } = {},
): Tensor {
  return losses.reduced(losses.elementLoss("huber_loss", input, target, [delta]), reduction);
}

export function softMarginLoss(input: Tensor, target: Tensor, { reduction = "mean" }: LossOptions = {}): Tensor {
  return losses.reduced(losses.elementLoss("soft_margin_loss", input, target), reduction);
}

export interface WeightedLossOptions extends LossOptions {
  readonly weight?: Tensor | null;
}

export function binaryCrossEntropy(
  input: Tensor,
  target: Tensor,
  { reduction = "mean", weight = null }: WeightedLossOptions = {},
): Tensor {
  return losses.reduced(losses.binaryCrossEntropy(input, target, weight), reduction);
}

/** Of logits: sigmoid and binary cross entropy in one. */
export function binaryCrossEntropyWithLogits(
  input: Tensor,
  target: Tensor,
  {
    reduction = "mean",
    weight = null,
    posWeight = null,
  }: WeightedLossOptions & { readonly posWeight?: Tensor | null } = {},
): Tensor {
  return losses.reduced(losses.binaryCrossEntropyWithLogits(input, target, weight, posWeight), reduction);
}

export interface ClassLossOptions extends WeightedLossOptions {
  /** Targets of this class do not count; default -100. */
  readonly ignoreIndex?: number;
}

/** @param input logarithms of probabilities: [batch, classes, …] @param target classes: [batch, …] */
export function nllLoss(input: Tensor, target: Tensor, options: ClassLossOptions = {}): Tensor {
  const { weight = null, ignoreIndex = -100, reduction = "mean" } = options;
  return losses.nllLoss(input, target, { weight, ignoreIndex, reduction });
}

export interface CrossEntropyOptions extends ClassLossOptions {
  readonly labelSmoothing?: number;
}

/** @param input logits: [batch, classes, …] @param target classes: [batch, …], or probabilities in the input's shape */
export function crossEntropy(input: Tensor, target: Tensor, options: CrossEntropyOptions = {}): Tensor {
  const { weight = null, ignoreIndex = -100, reduction = "mean", labelSmoothing = 0 } = options;
  return losses.crossEntropy(input, target, { weight, ignoreIndex, reduction }, labelSmoothing);
}

/** @param input logarithms of probabilities */
export function klDiv(
  input: Tensor,
  target: Tensor,
  {
    reduction = "mean",
    logTarget = false,
  }: { readonly reduction?: Reduction | "batchmean"; readonly logTarget?: boolean } = {},
): Tensor {
  const loss = losses.divergence(input, target, logTarget);
  if (reduction !== "batchmean") return losses.reduced(loss, reduction);
  return binary("div", losses.reduced(loss, "sum"), float(input.shape[0] ?? 1));
}

/** max(0, -target · (a - b) + margin) */
export function marginRankingLoss(
  a: Tensor,
  b: Tensor,
  target: Tensor,
  { reduction = "mean", margin = 0 }: LossOptions & { readonly margin?: number } = {},
): Tensor {
  const difference = binary("mul", unary("neg", target), binary("sub", a, b));
  return losses.reduced(binary("clamp_min", binary("add", difference, float(margin)), float(0)), reduction);
}

/** The input where the target is 1, and max(0, margin - input) where it is -1. */
export function hingeEmbeddingLoss(
  input: Tensor,
  target: Tensor,
  { reduction = "mean", margin = 1 }: LossOptions & { readonly margin?: number } = {},
): Tensor {
  const below = binary("clamp_min", binary("sub", float(margin), input), float(0));
  const one = { value: 1, kind: "int" } as const;
  const apart = where(binary("ne", target, one), below, float(0));
  const near = where(binary("ne", target, { value: -1, kind: "int" }), input, float(0));
  return losses.reduced(binary("add", apart, near), reduction);
}

/** 1 - cosine where the target is 1, max(0, cosine - margin) where it is -1. */
export function cosineEmbeddingLoss(
  a: Tensor,
  b: Tensor,
  target: Tensor,
  { reduction = "mean", margin = 0 }: LossOptions & { readonly margin?: number } = {},
): Tensor {
  const sum = (x: Tensor, y: Tensor): Tensor => binary("add", x.mul(y).sum(-1), float(1e-12));
  const cosine = binary("div", a.mul(b).sum(-1), unary("sqrt", binary("mul", sum(a, a), sum(b, b))));
  const near = where(binary("eq", target, { value: 1, kind: "int" }), binary("sub", float(1), cosine), float(0));
  const apart = binary("clamp_min", binary("sub", cosine, float(margin)), float(0));
  return losses.reduced(
    binary("add", near, where(binary("eq", target, { value: -1, kind: "int" }), apart, float(0))),
    reduction,
  );
}

export interface TripletOptions extends LossOptions {
  readonly margin?: number;
  readonly p?: number;
  readonly eps?: number;
  /** The distance of the negative to the positive counts where it is smaller. */
  readonly swap?: boolean;
}

/** max(0, distance to the positive - distance to the negative + margin) */
export function tripletMarginLoss(
  anchor: Tensor,
  positive: Tensor,
  negative: Tensor,
  { reduction = "mean", margin = 1, p = 2, eps = 1e-6, swap = false }: TripletOptions = {},
): Tensor {
  if (margin <= 0) failShape(`margin must be greater than 0, got ${margin}`);
  const near = pairwiseDistance(anchor, positive, { p, eps });
  let far = pairwiseDistance(anchor, negative, { p, eps });
  if (swap) far = binary("minimum", far, pairwiseDistance(positive, negative, { p, eps }));
  return losses.reduced(
    binary("clamp_min", binary("add", binary("sub", near, far), float(margin)), float(0)),
    reduction,
  );
}

export function poissonNllLoss(
  input: Tensor,
  target: Tensor,
  {
    logInput = true,
    full = false,
    eps = 1e-8,
    reduction = "mean",
  }: LossOptions & { readonly logInput?: boolean; readonly full?: boolean; readonly eps?: number } = {},
): Tensor {
  let loss = logInput
    ? binary("sub", unary("exp", input), binary("mul", target, input))
    : binary("sub", input, binary("mul", target, unary("log", binary("add", input, float(eps)))));
  if (full) {
    const stirling = target
      .mul(target.log())
      .sub(target)
      .add(
        target
          .mul(2 * Math.PI)
          .log()
          .mul(0.5),
      );
    loss = binary("add", loss, where(binary("gt", target, float(1)), stirling, float(0)));
  }
  return losses.reduced(loss, reduction);
}

/** @param variance of each element, at least `eps` */
export function gaussianNllLoss(
  input: Tensor,
  target: Tensor,
  variance: Tensor,
  {
    full = false,
    eps = 1e-6,
    reduction = "mean",
  }: LossOptions & { readonly full?: boolean; readonly eps?: number } = {},
): Tensor {
  const isOfRows = variance.rank === input.rank - 1 && variance.shape.every((size, d) => size === input.shape[d]);
  const own = isOfRows ? variance.unsqueeze(-1) : variance;
  const bounded = own.add(own.clamp({ min: eps }).sub(own).detach());
  const square = unary("square", binary("sub", input, target));
  let loss = binary("mul", binary("add", unary("log", bounded), binary("div", square, bounded)), float(0.5));
  if (full) loss = binary("add", loss, float(0.5 * Math.log(2 * Math.PI)));
  return losses.reduced(loss, reduction);
}

export interface DistanceOptions {
  readonly p?: number;
  readonly eps?: number;
  readonly keepdim?: boolean;
}

export function pairwiseDistance(
  a: Tensor,
  b: Tensor,
  { p = 2, eps = 1e-6, keepdim = false }: DistanceOptions = {},
): Tensor {
  return binary("add", binary("sub", a, b), float(eps)).norm(p, -1, { keepdim });
}

/** a · b / (|a| |b|) along a dimension. */
export function cosineSimilarity(
  a: Tensor,
  b: Tensor,
  { dim = 1, eps = 1e-8 }: { readonly dim?: number; readonly eps?: number } = {},
): Tensor {
  const shape = broadcastShapes(a.shape, b.shape);
  const [x, y] = [a.expand(shape), b.expand(shape)].map((of) =>
    of.div(of.norm(2, dim, { keepdim: true }).clamp({ min: eps })),
  ) as [Tensor, Tensor];
  return x.mul(y).sum(dim);
}

export interface CtcLossOptions {
  /** Default: class 0. */
  readonly blank?: number;
  /** "mean" divides by the lengths of the targets first. */
  readonly reduction?: Reduction;
  /** Targets that are longer than their input have the loss 0. */
  readonly zeroInfinity?: boolean;
}

/**
 * @param logProbs [time, batch, classes], logarithms of probabilities
 * @param targets [batch, labels], or all labels behind one another
 */
export function ctcLoss(
  logProbs: Tensor,
  targets: Tensor,
  inputLengths: Tensor | readonly number[],
  targetLengths: Tensor | readonly number[],
  { blank = 0, reduction = "mean", zeroInfinity = false }: CtcLossOptions = {},
): Tensor {
  const numbers = (of: Tensor | readonly number[]): number[] => [...(of instanceof Tensor ? of.values() : of)];
  const lengths = numbers(targetLengths);
  const each = ctc(logProbs, targets, numbers(inputLengths), lengths, { blank, zeroInfinity });
  if (reduction !== "mean") return losses.reduced(each, reduction);
  const counts = Float64Array.from(lengths, (count) => Math.max(1, count));
  const shape = each.rank === 0 ? [] : [counts.length];
  return losses.reduced(binary("div", each, fromValues(counts, shape, each.dtype, each.place)), "mean");
}
