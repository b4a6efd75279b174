// What is measured: rows with what Heddle runs, what runs beside it, and the wanted share of the rival's speed.

const FFT_SIZES = [
  [64, 16384],
  [256, 4096],
  [1024, 1024],
  [65536, 16],
  [1048576, 1],
  [1000, 1000],
  [768, 1000],
  [1080, 1000],
];
/** Images, channels, size, output channels, window, padding. */
const CONVOLUTIONS = [
  [4, 32, 28, 64, 3, 1],
  [1, 64, 56, 64, 3, 1],
  [1, 256, 14, 256, 1, 0],
  [2, 16, 32, 32, 5, 2],
];
const PRODUCTS = [
  ["s", 256],
  ["s", 512],
  ["s", 1024],
  ["d", 512],
];
const SPARSE = [
  ["grid", 512, 5],
  ["random", 100000, 16],
  ["random", 20000, 64],
];

/**
 * Native programs: the sources in this folder, what they are linked with, and variables that they want. Rivals of 128
 * bits are the same libraries with the vectors that WebAssembly has: they show what the machine's wider ones do.
 */
export const RIVALS = {
  FFTW: { source: "fftw.cpp", link: ["-lfftw3f"] },
  KissFFT: { source: "kissfft.cpp", link: ["-lkissfft-float"] },
  OpenBLAS: { source: "openblas.cpp", link: ["-lopenblas"] },
  oneDNN: { source: "onednn.cpp", link: ["-ldnnl"] },
  "OpenBLAS, 128 bits": { source: "openblas.cpp", link: ["-lopenblas"], env: { OPENBLAS_CORETYPE: "Nehalem" } },
  "oneDNN, 128 bits": { source: "onednn.cpp", link: ["-ldnnl"], env: { ONEDNN_MAX_CPU_ISA: "SSE41" } },
  "convolution loop": { source: "convolution-loop.cpp", link: [] },
  "SpMV loop": { source: "spmv-loop.cpp", link: [] },
};

/** Debian's packages that the rivals need. */
export const PACKAGES = ["libfftw3-dev", "libkissfft-dev", "libopenblas-dev", "libdnnl-dev", "g++"];

/** Heddle's programs: the library that each is linked with. */
export const PROGRAMS = {
  "fft.cu": "cufft",
  "gemm.cu": "cublas",
  "convolution.cu": "cudnn",
  "spmv.cu": "cusparse",
};

function row(name, program, args, { bytes = 4, operations, wanted }) {
  return { name, program, args: args.map(String), bytes, operations, wanted };
}

/**
 * @returns rows of { name, program, args, bytes of a number, operations, wanted }: `wanted` has the least share of each
 *   rival's speed, or null where it is only shown.
 */
export function allRows() {
  return [
    ...FFT_SIZES.map(([n, batch]) =>
      row(`FFT, ${batch} of ${n}`, "fft.cu", [n, batch], {
        operations: 5 * n * Math.log2(n) * batch,
        wanted: { FFTW: 0.35, KissFFT: 1 },
      }),
    ),
    ...CONVOLUTIONS.map((sizes) => {
      const [n, c, size, k, window, pad] = sizes;
      const across = size + 2 * pad - window + 1;
      return row(`convolution, ${n} × ${c} × ${size}² → ${k}, ${window} × ${window}`, "convolution.cu", sizes, {
        operations: 2 * n * k * across * across * c * window * window,
        wanted: { "convolution loop": 2, oneDNN: 0.3, "oneDNN, 128 bits": null },
      });
    }),
    ...PRODUCTS.map(([type, n]) =>
      row(`${type === "s" ? "SGEMM" : "DGEMM"}, ${n}`, "gemm.cu", [type, n], {
        bytes: type === "s" ? 4 : 8,
        operations: 2 * n ** 3,
        wanted: { OpenBLAS: 0.4, "OpenBLAS, 128 bits": null },
      }),
    ),
    ...SPARSE.map(([kind, size, entries]) =>
      row(`SpMV, ${kind} ${size}, ${entries} a row`, "spmv.cu", [kind, size, entries], {
        operations: 2 * entries * (kind === "grid" ? size * size : size),
        wanted: { "SpMV loop": 0.8 },
      }),
    ),
  ];
}
