/** One launch that puts tensors behind one another: each program copies from the tensor that its elements belong to. */
import type { Tensor } from "../tensor.ts";
import { tritonName, type KernelParameter, type TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

const ELEMENTS = 1024;
/** More tensors than this take more launches. */
export const MOST_TOGETHER = 16;

/** A tensor without gaps as [outer, inner], and where its first element of each row lies in a row of the result. */
export interface JoinedPart {
  readonly tensor: Tensor;
  readonly inner: number;
  readonly begin: number;
}

/** @param result without gaps, as [outer, total]; all tensors are of its type */
export function launchConcatenation(
  device: TensorDevice,
  result: Tensor,
  outer: number,
  total: number,
  parts: readonly JoinedPart[],
): void {
  const { dtype } = result;
  const isAligned = [result, ...parts.map(({ tensor }) => tensor)].every(({ pointer }) => pointer % 16 === 0);
  const isDivisible = total % 16 === 0 && parts.every(({ inner, begin }) => inner % 16 === 0 && begin % 16 === 0);
  const count = parts.length;
  const key = `concatenation ${count} ${dtype} ${Number(isAligned)}${Number(isDivisible)}${Number(outer === 1)}`;
  const kernel = device.kernel(key, () => {
    const pointers = parts.map((_, k) => `in${k}`);
    const sizes = parts.flatMap((_, k) => [`inner${k}`, `begin${k}`]);
    const firsts = parts.slice(1).map((_, k) => `first${k + 1}`);
    const pointer: KernelParameter = { kind: "pointer", dtype, isAligned };
    const body = ["program = tl.program_id(0)", "first = 0", "source = in0", "inner = inner0", "begin = begin0"];
    for (let k = 1; k < count; k++)
      body.push(
        `if program >= first${k}:`,
        ...[`first = first${k}`, `source = in${k}`, `inner = inner${k}`, `begin = begin${k}`].map(
          (line) => `    ${line}`,
        ),
      );
    body.push(
      `at = (program - first) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`,
      outer === 1 ? "to = begin + at" : "to = begin + at // inner * total + at % inner",
      outer === 1 ? "inside = at < inner" : "inside = at < inner * outer",
      "tl.store(out + to, tl.load(source + at, mask=inside), mask=inside)",
    );
    const name = `concatenation_${tritonName(dtype)}`;
    return {
      name,
      text: tritonFunction(name, ["out", ...pointers, "outer", "total", ...sizes, ...firsts], body),
      params: [
        pointer,
        ...parts.map(() => pointer),
        { kind: "i32", isDivisible: false },
        ...[...sizes, "total"].map((): KernelParameter => ({ kind: "i32", isDivisible })),
        ...firsts.map((): KernelParameter => ({ kind: "i32", isDivisible: false })),
      ],
      numWarps: 4,
    };
  });
  const firsts: number[] = [];
  let programs = 0;
  for (const { inner } of parts) {
    firsts.push(programs);
    programs += Math.ceil((outer * inner) / ELEMENTS);
  }
  kernel.launch(programs, [
    result.pointer,
    ...parts.map(({ tensor }) => tensor.pointer),
    outer,
    total,
    ...parts.flatMap(({ inner, begin }) => [inner, begin]),
    ...firsts.slice(1),
  ]);
  result.storage.version++;
}
