import { threadId } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import type { KernelBackend } from "../../engine/backend.ts";
import type { Executor, LoadedKernel, LoadedProgram } from "../../engine/executor.ts";
import type { BlockRunners } from "./block-worker.ts";
import type { GridLaunch } from "./grid-runner.ts";
import { DeviceMemory } from "./memory.ts";
import { nodeWorkerSpawner } from "./spawn-worker-node.ts";
import { WorkerPool } from "./worker-pool.ts";
import type { WorkerPoolOptions } from "./worker-pool-options.ts";

const FIXTURE = new URL("./worker-pool.fixture.mjs", import.meta.url).href;
const { BLOCK_RUNNERS, FIXTURE_BACKEND } = (await import(/* @vite-ignore */ FIXTURE)) as {
  BLOCK_RUNNERS: BlockRunners;
  FIXTURE_BACKEND: KernelBackend;
};

/** For a launch that ends: however busy the machine is. */
const PATIENCE_MS = 500_000;

/** Shorter than the default: several tests wait for it. */
const STOP_GRACE_MS = 300;

const open: WorkerPool[] = [];
afterEach(() => {
  for (const pool of open.splice(0)) pool.close();
});

class Bench {
  readonly memory: DeviceMemory;
  readonly pool: WorkerPool;
  readonly options: { -readonly [K in keyof WorkerPoolOptions]: WorkerPoolOptions[K] };
  data: number;
  readonly #kernels = new Map<string, LoadedKernel>();
  readonly #program = {} as LoadedProgram;

  constructor(options: Partial<WorkerPoolOptions> = {}) {
    this.memory = new DeviceMemory(options.spawn === null ? 1 : 3);
    this.options = {
      memory: this.memory,
      backends: [FIXTURE_BACKEND],
      runners: BLOCK_RUNNERS,
      fallback: null,
      workers: 3,
      spawn: nodeWorkerSpawner(FIXTURE),
      stopGraceMs: STOP_GRACE_MS,
      ...options,
    };
    this.pool = new WorkerPool(this.options);
    open.push(this.pool);
    this.data = this.memory.allocate(1 << 20).start;
    this.clear();
  }

  clear(): void {
    this.memory.bytes.fill(0, this.data, this.data + (1 << 20));
  }

  words(from: number, count: number): number[] {
    return [...new Int32Array(this.memory.wasm.buffer, this.data + 4 * from, count)];
  }

  launch(name: string, blocks: number, number = 0, cooperative = false): GridLaunch {
    let kernel = this.#kernels.get(name);
    if (kernel === undefined) this.#kernels.set(name, (kernel = { name } as LoadedKernel));
    const params = new Uint8Array(new Int32Array([this.data, number]).buffer);
    return {
      program: this.#program,
      kernel,
      descriptor: {
        grid: { x: blocks, y: 1, z: 1 },
        block: { x: 32, y: 1, z: 1 },
        dynamicSharedBytes: 0,
        params,
        cooperative,
        cluster: null,
        memoryTop: this.memory.top,
      },
    };
  }
}

const forms = ["runBlocking", "run"] as const;

describe.each(forms)("worker pool, %s", (form) => {
  it("runs every block once, on several threads when there is work", async () => {
    const bench = new Bench();
    // How soon workers come is the machine's affair.
    for (let [round, threads] = [0, 1]; round < 1000 && threads === 1; round++) {
      bench.clear();
      const result = await bench.pool[form](bench.launch("count", 60, 2));
      expect(result).toEqual({ fault: null, output: "" });
      expect(bench.words(0, 60)).toEqual(Array(60).fill(1));
      threads = new Set(bench.words(60, 60)).size;
      if (round === 999) expect(threads).toBeGreaterThan(1);
    }
  });

  it("runs thousands of tiny launches", async () => {
    const bench = new Bench();
    for (let i = 0; i < 1000; i++) await bench.pool[form](bench.launch("count", 3));
    expect(bench.words(0, 3)).toEqual([1000, 1000, 1000]);
  });

  it("gives output in the order of the blocks, however much there is", async () => {
    const bench = new Bench();
    await bench.pool[form](bench.launch("count", 60, 1));
    const { output } = await bench.pool[form](bench.launch("print", 40, 10_000));
    expect(output).toBe(Array.from({ length: 40 }, (_, block) => `block ${block} ${"x".repeat(10_000)}\n`).join(""));
  });

  it("workers see memory that grew after they started", async () => {
    const bench = new Bench();
    await bench.pool.warmUp();
    for (let round = 0; round < 5; round++) {
      await bench.pool[form](bench.launch("count", 60, 1));
      bench.memory.allocate(200 * 1024 * 1024);
      bench.data = bench.memory.allocate(1 << 20).start;
      bench.clear();
      await bench.pool[form](bench.launch("count", 60, 1));
      expect(bench.words(0, 60)).toEqual(Array(60).fill(1));
    }
  });

  it("a fault ends the launch", async () => {
    const bench = new Bench();
    const { fault } = await bench.pool[form](bench.launch("fault", 100_000, 30));
    expect(fault).toMatchObject({ kind: "trap", block: { x: 30 }, message: "trapped in 100000" });
    expect((await bench.pool[form](bench.launch("count", 10))).fault).toBeNull();
  });

  it("an exception in a worker comes out of the launch, and the pool goes on", async () => {
    const bench = new Bench();
    await bench.pool.warmUp();
    await expect((async () => bench.pool[form](bench.launch("throwInWorker", 500)))()).rejects.toThrow(
      "out of patience",
    );
    bench.clear();
    expect((await bench.pool[form](bench.launch("count", 10))).fault).toBeNull();
    expect(bench.words(0, 10)).toEqual(Array(10).fill(1));
  });

  it("a worker that dies is reported, and the pool goes on", async () => {
    const bench = new Bench();
    await bench.pool.warmUp();
    await expect((async () => bench.pool[form](bench.launch("dieInWorker", 500)))()).rejects.toThrow(
      /BUG: a worker thread of the device died/,
    );
    bench.clear();
    expect((await bench.pool[form](bench.launch("count", 100, 1))).fault).toBeNull();
    expect(bench.words(0, 100)).toEqual(Array(100).fill(1));
  });

  it("a launch that takes too long ends as a timeout", async () => {
    const bench = new Bench({ timeoutMs: 100 });
    expect((await bench.pool[form](bench.launch("forever", 4))).fault).toMatchObject({ kind: "timeout" });
  });

  it("a worker that does not listen is killed after a timeout", async () => {
    const bench = new Bench({ timeoutMs: 300 });
    await bench.pool.warmUp();
    expect((await bench.pool[form](bench.launch("hangInWorker", 500))).fault).toMatchObject({ kind: "timeout" });
    bench.clear();
    bench.options.timeoutMs = PATIENCE_MS;
    expect((await bench.pool[form](bench.launch("count", 50))).fault).toBeNull();
    expect(bench.words(0, 50)).toEqual(Array(50).fill(1));
  });

  it("code that never ends is killed wherever it runs", async () => {
    const bench = new Bench({ timeoutMs: 300 });
    expect((await bench.pool[form](bench.launch("hangEverywhere", 3))).fault).toMatchObject({ kind: "timeout" });
    bench.options.timeoutMs = PATIENCE_MS;
    expect((await bench.pool[form](bench.launch("count", 3))).fault).toBeNull();
  });

  it("a cooperative launch stays on one thread", async () => {
    const bench = new Bench();
    await bench.pool[form](bench.launch("count", 20, 1, true));
    expect(new Set(bench.words(20, 20)).size).toBe(1);
  });

  it("threads have scratch memory of their own", async () => {
    const bench = new Bench();
    await bench.pool[form](bench.launch("scratch", 300));
  });

  it("without workers, everything runs here", async () => {
    const bench = new Bench({ spawn: null });
    expect(bench.memory.shared).toBe(false);
    await bench.pool[form](bench.launch("count", 1000));
    expect(bench.words(0, 1000)).toEqual(Array(1000).fill(1));
  });

  it("a kernel that no backend takes goes to the fallback", async () => {
    const fallback: Executor = {
      name: "fallback",
      run: (_program, kernel, _launch, _memory, host) => (host.print(`ran ${kernel.name}`), null),
    };
    expect((await new Bench({ fallback }).pool[form](new Bench().launch("other", 1))).output).toBe("ran other");
    await expect((async () => new Bench().pool[form](new Bench().launch("other", 1)))()).rejects.toThrow(/no engine/);
  });
});

describe("worker pool", () => {
  it("keeps the event loop free in the asynchronous form", async () => {
    const bench = new Bench();
    const word = new Int32Array(bench.memory.wasm.buffer, bench.data, 1);
    setTimeout(() => Atomics.store(word, 0, 1), 20);
    expect(await bench.pool.run(bench.launch("awaitWord", 10))).toEqual({ fault: null, output: "" });
  });

  it("hears a fault that takes longer to tell than a stopped thread is waited for", async () => {
    const bench = new Bench();
    expect((await bench.pool.run(bench.launch("slowFault", 1, 2 * STOP_GRACE_MS))).fault).toMatchObject({
      kind: "trap",
      message: "told at last",
    });
  });

  it("a worker that waits for its long output to be read does not keep a standstill from being proven", () => {
    const bench = new Bench();
    expect(bench.pool.runBlocking(bench.launch("standstill", 2, 300_000)).output).toBe("x".repeat(300_000));
  });

  it("tells a runner that it is alone only when it is", () => {
    const bench = new Bench();
    const answers: boolean[] = [];
    const backend: KernelBackend = {
      name: "probe",
      compile: () => ({ backend: "probe", wasm: Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), metadata: null }),
    };
    const pool = new WorkerPool({
      memory: bench.memory,
      backends: [backend],
      fallback: null,
      workers: 1,
      spawn: null,
      runners: {
        probe: () => ({
          run: (_launch, host) => {
            while (host.nextBlock() >= 0) answers.push(host.alone());
            answers.push(host.alone());
            return null;
          },
        }),
      },
    });
    pool.runBlocking(bench.launch("any", 3));
    expect(answers).toEqual([false, false, true, true]);
  });
});

describe("worker pool, an event loop's launches", () => {
  /** Blocks of `count` that the launching thread ran. */
  const own = (bench: Bench, blocks: number): number =>
    bench.words(blocks, blocks).filter((thread) => thread === threadId + 1).length;

  it(
    "the launching thread takes part when the kernel's last launch was short, and not before " + "that is known",
    async () => {
      const bench = new Bench();
      await bench.pool.run(bench.launch("count", 60));
      expect(own(bench, 60)).toBe(0);
      // However slow the machine is, one of these launches is a short one.
      do {
        bench.clear();
        await bench.pool.run(bench.launch("count", 60));
        expect(bench.words(0, 60)).toEqual(Array(60).fill(1));
      } while (own(bench, 60) === 0);
    },
  );

  it("it leaves to workers what turns out to take long", async () => {
    const bench = new Bench();
    // However slow the machine is, one of these launches is a short one.
    do await bench.pool.run(bench.launch("count", 3));
    while (own(bench, 3) === 0);
    bench.clear();
    await bench.pool.run(bench.launch("count", 60, 20));
    expect(bench.words(0, 60)).toEqual(Array(60).fill(1));
    // Its first piece is an eighth of its share of the blocks: two of 20 ms.
    expect(own(bench, 60)).toBe(2);
  });
});
