/** Libraries that are headers only. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const HEADER_LIBRARIES: readonly LibraryManifest[] = [
  manifest({
    name: "half",
    title: "Half precision, bfloat16, 8-bit floats",
    headers: ["cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h"],
    innerHeaders: ["cuda_fp16.hpp", "cuda_bf16.hpp"],
    lacks: "matrix products of 8-bit floats",
  }),
  manifest({
    name: "cooperative_groups",
    title: "Cooperative groups",
    headers: [
      "cooperative_groups.h",
      "cooperative_groups/reduce.h",
      "cooperative_groups/scan.h",
      "cooperative_groups/memcpy_async.h",
    ],
    innerHeaders: ["cooperative_groups/…"],
    namespaces: ["cooperative_groups"],
    lacks: "`thread_block_tile` of more than 32 threads; multi-device grids",
  }),
  manifest({
    name: "wmma",
    title: "Warp matrices",
    headers: ["mma.h"],
    namespaces: ["nvcuda"],
    lacks: "tcgen05",
  }),
  manifest({
    name: "libcu++",
    title: "libcu++",
    headers: ["cuda/atomic", "cuda/barrier", "cuda/pipeline", "cuda/latch", "cuda/semaphore", "cuda/ptx", "cuda/std/…"],
    innerHeaders: [
      "cuda/cmath",
      "cuda/functional",
      "cuda_awbarrier.h",
      "cuda_pipeline.h",
      "cuda_pipeline_primitives.h",
      "cuda/…",
    ],
    namespaces: ["cuda::std"],
    lacks: "memory resources, annotated pointers; of cuda::ptx what TMA and mbarriers need is there",
  }),
  manifest({
    name: "thrust",
    title: "Thrust",
    headers: ["thrust/…"],
    namespaces: ["thrust"],
    lacks: "asynchronous algorithms; execution policies other than device and host",
  }),
  manifest({
    name: "cub",
    title: "CUB",
    headers: ["cub/cub.cuh"],
    innerHeaders: ["cub/…"],
    namespaces: ["cub"],
    lacks: "rarely used collectives: what the headers do not declare",
  }),
  manifest({
    name: "samples-helpers",
    title: "Helpers of the CUDA samples",
    headers: [
      "helper_cuda.h",
      "helper_functions.h",
      "helper_math.h",
      "helper_image.h",
      "helper_string.h",
      "helper_timer.h",
      "exception.h",
    ],
    innerHeaders: ["error.h"],
  }),
];
