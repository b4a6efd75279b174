/**
 * Runs launches on all cores. The thread that launches is the coordinator. A launch goes through these states:
 *
 *   begun ── the coordinator runs blocks itself ──▶ alone ── it takes longer than waking workers ──▶ shared
 *     └──── the coordinator stays out (`#beginOnWorkers`) ─────────────────────────────────────────▶ shared
 *   shared ── all blocks are taken, or the launch is stopped ──▶ gate closed ── all threads have left ──▶ over
 *
 * `runBlocking` begins alone: a small launch wakes no worker, and no launch waits for a worker to start. `run` begins
 * alone only if the kernel's last launch was short (JOIN_MS). Otherwise only workers run blocks, and the event loop
 * stays free.
 *
 * Works on Node's main thread, in Node worker threads, in dedicated workers of a browser, and on a page's main thread.
 * That one may not sleep: `runBlocking` looks again and again there, and `run` leaves it to the page. Without
 * SharedArrayBuffer, or with one worker, every launch runs on the calling thread.
 */
import { dim3Volume } from "../../base/dim3.ts";
import { HeddleError } from "../../base/diagnostics.ts";
import type { LoadedProgram } from "../../engine/executor.ts";
import type { LaunchEngine } from "../../machine/observer.ts";
import { BlockWorker, leaveGate, stopLaunch } from "./block-worker.ts";
import { CodeStore, type StoredKernel } from "./code-store.ts";
import {
  CONTROL,
  GATE_OPEN,
  OF_A_LAUNCH,
  MAX_WORKERS,
  WORKER,
  WORKER_STATES,
  controlWords,
  controlWords64,
  workerWord,
  stallWords,
} from "./control-words.ts";
import { InlineRunner, type GridLaunch, type GridResult, type GridRunner } from "./grid-runner.ts";
import { packLaunch } from "./launch-record.ts";
import { PoolThreads } from "./pool-threads.ts";
import type { DeviceMemory } from "./memory.ts";
import type { WorkerPoolOptions } from "./worker-pool-options.ts";
import { spinWhile, waitWhile } from "./spin.ts";
import { resetStall } from "../../engine/deadlock-proof/all-threads.ts";
import { WATCH_MS, type PoolLaunch, hasReason, signalChange, resultOf, timeOut } from "./pool-launch.ts";

/** After so long the coordinator shares a launch with workers. It looks at the clock between blocks. */
const WAKE_AFTER_MS = 0.3;

/** The first launch of a kernel is shared at once if it has so many threads, later ones if the last was slow. */
const MANY_THREADS = 16384;

/**
 * A kernel whose last launch took no longer runs on the coordinator, and keeps its event loop for twice as long at
 * most: a frame of a display. Waking all workers, and then the event loop, would take a quarter of a millisecond.
 */
const JOIN_MS = 8;

/** When a launch that one thread seemed enough for takes so long, all threads take part. */
const HELP_AFTER_MS = 20;

const STOP_GRACE_MS = 2000;

export class WorkerPool implements GridRunner {
  readonly #options: WorkerPoolOptions;
  readonly #memory: DeviceMemory;
  readonly #code: CodeStore;
  readonly #inline: InlineRunner | null;
  readonly #threads: PoolThreads;
  /** Runs the coordinator's blocks. */
  #thread: BlockWorker;
  /** A launch that waits for its child grids runs on the coordinator. */
  #isRunning = false;
  /** What runs blocks of launches inside of launches, from the outermost in. */
  readonly #inner: BlockWorker[] = [];
  #depth = 0;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#memory = options.memory;
    this.#code = new CodeStore(options.memory, options.backends, options.keptCode ?? null);
    this.#threads = new PoolThreads(options, this.#code);
    this.#thread = new BlockWorker(options.memory.wasm, options.runners, CONTROL.loop);
    this.#inline =
      options.fallback === null ? null : new InlineRunner(options.fallback, options.memory, this.#thread.scratch);
  }

  /** Threads that may run blocks, the calling one included. */
  get threads(): number {
    return this.#options.spawn === null || !this.#memory.shared
      ? 1
      : Math.max(1, Math.min(this.#options.workers, MAX_WORKERS));
  }

  /** Starts all workers and resolves when they are ready: in browsers a thread that blocks cannot start any. */
  async warmUp(): Promise<void> {
    if (this.threads === 1) return;
    this.#threads.spawnUpTo(this.threads, this.threads);
    const words = controlWords(this.#memory.wasm);
    for (const [i] of this.#threads.workers.entries()) {
      while (Atomics.load(words, workerWord(i, WORKER.state)) === WORKER_STATES.indexOf("starting")) {
        if (this.#threads.deaths.length > 0) this.#threads.abandon();
        await signalChange(words, Atomics.load(words, CONTROL.signal));
      }
    }
  }

  /** Starts the thread that a first, small launch by `run` needs, and does not wait for it. */
  startEarly(): void {
    if (this.threads > 1) this.#threads.spawnUpTo(1, this.threads);
  }

  runBlocking(launch: GridLaunch): GridResult {
    const kernel = this.#code.compiled(launch);
    if (kernel === null) return this.#withoutBackend(launch).runBlocking(launch);
    if (this.#isRunning) return this.#inside(() => this.#runHere(launch, kernel));
    if (launch.runChildGrids !== undefined) return this.#runHere(launch, kernel);
    // Code that never ends can only be stopped on another thread.
    if (this.#limitOf(launch) !== null && this.threads > 1) {
      const run = this.#beginOnWorkers(launch, kernel);
      for (;;) {
        const signal = Atomics.load(run.words, CONTROL.signal);
        if (this.#isOver(run)) return this.#end(run, launch);
        waitWhile(run.words, CONTROL.signal, signal, WATCH_MS);
      }
    }
    return this.#runHere(launch, kernel);
  }

  /** This thread takes part from the beginning to the end. */
  #runHere(launch: GridLaunch, kernel: StoredKernel): GridResult {
    const run = this.#begin(launch, kernel, true);
    this.#runBlocks(run, launch, kernel, Infinity);
    if (!run.shared) return this.#end(run, launch);
    for (;;) {
      const signal = Atomics.load(run.words, CONTROL.signal);
      if (this.#isOver(run)) break;
      if (!spinWhile(run.words, CONTROL.signal, signal)) waitWhile(run.words, CONTROL.signal, signal, WATCH_MS);
    }
    return this.#end(run, launch);
  }

  /**
   * The coordinator's part in a launch: runs blocks until none are left, or, where workers help, for so long; and lets
   * workers in when they are worth it.
   */
  #runBlocks(run: PoolLaunch, launch: GridLaunch, kernel: StoredKernel, longestMs: number): void {
    const mayShare = this.threads > 1 && !this.#onOneThread(launch) && run.blockCount > 1;
    const worthwhile =
      kernel.lastWorkMs === null ? this.#hasManyThreads(run, launch) : kernel.lastWorkMs > 2 * WAKE_AFTER_MS;
    if (mayShare && worthwhile) this.#share(run, launch, kernel, this.threads - 1);
    const mayGoOn = (): boolean => {
      const elapsed = performance.now() - run.started;
      if (elapsed > run.timeoutMs) timeOut(run, this.#memory.wasm);
      if (mayShare && !run.shared && elapsed > WAKE_AFTER_MS) this.#share(run, launch, kernel, this.threads - 1);
      return elapsed < longestMs || !run.shared;
    };
    const thread = this.#thread;
    this.#isRunning = launch.runChildGrids !== undefined;
    run.messages.push(
      thread.run(
        () => thread.runner(kernel.id, () => kernel.compiled),
        launch.descriptor,
        this.threads,
        mayGoOn,
        launch.runChildGrids,
      ),
    );
    this.#isRunning = false;
    leaveGate(run.words);
  }

  async run(launch: GridLaunch): Promise<GridResult> {
    if (this.threads === 1 || launch.runChildGrids !== undefined) return this.runBlocking(launch);
    const kernel = this.#code.compiled(launch);
    if (kernel === null) return this.#withoutBackend(launch).run(launch);
    const run = this.#isShort(launch, kernel)
      ? this.#begin(launch, kernel, true)
      : this.#beginOnWorkers(launch, kernel);
    if (run.inside) {
      this.#runBlocks(run, launch, kernel, 2 * JOIN_MS);
      const signal = Atomics.load(run.words, CONTROL.signal);
      if (this.#isOver(run)) return this.#end(run, launch);
      if (this.#allTaken()) spinWhile(run.words, CONTROL.signal, signal);
      else this.#letIn(this.threads); // one more in the coordinator's place
    }
    for (;;) {
      const signal = Atomics.load(run.words, CONTROL.signal);
      if (this.#isOver(run)) return this.#end(run, launch);
      await signalChange(run.words, signal);
      const isLong = performance.now() - run.started > HELP_AFTER_MS;
      if (isLong && run.helpers < this.threads && !this.#onOneThread(launch) && !this.#allTaken()) {
        run.helpers = this.threads;
        this.#letIn(this.threads);
      }
    }
  }

  engineOf(launch: GridLaunch): LaunchEngine {
    const kernel = this.#code.compiled(launch);
    return kernel === null ? "interpreter" : (kernel.compiled.backend as LaunchEngine);
  }

  forget(program: LoadedProgram): void {
    for (const id of this.#code.forget(program)) for (const thread of [this.#thread, ...this.#inner]) thread.forget(id);
  }

  close(): void {
    if (this.#threads.workers.length === 0) return;
    const words = controlWords(this.#memory.wasm);
    stopLaunch(words, "closed");
    Atomics.store(words, CONTROL.close, 1);
    this.#threads.discard();
  }

  /**
   * A launch inside of another, which this thread alone runs: the control words are the inner one's meanwhile, and
   * another instance of the code runs its blocks.
   */
  #inside(run: () => GridResult): GridResult {
    const outer = this.#thread;
    const words = controlWords(this.#memory.wasm);
    const kept = OF_A_LAUNCH.map((word) => Atomics.load(words, word));
    this.#thread = this.#inner[this.#depth++] ??= new BlockWorker(
      this.#memory.wasm,
      this.#options.runners,
      CONTROL.loop,
    );
    this.#isRunning = false;
    try {
      return run();
    } finally {
      this.#isRunning = true;
      this.#depth--;
      this.#thread = outer;
      for (const [i, word] of OF_A_LAUNCH.entries()) Atomics.store(words, word, kept[i] as number);
    }
  }

  // ---------------------------------------------------------------- a launch

  /** Must not be called while another launch runs. */
  #begin(launch: GridLaunch, kernel: StoredKernel, inside: boolean): PoolLaunch {
    const words = controlWords(this.#memory.wasm);
    const words64 = controlWords64(this.#memory.wasm);
    const blockCount = dim3Volume(launch.descriptor.grid);
    Atomics.store(words, CONTROL.stop, 0);
    resetStall(stallWords(words));
    Atomics.store(words64, CONTROL.blocksTaken64, 0n);
    Atomics.store(words64, CONTROL.blockCount64, BigInt(blockCount));
    Atomics.store(words, CONTROL.gate, inside ? 1 : 0);
    const loops = this.#code.loopTable(kernel);
    Atomics.store(words, CONTROL.loopTable, loops.address);
    Atomics.store(words, CONTROL.loopTableBytes, loops.bytes);
    return {
      words,
      blockCount,
      kernel,
      inside,
      started: performance.now(),
      timeoutMs: this.#limitOf(launch) ?? Infinity,
      messages: [],
      shared: false,
      helpers: this.threads,
      recordAddress: null,
      stoppedAt: null,
      timedOutIn: null,
    };
  }

  /** Milliseconds; null: there is none. */
  #limitOf({ timeoutMs }: GridLaunch): number | null {
    return timeoutMs ?? this.#options.timeoutMs ?? null;
  }

  /**
   * Whether the launching thread may take part without keeping its event loop for long. Code that never ends can only
   * be stopped on another thread.
   */
  #isShort(launch: GridLaunch, { lastWorkMs }: StoredKernel): boolean {
    return (
      lastWorkMs !== null &&
      lastWorkMs < JOIN_MS * this.threads &&
      this.#limitOf(launch) === null &&
      !this.#onOneThread(launch)
    );
  }

  /** The coordinator stays out. */
  #beginOnWorkers(launch: GridLaunch, kernel: StoredKernel): PoolLaunch {
    const run = this.#begin(launch, kernel, false);
    // Starting further threads takes longer than a small launch.
    const isSmall =
      kernel.lastWorkMs === null && !this.#hasManyThreads(run, launch) && this.#threads.workers.length < this.threads;
    run.helpers = isSmall || this.#onOneThread(launch) ? 1 : this.threads;
    this.#share(run, launch, kernel, run.helpers);
    return run;
  }

  #hasManyThreads({ blockCount }: PoolLaunch, { descriptor }: GridLaunch): boolean {
    return blockCount * dim3Volume(descriptor.block) >= MANY_THREADS;
  }

  /** The blocks of a cooperative launch wait for one another. Only the launching thread launches grids. */
  #onOneThread(launch: GridLaunch): boolean {
    const { cooperative } = launch.descriptor;
    return cooperative || launch.runChildGrids !== undefined || this.#options.serial === true;
  }

  /** Closes the gate when there is nothing left to take; true when all workers have left. */
  #isOver(run: PoolLaunch): boolean {
    if (this.#allTaken() || Atomics.load(run.words, CONTROL.stop) !== 0)
      Atomics.and(run.words, CONTROL.gate, ~GATE_OPEN);
    return this.#watch(run);
  }

  #allTaken(): boolean {
    const words64 = controlWords64(this.#memory.wasm);
    return Atomics.load(words64, CONTROL.blocksTaken64) >= Atomics.load(words64, CONTROL.blockCount64);
  }

  /** Opens a launch's gate to `count` workers. */
  #share(run: PoolLaunch, launch: GridLaunch, kernel: StoredKernel, count: number): void {
    run.shared = true;
    const { words } = run;
    const code = this.#code.place(kernel);
    const record = packLaunch({
      launch: launch.descriptor,
      kernelId: kernel.id,
      backend: kernel.compiled.backend,
      codeAddress: code.address,
      codeBytes: code.bytes,
    });
    run.recordAddress = this.#code.allocate(record);
    Atomics.store(words, CONTROL.launchAddress, run.recordAddress);
    Atomics.store(words, CONTROL.launchBytes, record.byteLength);
    this.#letIn(count);
  }

  /** Calls `count` workers to the launch whose record is there. */
  #letIn(count: number): void {
    this.#threads.spawnUpTo(count, this.threads);
    const words = controlWords(this.#memory.wasm);
    Atomics.store(words, CONTROL.workerLimit, count);
    Atomics.or(words, CONTROL.gate, GATE_OPEN);
    Atomics.add(words, CONTROL.generation, 1);
    Atomics.notify(words, CONTROL.generation);
  }

  /** Takes what workers have sent; true when all have left. Throws when the pool is broken. */
  #watch(run: PoolLaunch): boolean {
    // The gate first: a worker sends before it leaves.
    const gate = Atomics.load(run.words, CONTROL.gate);
    for (const worker of this.#threads.workers) run.messages.push(...worker.mailbox.poll());
    if (gate === 0) return true;
    for (const [i] of this.#threads.workers.entries()) {
      if (Atomics.load(run.words, workerWord(i, WORKER.state)) === WORKER_STATES.indexOf("dead"))
        this.#threads.deaths.push(`worker ${i} has ended`);
    }
    if (this.#threads.deaths.length > 0) this.#threads.abandon();
    const now = performance.now();
    // Starting workers and compiling on them is not the kernel's time.
    if (Atomics.load(controlWords64(this.#memory.wasm), CONTROL.blocksTaken64) === 0n) run.started = now;
    if (now - run.started > run.timeoutMs) timeOut(run, this.#memory.wasm);
    if (Atomics.load(run.words, CONTROL.stop) !== 0) {
      run.stoppedAt ??= now;
      // A worker is stuck in code that never polls, and must be killed. The next launch starts new workers. But a
      // thread that stopped the launch for a reason of its own is heard first.
      if (now - run.stoppedAt > (this.#options.stopGraceMs ?? STOP_GRACE_MS) && hasReason(run)) {
        this.#threads.discard();
        return true;
      }
    }
    return false;
  }

  #end(run: PoolLaunch, launch: GridLaunch): GridResult {
    if (run.recordAddress !== null) this.#memory.freeEngine(run.recordAddress);
    run.kernel.lastWorkMs = (performance.now() - run.started) * (run.shared ? this.threads : 1);
    return resultOf(run, launch);
  }

  #withoutBackend(launch: GridLaunch): InlineRunner {
    if (this.#inline === null)
      throw new HeddleError(
        "unsupported",
        `no engine that was chosen can run the kernel ${launch.kernel.name} in blocks of this shape`,
        { notes: this.#code.whyNot(launch) },
      );
    return this.#inline;
  }
}
