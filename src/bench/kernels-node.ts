/** The kernels of ladders as functions: each call takes the version and configuration that were measured to be the best for its device and shape. */
import { dirname, join } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import { DeviceArray } from "../library/device-array.ts";
import type { Gpu } from "../library/gpu.ts";
import type { GpuProgram } from "../library/gpu-program.ts";
import type { Heddle } from "../library/heddle.ts";
import type { LoadedLadder, LadderVersion } from "./bench-ladder.ts";
import { findLadders, ladderName, loadLadder } from "./ladder-files-node.ts";
import type { Configuration, Shape } from "./ladder.ts";
import { ranked, readWinners, type Winner } from "./promoted.ts";
import { shapeText } from "./results.ts";
import { defaultConfiguration, keyOf, spaceOf } from "./search.ts";

/** What a call takes, and why. */
export interface KernelChoice {
  readonly version: string;
  readonly configuration: Configuration;
  /** The measurement that it follows; null: nothing was promoted that fits, and it is the last version in its default configuration. */
  readonly winner: Winner | null;
}

export interface KernelsOptions {
  /** Ladders are looked for at and below it. Default: those that come with Heddle. */
  readonly folder?: string;
}

interface OpenLadder { readonly loaded: LoadedLadder; readonly winners: readonly Winner[] }

/** Made by `openKernels`. Closes itself with `using`. */
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
  }

  /** @throws HeddleError "unknown-kernel", "bad-arguments" for a shape that no version takes. */
  async choice(name: string, shape: Shape): Promise<KernelChoice> {
    const { loaded, winners } = await this.#ladder(name);
    this.#checkShape(loaded, shape);
    const { raw, properties } = this.gpu;
    for (const winner of ranked(winners, { kind: raw.kind, name: properties.name }, shape)) {
      const version = loaded.versions.find((candidate) => candidate.name === winner.version);
      if (version !== undefined && spaceOf(version.declaration, shape).allow(winner.configuration)) return { version: winner.version, configuration: winner.configuration, winner };
    }
    const last = loaded.versions.at(-1) as LadderVersion;
    return { version: last.name, configuration: defaultConfiguration(spaceOf(last.declaration, shape), last.name), winner: null };
  }

  /**
   * Puts a ladder's operation on the device. On a GPU it resolves when it is there, not when it has run, and what goes wrong then is told by `gpu.synchronize()`;
   * on an emulated device, which gives no memory while it works, when it has run.
   *
   *     const { y } = await kernels.run("softmax", { rows: 512, columns: 1000 }, { x });
   *
   * @param arrays the inputs by name, of which those that the ladder changes in place are outputs, too; outputs that are not among them are allocated, and are the caller's.
   * @returns the outputs by name.
   * @throws HeddleError "unknown-kernel", "bad-arguments" when arrays do not fit the shape, "compile-error"; on an emulated device "device-fault".
   */
  async run(name: string, shape: Shape, arrays: Readonly<Record<string, DeviceArray>>): Promise<Record<string, DeviceArray>> {
    const { version: versionName, configuration } = await this.choice(name, shape);
    const { loaded } = await this.#ladder(name);
    const { ladder } = loaded;
    const version = loaded.versions.find((candidate) => candidate.name === versionName) as LadderVersion;
    const unknown = Object.keys(arrays).find((array) => !(array in ladder.inputs) && !(array in ladder.outputs));
    if (unknown !== undefined) throw new HeddleError("bad-arguments", `${name} has no array "${unknown}"`, { notes: [`inputs: ${Object.keys(ladder.inputs).join(", ")}; outputs: ${Object.keys(ladder.outputs).join(", ")}`] });
    const isEmulated = this.gpu.raw.queue === null;
    if (isEmulated) await this.gpu.synchronize();
    const all = new Map<string, DeviceArray>();
    const given = (array: string, { dtype, length }: { readonly dtype: DeviceArray["dtype"]; readonly length: (shape: Shape & Record<string, number>) => number }): DeviceArray | null => {
      const found = arrays[array];
      const needed = length(shape);
      if (found !== undefined && (found.dtype !== dtype || found.length < needed)) throw new HeddleError("bad-arguments", `${name} at ${shapeText(shape)} needs ${needed} elements of ${dtype} for "${array}", not ${found.length} of ${found.dtype}`);
      return found ?? null;
    };
    for (const [input, declaration] of Object.entries(ladder.inputs)) {
      const array = given(input, declaration);
      if (array === null) throw new HeddleError("bad-arguments", `${name} needs an array "${input}"`, { notes: [`of ${declaration.length(shape)} elements of ${declaration.dtype}`] });
      all.set(input, array);
    }
    const outputs: Record<string, DeviceArray> = {};
    for (const [output, declaration] of Object.entries(ladder.outputs)) {
      outputs[output] = (declaration.inPlace ? all.get(output) : given(output, declaration)) ?? this.gpu.array(declaration.length(shape), declaration.dtype);
      all.set(output, outputs[output]);
    }
    for (const [scratch, { dtype, length }] of Object.entries(ladder.scratch ?? {})) all.set(scratch, await this.#scratchFor(`${name}/${scratch}`, dtype, length(shape, configuration)));
    const program = await this.#program(version, configuration);
    for (const { kernel, args, ...launch } of version.declaration.launch(shape, configuration)) {
      (await program.kernel(kernel)).configure(launch)(...args.map((argument) => (typeof argument === "string" ? (all.get(argument) ?? this.#noArray(name, argument)) : argument)));
    }
    if (isEmulated) await this.gpu.synchronize();
    return outputs;
  }

  /** Gives scratch memory and programs back, after what was launched. */
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

  async #ladder(name: string): Promise<OpenLadder> {
    const file = this.#files.get(name);
    if (file === undefined) throw new HeddleError("unknown-kernel", `there is no ladder ${name}`, { notes: [`there are: ${this.names.join(", ")}`] });
    let ladder = this.#ladders.get(name);
    if (ladder === undefined) this.#ladders.set(name, (ladder = loadLadder(file, (source) => [source]).then((loaded) => ({ loaded, winners: readWinners(dirname(file)) }))));
    return ladder;
  }

  async #program({ path }: LadderVersion, configuration: Configuration): Promise<GpuProgram> {
    const key = `${path} ${keyOf(configuration)}`;
    let program = this.#programs.get(key);
    if (program === undefined) this.#programs.set(key, (program = this.#load(path, { device: this.gpu, defines: Object.entries(configuration).map(([define, value]) => `${define}=${value}`) })));
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

  #checkShape({ name, ladder }: LoadedLadder, shape: Shape): void {
    const sizes = Object.keys(ladder.shapes.check[0] ?? {});
    const wrong = sizes.find((size) => !Number.isSafeInteger(shape[size]) || (shape[size] as number) < 1) ?? Object.keys(shape).find((size) => !sizes.includes(size));
    if (wrong !== undefined) throw new HeddleError("bad-arguments", `${name} at ${shapeText(shape)}: its sizes are whole numbers above 0 by the names ${sizes.join(", ")}`);
  }

  #noArray(name: string, argument: string): never {
    throw new HeddleError("bad-arguments", `a launch of ${name} names an array "${argument}" that it does not have`);
  }
}

export function kernelsOn(gpu: Gpu, load: Heddle["load"], { folder = join(packageRoot(), "kernels") }: KernelsOptions): Kernels {
  return new Kernels(gpu, load, folder);
}
