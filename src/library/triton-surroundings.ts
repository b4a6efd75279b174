/** What the kernels of a Triton program need of the place they run in. */
import { HeddleError } from "../base/diagnostics.ts";
import type { LoweredKernel } from "../frontend/triton/lower/lower-kernel.ts";
import type { ContentCache } from "../store/store.ts";
import type { AutotuneSetting } from "./triton-autotune.ts";

/** @internal What all kernels of a program have in common. */
export interface TritonSurroundings {
  /** Keeps compiled kernels, and choices of autotune, from run to run; null: nothing is kept. */
  readonly cache: ContentCache | null;
  /** null: the first configuration is taken. */
  readonly autotune: AutotuneSetting | null;
  readonly ptx: PtxWriter;
}

/** @internal The PTX of a kernel, for a GPU of some compute capability. */
export type PtxWriter = (
  kernel: LoweredKernel,
  computeCapability: { readonly major: number; readonly minor: number },
) => Promise<string>;

export const PLAIN: TritonSurroundings = {
  cache: null,
  autotune: null,
  ptx: () => Promise.reject(new HeddleError("unsupported", "PTX is written where Heddle has a compiler")),
};
