/** Tensor maps (CUDA Driver API, "Tensor Map Object Management"). */
import { HeddleError } from "../../../base/diagnostics.ts";
import { unsigned } from "../../../base/unsigned.ts";
import { TENSOR_MAP_ALIGN, tensorMapProblem, type TensorMapDescription } from "../../../machine/tensor-map.ts";
import type { CudaContext } from "../context.ts";
import type { ApiGroup } from "./api-table.ts";
import { CudaErrorCode, fail } from "../errors.ts";

/** The words of the request that hostlib/driver_resources.cpp fills. */
const FIELDS = ["type", "rank", "interleave", "swizzle", "promotion", "fill", "mode", "channels", "pixels"] as const;
/** Behind them: three lower corners, and three upper ones. */
const MAX_CORNERS = 3;
const MODES = { tiled: 0, im2col: 1, wide: 2 } as const;
const WIDE = "cuTensorMapEncodeIm2colWide needs a GPU of compute capability 10.0 or higher";

function encode(
  cuda: CudaContext,
  map: number,
  request: number,
  address: number,
  extents: number,
  strides: number,
  box: number,
  steps: number,
): void {
  const m = cuda.memory;
  const word = (index: number): number => m.u32(unsigned(request) + 4 * index);
  const words = Object.fromEntries(FIELDS.map((name, i) => [name, word(i)])) as Record<(typeof FIELDS)[number], number>;
  const { rank, mode, channels, pixels, ...options } = words;
  if (mode === MODES.wide) fail(CudaErrorCode.notSupported, WIDE);
  if (unsigned(map) % TENSOR_MAP_ALIGN !== 0)
    fail(CudaErrorCode.invalidValue, `the tensor map must lie at a multiple of ${TENSOR_MAP_ALIGN} bytes`);
  const list = <T>(count: number, read: (index: number) => T): T[] =>
    Array.from({ length: Math.max(0, Math.min(count, 6)) }, (_, i) => read(i));
  const corners = (first: number): number[] => list(Math.min(rank - 2, MAX_CORNERS), (i) => word(first + i) | 0);
  const description: TensorMapDescription = {
    ...options,
    address: unsigned(address),
    extents: list(rank, (i) => Number(m.u64(unsigned(extents) + 8 * i))),
    strides: list(rank - 1, (i) => Number(m.u64(unsigned(strides) + 8 * i))),
    box: mode === MODES.tiled ? list(rank, (i) => m.u32(unsigned(box) + 4 * i)) : [],
    im2col:
      mode === MODES.tiled
        ? null
        : { channels, pixels, lower: corners(FIELDS.length), upper: corners(FIELDS.length + MAX_CORNERS) },
    steps: list(rank, (i) => m.u32(unsigned(steps) + 4 * i)),
  };
  const problem = tensorMapProblem(description);
  if (problem !== null) fail(CudaErrorCode.invalidValue, problem);
  const { device } = cuda.current;
  if (device.encodeTensorMap === undefined) fail(CudaErrorCode.notSupported);
  try {
    m.bytes.set(device.encodeTensorMap(description), unsigned(map));
  } catch (error) {
    if (error instanceof HeddleError && error.code === "unsupported") fail(CudaErrorCode.notSupported, error.summary);
    throw error;
  }
}

export const tensorMapApi: ApiGroup = {
  name: "tensor maps",
  checked: { __heddle_tensor_map_encode: encode },
  notes: { __heddle_tensor_map_encode: "behind cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col" },
};
