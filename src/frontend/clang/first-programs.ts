/**
 * Programs that make the compiler ask for all that many programs need: precompiled headers, the host library's objects,
 * cuBLAS. Whoever compiles them fills a cache with it.
 */
import type { DataModel } from "../../base/data-model.ts";
import type { Compiler } from "./compiler.ts";

const FIRST_PROGRAM = `#include <iostream>
#include <cublas_v2.h>
__global__ void kernel() {}
int main() { cublasHandle_t handle; kernel<<<1, 1>>>(); std::cout << __FILE__; return cublasCreate(&handle); }
`;

/** Kernels begin with half precision alone. */
const HALF_PRECISION = `#include <cuda_bf16.h>
__global__ void kernel() {}
int main() { kernel<<<1, 1>>>(); return __FILE__[0] == 0; }
`;

/** @param path one that no cache has seen: it is in everything that is made of these programs alone */
export async function compileFirstPrograms(
  compiler: Pick<Compiler, "compileProgram">,
  path: string,
  model: DataModel["name"],
): Promise<void> {
  await compiler.compileProgram([{ path, text: FIRST_PROGRAM }], { model }, null);
  // The layers of the C++ library, up to <iostream>, are made for the second program that asks for them.
  await compiler.compileProgram([{ path, text: `${FIRST_PROGRAM}\n` }], { model }, null);
  for (const text of [HALF_PRECISION, `${HALF_PRECISION}\n`])
    await compiler.compileProgram([{ path, text }], { model }, null);
}

/** What V8 learns of the compiler by: this asks for all headers and libraries. */
export const FIRST_LESSON: string = FIRST_PROGRAM;
