/** Examples as a batch. */
import { HeddleError } from "../../base/diagnostics.ts";
import { describeValue } from "../../base/options.ts";
import { defaultTensors } from "../api/default-tensors.ts";
import { stack } from "../operations/creation.ts";
import { Tensor } from "../tensor.ts";

/**
 * As PyTorch's default_collate: tensors and typed arrays are stacked, numbers become a tensor (whole ones int64, others
 * float32), arrays and objects are put together by their parts, and strings stay a list. Batches are on the host.
 */
export function defaultCollate(items: readonly unknown[]): unknown {
  const [first] = items;
  if (first instanceof Tensor) return stack(items as Tensor[], 0);
  const torch = defaultTensors();
  if (typeof first === "number") {
    const isWhole = items.every((item) => Number.isInteger(item));
    return torch.tensor(items as number[], { dtype: isWhole ? "int64" : "float32", device: null });
  }
  if (typeof first === "boolean" || typeof first === "bigint")
    return torch.tensor(items as boolean[], { device: null });
  if (ArrayBuffer.isView(first) && !(first instanceof DataView))
    return stack(
      items.map((item) => torch.tensor(item as Float32Array, { device: null })),
      0,
    );
  if (Array.isArray(first)) {
    for (const item of items)
      if ((item as unknown[]).length !== first.length)
        throw new HeddleError("bad-arguments", "each element in list of batch should be of equal size");
    return first.map((_, i) => defaultCollate(items.map((item) => (item as unknown[])[i])));
  }
  if (typeof first === "string") return items;
  if (typeof first === "object" && first !== null)
    return Object.fromEntries(
      Object.keys(first).map((key) => [
        key,
        defaultCollate(items.map((item) => (item as Record<string, unknown>)[key])),
      ]),
    );
  throw new HeddleError(
    "bad-arguments",
    `a batch is made of tensors, numbers, typed arrays, arrays, objects or strings, not of ${describeValue(first)}`,
  );
}

/** Calls `change` with all tensors in a batch, and returns the batch of the results. */
export function mapTensors(batch: unknown, change: (tensor: Tensor) => Tensor): unknown {
  if (batch instanceof Tensor) return change(batch);
  if (Array.isArray(batch)) return batch.map((part) => mapTensors(part, change));
  if (typeof batch === "object" && batch !== null && Object.getPrototypeOf(batch) === Object.prototype)
    return Object.fromEntries(Object.entries(batch).map(([key, part]) => [key, mapTensors(part, change)]));
  return batch;
}
