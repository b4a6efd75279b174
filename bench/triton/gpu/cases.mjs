// The launches that bench/triton/gpu times: one description for Heddle, which compiles them without a GPU, and for
// Python, which launches them. An argument is ["fp16", shape], a number, or a tensor descriptor.
const tensor = (dtype, shape, values = "normal") => ({ tensor: dtype, shape, values });
const descriptor = (dtype, shape, block) => ({ ...tensor(dtype, shape), block });
const up = (a, b) => Math.ceil(a / b);
const next = (n) => 2 ** Math.ceil(Math.log2(n));

const add = (n) => ({
  group: `01 add 2^${Math.log2(n)}`,
  kernel: "add",
  grid: [up(n, 1024)],
  args: { x_ptr: tensor("fp32", [n]), y_ptr: tensor("fp32", [n]), out_ptr: tensor("fp32", [n]), n },
  constants: { BLOCK: 1024 },
  outputs: ["out_ptr"],
  bytes: 12 * n,
});

const softmax = (rows, columns) => ({
  group: `02 softmax ${rows} × ${columns}`,
  kernel: "softmax",
  // As many programs as are on the GPU at once: the tutorial computes it from the registers of the kernel.
  grid: "occupancy",
  programs: rows,
  args: {
    out_ptr: tensor("fp32", [rows, columns]),
    in_ptr: tensor("fp32", [rows, columns]),
    in_stride: columns,
    out_stride: columns,
    rows,
    columns,
  },
  constants: { BLOCK: next(columns), num_stages: 4 },
  numWarps: 8,
  outputs: ["out_ptr"],
  bytes: 8 * rows * columns,
});

const matmul = (size, [m, n, k, stages, warps]) => ({
  group: `03 matmul fp16 ${size}³`,
  kernel: "matmul",
  config: `${m}×${n}×${k}, ${stages} stages, ${warps} warps`,
  grid: [up(size, m) * up(size, n)],
  args: {
    a_ptr: tensor("fp16", [size, size]),
    b_ptr: tensor("fp16", [size, size]),
    c_ptr: tensor("fp16", [size, size]),
    M: size,
    N: size,
    K: size,
    stride_am: size,
    stride_ak: 1,
    stride_bk: size,
    stride_bn: 1,
    stride_cm: size,
    stride_cn: 1,
  },
  constants: { BLOCK_M: m, BLOCK_N: n, BLOCK_K: k, GROUP: 8 },
  numWarps: warps,
  numStages: stages,
  outputs: ["c_ptr"],
  flops: 2 * size ** 3,
});

function layerNorm(rows, columns) {
  const BLOCK = Math.min(32768, next(columns));
  const numWarps = Math.min(Math.max(up(BLOCK, 256), 1), 8);
  const matrix = (values) => tensor("fp16", [rows, columns], values);
  // As many sums of weights as the tutorial has for the size.
  const [, groups] = [
    [1024, 256],
    [4096, 128],
    [8192, 96],
    [Infinity, 64],
  ].find(([most]) => columns <= most);
  const row = (dtype = "fp16") => tensor(dtype, [columns]);
  const of = (n) => `05 layer norm ${n} ${rows} × ${columns}`;
  return [
    {
      group: of("forward"),
      kernel: "layer_norm_forward",
      grid: [rows],
      args: {
        X: matrix(),
        Y: matrix(),
        W: row(),
        B: row(),
        Mean: tensor("fp32", [rows]),
        Rstd: tensor("fp32", [rows]),
        stride: columns,
        N: columns,
        eps: 1e-5,
      },
      constants: { BLOCK },
      numWarps,
      outputs: ["Y", "Mean", "Rstd"],
      bytes: 4 * rows * columns,
    },
    {
      group: of("backward, x"),
      kernel: "layer_norm_backward_x",
      grid: [rows],
      args: {
        DX: matrix(),
        DY: matrix(),
        DW: tensor("fp16", [groups, columns]),
        DB: tensor("fp16", [groups, columns]),
        X: matrix(),
        W: row(),
        Mean: tensor("fp32", [rows], "small"),
        Rstd: tensor("fp32", [rows], "ones"),
        Lock: tensor("i32", [2 * groups], "zeros"),
        stride: columns,
        N: columns,
      },
      constants: { GROUP_M: groups, BLOCK },
      numWarps,
      outputs: ["DX"],
      bytes: 6 * rows * columns,
    },
    {
      group: of("backward, w and b"),
      kernel: "layer_norm_backward_wb",
      grid: [up(columns, 128)],
      args: {
        DW: tensor("fp16", [groups, columns]),
        DB: tensor("fp16", [groups, columns]),
        FINAL_DW: row(),
        FINAL_DB: row(),
        M: groups,
        N: columns,
      },
      constants: { BLOCK_M: 32, BLOCK_N: 128 },
      outputs: ["FINAL_DW", "FINAL_DB"],
      bytes: 4 * groups * columns,
    },
  ];
}

function attention(batch, heads, length, dim, causal, [m, n, stages, warps]) {
  const all = [batch * heads * length, dim];
  return {
    group: `06 attention ${batch} × ${heads} × ${length} × ${dim}${causal ? ", causal" : ""}`,
    kernel: "attention",
    config: `${m}×${n}, ${stages} stages, ${warps} warps`,
    grid: [up(length, m), batch * heads],
    args: {
      sm_scale: dim ** -0.5,
      M: tensor("fp32", [batch * heads, length]),
      Z: batch,
      H: heads,
      desc_q: descriptor("fp16", all, [m, dim]),
      desc_k: descriptor("fp16", all, [n, dim]),
      desc_v: descriptor("fp16", all, [n, dim]),
      desc_o: descriptor("fp16", all, [m, dim]),
      N_CTX: length,
    },
    constants: { HEAD_DIM: dim, BLOCK_M: m, BLOCK_N: n, STAGE: causal ? 3 : 1 },
    numWarps: warps,
    numStages: stages,
    outputs: ["desc_o", "M"],
    flops: (4 * batch * heads * length ** 2 * dim) / (causal ? 2 : 1),
  };
}

const MATMUL_CONFIGS = [
  [128, 256, 64, 3, 8],
  [128, 256, 32, 4, 8],
  [256, 128, 32, 4, 8],
  [128, 128, 32, 4, 4],
  [128, 128, 32, 5, 4],
];
const ATTENTION_CONFIGS = [
  [128, 64, 3, 8],
  [64, 64, 3, 4],
  [64, 64, 2, 4],
  [64, 32, 3, 4],
];

/** Tutorial 02 measures these, each 4096 rows. */
const COLUMNS = Array.from({ length: 98 }, (_, i) => 128 * (i + 2));
export const ALL_COLUMNS = "02 softmax, all columns";

export const CASES = [
  add(2 ** 24),
  add(2 ** 26),
  ...[781, 1024, 4096, 12544].map((columns) => softmax(4096, columns)),
  ...COLUMNS.map((columns) => ({ ...softmax(4096, columns), group: ALL_COLUMNS, config: `${columns}` })),
  ...MATMUL_CONFIGS.map((config) => matmul(4096, config)),
  ...[1024, 4096, 8192].flatMap((columns) => layerNorm(4096, columns)),
  ...[64, 128].flatMap((dim) =>
    [false, true].flatMap((causal) => ATTENTION_CONFIGS.map((config) => attention(4, 16, 4096, dim, causal, config))),
  ),
].map((given) => ({ config: "", numWarps: 4, numStages: 3, ...given }));
