// Which first hint of a version names the cure that the next version brings; a version that is not here has a next one
// whose idea is none of the profiler's kinds (another algorithm, fewer instructions, a fused kernel).

const VECTOR = ["vector-load", "loads-under-way"];
const TILE = ["redundant-loads", "register-tile"];

export const CURES = {
  adamw: { "2-folded": VECTOR },
  "attention-forward": { "2-fused": ["tensor-cores"] },
  "bias-gradient": {
    "1-naive": ["small-grid", "uncoalesced"],
    "2-block-a-strip": ["small-grid", "occupancy"],
    "3-split-rows": VECTOR,
  },
  "convolution-2d": { "1-direct": TILE, "2-tiled": TILE, "3-implicit-gemm": VECTOR },
  "cross-entropy-backward": { "2-row-a-block": VECTOR },
  "cross-entropy-forward": { "1-naive": ["small-grid", "uncoalesced"] },
  "encoder-backward": { "1-naive": ["atomics", "redundant-loads"], "2-position-a-thread": VECTOR },
  "encoder-forward": { "1-naive": ["uncoalesced", "small-grid"], "2-element-a-thread": VECTOR },
  fft: {
    "1-radix-2": ["redundant-loads", "uncoalesced"],
    "2-shared": ["bank-conflicts"],
    "3-stockham": ["register-tile", "bank-conflicts"],
  },
  "fused-residual-layernorm": { "1-naive": ["uncoalesced"], "2-warp-a-row": ["redundant-loads", ...VECTOR] },
  "gelu-backward": { "1-naive": VECTOR },
  "gelu-forward": { "1-naive": VECTOR },
  "global-norm": { "1-atomic": ["atomics"], "2-block-sums": VECTOR, "3-vectorized": VECTOR },
  histogram: {
    "1-global": ["atomics"],
    "2-privatized": ["vector-load", "atomics"],
    "3-words": ["atomics", "bank-conflicts"],
  },
  "layernorm-backward": {
    "1-naive": ["uncoalesced"],
    "2-warp-a-row": ["atomics", "redundant-loads"],
    "3-registers": VECTOR,
  },
  "layernorm-forward": { "1-naive": ["uncoalesced"], "3-one-pass": [...VECTOR, "redundant-loads"] },
  "matmul-bf16": { "1-naive": ["tensor-cores"] },
  "matmul-f32": {
    "1-naive": ["uncoalesced"],
    "2-coalesced": ["redundant-loads"],
    "3-tiled": ["register-tile"],
    "4-register-blocked": ["bank-conflicts", "vector-load", "register-tile"],
  },
  permute: { "1-naive": ["uncoalesced"], "2-output-order": ["uncoalesced"], "3-tiled": ["bank-conflicts", ...VECTOR] },
  reduction: { "1-atomic": ["atomics"], "2-shared-tree": ["divergence", "needless-barrier"], "3-shuffle": VECTOR },
  "residual-forward": { "1-naive": VECTOR },
  softmax: { "1-naive": ["uncoalesced"] },
  "softmax-cross-entropy": { "1-naive": ["uncoalesced"] },
  transpose: { "1-naive": ["uncoalesced"], "2-shared": ["bank-conflicts"] },
  "vector-add": { "1-naive": VECTOR },
};

/** The fastest version on an H200, where it is not the last (docs/lab/2026-11-22-kernels-h200.txt). */
export const FASTEST = {
  adamw: "3-vectorized",
  "fused-residual-layernorm": "3-registers",
  "gelu-forward": "2-vectorized",
  "residual-forward": "2-vectorized",
  softmax: "5-registers",
  "vector-add": "2-vectorized",
};
