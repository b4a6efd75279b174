/** Kernels that do several operations in one launch: their text is made for the sizes of a layer, but for any batch. */
import type { Tensor } from "../../tensor.ts";
import type { KernelParameter, TensorDevice } from "../tensor-device.ts";
import { tritonFunction } from "../triton-function.ts";

export interface FusedText {
  /** Statements; the tensors and numbers are known by their names. */
  readonly lines: readonly string[];
  readonly warps?: number;
  /** Of the pipelines that load operands of products early. */
  readonly stages?: number;
}

/**
 * Launches the kernel of this name and form.
 * @param form what the text depends on, besides the types of the tensors
 * @param numbers whole numbers that differ from launch to launch
 */
export function launchFused(
  device: TensorDevice,
  name: string,
  form: string,
  programs: number,
  tensors: Readonly<Record<string, Pick<Tensor, "dtype" | "pointer">>>,
  numbers: Readonly<Record<string, number>>,
  make: () => FusedText,
): void {
  let key = `${name} ${form}`;
  let isAligned = true;
  const args: number[] = [];
  for (const tensor of Object.values(tensors)) {
    const { pointer } = tensor;
    key += ` ${tensor.dtype}`;
    if (pointer % 16 !== 0) isAligned = false;
    args.push(pointer);
  }
  args.push(...Object.values(numbers));
  const kernel = device.kernel(isAligned ? key : `${key} unaligned`, () => {
    const { lines, warps = 4, stages = 3 } = make();
    const params: KernelParameter[] = Object.values(tensors).map(({ dtype }) => ({
      kind: "pointer",
      dtype,
      isAligned,
    }));
    for (const _ of Object.keys(numbers)) params.push({ kind: "i32", isDivisible: false });
    const parameters = [...Object.keys(tensors), ...Object.keys(numbers)];
    return {
      name,
      text: tritonFunction(name, parameters, lines),
      params,
      numWarps: warps,
      numStages: stages,
    };
  });
  kernel.launch(programs, args);
}

export const indented = (lines: readonly string[]): string[] => lines.map((line) => `    ${line}`);

/** The least power of two from 16 on that is not below: tensor cores take no smaller sides. */
export function sideOf(size: number, most: number): number {
  let side = 16;
  while (side < size && side < most) side *= 2;
  return side;
}

/** Row blocks that a program takes one after the other, so that about so many programs are left. */
export function blocksOfProgram(blocks: number, programs: number): number {
  let count = 1;
  while (blocks > programs * count) count *= 2;
  return count;
}
