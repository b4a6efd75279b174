/**
 * The kernels of ladders as functions: each call takes the version and configuration that were measured to be the best
 * for its device and shape.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions } from "../base/options.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import { checkDevice } from "../library/library-options.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import type { GpuProgram } from "../library/gpu-program.ts";
import type { Heddle } from "../library/heddle.ts";
import type { LoadedLadder, LadderVersion } from "./loaded-ladder.ts";
import { findLadders, ladderName, loadLadder } from "./ladder-files-node.ts";
import type { Configuration, Shape } from "./ladder.ts";
import { readWinners } from "./winner-file-node.ts";
import { includedFiles } from "./included-files-node.ts";
import { ranked, type Winner } from "./winners.ts";
import { resolveArgument, shapeText } from "./ladder.ts";
import { defaultConfiguration, firstConfigurations, keyOf, spaceOf } from "./search-space.ts";
import { methodName } from "./kernel-types.ts";
import { canRun, needsOf, type VersionNeeds } from "./version-needs.ts";
import { shapeOfCall, sizesOf } from "./shape-of-call.ts";

/** The version that a call uses, and why: the best one that the GPU can run, all blocks at once if they wait. */
export interface KernelChoice {
  readonly version: string;
  readonly configuration: Configuration;
  /**
   * The measurement that the choice follows. null: no promoted result fits, and the call uses the last version in its
   * default configuration.
   */
  readonly winner: Winner | null;
}

/** Options of `openKernels`. */
export interface KernelsOptions {
  /** The folder with ladders, also below it. Default: Heddle's own ladders. */
  readonly folder?: string;
}

interface OpenLadder {
  readonly loaded: LoadedLadder;
  readonly winners: readonly Winner[];
}

/**
 * Kernels as functions. Made by `openKernels`. Closes itself with `using`.
 *
 * Each ladder is a function with its name in camelCase (matmulF32 for matmul-f32), unless a member of this class has
 * that name. Its parameters are the inputs in the order of their declaration, and then an object with names: sizes that
 * do not follow from the arrays' lengths, and outputs to be written into. It returns the output; several outputs are
 * returned by name.
 *
 *     const y = await kernels.softmax(x, { columns: 1000 });
 *     const { normed, residual } = await kernels.fusedResidualLayernorm(a, b, weight, bias);
 *
 * It throws the errors of `run`.
 */
export class Kernels {
  readonly gpu: Gpu;
  /** The names that `run` takes. */
  readonly names: readonly string[];
  readonly #load: Heddle["load"];
  readonly #files: ReadonlyMap<string, string>;
  readonly #ladders = new Map<string, Promise<OpenLadder>>();
  readonly #programs = new Map<string, Promise<GpuProgram>>();
  readonly #scratch = new Map<string, DeviceArray>();

  /** @internal Use `openKernels`. */
  constructor(gpu: Gpu, load: Heddle["load"], folder: string) {
    this.gpu = gpu;
    this.#load = load;
    this.#files = new Map(findLadders([folder]).map((file) => [ladderName(file), file]));
    this.names = [...this.#files.keys()];
    for (const name of this.names) {
      const method = methodName(name);
      if (!(method in this))
        Object.defineProperty(this, method, {
          enumerable: true,
          value: (...args: unknown[]) => this.#call(name, args),
        });
    }
  }

  /** @throws HeddleError "unknown-kernel", "bad-arguments" for a shape that no version takes. */
  async choice(name: string, shape: Shape): Promise<KernelChoice> {
    const open = await this.#ladder(name);
    return this.#choose(open, shapeOfCall(open.loaded, shape, new Map()));
  }

  async #choose(open: OpenLadder, shape: Shape): Promise<KernelChoice> {
    const { loaded } = open;
    const refusals: string[] = [];
    for (const choice of this.#choices(open, shape)) {
      const refusal = await this.#refusal(loaded, choice, shape);
      if (refusal === null) return choice;
      refusals.push(`${choice.version}: ${refusal}`);
    }
    throw new HeddleError(
      "invalid-launch",
      `no version of ${loaded.name} fits on ${this.gpu.properties.name} at ${shapeText(shape)}`,
      { notes: refusals },
    );
  }

  /** What the GPU has the instructions for: the best choice first. */
  *#choices({ loaded, winners }: OpenLadder, shape: Shape): Generator<KernelChoice> {
    const { raw, properties } = this.gpu;
    // What was promoted on one GPU may need instructions that another one does not have. The emulated device has all.
    const versions = loaded.versions.filter(
      ({ path }) => raw.kind === "emulated" || canRun(needsOfFile(path), properties.computeCapability),
    );
    for (const winner of ranked(winners, { kind: raw.kind, name: properties.name }, shape)) {
      const version = versions.find((candidate) => candidate.name === winner.version);
      if (version !== undefined && spaceOf(version.declaration, shape).allow(winner.configuration))
        yield { version: winner.version, configuration: winner.configuration, winner };
    }
    // The latest ones may be for some shapes only.
    const some = versions.filter(({ declaration }) => firstConfigurations(spaceOf(declaration, shape), 1).length > 0);
    for (const { name, declaration } of (some.length > 0 ? some : versions.slice(-1)).toReversed())
      yield { version: name, configuration: defaultConfiguration(spaceOf(declaration, shape), name), winner: null };
    if (versions.length > 0) return;
    const { major, minor } = properties.computeCapability;
    throw new HeddleError(
      "bad-arguments",
      `no version of ${loaded.name} runs on ${properties.name}, whose compute capability is ${major}.${minor}`,
    );
  }

  /** Why the GPU cannot hold a block, or all blocks of a cooperative launch at once; null: it can. */
  async #refusal(
    loaded: LoadedLadder,
    { version: name, configuration }: KernelChoice,
    shape: Shape,
  ): Promise<string | null> {
    const version = loaded.versions.find((candidate) => candidate.name === name) as LadderVersion;
    for (const { kernel, args: _args, ...launch } of version.declaration.launch(shape, configuration)) {
      const most = this.gpu.raw.properties.sharedMemPerBlockOptin;
      const { sharedBytes = 0, cooperative = false } = launch;
      if (sharedBytes > most) return `${sharedBytes} bytes of shared memory, the limit is ${most}`;
      if (!cooperative) continue;
      const refusal = (await (await this.#program(version, configuration)).kernel(kernel)).refusal(launch);
      if (refusal !== null) return refusal;
    }
    return null;
  }

  /**
   * Puts a ladder's operation on the device. On a GPU it resolves when the operation is on the stream, not when it has
   * run; `gpu.synchronize()` throws later errors. On an emulated device, which allocates no memory while it works, it
   * resolves when the operation has run.
   *
   *     const { y } = await kernels.run("softmax", { columns: 1000 }, { x });
   *
   * @param sizes sizes that do not follow from the arrays' lengths. If all are given, arrays may be longer than needed.
   * @param arrays the inputs by name, and outputs to be written into. Inputs that the ladder changes in place are
   * outputs, too. Missing outputs are allocated; the caller frees them.
   * @returns the outputs by name.
   * @throws HeddleError "unknown-kernel", "bad-arguments" if sizes are missing or arrays do not fit them,
   * "compile-error"; on an emulated device "device-fault".
   */
  async run(
    name: string,
    sizes: Shape,
    arrays: Readonly<Record<string, DeviceArray>>,
  ): Promise<Record<string, DeviceArray>> {
    const open = await this.#ladder(name);
    const {
      loaded,
      loaded: { ladder },
    } = open;
    const unknown = Object.keys(arrays).find((array) => !(array in ladder.inputs) && !(array in ladder.outputs));
    if (unknown !== undefined)
      throw new HeddleError("bad-arguments", `${name} has no array "${unknown}"`, {
        notes: [`inputs: ${Object.keys(ladder.inputs).join(", ")}; outputs: ${Object.keys(ladder.outputs).join(", ")}`],
      });
    const missing = Object.keys(ladder.inputs).find((input) => arrays[input] === undefined);
    if (missing !== undefined)
      throw new HeddleError("bad-arguments", `${name} needs an array "${missing}"`, {
        notes: [`its inputs are ${Object.keys(ladder.inputs).join(", ")}`],
      });
    const shape = shapeOfCall(
      loaded,
      sizes,
      new Map(Object.entries(arrays).map(([array, { length }]) => [array, length])),
    );
    const { version: versionName, configuration } = await this.#choose(open, shape);
    const version = loaded.versions.find((candidate) => candidate.name === versionName) as LadderVersion;
    const isEmulated = this.gpu.raw.queue === null;
    if (isEmulated) await this.gpu.synchronize();
    const all = new Map<string, DeviceArray>();
    const given = (
      array: string,
      {
        dtype,
        length,
      }: { readonly dtype: DeviceArray["dtype"]; readonly length: (shape: Shape & Record<string, number>) => number },
    ): DeviceArray | null => {
      const found = arrays[array];
      const needed = length(shape);
      if (found !== undefined && (found.dtype !== dtype || found.length < needed))
        throw new HeddleError(
          "bad-arguments",
          `${name} at ${shapeText(shape)} needs ${needed} elements of ${dtype} for "${array}", not ${found.length} ` +
            `of ${found.dtype}`,
        );
      return found ?? null;
    };
    for (const [input, declaration] of Object.entries(ladder.inputs)) {
      all.set(input, given(input, declaration) as DeviceArray);
    }
    const outputs: Record<string, DeviceArray> = {};
    for (const [output, declaration] of Object.entries(ladder.outputs)) {
      outputs[output] =
        (declaration.inPlace ? all.get(output) : given(output, declaration)) ??
        this.gpu.array(declaration.length(shape), declaration.dtype);
      all.set(output, outputs[output]);
    }
    for (const [scratch, { dtype, length }] of Object.entries(ladder.scratch ?? {}))
      all.set(scratch, await this.#scratchFor(`${name}/${scratch}`, dtype, length(shape, configuration)));
    const program = await this.#program(version, configuration);
    for (const { kernel, args, ...launch } of version.declaration.launch(shape, configuration)) {
      (await program.kernel(kernel)).configure(launch)(
        ...args.map((argument) => resolveArgument(argument, (own) => all.get(own) ?? this.#noArray(name, own))),
      );
    }
    if (isEmulated) await this.gpu.synchronize();
    return outputs;
  }

  /** Frees scratch memory and programs, after all launches have ended. */
  async close(): Promise<void> {
    if (this.gpu.raw.fault !== null) return;
    await this.gpu.synchronize();
    for (const array of this.#scratch.values()) array.free();
    this.#scratch.clear();
    for (const program of this.#programs.values()) await (await program).unload();
    this.#programs.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #call(name: string, args: readonly unknown[]): Promise<DeviceArray | Record<string, DeviceArray>> {
    const {
      loaded: { ladder },
    } = await this.#ladder(name);
    const [inputs, outputs] = [Object.keys(ladder.inputs), Object.keys(ladder.outputs)];
    const [given, [named = {}, ...more]] = [args.slice(0, inputs.length), args.slice(inputs.length)];
    const isArray = (value: unknown): value is DeviceArray => value instanceof DeviceArray;
    if (
      given.length < inputs.length ||
      !given.every(isArray) ||
      isArray(named) ||
      typeof named !== "object" ||
      named === null ||
      more.length > 0
    ) {
      throw new HeddleError(
        "bad-arguments",
        `${name} takes ${inputs.length === 1 ? "one array" : `${inputs.length} arrays`} (${inputs.join(", ")}), ` +
          `and then sizes by their names`,
        { notes: [`for example ${methodName(name)}(${inputs.join(", ")}, { ${sizesOf(ladder).join(", ")} })`] },
      );
    }
    const into = Object.entries(named).filter((entry): entry is [string, DeviceArray] => isArray(entry[1]));
    const notNew = into.find(([output]) => !outputs.includes(output) || inputs.includes(output));
    if (notNew !== undefined)
      throw new HeddleError("bad-arguments", `${name} has no output "${notNew[0]}" to write into`, {
        notes: [`its outputs are ${outputs.join(", ")}`],
      });
    const sizes = Object.fromEntries(Object.entries(named).filter(([, value]) => !isArray(value)));
    const results = await this.run(
      name,
      sizes as Shape,
      Object.fromEntries([...inputs.map((input, i) => [input, given[i] as DeviceArray]), ...into]),
    );
    return outputs.length === 1 ? (results[outputs[0] as string] as DeviceArray) : results;
  }

  async #ladder(name: string): Promise<OpenLadder> {
    const file = this.#files.get(name);
    if (file === undefined)
      throw new HeddleError("unknown-kernel", `there is no ladder ${name}`, {
        notes: [`there are: ${this.names.join(", ")}`],
      });
    let ladder = this.#ladders.get(name);
    if (ladder === undefined)
      this.#ladders.set(
        name,
        (ladder = loadLadder(file, (source) => [source]).then((loaded) => ({
          loaded,
          winners: readWinners(dirname(file)),
        }))),
      );
    return ladder;
  }

  async #program({ path }: LadderVersion, configuration: Configuration): Promise<GpuProgram> {
    const key = `${path} ${keyOf(configuration)}`;
    let program = this.#programs.get(key);
    if (program === undefined)
      this.#programs.set(
        key,
        (program = this.#load(path, {
          device: this.gpu,
          defines: Object.entries(configuration).map(([define, value]) => `${define}=${value}`),
        })),
      );
    return program;
  }

  async #scratchFor(key: string, dtype: DeviceArray["dtype"], length: number): Promise<DeviceArray> {
    const there = this.#scratch.get(key);
    if (there !== undefined && there.length >= length) return there;
    // What was launched may still use it.
    await this.gpu.synchronize();
    there?.free();
    const array = this.gpu.array(length, dtype);
    this.#scratch.set(key, array);
    return array;
  }

  #noArray(name: string, argument: string): never {
    throw new HeddleError("bad-arguments", `a launch of ${name} names an array "${argument}" that it does not have`);
  }
}

export function kernelsOn(gpu: Gpu, load: Heddle["load"], options: KernelsOptions): Kernels {
  checkDevice("openKernels", gpu);
  checkOptions<KernelsOptions>(
    "openKernels",
    options,
    { folder: true },
    { example: 'openKernels(device, { folder: "kernels" })' },
  );
  const { folder = join(packageRoot(), "kernels") } = options;
  return new Kernels(gpu, load, folder);
}

const needs = new Map<string, VersionNeeds>();
function needsOfFile(path: string): VersionNeeds {
  let found = needs.get(path);
  if (found === undefined)
    needs.set(path, (found = needsOf(includedFiles(path, []).map((file) => readFileSync(file, "utf8")))));
  return found;
}
