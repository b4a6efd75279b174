/** Matrix products by a kernel, for tensors on a device: a Triton kernel of our own. */
import { openModule } from "../../frontend/triton/evaluate/module.ts";
import { SourceText } from "../../frontend/triton/syntax/source-text.ts";
import { DeviceArray } from "../../library/device-array.ts";
import type { Gpu } from "../../library/gpu.ts";
import { TritonProgram } from "../../library/triton.ts";
import type { Dtype } from "../../base/dtypes.ts";
import { useProducts } from "./matmul.ts";
import type { Tensor } from "../tensor.ts";

const SOURCE = `import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M, N, K, a_stack, a_row, a_column, b_stack, b_row, b_column, ROWS: tl.constexpr,
            COLUMNS: tl.constexpr, DEPTH: tl.constexpr):
    stack = tl.program_id(2).to(tl.int64)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    inner = tl.arange(0, DEPTH)
    a_at = a + stack * a_stack + row * a_row + inner[None, :] * a_column
    b_at = b + stack * b_stack + inner[:, None] * b_row + column * b_column
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for k in range(0, K, DEPTH):
        x = tl.load(a_at, mask=(row < M) & (inner[None, :] < K - k), other=0.0)
        y = tl.load(b_at, mask=(inner[:, None] < K - k) & (column < N), other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
        a_at += DEPTH * a_column
        b_at += DEPTH * b_row
    tl.store(c + stack * M * N + row * N + column, total.to(c.dtype.element_ty), mask=(row < M) & (column < N))
`;

const ROWS = 64;
const COLUMNS = 64;
const DEPTH = 32;
/** Below, the host is done before a kernel is compiled. */
const LEAST_PRODUCTS = 2 ** 24;
/** Where the strides are known to the kernel as 32-bit numbers. */
const MOST_ELEMENTS = 2 ** 31;

/** From now on large products of floats on this device are a kernel's. */
export function openDeviceProducts(gpu: Gpu): void {
  let program: TritonProgram | null = null;
  const pointerTo = (tensor: Tensor): DeviceArray =>
    DeviceArray.at(gpu.raw, tensor.dtype as Dtype, tensor.length, tensor.pointer);
  useProducts(gpu.raw, (a, b, c) => {
    const [count, m, k] = a.shape as [number, number, number];
    const n = b.shape[2] as number;
    if (count * m * n * k < LEAST_PRODUCTS || Math.max(a.length, b.length, c.length) >= MOST_ELEMENTS) return false;
    program ??= new TritonProgram(gpu, openModule(new SourceText("torch.matmul", SOURCE)));
    const sizes = [m, n, k, ...a.strides, ...b.strides];
    const parameters = { ROWS, COLUMNS, DEPTH };
    const kernel = program.kernel("product");
    const ready = kernel.compileBlocking({}, [pointerTo(a), pointerTo(b), pointerTo(c), ...sizes, parameters]);
    ready.launch([Math.ceil(m / ROWS), Math.ceil(n / COLUMNS), count]);
    return true;
  });
}
