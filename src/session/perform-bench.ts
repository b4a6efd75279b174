/** Checks, sweeps and times ladders, one after the other, on one device. */
import { HeddleError } from "../base/diagnostics.ts";
import { benchLadder } from "../bench/bench-ladder.ts";
import { openBench } from "../bench/open-bench.ts";
import type { ResultRecord, Surroundings } from "../bench/results.ts";
import type { Absent, OpenRival } from "../bench/rival.ts";
import type { Bench } from "../bench/subject.ts";
import type { SweepMemory } from "../bench/sweep.ts";
import { shapeText, type RivalDeclaration, type Shape } from "../kernel-library/ladder.ts";
import type { LoadedLadder } from "../kernel-library/loaded-ladder.ts";
import type { DeviceKind } from "../device/common/device-kind.ts";
import { productNamed } from "../device/emulated/gpus.ts";
import type { DeviceOptions } from "../library/environment.ts";
import type { Gpu } from "../library/gpu.ts";
import type { Heddle } from "../library/heddle.ts";
import type { RegisterSource } from "../profile/launch-facts.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { GpuClocks } from "../measure/gpu-clocks.ts";
import type { Emit } from "./events.ts";
import type { BenchRequest, BenchSettings, LadderSource } from "./request.ts";
import type { LoadVersion } from "../bench/version-program.ts";

/** A kernel that takes longer hangs. */
const KERNEL_TIMEOUT_MS = 120_000;

/** What a bench needs of the place that it runs in. */
export interface BenchPlatform {
  readonly heddle: Heddle;
  /** Of this machine. */
  readonly cores: number;
  loadLadder(source: LadderSource): Promise<LoadedLadder>;
  /** Compiles a version of a ladder. */
  readonly loadVersion: LoadVersion;
  /** An emulated device that an observer watches. */
  openObserved(options: DeviceOptions, observer: DeviceObserver): Promise<Gpu>;
  /** Who knows the registers of kernels that are profiled; null: nobody. */
  openRegisters(): Promise<RegisterSource | null>;
  /** null: it is not for this device. */
  openRival(
    declaration: RivalDeclaration<Record<string, number>>,
    bench: Bench,
    source: LadderSource,
  ): Promise<OpenRival | Absent | null>;
  /** What a result is of, and where it was measured. */
  surroundings(gpu: Gpu, source: LadderSource): Surroundings;
  /** null: none are known, as on an emulated device. */
  clocks(gpu: Gpu): GpuClocks | null;
  /** The results of earlier sweeps; null: none are cached here. */
  sweepMemory(about: Surroundings): SweepMemory | null;
  close(): void;
}

/** @throws Interrupted after an abort; results until then were emitted. */
export async function performBench(
  { ladders, settings, finished = [] }: BenchRequest,
  platform: BenchPlatform,
  emit: Emit,
  signal: AbortSignal,
): Promise<readonly ResultRecord[]> {
  const run = new BenchRun(settings, platform, emit, signal);
  try {
    const loaded: LoadedSource[] = [];
    for (const source of ladders)
      loaded.push({ source, loaded: chosenVersions(await platform.loadLadder(source), settings) });
    return await run.all(loaded, finished);
  } finally {
    run.close();
  }
}

interface LoadedSource {
  readonly source: LadderSource;
  readonly loaded: LoadedLadder;
}

interface Job extends LoadedSource {
  readonly shape: Shape;
}

/** The versions and rivals that were asked for. */
export function chosenVersions(
  whole: LoadedLadder,
  { only, rivals }: Pick<BenchSettings, "only" | "rivals">,
): LoadedLadder {
  const loaded = rivals ? whole : { ...whole, ladder: { ...whole.ladder, rivals: {} } };
  if (only === null) return loaded;
  const versions = loaded.versions.filter(({ name }) => name.includes(only));
  if (versions.length === 0)
    throw new HeddleError("bad-arguments", `no version of ${loaded.name} has "${only}" in its name`, {
      notes: [`versions: ${loaded.versions.map(({ name }) => name).join(", ")}`],
    });
  return { ...loaded, versions };
}

class BenchRun {
  readonly #settings: BenchSettings;
  readonly #platform: BenchPlatform;
  readonly #emit: Emit;
  readonly #signal: AbortSignal;
  #bench: Bench | null = null;

  constructor(settings: BenchSettings, platform: BenchPlatform, emit: Emit, signal: AbortSignal) {
    this.#settings = settings;
    this.#platform = platform;
    this.#emit = emit;
    this.#signal = signal;
  }

  async all(
    ladders: readonly LoadedSource[],
    finished: readonly Pick<ResultRecord, "ladder" | "shape">[],
  ): Promise<ResultRecord[]> {
    const bench = await this.#open();
    this.#bench = bench;
    const jobs = ladders.flatMap((ladder) => this.#shapes(ladder.loaded, bench).map((shape) => ({ ...ladder, shape })));
    const records: ResultRecord[] = [];
    for (const [i, job] of jobs.entries()) {
      const { source, loaded, shape } = job;
      if (finished.some((record) => record.ladder === loaded.name && shapeText(record.shape) === shapeText(shape)))
        continue;
      const about = this.#platform.surroundings(bench.gpu, source);
      if (records.length === 0) this.#emit({ kind: "device", about });
      const progress = (part: number, what: string): void =>
        this.#emit({ kind: "progress", part: (i + part) / jobs.length, what });
      const record = await this.#one(job, about, progress);
      records.push(record);
      this.#emit({ kind: "result", record });
    }
    return records;
  }

  close(): void {
    this.#platform.close();
    this.#bench?.gpu.close();
  }

  #shapes({ name, ladder }: LoadedLadder, { gpu }: Bench): Shape[] {
    const { shape } = this.#settings;
    const own = ladder.shapes.time[gpu.raw.kind];
    if (Object.keys(shape).length === 0) return [...own];
    const first = own[0] ?? ladder.shapes.check[0] ?? {};
    const unknown = Object.keys(shape).find((size) => !(size in first));
    if (unknown !== undefined)
      throw new HeddleError("bad-arguments", `${name} has no size "${unknown}"`, {
        notes: [`its sizes: ${Object.keys(first).join(", ")}`],
      });
    // A size is 0 only where a shape of the ladder's own has a 0: a parameter such as causal=0, but not rows=0.
    const declared = [...ladder.shapes.check, ...Object.values(ladder.shapes.time).flat()];
    const empty = Object.keys(shape).find((size) => shape[size] === 0 && declared.every((one) => one[size] !== 0));
    if (empty !== undefined)
      throw new HeddleError("bad-arguments", `${name} needs "${empty}" of at least 1`, {
        notes: [`its own sizes: ${declared.map(shapeText).join("; ")}`],
      });
    return [{ ...first, ...shape }];
  }

  async #one(
    { source, loaded, shape }: Job,
    about: Surroundings,
    progress: (part: number, what: string) => void,
  ): Promise<ResultRecord> {
    const { sweep, sweepAgain, checkOnly, profile, seed } = this.#settings;
    const platform = this.#platform;
    const memory = platform.sweepMemory(about);
    let first = true;
    const result = await benchLadder(loaded, shape, {
      open: async () => {
        if (!first) this.#bench = await this.#open();
        first = false;
        return this.#bench as Bench;
      },
      load: (path, options) => platform.loadVersion(path, options),
      openRival: (declaration, bench) => platform.openRival(declaration, bench, source),
      clocks: () => (this.#bench === null ? null : platform.clocks(this.#bench.gpu)),
      sweep,
      sweepMemory: sweepAgain && memory !== null ? { get: () => null, put: memory.put } : memory,
      checkOnly,
      openProfiled: profile ? (observer) => this.#openProfiled(observer) : null,
      openRegisters: () => platform.openRegisters(),
      seed,
      signal: this.#signal,
      progress,
    });
    return { format: 1, surroundings: about, ...result };
  }

  async #open(): Promise<Bench> {
    const { device, gpu } = this.#settings;
    if (device === "cuda" && gpu !== null) throw new HeddleError("bad-arguments", "--gpu is for emulated devices");
    const { heddle, cores } = this.#platform;
    return openBench(await heddle.openDevice(this.#deviceOptions(device, gpu)), heddle, cores);
  }

  /** Beside a GPU: one of that product, by its rules. */
  async #openProfiled(observer: DeviceObserver): Promise<Gpu> {
    const real = this.#settings.device === "cuda" ? (this.#bench?.gpu.properties.name ?? "") : "";
    return this.#platform.openObserved(
      this.#deviceOptions("emulated", this.#settings.gpu ?? productNamed(real)),
      observer,
    );
  }

  #deviceOptions(device: DeviceKind, gpu: string | null): DeviceOptions {
    const { workers } = this.#settings;
    const encoder = new TextEncoder();
    return {
      device,
      timeoutMs: KERNEL_TIMEOUT_MS,
      reuse: false,
      onPrint: (text) => this.#emit({ kind: "output", stream: "stdout", bytes: encoder.encode(text) }),
      ...(gpu === null ? {} : { gpu }),
      ...(workers === null ? {} : { workers }),
    };
  }
}
