/** Gradients that programs have computed in parts: their sums, in a fixed order, by as few launches as possible. */
import { defer, forgetDeferred } from "../../storage.ts";
import type { Tensor } from "../../tensor.ts";
import type { TensorDevice } from "../tensor-device.ts";
import { indented, launchFused } from "./fused-kernel.ts";

export interface PartsLayout {
  /**
   * Where the weight of a convolution is [filter, tap, channel] in the parts, and [filter, channel, tap] in the target.
   */
  readonly taps?: number;
  readonly channels?: number;
}

interface Sum extends Required<PartsLayout> {
  /** [parts, …] */
  readonly parts: Tensor;
  readonly target: Pick<Tensor, "dtype" | "pointer">;
  readonly targetLength: number;
}

const ELEMENTS = 1024;
/** Sums of one launch. */
const MOST = 8;

/** Sums parts into `target`; what is left of the target becomes 0. */
export function launchSumOfParts(
  device: TensorDevice,
  parts: Tensor,
  target: Tensor,
  { taps = 1, channels = 1 }: PartsLayout = {},
): void {
  launchSums(device, [{ parts, target, targetLength: target.length, taps, channels }]);
}

const waiting = new WeakMap<TensorDevice, Set<{ readonly sum: Sum; readonly tensor: Tensor }>>();

/** As `launchSumOfParts`, when somebody looks at the target: all that wait then are summed by one launch. */
export function deferSumOfParts(
  device: TensorDevice,
  parts: Tensor,
  tensor: Tensor,
  { taps = 1, channels = 1 }: PartsLayout = {},
): void {
  let all = waiting.get(device);
  if (all === undefined) waiting.set(device, (all = new Set()));
  const own = all;
  const { storage, dtype } = tensor;
  parts.retain();
  const target = {
    dtype,
    get pointer() {
      return storage.pointer;
    },
  };
  const entry = { sum: { parts, target, targetLength: tensor.length, taps, channels }, tensor };
  own.add(entry);
  defer(storage, {
    value: null,
    drop: () => {
      own.delete(entry);
      parts.release();
    },
    run: () => {
      const entries = [...own];
      own.clear();
      for (const { tensor: made } of entries) forgetDeferred(made.storage);
      for (let first = 0; first < entries.length; first += MOST)
        launchSums(
          device,
          entries.slice(first, first + MOST).map(({ sum }) => sum),
        );
      for (const { sum } of entries) sum.parts.release();
    },
  });
}

function launchSums(device: TensorDevice, sums: readonly Sum[]): void {
  const lengths = sums.map(({ parts }) => parts.length / (parts.shape[0] as number));
  const columns = lengths.some((length) => length >= 8192) ? 32 : 8;
  const rows = ELEMENTS / columns;
  const firsts: number[] = [];
  let programs = 0;
  for (const { targetLength } of sums) {
    firsts.push(programs);
    programs += Math.ceil(targetLength / columns);
  }
  const tensors = Object.fromEntries(
    sums.flatMap(({ parts, target }, k) => [
      [`parts${k}`, parts],
      [`target${k}`, target],
    ]),
  );
  const numbers = Object.fromEntries(sums.map(({ parts }, k) => [`count${k}`, parts.shape[0] as number]));
  const form = sums
    .map(({ targetLength, taps, channels }, k) => [lengths[k], targetLength, taps, channels].join(" "))
    .join(", ");
  const name = sums.length === 1 ? "sum_of_parts" : `sums_of_parts_of_${sums.length}`;
  const values = (k: number): string[] => {
    const { targetLength, taps, channels } = sums[k] as Sum;
    return [
      `parts = parts${k}`,
      `target = target${k}`,
      `count = count${k}`,
      `first_program = ${firsts[k]}`,
      `length = ${lengths[k]}`,
      `most = ${targetLength}`,
      `taps = ${taps}`,
      `channels = ${channels}`,
    ];
  };
  launchFused(device, name, form, programs, tensors, numbers, () => ({
    lines: [
      "program = tl.program_id(0)",
      ...values(0),
      ...sums.slice(1).flatMap((_, k) => [`if program >= ${firsts[k + 1]}:`, ...indented(values(k + 1))]),
      `column = (program - first_program) * ${columns} + tl.arange(0, ${columns})`,
      `total = tl.zeros((${rows}, ${columns}), dtype=tl.float32)`,
      `for first in range(0, count, ${rows}):`,
      ...indented([
        `row = first + tl.arange(0, ${rows})`,
        "total += tl.load(parts + row[:, None] * length + column[None, :], " +
          "mask=(row < count)[:, None] & (column < length)[None, :], other=0.0)",
      ]),
      "to = column // (taps * channels) * (taps * channels) + column % channels * taps + column // channels % taps",
      "tl.store(target + to, tl.sum(total, 0), mask=column < most)",
    ],
  }));
}
