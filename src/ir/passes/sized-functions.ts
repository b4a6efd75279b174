/** Functions of the device that take a size: by position. They are compiled for 32-bit pointers. */
export const SIZES: Readonly<Record<string, readonly number[]>> = {
  malloc: [0],
  __assertfail: [4],
  cudaGetParameterBuffer: [0, 1],
  cudaMalloc: [1],
  cudaMemcpyAsync: [2],
  cudaMemsetAsync: [2],
};
