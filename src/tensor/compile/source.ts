/** The kernels of programs as one file that compiles. */
import type { KernelSource } from "./launch.ts";

const IMPORTS = `import triton
import triton.language as tl
from triton.language.extra import libdevice


`;
const INCLUDES = `#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>

`;

function joined(sources: readonly KernelSource[], language: "triton" | "cuda"): string {
  const helpers = new Set(sources.flatMap((source) => source[language].helpers));
  return [...helpers, ...sources.map((source) => source[language].text)].join(language === "cuda" ? "\n" : "");
}

export function tritonSource(sources: readonly KernelSource[]): string {
  return `${IMPORTS}${joined(sources, "triton")}`;
}

export function cudaSource(sources: readonly KernelSource[]): string {
  return `${INCLUDES}${joined(sources, "cuda")}`;
}
