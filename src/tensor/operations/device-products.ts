/** Matrix products of devices by kernels. */
import type { Gpu } from "../../library/gpu.ts";
import { launchProduct } from "../kernels/products.ts";
import { settings } from "../kernels/settings.ts";
import { tensorDeviceOf } from "../kernels/tensor-device.ts";
import { elementCount, type Tensor } from "../tensor.ts";
import { useProducts } from "./matmul.ts";
import { vendorProduct } from "./vendor-products.ts";

/** Below, the host is done before a kernel of an emulated device is compiled. */
const LEAST_PRODUCTS = 2 ** 24;
/** Where offsets are known to the kernel as 32-bit numbers. */
const MOST_ELEMENTS = 2 ** 31;

/** From now on large products of floats on this device are a kernel's; on a GPU all are. */
export function openDeviceProducts(gpu: Gpu): void {
  useProducts(gpu.raw, (a, b, shape) => {
    const device = tensorDeviceOf(gpu.raw);
    if (device === null || Math.max(a.length, b.length, elementCount(shape)) >= MOST_ELEMENTS) return null;
    const vendor = vendorProduct(gpu, a, b, device.stream, shape);
    if (vendor !== null) return vendor;
    const [stacks, rows, inner] = (a.rank === 2 ? [1, ...a.shape] : a.shape) as [number, number, number];
    const columns = b.shape.at(-1) as number;
    if (a.dtype === "float64") return null;
    if (device.leastElements > 0 && stacks * rows * columns * inner < LEAST_PRODUCTS) return null;
    const [a_stack, a_row, a_k] = stackStrides(a);
    const [b_stack, b_k, b_column] = stackStrides(b);
    return launchProduct(
      device,
      {
        key: "",
        name: "product",
        stacks,
        rows,
        columns,
        inner,
        numbers: { a_stack, a_row, a_k, b_stack, b_k, b_column },
        before: ["left = a + stack * a_stack + row * a_row", "right = b + stack * b_stack + column * b_column"],
        loads: [
          "x = tl.load(left + k * a_k, mask=(row < rows) & (k < end), other=0.0)",
          "y = tl.load(right + k_ * b_k, mask=(k_ < end) & (column < columns), other=0.0)",
        ],
        place: "stack * rows * columns + row * columns + column",
        precision: settings.tf32Products ? "tf32" : "ieee",
      },
      [a, b],
      shape,
    );
  });
}

/** A matrix is a stack of one. */
function stackStrides({ shape, strides }: Tensor): readonly [number, number, number] {
  if (shape.length === 3) return strides as readonly number[] as readonly [number, number, number];
  return [elementCount(shape), ...strides] as readonly number[] as readonly [number, number, number];
}
