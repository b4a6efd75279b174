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
const MOST_DIMENSIONS = 5;
const MODES = { tiled: 0, im2col: 1, wide: 2 } as const;
const WIDE = "cuTensorMapEncodeIm2colWide needs a GPU of compute capability 10.0 or higher";

/** Programs make the same map again for each launch (CUTLASS): the last ones are kept, by all that they are made of. */
const MOST_KEPT = 64;

function keptMaps(cuda: CudaContext): Map<string, Uint8Array> {
  return cuda.extension("tensor maps", () => new Map<string, Uint8Array>());
}

/** Everything that the map's bytes depend on. */
function keyOf(
  cuda: CudaContext,
  request: number,
  address: number,
  lists: readonly (readonly [number, number])[],
): string {
  const { current, memory } = cuda;
  const text = (at: number, bytes: number): string =>
    String.fromCharCode(...memory.bytes.subarray(unsigned(at), unsigned(at) + bytes));
  const place = current.device.nativeAddress?.(unsigned(address)) ?? unsigned(address);
  const words = text(request, 4 * (FIELDS.length + 2 * MAX_CORNERS));
  return `${current.ordinal} ${place} ${words}${lists.map(([at, bytes]) => text(at, bytes)).join("|")}`;
}

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
  const inRows = Math.max(0, rank - 1);
  const key =
    rank > MOST_DIMENSIONS
      ? null
      : keyOf(cuda, request, address, [
          [extents, 8 * rank],
          [strides, 8 * inRows],
          [box, mode === MODES.tiled ? 4 * rank : 0],
          [steps, 4 * rank],
        ]);
  const kept = keptMaps(cuda);
  const same = key === null ? undefined : kept.get(key);
  if (same !== undefined) return m.bytes.set(same, unsigned(map));
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
    const made = device.encodeTensorMap(description);
    m.bytes.set(made, unsigned(map));
    if (kept.size >= MOST_KEPT) kept.clear();
    if (key !== null) kept.set(key, made);
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
