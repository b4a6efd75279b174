/**
 * The declaration of a ladder: one operation, its data, its answer, and how versions of its kernel are launched.
 *
 * A ladder is a folder: `1-naive.cu`, `2-….cu` …, each with a comment on top that says what it changes and why that
 * should help, and `<op>.ladder.ts`, whose default export is made by `defineLadder`.
 */
import { HeddleError } from "../base/diagnostics.ts";
import { DTYPES, type Dtype } from "../base/dtypes.ts";
import type { LaunchOptions } from "../library/launch-options.ts";
import { tensorMap, type TensorMapOptions } from "../library/tensor-map.ts";
import type { DeviceArray } from "../library/device-array.ts";
import type { Distribution } from "./distributions.ts";
import type { Work } from "../measure/work.ts";

/** The sizes of one problem, by name: `{ rows: 512, columns: 1000 }`. */
export type Shape = Readonly<Record<string, number>>;
/** One configuration: a value for each -D name of a sweep. */
export type Configuration = Readonly<Record<string, number>>;

export interface InputDeclaration<S extends Shape> {
  readonly dtype: Dtype;
  /** Elements. */
  readonly length: (shape: S) => number;
  readonly values: Distribution;
  /** The seed of the checks' values. Timed launches use other seeds, which change with every run. */
  readonly seed: number;
}

export interface OutputDeclaration<S extends Shape> {
  readonly dtype: Dtype;
  /** Elements. */
  readonly length: (shape: S) => number;
  /**
   * The output is also the input of this name, of the same type and length: versions read the content and replace it
   * (parameters of an optimizer, sums that are added to).
   */
  readonly inPlace?: true;
  /** |value - reference| <= absolute + relative * |reference| must hold for every element. */
  readonly tolerance: {
    readonly absolute: number | ((shape: S) => number);
    readonly relative: number | ((shape: S) => number);
    /** Why the tolerance is not smaller. */
    readonly reason: string;
  };
}

export interface ScratchDeclaration<S extends Shape> {
  readonly dtype: Dtype;
  /** Elements. The content is undefined when a version begins. */
  readonly length: (shape: S, configuration: Configuration) => number;
}

/**
 * All elements; or a function that computes one element, if all of them would take too long. Then each launch is
 * compared with the reference at other places.
 */
export type ReferenceValues = Float64Array | ((index: number) => number);

/** A tensor map of an array: what it is called, and what `device.tensorMap` takes. */
export interface TensorMapArgument extends TensorMapOptions {
  readonly tensorMap: string;
}

/** The name of an array, a tensor map of one, or the value of a parameter that is a number. */
export type LaunchArgument = string | number | bigint | TensorMapArgument;

/** What a kernel gets for an argument. */
export function resolveArgument(
  argument: LaunchArgument,
  arrayOf: (name: string) => DeviceArray,
): number | bigint | DeviceArray | Uint8Array {
  if (typeof argument === "string") return arrayOf(argument);
  if (typeof argument !== "object") return argument;
  const { tensorMap: name, ...options } = argument;
  return tensorMap(arrayOf(name), options);
}

/**
 * One kernel launch of a version. `cooperative: true` lets its blocks wait for one another (`grid.sync()`); `cluster`
 * lets them share their shared memory.
 */
export interface LaunchStep extends Omit<LaunchOptions, "stream"> {
  /** The kernel's name, as for `program.kernel`: `softmax`, `reduce<float, 256>`. */
  readonly kernel: string;
  readonly args: readonly LaunchArgument[];
}

export interface Sweep<S extends Shape> {
  /** -D names with their values; the first of each is the default. */
  readonly parameters?: Readonly<Record<string, readonly number[]>>;
  /** Selects the combinations that exist; default: all. */
  readonly allow?: (configuration: Configuration, shape: S) => boolean;
}

/** One version of a ladder: its launches and parameters. */
export interface VersionDeclaration<S extends Shape> extends Sweep<S> {
  /** One version's launches, in order; all of them are timed. */
  readonly launch: (shape: S, configuration: Configuration) => readonly LaunchStep[];
}

/** A matrix product of `openBlas`: on a GPU NVIDIA's cuBLAS or cuBLASLt, on an emulated device Heddle's own kernel. */
export interface BlasRival<S extends Shape> {
  /** Default "cublas". "cublasLt" is for GPUs only. */
  readonly library?: "cublas" | "cublasLt";
  /** Options as for `Blas.matmul`, with names of arrays. */
  readonly matmul: (shape: S) => {
    readonly m: number;
    readonly n: number;
    readonly k: number;
    readonly a: string;
    readonly b: string;
    readonly c: string;
    readonly transposeA?: boolean;
    readonly transposeB?: boolean;
    readonly tf32?: boolean;
  };
}

/** A C function for the processor. It is compared with an emulated device if this machine has a compiler. */
export interface NativeRival<S extends Shape> {
  /** A file beside the declaration. */
  readonly source: string;
  /** The function's name. It returns nothing. */
  readonly function: string;
  /** Arrays by their names, passed as pointers; whole numbers as int, bigints as long long, other numbers as double. */
  readonly args: (shape: S) => readonly LaunchArgument[];
}

/**
 * A Python function on PyTorch's tensors, which may launch Triton's kernels. It is compared with a GPU if this
 * machine's Python has PyTorch.
 */
export interface PythonRival {
  /** A file beside the declaration. */
  readonly python: string;
  /**
   * The function's name. Its parameters have the names of arrays, which are tensors of one dimension, and of sizes,
   * which are whole numbers. It returns the outputs: a tensor, a tuple in the order of their declaration, or a dict. Or
   * it writes the outputs into tensors that are its parameters, and returns nothing.
   */
  readonly function: string;
  /** Compiles the function with torch.compile, for each timed shape anew. Default false. */
  readonly compile?: boolean;
}

/** A rival: something else that does the same work, checked and timed beside the versions. */
export type RivalDeclaration<S extends Shape> = BlasRival<S> | NativeRival<S> | PythonRival;

export interface LadderDefinition<S extends Shape, I extends string, O extends string> {
  /** One line that tells what is computed. */
  readonly summary: string;
  readonly inputs: Readonly<Record<I, InputDeclaration<S>>>;
  readonly outputs: Readonly<Record<O, OutputDeclaration<S>>>;
  /** Device memory that versions may use between their launches. */
  readonly scratch?: Readonly<Record<string, ScratchDeclaration<S>>>;
  /** The answer in float64, from the inputs as the device gets them. */
  readonly reference: (inputs: Readonly<Record<I, Float64Array>>, shape: S) => Readonly<Record<O, ReferenceValues>>;
  /** Bytes of device memory that any version must move, and operations that it must do. */
  readonly work: (shape: S) => Work;
  readonly shapes: {
    /** Small shapes, with sizes that no block divides. Every version must be right for all of them. */
    readonly check: readonly S[];
    /** The timed shapes, by device. */
    readonly time: { readonly emulated: readonly S[]; readonly cuda: readonly S[] };
  };
  /** Versions by file name without `.cu`. */
  readonly versions: Readonly<Record<string, VersionDeclaration<S>>>;
  /** Rivals by their name in the table. */
  readonly rivals?: Readonly<Record<string, RivalDeclaration<S>>>;
}

/** A ladder without the types of its arrays and sizes. */
export type Ladder = LadderDefinition<Record<string, number>, string, string>;

/**
 * Checks a declaration; throws HeddleError "bad-arguments" that names what is wrong.
 *
 *     export default defineLadder({ summary: "y = 2 x", inputs: …, outputs: …, reference: …, … });
 */
export function defineLadder<S extends Shape, I extends string, O extends string>(
  definition: LadderDefinition<S, I, O>,
): Ladder {
  const ladder = definition as unknown as Ladder;
  const fail = (what: string): never => {
    throw new HeddleError("bad-arguments", `a ladder ${what}`);
  };
  const { inputs, outputs, scratch = {}, shapes, versions } = ladder;
  for (const [name, { dtype, inPlace }] of Object.entries(outputs)) {
    if (inPlace && inputs[name]?.dtype !== dtype) fail(`changes "${name}" in place, which is no input of ${dtype}`);
  }
  const names = [
    ...Object.keys(inputs),
    ...Object.keys(outputs).filter((name) => outputs[name]?.inPlace !== true),
    ...Object.keys(scratch),
  ];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    fail(
      `has two arrays named ` +
        `"${twice}"${twice in outputs ? ' (an output that is an input, too, says "inPlace: true")' : ""}`,
    );
  for (const [name, { dtype }] of Object.entries({ ...inputs, ...outputs, ...scratch }))
    if (!DTYPES.includes(dtype)) fail(`has an array "${name}" of unknown dtype "${String(dtype)}"`);
  if (Object.keys(outputs).length === 0) fail("has no outputs: there is nothing to check");
  for (const [name, { tolerance }] of Object.entries(outputs))
    if (tolerance.reason.trim() === "") fail(`does not say why the tolerance of "${name}" is what it is`);
  if (shapes.check.length === 0) fail("has no shapes to check");
  if (Object.keys(versions).length === 0) fail("has no versions");
  for (const [name, { parameters = {} }] of Object.entries(versions)) {
    for (const [parameter, values] of Object.entries(parameters))
      if (values.length === 0) fail(`version ${name} has no values for ${parameter}`);
  }
  return ladder;
}

export const shapeText = (shape: Shape): string =>
  Object.entries(shape)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
