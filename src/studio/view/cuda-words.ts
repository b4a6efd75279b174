/** Completion of CUDA's words: built-in variables, qualifiers, device functions and the runtime API. */
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";

/** Functions of the runtime API that Heddle has, put in by the build. */
declare const STUDIO_FUNCTIONS: readonly string[];

const QUALIFIERS = ["__global__", "__device__", "__host__", "__shared__", "__constant__", "__restrict__"];
const BUILT_INS: Readonly<Record<string, string>> = {
  threadIdx: "the thread's place in its block",
  blockIdx: "the block's place in the grid",
  blockDim: "threads of a block",
  gridDim: "blocks of the grid",
  warpSize: "32",
};
const DEVICE = [
  ..."__syncthreads __syncwarp __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync".split(" "),
  ..."__any_sync __all_sync __activemask __reduce_add_sync atomicAdd atomicMax atomicMin atomicCAS atomicExch".split(
    " ",
  ),
  ..."__ldg __fmaf_rn __expf __logf rsqrtf __popc __clz __ffs __saturatef __threadfence make_float4".split(" "),
];

const OPTIONS = [
  ...QUALIFIERS.map((label) => ({ label, type: "keyword" })),
  ...Object.entries(BUILT_INS).map(([label, detail]) => ({ label, type: "variable", detail, boost: 2 })),
  ...DEVICE.map((label) => ({ label, type: "function", boost: 1 })),
  ...STUDIO_FUNCTIONS.map((label) => ({ label, type: "function" })),
];

export function cudaCompletions(context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/\w+/);
  if (word === null || (word.to - word.from < 3 && !context.explicit)) return null;
  return { from: word.from, options: OPTIONS, validFor: /^\w*$/ };
}
