/**
 * The declaration of a ladder: one operation, its data, its answer, and how versions of its kernel are launched.
 *
 * A ladder is a folder: `1-naive.cu`, `2-….cu` …, each with a comment on top that says what it changes and why that
 * should help, and `<op>.ladder.ts`, whose default export is made by `defineLadder`.
 */
import { HeddleError } from "../base/diagnostics.ts";
import { DTYPES, type Dtype } from "../base/dtypes.ts";
import type { LaunchOptions } from "../library/kernel.ts";
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
  /** Checks use this seed as it is; timed launches get further ones, which change with every run. */
  readonly seed: number;
}

export interface OutputDeclaration<S extends Shape> {
  readonly dtype: Dtype;
  /** Elements. */
  readonly length: (shape: S) => number;
  /**
   * It is also the input of this name, of the same type and length: versions find that content in it and replace it
   * (parameters of an optimizer, sums that are added to).
   */
  readonly inPlace?: true;
  /** |value - reference| <= absolute + relative * |reference| must hold for every element. */
  readonly tolerance: {
    readonly absolute: number | ((shape: S) => number);
    readonly relative: number | ((shape: S) => number);
    /** Why this much, and not less. */
    readonly reason: string;
  };
}

export interface ScratchDeclaration<S extends Shape> {
  readonly dtype: Dtype;
  /** Elements. Its content is undefined when a launch begins. */
  readonly length: (shape: S, configuration: Configuration) => number;
}

/**
 * All elements, or the one at an index where all of them would take too long: then a part is looked at, another one for
 * each launch.
 */
export type ReferenceValues = Float64Array | ((index: number) => number);

/** A name of an array, or a number for a parameter that is one. */
export type LaunchArgument = string | number | bigint;

/**
 * One kernel launch of a version; `cooperative: true` where its blocks wait for one another (`grid.sync()`), `cluster`
 * where they share their shared memory.
 */
export interface LaunchStep extends Omit<LaunchOptions, "stream"> {
  /** As `program.kernel` takes it: `softmax`, `reduce<float, 256>`. */
  readonly kernel: string;
  readonly args: readonly LaunchArgument[];
}

export interface Sweep<S extends Shape> {
  /** -D names with their values; the first of each is the default. */
  readonly parameters?: Readonly<Record<string, readonly number[]>>;
  /** Which combinations there are; default: all. */
  readonly allow?: (configuration: Configuration, shape: S) => boolean;
}

/** What one version does in its own way. */
export interface VersionDeclaration<S extends Shape> extends Sweep<S> {
  /** One version's launches, in order; all of them are timed. */
  readonly launch: (shape: S, configuration: Configuration) => readonly LaunchStep[];
}

/** A matrix product of `openBlas`: on a GPU NVIDIA's cuBLAS or cuBLASLt, on an emulated device Heddle's own kernel. */
export interface BlasRival<S extends Shape> {
  /** Default "cublas". "cublasLt" is for GPUs only. */
  readonly library?: "cublas" | "cublasLt";
  /** As `Blas.matmul` takes it, with names for the arrays. */
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

/** C for the processor; beside an emulated device, where this machine has a compiler. */
export interface NativeRival<S extends Shape> {
  /** A file beside the declaration. */
  readonly source: string;
  /** It returns nothing. */
  readonly function: string;
  /** Arrays by their names, passed as pointers; whole numbers as int, bigints as long long, other numbers as double. */
  readonly args: (shape: S) => readonly LaunchArgument[];
}

/**
 * A function of PyTorch's tensors, which may launch Triton's kernels; beside a GPU, where this machine's Python has
 * PyTorch.
 */
export interface PythonRival {
  /** A file beside the declaration. */
  readonly python: string;
  /**
   * Its parameters have names of arrays, which come as tensors of one dimension, and of sizes, which come as whole
   * numbers. It returns the outputs (a tensor, a tuple in the order of their declaration, or a dict), or writes them
   * into the tensors of those that it has as parameters, and returns nothing.
   */
  readonly function: string;
  /** Through torch.compile, for each timed shape anew. Default false. */
  readonly compile?: boolean;
}

/** Something else that does the work, checked and timed beside the versions. */
export type RivalDeclaration<S extends Shape> = BlasRival<S> | NativeRival<S> | PythonRival;

export interface LadderDefinition<S extends Shape, I extends string, O extends string> {
  /** One line: what is computed. */
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
    /** Small ones, with sizes that no block divides. Every version must be right for all of them. */
    readonly check: readonly S[];
    /** What is timed, by device. */
    readonly time: { readonly emulated: readonly S[]; readonly cuda: readonly S[] };
  };
  /** By file name without `.cu`. */
  readonly versions: Readonly<Record<string, VersionDeclaration<S>>>;
  /** By what the table calls them. */
  readonly rivals?: Readonly<Record<string, RivalDeclaration<S>>>;
}

/** A ladder whose types are forgotten. */
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
      `has two arrays named "${twice}"${twice in outputs ? ' (an output that is an input, too, says "inPlace: true")' : ""}`,
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
