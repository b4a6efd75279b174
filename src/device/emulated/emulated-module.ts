/** A loaded module of an emulated device: its kernels, its variables, and their memory. */
import type { Dim3 } from "../../base/dim3.ts";
import { summarizeAccesses, type RegionAccess } from "../../analysis/pointers/access-summary.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { LoadedKernel, LoadedProgram } from "../../engine/executor.ts";
import { reachableFunctions } from "../../ir/graph/reachable-functions.ts";
import { sizeOf } from "../../ir/model/layout.ts";
import { alignUp } from "../../base/align.ts";
import { TOOL_PREFIX } from "../../machine/observer.ts";
import type { KernelParam } from "../../machine/launch.ts";
import { launchBound, launchBounds } from "../../program/launch-bounds.ts";
import { unknownKernel } from "../common/unknown-kernel.ts";
import type { GpuKernel, GpuModule, GpuSymbol } from "../device.ts";
import type { DeviceMemory } from "./memory.ts";

/** What threads of a block may be without `__launch_bounds__`. */
const MAX_THREADS_PER_BLOCK = 1024;

export class EmulatedKernel implements GpuKernel {
  readonly module: EmulatedModule;
  readonly loaded: LoadedKernel;
  readonly name: string;
  readonly params: readonly KernelParam[];
  readonly paramBytes: number;
  readonly staticSharedBytes: number;
  readonly localBytesPerThread: number;
  readonly maxThreadsPerBlock: number;
  readonly usesGridSync: boolean;
  /** It launches kernels, or queues copies. */
  readonly launchesGrids: boolean;
  /** Its threads wait for what they have launched. */
  readonly waitsForGrids: boolean;
  /** `__cluster_dims__`; null without. */
  readonly cluster: Dim3 | null;
  #regions: readonly RegionAccess[] | null | undefined;

  constructor(module: EmulatedModule, loaded: LoadedKernel) {
    this.module = module;
    this.loaded = loaded;
    this.name = loaded.name;
    this.params = loaded.params;
    this.paramBytes = loaded.paramBytes;
    this.staticSharedBytes = loaded.staticSharedBytes - loaded.toolSharedBytes;
    this.maxThreadsPerBlock = launchBound(loaded.function, "maxntid") ?? MAX_THREADS_PER_BLOCK;
    const [x, y = 1, z = 1] = launchBounds(loaded.function, "cluster_dim") ?? [];
    this.cluster = x === undefined ? null : { x, y, z };
    let localBytes = 0;
    let usesGridSync = false;
    const called = new Set<string>();
    for (const f of reachableFunctions(loaded.function, module.program.functionTable)) {
      for (const block of f.blocks) {
        for (const i of block.instructions) {
          // Frames of functions that call each other are added up as if all were live at once.
          if (i.op === "alloca" && (i.count === null || i.count.kind === "const-int")) {
            localBytes =
              alignUp(localBytes, i.align || 1) +
              sizeOf(i.allocatedType) * (i.count === null ? 1 : Number((i.count as { value: bigint }).value));
          } else if (i.op === "call" && i.callee.kind === "function") {
            called.add(i.callee.name);
            usesGridSync ||= GRID_SYNC.test(i.callee.name);
          }
        }
      }
    }
    this.localBytesPerThread = localBytes;
    this.usesGridSync = usesGridSync;
    this.launchesGrids = QUEUES_WORK.some((name) => called.has(name));
    this.waitsForGrids = called.has("__heddle_run_child_grids");
  }

  get regions(): readonly RegionAccess[] | null {
    // What it launches may access anything.
    if (this.launchesGrids) return null;
    if (this.#regions === undefined) this.#regions = summarizeAccesses(this.loaded.function).regions;
    return this.#regions;
  }
}

const GRID_SYNC = /grid_?sync/i;
/** Of the device runtime (libdevice/launches.cu). */
const QUEUES_WORK = ["cudaLaunchDevice", "cudaMemcpyAsync", "cudaMemsetAsync"];

/** Lists for the compiler. Any other variable may be a program's own, whatever its name: a bench must see it. */
const COMPILER_LISTS: ReadonlySet<string> = new Set(["llvm.used", "llvm.compiler.used"]);

export class EmulatedModule implements GpuModule {
  readonly program: LoadedProgram;
  /** What it was made of; kept where a tool may want it anew. */
  readonly #reload: (() => LoadedProgram) | null;
  /** The program, and what it was made anew for fewer planes of shadow memory, by how many there were. */
  readonly #forms: Map<number, LoadedProgram>;
  readonly #makeNear: (() => LoadedProgram) | null;
  #near: LoadedProgram | null = null;
  readonly #memory: DeviceMemory;
  readonly #owned: readonly number[];
  readonly #onUnload: (module: EmulatedModule) => void;
  readonly #kernels = new Map<string, EmulatedKernel>();
  #loaded = true;

  /**
   * @param owned the addresses that were allocated for the program's variables.
   * @param others makes the program anew, over the same variables. reload: for a tool that has given up its shadow
   *   memory; null: no tool has code in the program that needs that memory. near: with pointers of 32 bits, on a device
   *   whose pointers have 64; null: they have not
   */
  constructor(
    program: LoadedProgram,
    memory: DeviceMemory,
    owned: readonly number[],
    onUnload: (module: EmulatedModule) => void,
    { reload, near }: { readonly reload: (() => LoadedProgram) | null; readonly near: (() => LoadedProgram) | null },
  ) {
    this.#makeNear = near;
    this.program = program;
    this.#reload = reload;
    this.#forms = new Map([[memory.shadowPlanes, program]]);
    this.#memory = memory;
    this.#owned = owned;
    this.#onUnload = onUnload;
  }

  get isLoaded(): boolean {
    return this.#loaded;
  }

  /** The program that launches run. */
  get current(): LoadedProgram {
    if (this.#reload === null) return this.program;
    const planes = this.#memory.shadowPlanes;
    let form = this.#forms.get(planes);
    if (form === undefined) this.#forms.set(planes, (form = this.#reload()));
    return form;
  }

  /** The program with pointers of 32 bits, for launches that reach the first 4 GiB of a larger memory and no more. */
  get near(): LoadedProgram | null {
    return this.#makeNear === null ? null : (this.#near ??= this.#makeNear());
  }

  /** All forms of the program that were run. */
  get forms(): readonly LoadedProgram[] {
    return [...this.#forms.values(), ...(this.#near === null ? [] : [this.#near])];
  }

  kernel(name: string): EmulatedKernel {
    const known = this.#kernels.get(name);
    if (known !== undefined) return known;
    const loaded = this.program.kernels.get(name);
    if (loaded === undefined) throw unknownKernel(name, this.kernelNames());
    const kernel = new EmulatedKernel(this, loaded);
    this.#kernels.set(name, kernel);
    return kernel;
  }

  kernelNames(): string[] {
    return [...this.program.kernels.keys()].filter((name) => !name.startsWith(TOOL_PREFIX));
  }

  symbol(name: string): GpuSymbol | null {
    const pointer = this.program.globalAddresses.get(name);
    const global = this.program.module.globals.get(name);
    return pointer === undefined || global === undefined ? null : { name, pointer, bytes: sizeOf(global.valueType) };
  }

  variableNames(): readonly string[] {
    return [...this.program.module.globals.values()]
      .filter(({ type, name }) => (type.addressSpace === 1 || type.addressSpace === 4) && !COMPILER_LISTS.has(name))
      .map(({ name }) => name);
  }

  writableVariables(): readonly string[] {
    return [...this.program.module.globals.values()]
      .filter(({ type, isConstant, name }) => type.addressSpace === 1 && !isConstant && !COMPILER_LISTS.has(name))
      .map(({ name }) => name);
  }

  unload(): void {
    if (!this.#loaded) return;
    this.forget();
    for (const address of this.#owned) this.#memory.free(address);
    this.#onUnload(this);
  }

  /** The device's memory was cleared: nothing is left to free. */
  forget(): void {
    this.#loaded = false;
  }
}

/** The same code with the same options. */
export function samePrograms(a: readonly DeviceProgram[], b: readonly DeviceProgram[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ ir, name, options }, i) => ir === b[i]?.ir && name === b[i]?.name && options.fmad === b[i]?.options.fmad)
  );
}
