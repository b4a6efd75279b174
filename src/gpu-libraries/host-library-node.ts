/** The host code of a library, for calls from TypeScript: compiled once, loaded once for each device. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { unsigned } from "../base/unsigned.ts";
import { extensionDevice, extensionModel } from "../extension/extension-device-node.ts";
import type { ExtensionDevice } from "../extension/loaded-extension.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import type { Compiler } from "../frontend/clang/compiler.ts";
import type { DeviceArray } from "../library/device-array.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import { faultError } from "../library/fault-error.ts";
import { generationOf } from "../library/generation.ts";
import type { Gpu } from "../library/gpu.ts";
import { openProgram, type OpenProgram } from "../runtime/host-program.ts";
import { MemoryFiles } from "../runtime/host/host-files-memory.ts";
import { describeTrap } from "../runtime/host/host-trap.ts";

/** null: the null pointer. */
type Argument = number | DeviceArray | null;

const environment = nodeEnvironment();
/** By unit and device. */
const loaded = new WeakMap<Gpu, Map<string, Promise<HostLibrary>>>();
let calls = 0;

/**
 * Calls a function of libraries/typescript, and waits for its kernels.
 * @param unit the file without its ending
 * @throws HeddleError "bad-arguments" with the library's own words, "kernel-fault" and what else a launch throws
 */
export async function callLibrary(gpu: Gpu, unit: string, name: string, values: readonly Argument[]): Promise<void> {
  await gpu.drained();
  const library = await libraryOn(gpu, unit);
  library.call(name, values);
}

async function libraryOn(gpu: Gpu, unit: string): Promise<HostLibrary> {
  let known = loaded.get(gpu);
  if (known === undefined) loaded.set(gpu, (known = new Map()));
  const before = known.get(unit);
  if (before !== undefined) {
    const library = await before;
    if (!library.isGone) return library;
  }
  const loading = load(gpu, unit);
  known.set(unit, loading);
  loading.catch(() => void known.delete(unit));
  return loading;
}

async function load(gpu: Gpu, unit: string): Promise<HostLibrary> {
  // On Node.js the library's compiler is all of Clang.
  const compiler = (await environment.compiler()) as Compiler;
  const path = `libraries/typescript/${unit}.cpp`;
  const text = await readFile(join(packageRoot(), path), "utf8");
  const form = { nvccForm: gpu.raw.kind === "cuda", model: await extensionModel(gpu) } as const;
  const object = await compiler.compileObject({ path: `/heddle/${path}`, text }, { ...form, language: "cuda" }, null);
  const program = await compiler.linkObjects([object], form);
  return new HostLibrary(gpu, await extensionDevice(gpu, compiler, form.model), program);
}

class HostLibrary {
  readonly #gpu: Gpu;
  readonly #device: ExtensionDevice;
  readonly #program: OpenProgram;
  readonly #generation: number;
  #isTrapped = false;

  constructor(gpu: Gpu, device: ExtensionDevice, program: Parameters<typeof openProgram>[0]["program"]) {
    this.#gpu = gpu;
    this.#device = device;
    this.#generation = generationOf(gpu.raw);
    const decoder = new TextDecoder();
    this.#program = openProgram({
      program,
      devices: [device.kernels],
      argv: ["heddle"],
      env: {},
      files: new MemoryFiles(),
      streams: {
        write: (_stream, bytes) => gpu.onPrint(decoder.decode(bytes)),
        flush: () => {},
        readStdin: () => 0,
      },
      // A fault is thrown, with the same report.
      report: (text) => device.kernels.fault === null && gpu.onPrint(`${text}\n`),
    });
    this.#inside(() => this.#function("__heddle_door_start")());
  }

  get isGone(): boolean {
    return this.#isTrapped || generationOf(this.#gpu.raw) !== this.#generation;
  }

  call(name: string, values: readonly Argument[]): void {
    const call = ++calls;
    const given = values.map((value) => {
      if (value === null) return 0;
      return typeof value === "number" ? value : this.#address(value, call);
    });
    const failure = unsigned(this.#inside(() => this.#function(name)(...given)));
    const { kernels } = this.#device;
    if (kernels.fault !== null) throw faultError(kernels.fault, kernels, []);
    if (failure !== 0) throw new HeddleError("bad-arguments", this.#program.memory.cString(failure));
  }

  #address(array: DeviceArray, call: number): number {
    return this.#device.address(array, call);
  }

  #function(name: string): (...values: number[]) => number {
    return this.#program.exports[name] as (...values: number[]) => number;
  }

  #inside<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const { cuda, guard, places } = this.#program;
      const trap = error instanceof HeddleError ? null : describeTrap(error, { cuda, guard, places: places() });
      if (trap === null) throw error;
      this.#isTrapped = true;
      throw new HeddleError("host-trap", trap, { cause: error });
    }
  }
}
