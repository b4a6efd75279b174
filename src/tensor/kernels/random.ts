/** Random numbers by Philox 4x32-10, as the threads of PyTorch's CUDA kernels draw them. */
import type { Tensor } from "../tensor.ts";
import { tritonName, type KernelText, type TensorDevice } from "./tensor-device.ts";
import { tritonFunction } from "./triton-function.ts";

export type Distribution = "uniform" | "normal" | "integer";

/** How PyTorch's kernel would draw: each of `threads` takes four words a round. */
export interface Draws {
  readonly seedLow: number;
  readonly seedHigh: number;
  readonly counter: number;
  readonly threads: number;
  readonly rounds: number;
}

const ELEMENTS = 256;
const HALF_STEP = "1.1641532182693481e-10";

/** Statements that make the numbers v0 to v3 of the words w0 to w3. */
const NUMBERS: Readonly<Record<Distribution, readonly string[]>> = {
  uniform: [0, 1, 2, 3].flatMap((i) => [
    `v${i} = w${i}.to(tl.float32) * 2.3283064365386963e-10 + ${HALF_STEP}`,
    // (0, 1] becomes [0, 1).
    `v${i} = tl.where(v${i} == 1.0, 0.0, v${i})`,
  ]),
  normal: [0, 2].flatMap((i) => [
    `u = w${i}.to(tl.float32) * 2.3283064365386963e-10 + ${HALF_STEP}`,
    `turn = w${i + 1}.to(tl.float32) * 1.4629180792671596e-09 + 7.314590396335798e-10`,
    "radius = tl.sqrt_rn(-2.0 * libdevice.log(u))",
    `v${i} = radius * libdevice.sin(turn)`,
    `v${i + 1} = radius * libdevice.cos(turn)`,
  ]),
  integer: [0, 1, 2, 3].map((i) => `v${i} = low + w${i}.to(tl.int64) % range`),
};

/** Fills a tensor without gaps. @param bounds of whole numbers: the least one, and how many there are */
export function launchRandom(
  device: TensorDevice,
  distribution: Distribution,
  result: Tensor,
  draws: Draws,
  [low, range]: readonly [number, number] = [0, 1],
): void {
  const { dtype, length } = result;
  const key = `random ${distribution} ${dtype}`;
  const kernel = device.kernel(key, (): KernelText => {
    const lines = [
      `i = tl.program_id(0).to(tl.int64) * ${ELEMENTS} + tl.arange(0, ${ELEMENTS})`,
      "thread = i % threads",
      "round = i // threads",
      "zero = (thread * 0).to(tl.uint32)",
      "word = (counter + round).to(tl.uint32)",
      "w0, w1, w2, w3 = tl.philox_impl(word, zero, thread.to(tl.uint32), zero, " +
        "zero + seed_low.to(tl.uint32), zero + seed_high.to(tl.uint32))",
      ...NUMBERS[distribution],
      "at = thread + round * threads * 4",
      ...[0, 1, 2, 3].map(
        (n) =>
          `tl.store(out + at + threads * ${n}, v${n}.to(tl.${tritonName(dtype)}), ` +
          `mask=(round < rounds) & (at + threads * ${n} < n))`,
      ),
    ];
    const names = ["n", "threads", "rounds", "counter", "seed_low", "seed_high", "low", "range"];
    return {
      name: `random_${distribution}`,
      text: tritonFunction(`random_${distribution}`, ["out", ...names], lines),
      params: [
        { kind: "pointer", dtype, isAligned: false },
        ...names.map(() => ({ kind: "i64", isDivisible: false }) as const),
      ],
      numWarps: 4,
    };
  });
  const { threads, rounds, counter, seedLow, seedHigh } = draws;
  const args = [length, threads, rounds, counter, seedLow, seedHigh, low, range];
  kernel.launch(Math.ceil((threads * rounds) / ELEMENTS), [result.pointer, ...args]);
}
