/** Fourier transforms of arrays in device memory: cuFFT's (cuFFT documentation, "Fourier Transform Types"). */
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions, type OptionNames } from "../base/options.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import { requireArray, requireSizes } from "./arrays.ts";
import { callLibrary } from "./host-library-node.ts";

/** Options of a transform. */
export interface FftOptions {
  /** The lengths of one transform in one to three dimensions, the slowest one first, in numbers: `[rows, columns]`. */
  readonly shape: readonly number[];
  /** How many transforms lie one after the other; default 1. */
  readonly batch?: number;
  /** "forward": exp(-2πi jk / n). "inverse": exp(+2πi jk / n), not divided by n. Default "forward"; c2c alone. */
  readonly direction?: "forward" | "inverse";
  /** Takes the result; it may be the input of `c2c`. Default: a new array. */
  readonly out?: DeviceArray<"float32" | "float64">;
}

const NAMES: OptionNames<FftOptions> = { shape: true, batch: true, direction: true, out: true };
const MEANT = { sizes: "shape", length: "shape", n: "shape", output: "out" };
/** cufftType, by dtype. */
const TYPES = {
  c2c: { float32: 0x29, float64: 0x69 },
  r2c: { float32: 0x2a, float64: 0x6a },
  c2r: { float32: 0x2c, float64: 0x6c },
} as const;
type Real = "float32" | "float64";

/**
 * Fourier transforms on one device. Made by `fft`. Complex numbers are two elements, the real part first. A call waits
 * for its kernels. Calls of the same shape share what the first one prepared.
 */
export class Fft {
  readonly #gpu: Gpu;

  /** @internal Use `fft`. */
  constructor(gpu: Gpu) {
    this.#gpu = gpu;
  }

  /**
   * Transforms complex numbers: 2 × shape × batch elements to as many.
   *
   *     const spectrum = await fft(device).c2c(x, { shape: [1024], batch: 16 });
   *
   * @throws HeddleError "bad-arguments" if sizes, dtypes or devices do not fit.
   */
  c2c<D extends Real>(x: DeviceArray<D>, options: FftOptions): Promise<DeviceArray<D>> {
    return this.#transform("c2c", x, options);
  }

  /**
   * Transforms real numbers. The result has the first half of the spectrum: n / 2 + 1 complex numbers, rounded down, in
   * the last dimension. The others are their conjugates.
   * @throws HeddleError "bad-arguments" if sizes, dtypes or devices do not fit.
   */
  r2c<D extends Real>(x: DeviceArray<D>, options: Omit<FftOptions, "direction">): Promise<DeviceArray<D>> {
    return this.#transform("r2c", x, options);
  }

  /**
   * The way back from `r2c`, not divided by the number of elements. The input is overwritten where the transform has
   * more than one dimension.
   * @throws HeddleError "bad-arguments" if sizes, dtypes or devices do not fit.
   */
  c2r<D extends Real>(x: DeviceArray<D>, options: Omit<FftOptions, "direction">): Promise<DeviceArray<D>> {
    return this.#transform("c2r", x, options);
  }

  async #transform<D extends Real>(
    kind: keyof typeof TYPES,
    x: DeviceArray<D>,
    options: FftOptions,
  ): Promise<DeviceArray<D>> {
    checkOptions<FftOptions>(kind, options, NAMES, { example: "{ shape: [1024] }", meant: MEANT });
    const { shape, batch = 1, direction = "forward" } = options;
    if (!Array.isArray(shape) || shape.length < 1 || shape.length > 3)
      throw new HeddleError("bad-arguments", `the shape of ${kind} must have one to three lengths`);
    requireSizes(`the lengths and the batch of ${kind}`, [...shape, batch]);
    if (direction !== "forward" && direction !== "inverse")
      throw new HeddleError("bad-arguments", `the direction of ${kind} must be "forward" or "inverse"`);
    const { dtype } = x;
    if (dtype !== "float32" && dtype !== "float64")
      throw new HeddleError("bad-arguments", `${kind} transforms float32 and float64, not ${String(dtype)}`);
    const [inLength, outLength] = lengths(kind, shape as readonly number[], batch);
    requireArray(`the input of ${kind}`, this.#gpu, x, { length: inLength });
    const out = (options.out as DeviceArray<D> | undefined) ?? new DeviceArray<D>(this.#gpu.raw, dtype, outLength);
    requireArray(`out of ${kind}`, this.#gpu, out, { length: outLength, dtype });
    const sizes = [0, 1, 2].map((i) => (shape as readonly number[])[i] ?? 1);
    const sign = direction === "forward" ? -1 : 1;
    await callLibrary(this.#gpu, "fft", "__heddle_door_fft", [
      TYPES[kind][dtype],
      shape.length,
      ...sizes,
      batch,
      x,
      out,
      sign,
    ]);
    return out;
  }
}

/** Elements of the input and of the result. */
function lengths(kind: keyof typeof TYPES, shape: readonly number[], batch: number): [number, number] {
  const all = shape.reduce((product, size) => product * size, batch);
  const last = shape.at(-1) as number;
  const half = (all / last) * (Math.floor(last / 2) + 1) * 2;
  if (kind === "c2c") return [2 * all, 2 * all];
  return kind === "r2c" ? [all, half] : [half, all];
}

/**
 * Fourier transforms on a device: cuFFT's functions with arrays. NVIDIA's library does the work on a GPU that has it,
 * Heddle's kernels elsewhere.
 *
 *     const x = device.array(new Float32Array(2 * 1024));
 *     const spectrum = await fft(device).c2c(x, { shape: [1024] });
 */
export function fft(device: Gpu): Fft {
  return new Fft(device);
}
