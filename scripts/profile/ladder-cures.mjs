// What the next version of a ladder brings, as kinds of hints of which each names it: by judgement, from the comment on
// top of that version. In place of kinds: why no kind can name it.

const WIDER = ["vector-load", "loads-under-way"];
const TILES = ["redundant-loads", "register-tile"];
const AHEAD = ["copy-waits", "loads-under-way"];
const ONE_PASS = ["repeated-passes"];
const ONE_KERNEL = ["separate-kernels"];

export const CURES = {
  adamw: {
    "1-naive": "the host divides once what is the same for all elements: it takes knowledge of the formula",
    "2-folded": WIDER,
    "3-vectorized": "hints for the caches",
  },
  "attention-forward": {
    "1-naive": [...ONE_KERNEL, "redundant-loads", "uncoalesced"],
    "2-fused": ["tensor-cores"],
    "3-tensor-cores": AHEAD,
  },
  "attention-forward-packed": {
    "1-naive": [...ONE_KERNEL, "redundant-loads", "uncoalesced"],
    "2-fused": "tensor cores on floats that are rounded: who needs which precision, no counter knows",
  },
  "bias-gradient": {
    "1-naive": ["small-grid"],
    "2-block-a-strip": ["small-grid", ...WIDER],
    "3-split-rows": WIDER,
    "4-unrolled": WIDER,
  },
  "conv-bn-relu-pool": {
    "1-separate": [...ONE_KERNEL, ...TILES],
    "2-fused-epilogue": ONE_KERNEL,
    "3-fused-pool": ["register-tile", "divergence"],
    "4-implicit-gemm": "Winograd's algorithm",
  },
  "convolution-2d": {
    "1-direct": TILES,
    "2-tiled": ["register-tile", "divergence"],
    "3-implicit-gemm": AHEAD,
    "4-double-buffered": ["divisions", ...AHEAD],
    "5-taps-apart": "Winograd's algorithm",
  },
  "cross-entropy-backward": { "1-naive": ["divisions"], "2-row-a-block": WIDER },
  "cross-entropy-forward": {
    "1-naive": ["small-grid"],
    "2-small-blocks": "an approximate logarithm: who needs which precision, no counter knows",
  },
  "encoder-backward": { "1-naive": ["atomics", "redundant-loads", "divisions"], "2-position-a-thread": WIDER },
  "encoder-forward": {
    "1-naive": ["uncoalesced", "small-grid"],
    "2-element-a-thread": [...WIDER, "divisions"],
    "3-vectorized": ["loads-under-way", "redundant-loads"],
    "4-position-a-thread": ["loads-under-way"],
  },
  fft: {
    "1-radix-2": [...ONE_KERNEL, "uncoalesced"],
    "2-shared": ["bank-conflicts"],
    "3-stockham": ["register-tile", "bank-conflicts"],
    "4-registers": AHEAD,
  },
  "fused-residual-layernorm": {
    "1-naive": ["uncoalesced"],
    "2-warp-a-row": [...ONE_PASS, ...WIDER],
    "3-registers": "blocks that stay",
  },
  "gelu-backward": { "1-naive": WIDER, "2-vectorized": "another formula with fewer operations" },
  "gelu-forward": { "1-naive": WIDER, "2-vectorized": "another formula with fewer operations" },
  "global-norm": { "1-atomic": ["atomics"], "2-block-sums": WIDER, "3-vectorized": WIDER },
  histogram: {
    "1-global": ["atomics"],
    "2-privatized": ["atomics", "vector-load"],
    "3-words": ["atomics", "bank-conflicts"],
    "4-columns": WIDER,
  },
  "layernorm-backward": {
    "1-naive": ["uncoalesced"],
    "2-warp-a-row": ["atomics", ...ONE_PASS],
    "3-registers": AHEAD,
    "4-asynchronous": "a warp for each row, with no barrier between rows: another way to share the work",
  },
  "layernorm-forward": { "1-naive": ["uncoalesced"], "2-warp-a-row": ONE_PASS, "3-one-pass": [...ONE_PASS, ...WIDER] },
  "matmul-bf16": {
    "1-naive": ["tensor-cores"],
    "2-wmma": ["redundant-loads"],
    "3-mma": AHEAD,
    "4-pipelined": AHEAD,
  },
  "matmul-f32": {
    "1-naive": ["uncoalesced"],
    "2-coalesced": ["redundant-loads"],
    "3-tiled": ["register-tile"],
    "4-register-blocked": ["vector-load", "bank-conflicts", "register-tile"],
    "5-vectorized": ["bank-conflicts", "register-tile"],
    "6-warp-tiled": AHEAD,
  },
  permute: {
    "1-naive": ["uncoalesced"],
    "2-output-order": ["uncoalesced"],
    "3-tiled": [...WIDER, "divisions", "bank-conflicts"],
  },
  reduction: {
    "1-atomic": ["atomics"],
    "2-shared-tree": ["divergence", "needless-barrier"],
    "3-shuffle": WIDER,
  },
  "residual-forward": { "1-naive": WIDER, "2-vectorized": "instructions on pairs of halves" },
  scan: {
    "1-hillis-steele": ["small-grid"],
    "2-shuffle": [...ONE_KERNEL, ...WIDER],
    "3-reduce-then-scan": [...ONE_KERNEL, "small-grid"],
    "4-look-back": AHEAD,
  },
  softmax: {
    "1-naive": ["uncoalesced"],
    "2-block-a-row": "a warp in place of a block for each row: another way to share the work",
    "3-warp-a-row": ONE_PASS,
    "4-online": [...ONE_PASS, ...WIDER],
    "5-registers": "rows that registers do not hold",
  },
  "softmax-cross-entropy": {
    "1-naive": ["uncoalesced"],
    "2-block-a-row": [...ONE_PASS, ...WIDER],
    "3-online": ONE_PASS,
    "4-shared": AHEAD,
  },
  transpose: { "1-naive": ["uncoalesced"], "2-shared": ["bank-conflicts"], "3-padded": WIDER },
  "vector-add": { "1-naive": WIDER, "2-vectorized": WIDER },
};

/**
 * Where the next version does not bring the cure of the first hint and nothing else: what it brings besides, or what it
 * leaves or adds. By judgement, from the comment on top of that version. A gain is compared with the measured one
 * where there is no such reason, and once more over all.
 */
export const MORE = {
  "attention-forward 1-naive": "tiles, the online softmax, and one kernel for three",
  "attention-forward-packed 1-naive": "tiles, the online softmax, and one kernel for three",
  "conv-bn-relu-pool 1-separate": "tiles in registers, and one kernel for three",
  "conv-bn-relu-pool 3-fused-pool": "a product of matrices, in which no thread is idle at an image's edge",
  "convolution-2d 1-direct": "tiles in registers, too",
  "convolution-2d 2-tiled": "a product of matrices, in which no thread is idle at an image's edge",
  "encoder-backward 1-naive": "half of the atomics are gone",
  "encoder-forward 1-naive": "a thread for each element instead of each row",
  "encoder-forward 2-element-a-thread": "accesses of 16 bytes",
  "fft 2-shared": "four elements at once: half as many passes",
  "fused-residual-layernorm 2-warp-a-row": "accesses of 16 bytes",
  "gelu-backward 1-naive": "a formula with fewer operations",
  "global-norm 1-atomic": "blocks that stay, of which there are fewer",
  "layernorm-backward 1-naive": "atomics of a warp at different words",
  "layernorm-backward 2-warp-a-row": "no atomics, accesses of 16 bytes",
  "layernorm-forward 3-one-pass": "accesses of 16 bytes",
  "matmul-bf16 2-wmma": "mma.sync, ldmatrix, and larger tiles of a warp",
  "reduction 3-shuffle": "several vectors a thread, and fewer blocks",
  "scan 3-reduce-then-scan": "one pass over the data",
  "softmax 4-online": "a row in registers, read once",
};
export const LESS = {
  "bias-gradient 1-naive": "the grid still has fewer blocks than fit on the GPU",
  "histogram 1-global": "counters in shared memory meet in banks",
  "permute 1-naive": "loads lie apart in place of stores",
  "scan 1-hillis-steele": "one block still scans all totals",
  "softmax 3-warp-a-row": "two passes of three stay",
  "softmax-cross-entropy 2-block-a-row": "two passes of three stay",
  "transpose 1-naive": "the tile has bank conflicts",
};

/** The fastest version on an H200, where it is not the last (docs/lab/2026-11-22-kernels-h200.txt). */
export const FASTEST = {
  adamw: "3-vectorized",
  "conv-bn-relu-pool": "5-winograd",
  "fused-residual-layernorm": "3-registers",
  "gelu-forward": "2-vectorized",
  "residual-forward": "2-vectorized",
  softmax: "5-registers",
  "vector-add": "2-vectorized",
};
