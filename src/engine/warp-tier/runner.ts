/** Runs the blocks of a launch with a compiled warp module on the calling thread. */
import { type LongBytes } from "../../ir/intrinsics/print-functions.ts";
import { bug } from "../../base/diagnostics.ts";
import { dim3Flatten, dim3Unflatten, dim3Volume, type Dim3 } from "../../base/dim3.ts";
import { fmaFloat64 } from "../../base/float-rounding.ts";
import { blockOfLaunch, clusterExtents } from "../../machine/clusters.ts";
import type { DeviceFault, FailedAssertion, FaultKind } from "../../machine/faults.ts";
import { WARP_LANES } from "../../machine/memory-map.ts";
import { moveSample } from "../../machine/lane-sample.ts";
import { BARRIER_COUNTERS, raiseCounter } from "../../machine/barrier-skew.ts";
import { COUNTER_BYTES } from "../../machine/warp-counts.ts";
import type { BlockRunner, BlockRunnerFactory, BlockRunnerHost } from "../backend.ts";
import { FAULT_CODES } from "../emit/environment.ts";
import type { LaunchDescriptor } from "../executor.ts";
import { legalBytes } from "../launch-globals.ts";
import { ARGUMENTS_OUTSIDE_MEMORY, formatFromMemory, readCString } from "../packed-arguments.ts";
import { externalFunctions } from "../emit/external-functions.ts";
import { illegalBarrier } from "../schedule/fault-reports.ts";
import { placeBlocks, type BlockPlace } from "./block-places.ts";
import { BlockWaits } from "./block-waits.ts";
import { ClusterWaits } from "./cluster-waits.ts";
import { ROUNDS_PER_LOOK } from "./control-flow/block-loops.ts";
import type { WarpMetadata } from "./metadata.ts";

/** Thrown by imported functions to leave a warp that did something illegal. */
class WarpFault {
  readonly fault: DeviceFault;
  constructor(fault: DeviceFault) {
    this.fault = fault;
  }
}

/** Thrown to leave a launch that must stop while its warps wait. */
class Stopped {}

/** The runner asks every so many blocks whether the launch must stop. */
const BLOCKS_PER_POLL = 16;
/** In a block whose warps all wait, it asks every so many rounds. */
const ROUNDS_PER_POLL = 1024;
/** How long a call of compiled code should take. */
const CALL_MS = 0.1;

const VERBS = { load: "reads", store: "writes", atomic: "updates" } as const;

export const warpRunner: BlockRunnerFactory = (compiled, module, memory) =>
  new WarpRunner(compiled.metadata as WarpMetadata, module, memory);

class WarpRunner implements BlockRunner {
  readonly #metadata: WarpMetadata;
  readonly #memory: WebAssembly.Memory;
  readonly #globals: Record<string, WebAssembly.Global>;
  readonly #run: (first: number, count: number) => void;
  #host: BlockRunnerHost | null = null;
  #grid: Dim3 = { x: 1, y: 1, z: 1 };
  #assertion: FailedAssertion | undefined = undefined;
  /** What the blocks wait for that this thread runs: those of a cluster, or one. */
  #waits: ClusterWaits | null = null;
  /** Of the blocks of a cluster, by rank. */
  #places: readonly BlockPlace[] = [];

  constructor(metadata: WarpMetadata, module: WebAssembly.Module, memory: WebAssembly.Memory) {
    this.#metadata = metadata;
    this.#memory = memory;
    const instance = new WebAssembly.Instance(module, {
      env: { memory },
      math: {
        fma64: fmaFloat64,
        fmod: (a: number, b: number) => a % b,
        exp2: (x: number) => 2 ** x,
        log2: Math.log2,
        sin: Math.sin,
        cos: Math.cos,
        tanh: Math.tanh,
      },
      pure: externalFunctions(metadata.externals),
      warp: {
        addressFault: (lane: number, address: number, site: number) => this.#addressFault(lane, address >>> 0, site),
        fault: (lane: number, code: number, site: number) => this.#fault(lane, code, site),
        trap: (lane: number, site: number) => this.#fault(lane, FAULT_CODES["illegal-instruction"], site),
        print: (format: number, args: number, longBytes: LongBytes) => this.#print(format >>> 0, args >>> 0, longBytes),
        assert: (_: number, message: number, file: number, line: number, functionName: number) =>
          this.#noteAssertion(message >>> 0, file >>> 0, line, functionName >>> 0),
        clock: () => this.#host!.nowNs(),
        ...this.#waitFunctions(),
      },
    });
    this.#globals = instance.exports as unknown as Record<string, WebAssembly.Global>;
    this.#run = instance.exports["run"] as (first: number, count: number) => void;
  }

  run(launch: LaunchDescriptor, host: BlockRunnerHost): DeviceFault | null {
    const m = this.#metadata;
    this.#host = host;
    this.#grid = launch.grid;
    const allocated: number[] = [];
    let counters: number | null = null;
    const take = (bytes: number, align: number, kind: "user" | "engine"): number => {
      const address = host.allocate(Math.max(bytes, 16), align, kind);
      allocated.push(address);
      return address;
    };
    try {
      const params = take(launch.params.length, 16, "user");
      new Uint8Array(this.#memory.buffer).set(launch.params, params);
      const cluster = clusterExtents(launch.cluster);
      const blocks = dim3Volume(cluster);
      const sharedBytes = m.staticSharedBytes + launch.dynamicSharedBytes;
      const room = placeBlocks(m, blocks, sharedBytes, take);
      this.#places = room.places;
      this.#set("loopWord", host.loopWord ?? room.loopWord);
      this.#set("params", params);
      this.#set("scratch", room.scratch);
      this.#set("barrier", room.barrier);
      this.#enter(0);
      this.#set("cluster.window", room.places[0]!.shared[0]);
      this.#set("cluster.stride", room.stride);
      if (m.counts !== null) {
        counters = take(m.counts.bytes, COUNTER_BYTES, "engine");
        new Uint8Array(this.#memory.buffer, counters, m.counts.bytes).fill(0);
        this.#set("counts", counters);
        this.#set("sharedBytes", sharedBytes);
      }
      if (m.waits !== null)
        this.#waits = new ClusterWaits(room.places.map((place) => new BlockWaits(m, this.#memory, place)));
      for (const axis of ["x", "y", "z"] as const) {
        this.#set(`nctaid.${axis}`, launch.grid[axis]);
        this.#set(`cluster.${axis}`, cluster[axis]);
      }
      // Windows allocated just now lie below the top that the launch was given, or raise it.
      const top = Math.max(launch.memoryTop, params + launch.params.length, room.end);
      const bytes = legalBytes(top, "i32");
      this.#set("limitBytes", bytes);
      for (let k = 0; k <= 4; k++) this.#set(`limit${k}`, Math.floor((bytes - 2 ** k) / 2 ** k));
      return blocks === 1 ? this.#runBlocks(host) : this.#runClusters(launch, host);
    } finally {
      if (counters !== null) this.#addUpCounters(counters);
      for (const address of allocated.reverse()) host.free(address);
      this.#host = null;
    }
  }

  /** What kernels import whose warps wait apart from one another (ModuleContext). */
  #waitFunctions(): WebAssembly.ModuleImports {
    const waits = (): ClusterWaits => this.#waits ?? bug("a warp waits outside of a launch");
    const warp = (): number => this.#globals["warp"]!.value as number;
    return {
      beginBlock: () => Number(waits().enter()),
      arrive: (id: number, threads: number, isWaiting: number, site: number) => {
        const problem = illegalBarrier({ barrier: id, threads });
        if (problem !== null) throw new WarpFault(this.#faultAt(0, "illegal-instruction", problem, site));
        waits().block.arrive(warp(), id, threads, isWaiting !== 0);
      },
      atCluster: (isWaiting: number) => waits().atBarrier(warp(), isWaiting !== 0),
      endWarp: () => waits().end(warp()),
      stall: (idleRounds: number, rounds: number) => {
        const isPoll = (idleRounds > 0 && idleRounds % ROUNDS_PER_POLL === 0) || rounds % ROUNDS_PER_LOOK === 0;
        if (isPoll && this.#host!.stopped()) throw new Stopped();
        if (waits().isDeadlocked(idleRounds, rounds))
          throw new WarpFault(waits().deadlock(this.#metadata.kernel, [this.#launchBlock]));
        return Number(waits().yields(idleRounds, rounds));
      },
    };
  }

  /** Adds what this thread has counted to the tool's counters, which all threads of the launch share. */
  #addUpCounters(own: number): void {
    const { address, bytes, accesses, barriers } = this.#metadata.counts ?? bug("counters without records");
    for (const access of accesses) moveSample(this.#memory.buffer, own + access, address + access);
    const counted = new BigInt64Array(this.#memory.buffer, own, bytes / COUNTER_BYTES);
    const all = new BigInt64Array(this.#memory.buffer, address, bytes / COUNTER_BYTES);
    // The most of several threads is no sum.
    for (const barrier of barriers) {
      const worst = barrier / COUNTER_BYTES + BARRIER_COUNTERS.worst;
      raiseCounter(all, worst, Number(counted[worst]));
      counted[worst] = 0n;
    }
    counted.forEach((amount, n) => {
      if (amount !== 0n) Atomics.add(all, n, amount);
    });
  }

  #runBlocks(host: BlockRunnerHost): DeviceFault | null {
    // A call runs to its end in the code with which it began. So calls are short until the engine has optimised the
    // code, and long afterwards.
    let want = 1;
    for (let polled = 0; ;) {
      const first = host.nextBlock();
      if (first < 0) return null;
      const count = 1 + (want > 1 ? host.furtherBlocks(want - 1) : 0);
      polled += count;
      if (polled >= BLOCKS_PER_POLL) {
        polled = 0;
        if (host.stopped()) return null;
      }
      const started = performance.now();
      const left = this.#leaving(() => this.#run(first, count));
      if (left !== null) return left.fault;
      const elapsed = performance.now() - started;
      if (elapsed > CALL_MS) want = Math.max(1, want >> 1);
      else if (elapsed < CALL_MS / 2 && count === want) want *= 2;
    }
  }

  /** Cluster after cluster: a runner gets all blocks of each (LaunchDescriptor.cluster). */
  #runClusters({ grid, cluster }: LaunchDescriptor, host: BlockRunnerHost): DeviceFault | null {
    const poll = (): void => {
      if (host.stopped()) throw new Stopped();
    };
    for (;;) {
      const ordinals = this.#places.map(() => host.nextBlock());
      if (ordinals.some((ordinal) => ordinal < 0)) return null;
      const blocks = ordinals.map((ordinal) => blockOfLaunch(ordinal, grid, cluster));
      const goOn = (rank: number): void => {
        this.#enter(rank);
        this.#run(dim3Flatten(blocks[rank]!, grid), 1);
      };
      const left = this.#leaving(() => {
        poll();
        if (this.#waits === null) for (const rank of blocks.keys()) goOn(rank);
        else if (!this.#waits.takeTurns(goOn, poll))
          throw new WarpFault(this.#waits.deadlock(this.#metadata.kernel, blocks));
      });
      if (left !== null) return left.fault;
    }
  }

  /** The block of this rank in its cluster runs next. */
  #enter(rank: number): void {
    const { shared, local, contexts } = this.#places[rank]!;
    this.#set("shared", shared[0]);
    this.#set("local", local[0]);
    this.#set("contexts", contexts);
  }

  /** Runs blocks. If the launch ends here: with what fault. */
  #leaving(run: () => void): { readonly fault: DeviceFault | null } | null {
    try {
      run();
      return null;
    } catch (error) {
      if (error instanceof WarpFault) return error;
      if (error instanceof Stopped) return { fault: null };
      // Emitted code checks before it acts: a trap is a mistake of ours.
      if (error instanceof WebAssembly.RuntimeError)
        bug(`the compiled kernel ${this.#metadata.kernel} trapped in block ${this.#linearBlock}: ${error.message}`);
      throw error;
    }
  }

  /** The linear index of the block that runs. */
  get #linearBlock(): number {
    return (this.#globals["block"]!.value as number) >>> 0;
  }

  get #launchBlock(): Dim3 {
    return dim3Unflatten(this.#linearBlock, this.#grid);
  }

  #set(name: string, value: number): void {
    this.#globals[name]!.value = value | 0;
  }

  #threadOf(lane: number): Dim3 {
    const warp = this.#globals["warp"]!.value as number;
    return dim3Unflatten(warp * WARP_LANES + lane, this.#metadata.block);
  }

  #addressFault(lane: number, address: number, site: number): never {
    const { access, bytes, align, location } = this.#metadata.sites[site]!;
    const kind: FaultKind = address % Math.max(align, 1) === 0 ? "illegal-address" : "misaligned-address";
    const verb = VERBS[access ?? "load"];
    const alignment = kind === "misaligned-address" ? `, which is not a multiple of ${align}` : "";
    throw new WarpFault({
      kind,
      kernel: this.#metadata.kernel,
      block: this.#launchBlock,
      thread: this.#threadOf(lane),
      location,
      message: `${verb} ${bytes} bytes at 0x${address.toString(16)}${alignment}`,
      access: { address, bytes, kind: access ?? "load" },
    });
  }

  #fault(lane: number, code: number, site: number): never {
    let kind: FaultKind = "illegal-instruction";
    let message = "came to a place that the compiler proved unreachable";
    if (code === FAULT_CODES.assert) {
      kind = "assert";
      message = `Assertion \`${this.#assertion?.expression ?? ""}\` failed.`;
    } else if (code === FAULT_CODES.trap) {
      kind = "trap";
      message = "executed a trap";
    }
    throw new WarpFault({
      ...this.#faultAt(lane, kind, message, site),
      ...(kind === "assert" && this.#assertion !== undefined ? { assertion: this.#assertion } : {}),
    });
  }

  #faultAt(lane: number, kind: FaultKind, message: string, site: number): DeviceFault {
    return {
      kind,
      kernel: this.#metadata.kernel,
      block: this.#launchBlock,
      thread: this.#threadOf(lane),
      location: this.#metadata.sites[site]!.location,
      message,
    };
  }

  #print(format: number, args: number, longBytes: LongBytes): number {
    const text = formatFromMemory(this.#memory, format, args, longBytes);
    if (text === null) return ARGUMENTS_OUTSIDE_MEMORY;
    this.#host!.print(text, this.#linearBlock);
    return text.length;
  }

  #noteAssertion(message: number, file: number, line: number, functionName: number): void {
    const text = (address: number): string => (address === 0 ? "" : readCString(this.#memory, address));
    this.#assertion = { expression: text(message), file: text(file), line, functionName: text(functionName) };
  }
}
