/** The random descriptors of every library, as lines for the programs of src/cli/test-programs. */
import fc from "fast-check";
import { blasDescriptors } from "../../../src/cli/blas-descriptors.test-helper.ts";
import { blocksCases, lineOf as blocksLine } from "../../../src/cli/blocks-descriptors.test-helper.ts";
import { dnnCases, lineOf as dnnLine } from "../../../src/cli/dnn-descriptors.test-helper.ts";
import { fftDescriptors } from "../../../src/cli/fft-descriptors.test-helper.ts";
import { randDescriptors } from "../../../src/cli/rand-descriptors.test-helper.ts";
import { solverDescriptors } from "../../../src/cli/solver-descriptors.test-helper.ts";
import { solverFormDescriptors } from "../../../src/cli/solver-forms-descriptors.test-helper.ts";
import { solverSparseDescriptors } from "../../../src/cli/solver-sparse-descriptors.test-helper.ts";
import { lineOf as sparseLine, sparseCases } from "../../../src/cli/sparse-descriptors.test-helper.ts";

export const SEED = 20;

const ARBITRARIES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  blas: blasDescriptors,
  fft: fftDescriptors,
  rand: randDescriptors,
  sparse: sparseCases.map(sparseLine),
  // NVIDIA's csr2csr_compress leaves the places of negative numbers as they are: these have none
  blocks: blocksCases.map((c) => blocksLine(c.op === "compress" ? { ...c, unit: 1 } : c)),
  solver: solverDescriptors,
  "solver-forms": solverFormDescriptors,
  "solver-sparse": solverSparseDescriptors,
  dnn: dnnCases.map(dnnLine),
};

/** Cases of which NVIDIA's library of CUDA 13.0 gives no answer. */
const BROKEN: Readonly<Record<string, (line: string) => boolean>> = {
  // sytri ends with success and leaves the factors as they are
  "solver-forms": (line) => line.startsWith("sytri "),
  // least squares of one column, and batches of refactorizations in rows, end the process
  "solver-sparse": (line) => {
    const [operation, , m, n, , isColumns] = line.split(" ");
    return operation === "lsq" ? m === "1" || n === "1" : operation === "rfbatch" && isColumns === "0";
  },
};

export function descriptors(library: string, count: number): readonly string[] {
  const arbitrary = ARBITRARIES[library];
  if (arbitrary === undefined) throw new Error(`no descriptors for ${library}`);
  return fc.sample(arbitrary, { numRuns: count, seed: SEED }).filter((line) => !(BROKEN[library]?.(line) ?? false));
}
