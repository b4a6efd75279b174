/** Kernels that do several operations in one launch: their text is made for the sizes of a layer, but for any batch. */
import type { Tensor } from "../../tensor.ts";
import { memoryOf } from "../../device-memory.ts";
import type { KernelParameter, TensorDevice } from "../tensor-device.ts";
import type { TensorKernel } from "../tensor-kernel.ts";
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
 * @param make its text; several that compute the same into other memory: a GPU's first launch keeps the fastest
 */
export function launchFused(
  device: TensorDevice,
  name: string,
  form: string,
  programs: number,
  tensors: Readonly<Record<string, Pick<Tensor, "dtype" | "pointer">>>,
  numbers: Readonly<Record<string, number>>,
  make: () => FusedText | readonly FusedText[],
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
  if (!isAligned) key += " unaligned";
  const known = device.chosen.get(key);
  if (known !== undefined) {
    known.launch(programs, args);
    return;
  }
  const made = make();
  const variants = Array.isArray(made) ? (made as readonly FusedText[]) : [made as FusedText];
  const compiled = (variant: number): TensorKernel =>
    device.kernel(`${key} ${variant}`, () => {
      const { lines, warps = 4, stages = 3 } = variants[variant] as FusedText;
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
  const isSure = variants.length === 1 || device.raw.queue === null || programs < LEAST_PROGRAMS;
  const kernel =
    isSure || memoryOf(device.raw).isRecording
      ? compiled(0)
      : fastest(
          device,
          variants.map((_, i) => compiled(i)),
          programs,
          args,
        );
  if (isSure || !memoryOf(device.raw).isRecording) device.chosen.set(key, kernel);
  kernel.launch(programs, args);
}

/** Kernels of fewer programs take as long as their launch. */
const LEAST_PROGRAMS = 64;
const TRIALS = 5;
const ROUNDS = 3;

function fastest(
  device: TensorDevice,
  kernels: readonly TensorKernel[],
  programs: number,
  args: readonly number[],
): TensorKernel {
  const { raw, stream } = device;
  const { queue } = raw;
  if (queue === null) return kernels[0] as TensorKernel;
  const [begin, end] = [queue.createEvent(), queue.createEvent()];
  let best = { time: Infinity, kernel: kernels[0] as TensorKernel };
  for (const kernel of kernels) kernel.launch(programs, args);
  // In turns: what else happens on the GPU meets all of them.
  for (let round = 0; round < ROUNDS; round++)
    for (const kernel of kernels) {
      queue.record(begin, stream);
      for (let i = 0; i < TRIALS; i++) kernel.launch(programs, args);
      queue.record(end, stream);
      queue.waitForEventBlocking(end);
      const time = queue.elapsedMs(begin, end);
      if (time < best.time) best = { time, kernel };
    }
  queue.destroyEvent(begin);
  queue.destroyEvent(end);
  return best.kernel;
}

export const indented = (lines: readonly string[]): string[] => lines.map((line) => `    ${line}`);

/** The least power of two from 16 on that is not below: tensor cores take no smaller sides. */
export function sideOf(size: number, most: number): number {
  let side = 16;
  while (side < size && side < most) side *= 2;
  return side;
}

/** Row blocks that a program takes one after the other, so that at most so many programs are left. */
export function blocksOfProgram(blocks: number, programs: number): number {
  return Math.max(1, Math.ceil(blocks / programs));
}
