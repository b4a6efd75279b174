/** Numbers at equal distances. */
import { isFloating } from "../dtypes.ts";
import type { Tensor } from "../tensor.ts";
import { tritonName, type KernelText, type TensorDevice } from "./tensor-device.ts";

const ELEMENTS = 1024;

/** Fills a vector without gaps with start + i · step. */
export function launchIota(device: TensorDevice, result: Tensor, start: number, step: number): void {
  const { dtype, length, pointer } = result;
  const isWhole = !isFloating(dtype) && Number.isInteger(start) && Number.isInteger(step);
  const kernel = device.kernel(`iota ${dtype} ${isWhole}`, (): KernelText => {
    const [first, each] = isWhole ? ["start", "step"] : ["start: tl.float64", "step: tl.float64"];
    const value = isWhole ? "start + i * step" : "start + i.to(tl.float64) * step";
    return {
      name: "iota",
      text:
        `@triton.jit\ndef iota(out, ${first}, ${each}, n):\n` +
        `    i = tl.program_id(0).to(tl.int64) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})\n` +
        `    tl.store(out + i, (${value}).to(tl.${tritonName(dtype)}), mask=i < n)\n`,
      params: [
        { kind: "pointer", dtype, isAligned: false },
        isWhole ? { kind: "i64", isDivisible: false } : { kind: "fp64" },
        isWhole ? { kind: "i64", isDivisible: false } : { kind: "fp64" },
        { kind: "i64", isDivisible: false },
      ],
      numWarps: 4,
    };
  });
  kernel.launch(Math.ceil(length / ELEMENTS), [pointer, start, step, length]);
}
