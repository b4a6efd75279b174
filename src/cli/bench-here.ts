/** The measuring of `heddle bench`, on a device of this machine. */
import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { HeddleError } from "../base/diagnostics.ts";
import { benchLadder } from "../bench/bench-ladder.ts";
import { type LoadedLadder } from "../kernel-library/loaded-ladder.ts";
import { loadLadder } from "../kernel-library/ladder-files-node.ts";
import type { Shape } from "../kernel-library/ladder.ts";
import { Python } from "../bench/python-process-node.ts";
import { type ResultRecord, type Surroundings } from "../bench/results.ts";
import { shapeText } from "../kernel-library/ladder.ts";
import { openRival } from "../bench/rivals-node.ts";
import { openBench } from "../bench/open-bench.ts";
import type { Bench } from "../bench/subject.ts";
import { gpuClocks } from "../measure/gpu-clocks-node.ts";
import { surroundings } from "../bench/surroundings-node.ts";
import { sweepCache } from "../bench/sweep-cache-node.ts";
import { syncNodeStore } from "../store/disk-store-node.ts";
import { nodeEnvironment } from "../library/environment-node.ts";
import type { DeviceOptions } from "../library/environment.ts";
import { createHeddle, type Heddle } from "../library/heddle.ts";
import type { BenchCommand } from "./options/bench-options.ts";
import type { BenchListener } from "./bench-report.ts";
import { includedFiles } from "./dependencies.ts";
import { version } from "./version.ts";

/** A kernel that takes longer hangs. */
const KERNEL_TIMEOUT_MS = 120_000;

/** What decides what is measured, and how. */
export type Measuring = Pick<
  BenchCommand,
  "device" | "gpu" | "workers" | "shape" | "only" | "rivals" | "sweep" | "sweepAgain" | "checkOnly" | "seed"
>;

export interface LadderFile {
  readonly file: string;
  readonly loaded: LoadedLadder;
}

/** The ladders of these files, with the versions and rivals that were asked for. */
export async function loadLadders(files: readonly string[], measuring: Measuring): Promise<LadderFile[]> {
  const ladders: LadderFile[] = [];
  for (const file of files)
    ladders.push({
      file,
      loaded: chosenVersions(await loadLadder(file, (source) => includedFiles(source, [])), measuring),
    });
  return ladders;
}

function chosenVersions(whole: LoadedLadder, { only, rivals }: Measuring): LoadedLadder {
  const loaded = rivals ? whole : { ...whole, ladder: { ...whole.ladder, rivals: {} } };
  if (only === null) return loaded;
  const versions = loaded.versions.filter(({ name }) => name.includes(only));
  if (versions.length === 0)
    throw new HeddleError("bad-arguments", `no version of ${loaded.name} has "${only}" in its name`, {
      notes: [`versions: ${loaded.versions.map(({ name }) => name).join(", ")}`],
    });
  return { ...loaded, versions };
}

export interface BenchHereOptions {
  readonly signal: AbortSignal;
  /** Which are measured already. */
  readonly finished?: readonly Pick<ResultRecord, "ladder" | "shape">[];
  /** Of a ladder's files, where they do not lie in their repository. */
  readonly origin?: (file: string) => Pick<Surroundings, "commit" | "dirty">;
}

/** @throws Interrupted after an abort; what is finished until then was told. */
export async function benchHere(
  measuring: Measuring,
  ladders: readonly LadderFile[],
  listener: BenchListener,
  options: BenchHereOptions,
): Promise<void> {
  const run = new BenchHere(measuring, listener, options);
  try {
    await run.run(ladders);
  } finally {
    run.close();
  }
}

class BenchHere {
  readonly #measuring: Measuring;
  readonly #listener: BenchListener;
  readonly #options: BenchHereOptions;
  readonly #heddle: Heddle;
  readonly #python: Python;
  #bench: Bench | null = null;

  constructor(measuring: Measuring, listener: BenchListener, options: BenchHereOptions) {
    this.#measuring = measuring;
    this.#listener = listener;
    this.#options = options;
    this.#python = new Python(options.signal);
    this.#heddle = createHeddle(nodeEnvironment());
  }

  async run(ladders: readonly LadderFile[]): Promise<void> {
    const bench = await this.#open();
    this.#bench = bench;
    const { finished = [], origin = () => null } = this.#options;
    const jobs = ladders.flatMap(({ file, loaded }) =>
      this.#shapes(loaded, bench).map((shape) => ({ file, loaded, shape })),
    );
    const engine = process.env["HEDDLE_ENGINE"] || "auto";
    let isBegun = false;
    for (const [i, { file, loaded, shape }] of jobs.entries()) {
      if (finished.some((record) => record.ladder === loaded.name && shapeText(record.shape) === shapeText(shape)))
        continue;
      const about = { ...surroundings(bench.gpu, dirname(file), version(), engine), ...origin(file) };
      if (!isBegun) this.#listener.begin(about);
      isBegun = true;
      this.#listener.record(
        await this.#benchOne({ loaded, folder: dirname(file), shape, about }, (part, what) =>
          this.#listener.progress((i + part) / jobs.length, what),
        ),
      );
    }
  }

  close(): void {
    this.#python.close();
    this.#bench?.gpu.close();
  }

  #shapes({ name, ladder }: LoadedLadder, { gpu }: Bench): Shape[] {
    const { shape } = this.#measuring;
    const own = ladder.shapes.time[gpu.raw.kind];
    if (Object.keys(shape).length === 0) return [...own];
    const first = own[0] ?? ladder.shapes.check[0] ?? {};
    const unknown = Object.keys(shape).find((size) => !(size in first));
    if (unknown !== undefined)
      throw new HeddleError("bad-arguments", `${name} has no size "${unknown}"`, {
        notes: [`its sizes: ${Object.keys(first).join(", ")}`],
      });
    return [{ ...first, ...shape }];
  }

  async #benchOne(
    { loaded, folder, shape, about }: { loaded: LoadedLadder; folder: string; shape: Shape; about: Surroundings },
    progress: (part: number, what: string) => void,
  ): Promise<ResultRecord> {
    const { sweep, sweepAgain, checkOnly, seed } = this.#measuring;
    let first = true;
    const memory = sweepCache(syncNodeStore(), about);
    const result = await benchLadder(loaded, shape, {
      open: async () => {
        if (!first) this.#bench = await this.#open();
        first = false;
        return this.#bench as Bench;
      },
      load: (path, options) => this.#heddle.load(path, options),
      openRival: (declaration, bench) =>
        openRival(declaration, {
          bench,
          folder,
          openBlas: (device) => this.#heddle.openBlas(device),
          python: this.#python,
        }),
      clocks: about.device.kind === "cuda" ? gpuClocks : () => null,
      sweep,
      sweepMemory: sweepAgain ? { get: () => null, put: memory.put } : memory,
      checkOnly,
      seed,
      signal: this.#options.signal,
      progress,
    });
    return { format: 1, surroundings: about, ...result };
  }

  async #open(): Promise<Bench> {
    const { device, gpu, workers } = this.#measuring;
    if (device === "cuda" && gpu !== null) throw new HeddleError("bad-arguments", "--gpu is for emulated devices");
    const options: DeviceOptions = {
      device,
      timeoutMs: KERNEL_TIMEOUT_MS,
      reuse: false,
      onPrint: (text) => this.#listener.print(text),
      ...(gpu === null ? {} : { gpu }),
      ...(workers === null ? {} : { workers }),
    };
    const opened = await this.#heddle.openDevice(options);
    return openBench(opened, this.#heddle, availableParallelism());
  }
}
