/**
 * The data of one shape on a device, laid so that a kernel cannot do well without doing its work: several sets of
 * inputs wait beside the arrays that the kernel sees; before every launch one of them is copied there, and outputs and
 * scratch memory are overwritten with what is certainly wrong. The reference never is on the device.
 */
import { HeddleError } from "../base/diagnostics.ts";
import { decodeValues, dtypeBytes, encodeValues, type Dtype } from "../base/dtypes.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import { compareValues, joinComparisons, NOTHING_COMPARED, type Comparison } from "./comparison.ts";
import { generator } from "../kernel-library/distributions.ts";
import { fillArray } from "../measure/timed-device.ts";
import { randomInt } from "./random-int.ts";
import {
  resolveArgument,
  type Configuration,
  type Ladder,
  type LaunchArgument,
  type ReferenceValues,
  type Shape,
} from "../kernel-library/ladder.ts";

/** Arrays up to so many elements are compared as a whole after each launch. */
const WHOLE_ELEMENTS = 1 << 20;
const WINDOWS = 16;
const WINDOW_ELEMENTS = 4096;
/** Of references that are asked element by element. */
const ASKED_WINDOWS = 8;
const ASKED_WINDOW_ELEMENTS = 64;

/** A prime: no two rows of a matrix are the same, unless it has as many columns. */
const MOST_DRAWN = 16_777_213;

/** Elements [begin, end) of an output. */
export type ReadOutput = (output: string, begin: number, end: number) => Promise<ArrayLike<number | bigint>>;

export class Workspace {
  readonly shape: Shape;
  /** How many sets of inputs there are. */
  readonly sets: number;
  readonly #gpu: Gpu;
  readonly ladder: Ladder;
  readonly #seeds: readonly number[];
  /** What kernels see, by name. */
  readonly #arrays = new Map<string, DeviceArray>();
  readonly #staged: ReadonlyMap<string, DeviceArray>[] = [];
  /** What was staged, in the arrays' types, until the reference of the set is made of it. */
  readonly #hosts: (ReadonlyMap<string, Uint8Array<ArrayBuffer>> | null)[] = [];
  readonly #references: (Readonly<Record<string, ReferenceValues>> | null)[];

  /** @param seeds one for each set of inputs; added to the inputs' own. */
  constructor(gpu: Gpu, ladder: Ladder, shape: Shape, seeds: readonly number[]) {
    this.#gpu = gpu;
    this.ladder = ladder;
    this.shape = shape;
    this.#seeds = seeds;
    this.sets = seeds.length;
    this.#references = seeds.map(() => null);
    for (const [name, { dtype, length }] of Object.entries({ ...ladder.inputs, ...ladder.outputs }))
      this.#arrays.set(name, gpu.array(length(shape), dtype));
    for (const [name, { length, inPlace }] of Object.entries(ladder.outputs)) {
      if (inPlace && length(shape) !== this.#length(name))
        throw new HeddleError(
          "bad-arguments",
          `"${name}" is changed in place, and has ${this.#length(name)} elements as an input, ${length(shape)} as ` +
            `an output`,
        );
    }
    for (let set = 0; set < seeds.length; set++) {
      const host = new Map(Object.keys(ladder.inputs).map((name) => [name, this.#hostInput(name, set)]));
      this.#hosts.push(host);
      this.#staged.push(
        new Map(
          [...host].map(([name, bytes]) => {
            const array = gpu.array(this.#length(name), (ladder.inputs[name] as Ladder["inputs"][string]).dtype);
            gpu.raw.write(array.pointer, bytes);
            return [name, array];
          }),
        ),
      );
    }
  }

  /** A launch's arguments, with arrays for their names. */
  resolve(
    args: readonly LaunchArgument[],
    unknown: (name: string) => never,
  ): (number | bigint | DeviceArray | Uint8Array)[] {
    return args.map((argument) => resolveArgument(argument, (name) => this.#arrays.get(name) ?? unknown(name)));
  }

  /** An input of a set, as the device has it. */
  stagedBytes(input: string, set: number): Uint8Array {
    const array = this.#staged[set]?.get(input) as DeviceArray;
    const bytes = new Uint8Array(array.byteLength);
    this.#gpu.raw.read(array.pointer, bytes);
    return bytes;
  }

  get arrayNames(): string[] {
    return [...this.#arrays.keys()];
  }

  /** Makes scratch arrays large enough for a configuration. */
  fit(configuration: Configuration): void {
    for (const [name, { dtype, length }] of Object.entries(this.ladder.scratch ?? {})) {
      const needed = length(this.shape, configuration);
      const there = this.#arrays.get(name);
      if (there !== undefined && there.length >= needed) continue;
      there?.free();
      this.#arrays.set(name, this.#gpu.array(needed, dtype));
    }
  }

  /**
   * Puts a set of inputs in place, also in outputs that begin as one, and spoils everything else. Asynchronous where
   * the device is.
   */
  begin(set: number): void {
    for (const [name, staged] of this.#staged[set] as ReadonlyMap<string, DeviceArray>)
      copy(this.#gpu, this.#arrays.get(name) as DeviceArray, staged);
    for (const [name, array] of this.#arrays) if (!(name in this.ladder.inputs)) spoil(this.#gpu, array);
  }

  /**
   * Compares the outputs with the reference of a set. Of large ones, or where the reference is asked element by
   * element, windows at random places.
   * @param read where outputs lie elsewhere than in the arrays here.
   */
  async compare(
    set: number,
    whole: boolean,
    read: ReadOutput = (name, begin, end) => (this.#arrays.get(name) as DeviceArray).read(begin, end),
  ): Promise<Comparison> {
    let result = NOTHING_COMPARED;
    const references = this.#reference(set);
    for (const [name, declaration] of Object.entries(this.ladder.outputs)) {
      const array = this.#arrays.get(name) as DeviceArray;
      const expected = references[name];
      if (expected === undefined) throw new TypeError(`the reference gives no "${name}"`);
      const asked = typeof expected === "function";
      const all = whole || array.length <= (asked ? ASKED_WINDOWS * ASKED_WINDOW_ELEMENTS : WHOLE_ELEMENTS);
      if (all) {
        result = joinComparisons(
          result,
          compareValues(name, declaration, this.shape, await read(name, 0, array.length), expected),
        );
        continue;
      }
      const [windows, elements] = asked ? [ASKED_WINDOWS, ASKED_WINDOW_ELEMENTS] : [WINDOWS, WINDOW_ELEMENTS];
      for (let w = 0; w < windows; w++) {
        // The last elements, where a grid that is too small ends early, are always among them.
        const begin = w === 0 ? array.length - elements : randomInt(array.length - elements + 1);
        result = joinComparisons(
          result,
          compareValues(name, declaration, this.shape, await read(name, begin, begin + elements), expected, begin),
        );
      }
    }
    return result;
  }

  /**
   * Of an output that is changed in place: whether its input is within the tolerance of the reference, so that a kernel
   * that does nothing would pass.
   */
  async unchanged(set: number): Promise<string | null> {
    const references = this.#reference(set);
    for (const [name, declaration] of Object.entries(this.ladder.outputs)) {
      if (declaration.inPlace !== true || this.#length(name) === 0) continue;
      const before = await (this.#staged[set] as ReadonlyMap<string, DeviceArray>).get(name)?.read();
      if (
        before !== undefined &&
        compareValues(name, declaration, this.shape, before, references[name] as ReferenceValues).wrong === 0
      )
        return name;
    }
    return null;
  }

  free(): void {
    for (const array of [...this.#arrays.values(), ...this.#staged.flatMap((set) => [...set.values()])]) {
      // The next allocation of this memory must not find answers in it.
      spoil(this.#gpu, array);
      array.free();
    }
  }

  #reference(set: number): Readonly<Record<string, ReferenceValues>> {
    let reference = this.#references[set] ?? null;
    if (reference === null) {
      // As the device has them: rounded to the array's type.
      const inputs = Object.fromEntries(
        [...(this.#hosts[set] as ReadonlyMap<string, Uint8Array<ArrayBuffer>>)].map(([name, bytes]) => {
          const stored = decodeValues(bytes, (this.ladder.inputs[name] as Ladder["inputs"][string]).dtype);
          // The constructor is twenty times as fast as `from`, and takes no bigints.
          return [
            name,
            stored instanceof BigInt64Array || stored instanceof BigUint64Array
              ? Float64Array.from(stored, Number)
              : new Float64Array(stored),
          ];
        }),
      );
      reference = this.ladder.reference(inputs, this.shape);
      this.#references[set] = reference;
      this.#hosts[set] = null;
    }
    return reference;
  }

  #length(input: string): number {
    return (this.ladder.inputs[input] as Ladder["inputs"][string]).length(this.shape);
  }

  #hostInput(name: string, set: number): Uint8Array<ArrayBuffer> {
    const { dtype, values, seed } = this.ladder.inputs[name] as Ladder["inputs"][string];
    const next = values(generator(seed + (this.#seeds[set] as number)), this.shape);
    return drawn(this.#length(name), dtype, next);
  }
}

function copy({ raw }: Gpu, destination: DeviceArray, source: DeviceArray): void {
  if (raw.queue === null) raw.copy(destination.pointer, source.pointer, source.byteLength);
  else raw.queue.copy(destination.pointer, source.pointer, source.byteLength, 0);
}

/**
 * Values drawn, as a device has them. Of large arrays the first so many are drawn, and repeat: drawing one takes 40 ns.
 */
export function drawn(
  count: number,
  dtype: Dtype,
  next: () => number,
  most: number = MOST_DRAWN,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(count * dtypeBytes(dtype));
  const part = drawnOnce(Math.min(count, most), dtype, next);
  if (part.length === bytes.length) return part;
  bytes.set(part);
  for (let filled = part.length; filled < bytes.length; filled *= 2)
    bytes.copyWithin(filled, 0, Math.min(filled, bytes.length - filled));
  return bytes;
}

function drawnOnce(count: number, dtype: Dtype, next: () => number): Uint8Array<ArrayBuffer> {
  if (dtype === "int64" || dtype === "uint64")
    return encodeValues(
      Array.from({ length: count }, () => BigInt(Math.trunc(next()))),
      dtype,
    );
  if (dtype === "float16" || dtype === "bfloat16") {
    const host = new Float64Array(count);
    for (let i = 0; i < count; i++) host[i] = next();
    return encodeValues(host, dtype);
  }
  const bytes = new Uint8Array(count * dtypeBytes(dtype));
  const stored = decodeValues(bytes, dtype);
  for (let i = 0; i < count; i++) stored[i] = next();
  return bytes;
}

const isFloat = (dtype: Dtype): boolean => dtype.startsWith("float") || dtype.startsWith("bfloat");

/** NaNs for floats of any size, else any bits; other ones each time. */
function spoil(gpu: Gpu, array: DeviceArray): void {
  const elementBytes = Math.min(4, dtypeBytes(array.dtype)) as 1 | 2 | 4;
  fillArray(gpu, array, spoiledBits(isFloat(array.dtype), elementBytes), elementBytes);
}

function spoiledBits(ofFloats: boolean, elementBytes: 1 | 2 | 4): number {
  const random = randomInt(2 ** 31);
  if (!ofFloats) return random % 2 ** (8 * elementBytes);
  return elementBytes === 2 ? 0x7ff8 | (random & 7) : 0x7ff80000 | (random & 0x7ffff);
}
