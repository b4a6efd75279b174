/** Benches on Node.js: ladders on disk, rivals of this machine, sweeps cached by content. */
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { bug, HeddleError } from "../base/diagnostics.ts";
import { tritonVersion, type LoadVersion } from "../bench/version-program.ts";
import { nodeContentCache } from "../frontend/clang/content-cache-node.ts";
import { importFromDisk, pythonFile } from "../library/triton-files-node.ts";
import { Python } from "../bench/python-process-node.ts";
import type { Surroundings } from "../bench/results.ts";
import { openRival } from "../bench/rivals-node.ts";
import { surroundings } from "../bench/surroundings-node.ts";
import { sweepCache } from "../bench/sweep-cache-node.ts";
import { includedFiles } from "../kernel-library/included-files-node.ts";
import { loadLadder } from "../kernel-library/ladder-files-node.ts";
import type { LoadedLadder } from "../kernel-library/loaded-ladder.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import { createHeddle, type Heddle } from "../library/heddle.ts";
import { Gpu } from "../library/gpu.ts";
import type { DeviceOptions } from "../library/environment.ts";
import type { RegisterSource } from "../profile/launch-facts.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import { gpuClocks } from "../measure/gpu-clocks-node.ts";
import type { GpuClocks } from "../measure/gpu-clocks.ts";
import { syncNodeStore } from "../store/disk-store-node.ts";
import type { SweepMemory } from "../bench/sweep.ts";
import type { BenchPlatform } from "./perform-bench.ts";
import type { LadderSource } from "./request.ts";

export interface NodeBenchOptions {
  /** Heddle's own. */
  readonly version: string;
  readonly signal: AbortSignal;
  /** Of a ladder's file, where it does not lie in its repository. */
  readonly origin?: (file: string) => Pick<Surroundings, "commit" | "dirty">;
}

export class NodeBench implements BenchPlatform {
  readonly #environment = nodeEnvironment();
  readonly heddle: Heddle = createHeddle(this.#environment);
  readonly cores: number = availableParallelism();
  readonly #options: NodeBenchOptions;
  readonly #python: Python;

  constructor(options: NodeBenchOptions) {
    this.#options = options;
    this.#python = new Python(options.signal);
  }

  readonly loadVersion: LoadVersion = async (path, options) => {
    if (!path.endsWith(".py")) return this.heddle.load(path, options);
    const { device } = options;
    if (device === undefined) return bug("a version without a device");
    const { createOpenTriton } = await import("../library/load-triton.ts");
    const open = createOpenTriton(() => Promise.resolve(device), nodeContentCache());
    return tritonVersion(await open(pythonFile(path), importFromDisk, { device }), options);
  };

  loadLadder(source: LadderSource): Promise<LoadedLadder> {
    return loadLadder(fileOf(source), (version) => includedFiles(version, []));
  }

  async openObserved(options: DeviceOptions, observer: DeviceObserver): Promise<Gpu> {
    return new Gpu(await this.#environment.openDevice(options, observer), options.onPrint ?? console.log, null);
  }

  async openRegisters(): Promise<RegisterSource | null> {
    return (await this.#environment.registers?.()) ?? null;
  }

  openRival(...[declaration, bench, source]: Parameters<BenchPlatform["openRival"]>): ReturnType<typeof openRival> {
    return openRival(declaration, {
      bench,
      folder: dirname(fileOf(source)),
      openBlas: (device) => this.heddle.openBlas(device),
      python: this.#python,
    });
  }

  surroundings(gpu: Gpu, source: LadderSource): Surroundings {
    const file = fileOf(source);
    const engine = process.env["HEDDLE_ENGINE"] || "auto";
    return { ...surroundings(gpu, dirname(file), this.#options.version, engine), ...this.#options.origin?.(file) };
  }

  clocks({ raw }: Gpu): GpuClocks | null {
    return raw.kind === "cuda" ? gpuClocks() : null;
  }

  sweepMemory(about: Surroundings): SweepMemory {
    return sweepCache(syncNodeStore(), about);
  }

  close(): void {
    this.#python.close();
  }
}

function fileOf(source: LadderSource): string {
  if ("file" in source) return source.file;
  throw new HeddleError("unsupported", `the ladder ${source.name} is given as texts, which is for browsers`, {
    notes: ["on Node.js a ladder is a file: { file: NAME.ladder.ts }"],
  });
}
