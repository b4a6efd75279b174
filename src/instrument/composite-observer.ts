/**
 * Several tools that watch one device at once.
 *
 * Each tool has its own prefix for what it adds to modules, its own shadow planes and its own reports. The tools add
 * their code one after the other, and none looks at the code of another (IrInstruction.isToolCode). A kernel that one
 * tool puts beside another, to run in its place, is one more kernel of the program for the tools after it.
 */
import { bug } from "../base/diagnostics.ts";
import type { IrFunction, IrModule } from "../ir/model/ir.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type {
  DeviceObserver,
  LaunchRun,
  ObservedAllocation,
  ObservedLaunch,
  ObservedMemory,
  ObservedProgram,
} from "../machine/observer.ts";

export class CompositeObserver implements DeviceObserver {
  readonly #tools: readonly DeviceObserver[];
  /** By a kernel that a tool may be asked about: the functions of its module. */
  readonly #functions = new WeakMap<IrFunction, ReadonlyMap<string, IrFunction>>();
  /** The launch that runs, as each tool has seen it. */
  #seen: readonly ObservedLaunch[] = [];
  /** Of launches that wait for others, from the outermost in. */
  readonly #suspended: (readonly ObservedLaunch[])[] = [];
  readonly name: string;
  readonly needs: DeviceObserver["needs"];
  readonly wantsRepeats: boolean;
  readonly shadowPlanes: number;
  readonly serial: boolean;
  readonly libraryFunctions: readonly string[];

  constructor(tools: readonly DeviceObserver[]) {
    this.#tools = tools;
    const demanding = tools.filter(({ needs }) => needs === "code");
    this.needs = demanding.length > 0 ? "code" : "launches";
    // A device that refuses the tools names those that it cannot run.
    this.name = (demanding.length > 0 ? demanding : tools).map(({ name }) => name).join(" and ");
    this.wantsRepeats = tools.some(({ wantsRepeats = false }) => wantsRepeats);
    this.shadowPlanes = demanding.reduce((sum, { shadowPlanes = 0 }) => sum + shadowPlanes, 0);
    this.serial = demanding.some(({ serial = false }) => serial);
    this.libraryFunctions = [...new Set(demanding.flatMap(({ libraryFunctions = [] }) => libraryFunctions))];
    const prefixes = demanding.map(({ prefix, name }) => prefix ?? bug(`the tool ${name} has no prefix for its names`));
    if (new Set(prefixes).size < prefixes.length) bug(`two tools add code under one prefix: ${prefixes.join(", ")}`);
  }

  attach(memory: ObservedMemory): void {
    let firstPlane = 0;
    for (const tool of this.#tools) {
      tool.attach?.(planesFrom(memory, firstPlane));
      firstPlane += tool.shadowPlanes ?? 0;
    }
  }

  loading(programs: readonly ObservedProgram[]): void {
    for (const tool of this.#tools) tool.loading?.(programs);
  }

  instrument(module: IrModule, own: ReadonlySet<IrFunction>): void {
    const all = new Set(own);
    for (const tool of this.#tools) {
      const before = new Set(module.functions.values());
      tool.instrument?.(module, all);
      for (const fn of module.functions.values()) if (fn.isKernel && !before.has(fn)) all.add(fn);
    }
    for (const fn of all) this.#functions.set(fn, module.functions);
  }

  addressOf(variable: string): number | null {
    for (const tool of this.#tools) {
      const address = tool.addressOf?.(variable) ?? null;
      if (address !== null) return address;
    }
    return null;
  }

  allocated(allocation: ObservedAllocation): void {
    for (const tool of this.#tools) tool.allocated?.(allocation);
  }

  freed(allocation: ObservedAllocation): void {
    for (const tool of this.#tools) tool.freed?.(allocation);
  }

  written(start: number, bytes: number): void {
    for (const tool of this.#tools) tool.written?.(start, bytes);
  }

  read(start: number, bytes: number): void {
    for (const tool of this.#tools) tool.read?.(start, bytes);
  }

  copied(destination: number, source: number, bytes: number): void {
    for (const tool of this.#tools) tool.copied?.(destination, source, bytes);
  }

  /** Each tool chooses among what the tools before it have left: its copy of their copy of the kernel. */
  launching(launch: ObservedLaunch): string | null {
    let chosen: string | null = null;
    this.#seen = this.#tools.map((tool) => {
      const seen = chosen === null ? launch : { ...launch, function: this.#kernelNamed(chosen, launch.function) };
      chosen = tool.launching?.(seen) ?? chosen;
      return seen;
    });
    return chosen;
  }

  suspended(launch: ObservedLaunch): void {
    this.#suspended.push(this.#seen);
    for (const [index, tool] of this.#tools.entries()) tool.suspended?.(this.#seen[index] ?? launch);
  }

  resumed(launch: ObservedLaunch): void {
    this.#seen = this.#suspended.pop() ?? this.#seen;
    for (const [index, tool] of this.#tools.entries()) tool.resumed?.(this.#seen[index] ?? launch);
  }

  launched(launch: ObservedLaunch, fault: DeviceFault | null, run: LaunchRun): void {
    for (const [index, tool] of this.#tools.entries()) tool.launched?.(this.#seen[index] ?? launch, fault, run);
  }

  synchronized(): void {
    for (const tool of this.#tools) tool.synchronized?.();
  }

  /** A kernel that a tool has put beside another one. */
  #kernelNamed(name: string, beside: IrFunction | null): IrFunction {
    const functions = beside === null ? undefined : this.#functions.get(beside);
    return functions?.get(name) ?? bug(`no tool has made a kernel ${name}`);
  }
}

/** The memory as a tool sees it whose shadow planes begin with `first`. */
function planesFrom(memory: ObservedMemory, first: number): ObservedMemory {
  return {
    get bytes() {
      return memory.bytes;
    },
    limit: memory.limit,
    windows: memory.windows,
    shadowed: memory.shadowed,
    allocate: (bytes) => memory.allocate(bytes),
    shadow: (plane) => memory.shadow(first + plane),
  };
}
