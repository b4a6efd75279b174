import {
  defineLadder,
  normal,
  type Configuration,
  type Ladder,
  type LaunchArgument,
  type LaunchStep,
} from "heddle/ladder";
import { divideUp } from "../common/hopper.ts";
import { blocksFor, choicesOf, distinctLogits, lanesFor } from "./choices.ts";

interface Size extends Readonly<Record<string, number>> {
  readonly tokens: number;
  /** At most 256. */
  readonly experts: number;
  /** Experts of a token, at most 32. */
  readonly top: number;
  /** Elements of a token. */
  readonly hidden: number;
  /** 1: the weights of a token's experts add up to 1. */
  readonly normalized: number;
}
const slots = ({ tokens, top }: Size): number => tokens * top;

const blocks = ({ tokens }: Size, { BLOCKS = 1 }: Configuration): number => blocksFor(tokens, BLOCKS);
const sizes = ({ tokens, experts, top }: Size): LaunchArgument[] => [tokens, experts, top];
const choose = (shape: Size, configuration: Configuration): LaunchStep => ({
  kernel: `choose<${lanesFor(shape.experts)}>`,
  grid: blocks(shape, configuration),
  block: configuration["BLOCK"] ?? 0,
  args: ["logits", "weights", "chosen", "counts", ...sizes(shape), shape.normalized],
});

/** What the blocks' arrays have room for: routing.cuh. */
const allow = (_: Configuration, { experts, top }: Size): boolean => experts <= 256 && top <= 32;

const ladder: Ladder = defineLadder({
  summary:
    "routing of a mixture of experts: the weights (softmax) and numbers of each token's `top` experts, where each " +
    "expert's rows end, the place of each choice, and the tokens' rows, bfloat16, by expert; hidden is a multiple " +
    "of 8",
  inputs: {
    logits: {
      dtype: "float32",
      length: ({ tokens, experts }: Size) => tokens * experts,
      values: distinctLogits,
      seed: 1,
    },
    x: { dtype: "bfloat16", length: ({ tokens, hidden }: Size) => tokens * hidden, values: normal(0, 1), seed: 2 },
  },
  outputs: {
    weights: {
      dtype: "float32",
      length: slots,
      tolerance: {
        absolute: 2 ** -24,
        relative: 2 ** -17,
        reason: "exponentials of differences of up to 10 by the hardware's power of 2, and sums of up to 256 of them",
      },
    },
    chosen: {
      dtype: "int32",
      length: slots,
      tolerance: { absolute: 0, relative: 0, reason: "whole numbers; the logits of a token are compared exactly" },
    },
    ends: {
      dtype: "int32",
      length: ({ experts }: Size) => experts,
      tolerance: { absolute: 0, relative: 0, reason: "whole numbers" },
    },
    places: {
      dtype: "int32",
      length: slots,
      tolerance: { absolute: 0, relative: 0, reason: "whole numbers: rows of an expert are in the order of tokens" },
    },
    rows: {
      dtype: "bfloat16",
      length: (shape: Size) => slots(shape) * shape.hidden,
      tolerance: { absolute: 0, relative: 0, reason: "copies" },
    },
  },
  scratch: {
    counts: {
      dtype: "int32",
      length: (shape: Size, configuration) => shape.experts * blocks(shape, configuration),
    },
  },
  reference: ({ logits, x }, { tokens, experts, top, hidden, normalized }: Size) => {
    const [weights, chosen] = [new Float64Array(tokens * top), new Float64Array(tokens * top)];
    const [counts, places] = [new Float64Array(experts), new Float64Array(tokens * top)];
    for (let token = 0; token < tokens; token++) {
      const own = choicesOf(logits.subarray(token * experts, (token + 1) * experts), top, normalized === 1);
      for (const [i, { expert, weight }] of own.entries()) {
        weights[token * top + i] = weight;
        chosen[token * top + i] = expert;
        (counts[expert] as number)++;
      }
    }
    const ends = new Float64Array(experts);
    for (let expert = 0, at = 0; expert < experts; expert++) ends[expert] = at += counts[expert] as number;
    const next = ends.map((end, expert) => end - (counts[expert] as number));
    const tokenOf = new Int32Array(tokens * top);
    for (let slot = 0; slot < tokens * top; slot++) {
      const place = (next[chosen[slot] as number] as number)++;
      places[slot] = place;
      tokenOf[place] = Math.floor(slot / top);
    }
    const row = (index: number): number =>
      x[(tokenOf[Math.floor(index / hidden)] as number) * hidden + (index % hidden)] as number;
    return { weights, chosen, ends, places, rows: row };
  },
  // Each token is read once and written `top` times.
  work: ({ tokens, experts, top, hidden }) => ({
    bytes: 4 * tokens * experts + 12 * tokens * top + 2 * tokens * hidden * (1 + top),
    operations: tokens * experts * (top + 2),
  }),
  shapes: {
    check: [
      { tokens: 1, experts: 2, top: 1, hidden: 8, normalized: 0 },
      { tokens: 67, experts: 8, top: 2, hidden: 24, normalized: 1 },
      { tokens: 130, experts: 60, top: 4, hidden: 40, normalized: 0 },
      { tokens: 300, experts: 128, top: 8, hidden: 8, normalized: 1 },
    ],
    time: {
      emulated: [{ tokens: 512, experts: 64, top: 6, hidden: 256, normalized: 0 }],
      // Mixtral 8x7B, DeepSeek-V2-Lite and Qwen3-30B-A3B.
      cuda: [
        { tokens: 8192, experts: 8, top: 2, hidden: 4096, normalized: 1 },
        { tokens: 8192, experts: 64, top: 6, hidden: 2048, normalized: 0 },
        { tokens: 8192, experts: 128, top: 8, hidden: 2048, normalized: 1 },
      ],
    },
  },
  versions: {
    "1-naive": {
      parameters: { BLOCK: [128, 256] },
      launch: (shape, { BLOCK = 0 }) => {
        const { tokens, experts, top, hidden, normalized } = shape;
        const byExpert = { grid: divideUp(experts, 32), block: 32 };
        return [
          {
            kernel: "choose",
            grid: divideUp(tokens, BLOCK),
            block: BLOCK,
            args: ["logits", "weights", "chosen", tokens, experts, top, normalized],
          },
          { kernel: "count", ...byExpert, args: ["chosen", "counts", tokens * top, experts] },
          { kernel: "place", ...byExpert, args: ["chosen", "counts", "places", "ends", tokens * top, experts] },
          {
            kernel: "spread",
            grid: [tokens * top, divideUp(hidden, BLOCK)],
            block: BLOCK,
            args: ["x", "places", "rows", top, hidden],
          },
        ];
      },
    },
    "2-lanes": {
      parameters: { BLOCK: [256, 512], BLOCKS: [132, 264] },
      allow,
      launch: (shape, configuration) => {
        const { tokens, experts, top, hidden } = shape;
        const [block, grid] = [configuration["BLOCK"] ?? 0, blocks(shape, configuration)];
        return [
          choose(shape, configuration),
          { kernel: "add", grid: 1, block: 256, args: ["counts", "ends", grid, experts] },
          { kernel: "place", grid, block, args: ["chosen", "counts", "places", ...sizes(shape)] },
          {
            kernel: "spread",
            grid: divideUp(tokens * top, block / 32),
            block,
            args: ["x", "places", "rows", tokens * top, top, hidden],
          },
        ];
      },
    },
    "3-two-launches": {
      parameters: { BLOCK: [512, 1024], BLOCKS: [132, 264], AHEAD: [4] },
      allow,
      launch: (shape, configuration) => [
        choose(shape, configuration),
        {
          kernel: "spread",
          grid: blocks(shape, configuration),
          block: configuration["BLOCK"] ?? 0,
          args: ["x", "chosen", "counts", "places", "ends", "rows", ...sizes(shape), shape.hidden],
        },
      ],
    },
    "4-one-launch": {
      // All blocks are on the GPU at the same time: on an emulated A100, too.
      parameters: { BLOCK: [512, 1024], BLOCKS: [132], AHEAD: [4] },
      allow,
      launch: (shape, configuration) => [
        {
          kernel: `route<${lanesFor(shape.experts)}>`,
          grid: blocks(shape, configuration),
          block: configuration["BLOCK"] ?? 0,
          cooperative: true,
          args: [
            "logits",
            "x",
            "weights",
            "chosen",
            "counts",
            "places",
            "ends",
            "rows",
            ...sizes(shape),
            shape.hidden,
            shape.normalized,
          ],
        },
      ],
    },
  },
  rivals: {
    PyTorch: { python: "rivals.py", function: "route" },
  },
});
export default ladder;
