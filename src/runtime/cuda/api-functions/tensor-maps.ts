/** Tensor maps (CUDA Driver API, "Tensor Map Object Management"). */
import { HeddleError } from "../../../base/diagnostics.ts";
import { unsigned } from "../../../base/unsigned.ts";
import { tensorMapProblem, type TensorMapDescription } from "../../../machine/tensor-map.ts";
import type { CudaContext } from "../context.ts";
import type { ApiGroup } from "./api-table.ts";
import { CudaErrorCode, fail } from "../errors.ts";

/** The words of the request that hostlib/driver_resources.cpp fills. */
const FIELDS = ["type", "rank", "interleave", "swizzle", "promotion", "fill"] as const;

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
  const words = Object.fromEntries(FIELDS.map((name, i) => [name, m.u32(unsigned(request) + 4 * i)])) as Record<
    (typeof FIELDS)[number],
    number
  >;
  const { rank, ...options } = words;
  const list = <T>(count: number, read: (index: number) => T): T[] =>
    Array.from({ length: Math.max(0, Math.min(count, 6)) }, (_, i) => read(i));
  const description: TensorMapDescription = {
    ...options,
    address: unsigned(address),
    extents: list(rank, (i) => Number(m.u64(unsigned(extents) + 8 * i))),
    strides: list(rank - 1, (i) => Number(m.u64(unsigned(strides) + 8 * i))),
    box: list(rank, (i) => m.u32(unsigned(box) + 4 * i)),
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
  notes: { __heddle_tensor_map_encode: "behind cuTensorMapEncodeTiled" },
};
