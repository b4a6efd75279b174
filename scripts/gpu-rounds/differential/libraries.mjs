// The programs of random descriptors (src/cli/test-programs), one for each library, and how many cases each has.

const CUSOLVER = ["-lcusolver", "-lcusparse", "-lcublas"];
/** `faults`: cases that end NVIDIA's process, as far as is known; each costs a new start. */
export const LIBRARIES = [
  { name: "blas", count: 6000, flags: ["-lcublas"] },
  { name: "fft", count: 3000, flags: ["-lcufft"] },
  { name: "sparse", count: 5000, flags: ["-lcusparse"] },
  { name: "blocks", count: 3000, flags: ["-lcusparse"] },
  { name: "solver", count: 2500, flags: ["-lcusolver", "-lcublas"] },
  { name: "dnn", count: 3000, flags: ["-lcudnn"] },
  { name: "solver-forms", count: 2000, flags: ["-lcusolver", "-lcublas"] },
  { name: "solver-sparse", count: 1000, flags: CUSOLVER },
  { name: "rand", count: 300, flags: ["-lcurand"] },
];
export const sourceOf = (name) => `src/cli/test-programs/${name}-descriptors.cu`;
/** What the programs include. */
export const HEADERS = ["src/cli/test-programs/solver-matrices.h"];

/** Programs of one case each: what wrong calls return. `traced`: with `trace` they say each call's line before it. */
export const STATUSES = [
  { name: "fft-statuses", flags: ["-lcufft"] },
  { name: "dnn-statuses", flags: ["-lcudnn"] },
  { name: "blocks-statuses", flags: ["-lcusparse"] },
  { name: "solver-statuses", flags: CUSOLVER, traced: true },
  { name: "matrix-statuses", flags: CUSOLVER },
];
