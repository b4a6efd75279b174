/**
 * A tier for the tests of the pool: its "compiled" kernels are the small programs below, chosen by metadata.
 * Loaded by the test and by its workers. Parameters: a pointer to int32 data, and a number.
 */
import { isMainThread, threadId, workerData } from "node:worker_threads";

const isPoolWorker = () => !isMainThread && workerData?.memory !== undefined;

function spin(ms) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/**
 * Waits, lending workers a hand, for something that happens sooner or later on a machine of any speed; a test that
 * waits in vain fails.
 */
function until(host, happened) {
  const end = performance.now() + 60_000;
  while (!happened() && !host.stopped()) if (performance.now() > end) throw new Error("waited in vain");
}

/** The first thing that a pool worker does here; the coordinator's block waits for it. */
const workerCame = (data, host) => {
  if (isPoolWorker()) Atomics.store(data, 0, 1);
  else until(host, () => Atomics.load(data, 0) === 1);
};

const KERNELS = {
  /** Adds 1 to data[block] and notes the thread in data[blocks + block]. */
  count: ({ data, block, blocks, number }) => {
    Atomics.add(data, block, 1);
    data[blocks + block] = threadId + 1;
    if (number > 0) spin(number);
  },
  print: ({ host, block, number }) => {
    spin(1);
    host.print(`block ${block} ${"x".repeat(number)}\n`, block);
  },
  fault: ({ block, number, launch }) => {
    spin(1);
    if (block !== number) return null;
    const zero = { x: 0, y: 0, z: 0 };
    return {
      kind: "trap",
      kernel: "k",
      block: { x: block, y: 0, z: 0 },
      thread: zero,
      location: null,
      message: `trapped in ${launch.grid.x}`,
    };
  },
  throwInWorker: ({ data, host }) => {
    workerCame(data, host);
    if (isPoolWorker()) throw new RangeError("out of patience");
  },
  dieInWorker: ({ data, host }) => {
    workerCame(data, host);
    if (isPoolWorker()) process.exit(7);
  },
  /** Never ends and never asks whether it should, in workers only. */
  hangInWorker: ({ data, host }) => {
    workerCame(data, host);
    if (isPoolWorker()) for (;;);
  },
  hangEverywhere: () => {
    for (;;);
  },
  /** Ends when stopped. */
  forever: ({ host }) => {
    while (!host.stopped()) spin(0.1);
  },
  /** Ends when somebody outside has written to data[0]. */
  awaitWord: ({ data, host }) => until(host, () => Atomics.load(data, 0) !== 0),
  /** Its fault takes long to tell. */
  slowFault: ({ block, number }) => ({
    toJSON: () => {
      spin(number);
      return {
        kind: "trap",
        kernel: "k",
        block: { x: block, y: 0, z: 0 },
        thread: { x: 0, y: 0, z: 0 },
        location: null,
        message: "told at last",
      };
    },
  }),
  /**
   * A worker has more to say than fits its mailbox; the coordinator hears it when its own block, which proves a
   * standstill, ends.
   */
  standstill: ({ data, host, number }) => {
    workerCame(data, host);
    if (isPoolWorker()) host.print("x".repeat(number));
    else until(host, () => host.stalled());
  },
  scratch: ({ host, memory, block }) => {
    const address = host.allocate(100_000, 256, "user");
    const bytes = new Uint8Array(memory.buffer, address, 100_000).fill(block);
    spin(0.5);
    const ok = bytes.every((byte) => byte === (block & 255));
    host.free(address);
    if (!ok) throw new Error("two threads share scratch memory");
  },
};

export const BLOCK_RUNNERS = {
  fixture: (compiled, _module, memory) => ({
    run(launch, host) {
      const params = new DataView(launch.params.buffer, launch.params.byteOffset);
      const [pointer, number] = [params.getUint32(0, true), params.getInt32(4, true)];
      const blocks = launch.grid.x * launch.grid.y * launch.grid.z;
      const data = new Int32Array(memory.buffer, pointer);
      for (let block = host.nextBlock(); block >= 0; block = host.nextBlock()) {
        const fault = KERNELS[compiled.metadata.kernel]({ data, block, blocks, number, host, memory, launch });
        if (fault) return fault;
      }
      return null;
    },
  }),
};

/** Kernel names are the names above. */
export const FIXTURE_BACKEND = {
  name: "fixture",
  compile: (_program, kernel) =>
    kernel.name in KERNELS
      ? { backend: "fixture", wasm: Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0), metadata: { kernel: kernel.name } }
      : null,
};
