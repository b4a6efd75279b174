/** The random descriptors of every library, as lines for the programs of src/cli/test-programs. */
import fc from "fast-check";
import { blasDescriptors } from "../../../src/cli/blas-descriptors.test-helper.ts";
import { dnnCases, lineOf as dnnLine } from "../../../src/cli/dnn-descriptors.test-helper.ts";
import { fftDescriptors } from "../../../src/cli/fft-descriptors.test-helper.ts";
import { randDescriptors } from "../../../src/cli/rand-descriptors.test-helper.ts";
import { solverDescriptors } from "../../../src/cli/solver-descriptors.test-helper.ts";
import { lineOf as sparseLine, sparseCases } from "../../../src/cli/sparse-descriptors.test-helper.ts";

export const SEED = 20;

const ARBITRARIES: Readonly<Record<string, fc.Arbitrary<string>>> = {
  blas: blasDescriptors,
  fft: fftDescriptors,
  rand: randDescriptors,
  sparse: sparseCases.map(sparseLine),
  solver: solverDescriptors,
  dnn: dnnCases.map(dnnLine),
};

export function descriptors(library: string, count: number): readonly string[] {
  const arbitrary = ARBITRARIES[library];
  if (arbitrary === undefined) throw new Error(`no descriptors for ${library}`);
  return fc.sample(arbitrary, { numRuns: count, seed: SEED });
}
