/** Where elements are that are not 0: a running count says which is the how-manieth. */
import { empty, type Shape, type Tensor } from "../tensor.ts";
import { launchScan } from "./scans.ts";
import type { KernelText, TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

const ELEMENTS = 1024;

/** For each of a vector of conditions, how many hold up to it and with it: int32, or int64 of a vector beyond 2^31. */
export function launchCount(device: TensorDevice, conditions: Tensor): Tensor {
  const { length, place } = conditions;
  const type = length < 2 ** 31 ? "int32" : "int64";
  const counts = empty([length], type, place);
  launchScan(device, "sum", type, [conditions, counts, null], { outer: 1, columns: length, inner: 1 });
  return counts;
}

/**
 * Fills `out` [count, dimensions], int64, with the indices of the elements that hold, row by row.
 * @param counts of `launchCount`, over the elements of `shape` in their order
 */
export function launchPlaces(device: TensorDevice, counts: Tensor, shape: Shape, out: Tensor): void {
  const rank = shape.length;
  const name = `places_${rank}`;
  const sizes = shape.map((_, d) => `size${d}`);
  const kernel = device.kernel(`${name} ${counts.dtype}`, (): KernelText => {
    const lines = [
      `i = tl.program_id(0).to(tl.int64) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`,
      "count = tl.load(counts + i, mask=i < n, other=0)",
      "before = tl.load(counts + i - 1, mask=(i > 0) & (i < n), other=0)",
      "holds = (i < n) & (count != before)",
      `row = out + (count.to(tl.int64) - 1) * ${rank}`,
      "rest = i",
      ...[...sizes.keys()].reverse().flatMap((d) =>
        // What is left of the index belongs to the first dimension.
        d === 0
          ? ["tl.store(row, rest, mask=holds)"]
          : [`tl.store(row + ${d}, rest % size${d}, mask=holds)`, `rest = rest // size${d}`],
      ),
    ];
    return {
      name,
      text: tritonFunction(name, ["out", "counts", "n", ...sizes], lines),
      params: [
        { kind: "pointer", dtype: "int64", isAligned: false },
        { kind: "pointer", dtype: counts.dtype, isAligned: false },
        ...["n", ...sizes].map(() => ({ kind: "i64", isDivisible: false }) as const),
      ],
      numWarps: 4,
    };
  });
  const { length } = counts;
  kernel.launch(Math.ceil(length / ELEMENTS), [out.pointer, counts.pointer, length, ...shape]);
}
