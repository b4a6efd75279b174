/** Indices that are out of range, in compiled functions: the same error as without `compile`. */
import { HeddleError } from "../../base/diagnostics.ts";
import { memoryOf } from "../device-memory.ts";
import { CHECK_LINES, noteIndices } from "../kernels/index-errors.ts";
import { tensorDeviceOf, type TensorDevice } from "../kernels/tensor-device.ts";
import { contiguous, reshape } from "../operations/shapes.ts";
import { empty, type Tensor } from "../tensor.ts";
import { tritonFunction } from "../kernels/triton-function.ts";

const ELEMENTS = 1024;

/**
 * On a GPU the error comes with the next read of its memory.
 * @returns a tensor that nobody needs
 * @throws HeddleError "bad-arguments"
 */
export function checkRange(index: Tensor, size: number): Tensor {
  const device = tensorDeviceOf(index.place);
  const own = contiguous(reshape(index, [-1]));
  if (device?.raw.queue != null) launchCheck(device, own, size);
  else if (device === null || !memoryOf(device.raw).isRecording) onHost(own, size);
  return empty([1], "int64", index.place);
}

function onHost(index: Tensor, size: number): void {
  for (const value of index.values())
    if (value < 0 || value >= size)
      throw new HeddleError("bad-arguments", `index ${value} is out of bounds for a dimension with size ${size}`);
}

function launchCheck(device: TensorDevice, index: Tensor, size: number): void {
  const isAligned = index.pointer % 16 === 0;
  const kernel = device.kernel(`check_indices ${index.dtype} ${isAligned}`, () => {
    const lines = [
      `i = tl.program_id(0) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`,
      "inside = i < n",
      "index = tl.load(indices + i, mask=inside, other=0).to(tl.int64)",
      ...CHECK_LINES,
    ];
    return {
      name: "check_indices",
      text: tritonFunction("check_indices", ["indices", "notes", "n", "size"], lines),
      params: [
        { kind: "pointer", dtype: index.dtype, isAligned },
        { kind: "pointer", dtype: "int64", isAligned: true },
        { kind: "i32", isDivisible: false },
        { kind: "i32", isDivisible: false },
      ],
      numWarps: 4,
    };
  });
  const { length } = index;
  kernel.launch(Math.ceil(length / ELEMENTS), [index.pointer, noteIndices(device), length, size]);
}
