import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCompiler } from "../../frontend/clang/compile.ts";
import { clangForTests } from "../../frontend/clang/clang-resources.test-helper.ts";
import type { LaunchOutcome } from "../../machine/launch.ts";
import type { EmulatedDevice } from "./emulated-device.ts";
import type { EmulatedModule } from "./emulated-module.ts";
import { openNodeDevice } from "./open-device-node.ts";

/** Blocks that wait for one another through memory, on several worker threads. */
const SOURCE = `
extern "C" {
__global__ void neverSet(volatile int* flag) { while (*flag == 0) { } }
__global__ void someNeverSet(volatile int* flag) { if (blockIdx.x % 3 == 1) while (*flag == 0) { } }
__global__ void lastSets(volatile int* flag, int* out, int work) {
  if (blockIdx.x == gridDim.x - 1) {
    int sum = 0;
    for (int i = 0; i < work; i++) sum += (sum ^ i) * 3;
    out[gridDim.x] = sum;
    __threadfence();
    *flag = 1;
  } else while (*flag == 0) { }
  out[blockIdx.x] = 1;
}
__global__ void chain(volatile int* state, int* out) {
  // Each block waits for the one before it.
  int me = blockIdx.x;
  if (threadIdx.x == 0) {
    if (me > 0) while (state[me - 1] == 0) { }
    __threadfence();
    out[me] = me == 0 ? 1 : out[me - 1] + 1;
    __threadfence();
    state[me] = 1;
  }
}
__global__ void locked(int* lock, int* count) {
  if (threadIdx.x == 0) {
    for (int i = 0; i < 20; i++) {
      while (atomicCAS(lock, 0, 1) != 0) { }
      *(volatile int*)count += 1;
      __threadfence();
      atomicExch(lock, 0);
    }
  }
}
__global__ void heldForever(int* lock) { while (atomicCAS(lock, 0, 1) != 0) { } }
// Waits by a vote, which is answered at once each time, of a whole warp or a part of one.
__device__ void waitByVote(volatile int* flag, unsigned mask) { while (!__any_sync(mask, *flag != 0)) { } }
__global__ void votesInBlock(volatile int* flags) {
  int warp = threadIdx.x / 32;
  flags += 8 * blockIdx.x;
  if (warp == 0) waitByVote(flags, 0xffffffff);
  else if (warp == 1) {
    while (flags[1] == 0) { }
    flags[0] = 1;
  } else if (warp == 2) {
    if (threadIdx.x % 32 < 16) waitByVote(flags + 2, 0xffff);
    flags[1] = 1;
  } else {
    for (int i = 0; i < 1000; i++) if (flags[3] != 0) return;
    flags[2] = 1;
  }
}
__global__ void votesForLast(volatile int* flag, unsigned mask) {
  if (blockIdx.x == gridDim.x - 1) *flag = 1;
  else if (threadIdx.x < 16 || mask == 0xffffffff) waitByVote(flag, mask);
}
__global__ void votesForNothing(volatile int* flag) { waitByVote(flag, 0xffffffff); }
__global__ void count(int* total) { atomicAdd(total, 1); }
}`;

describe("blocks on several threads", () => {
  let device: EmulatedDevice;
  let module: EmulatedModule;
  let ints: number;
  let program: Parameters<EmulatedDevice["loadModule"]>[0];

  beforeAll(async () => {
    const compiler = await createCompiler({ resources: clangForTests() });
    ({ program } = await compiler.compileDevice({ path: "concurrency.cu", text: SOURCE }, {}, null));
    device = openNodeDevice({ workers: 3, reuse: false });
    restart();
  });
  afterAll(() => device.close());

  const restart = (): void => {
    device.reset();
    module = device.loadModule(program);
    ints = device.allocate(4096);
    device.fill(ints, 0, 4, 1024);
  };
  const launch = (name: string, blocks: number, args: readonly number[], threads = 32): LaunchOutcome => {
    device.fill(ints, 0, 4, 1024);
    return device.launchBlocking(
      module.kernel(name),
      { grid: { x: blocks, y: 1, z: 1 }, block: { x: threads, y: 1, z: 1 }, sharedBytes: 0 },
      new Uint8Array(new Uint32Array(args).buffer),
    );
  };
  const read = (count: number, at = ints): number[] => {
    const bytes = new Uint8Array(4 * count);
    device.read(at, bytes);
    return [...new Int32Array(bytes.buffer)];
  };

  it("a grid that waits for a block not begun goes on", () => {
    expect(launch("lastSets", 40, [ints, ints + 400, 100]).fault).toBeNull();
    expect(read(40, ints + 400)).toEqual(Array(40).fill(1));
  });

  it("waiting long for a busy block is no deadlock", () => {
    expect(launch("lastSets", 12, [ints, ints + 400, 30_000_000], 1).fault).toBeNull();
    expect(read(12, ints + 400)).toEqual(Array(12).fill(1));
  });

  it("blocks that hand over one after the other", () => {
    for (let i = 0; i < 5; i++) {
      expect(launch("chain", 100, [ints, ints + 2048]).fault).toBeNull();
      expect(read(100, ints + 2048)).toEqual(Array.from({ length: 100 }, (_, b) => b + 1));
    }
  });

  it("a spin lock that all blocks take", () => {
    for (let i = 0; i < 5; i++) {
      expect(launch("locked", 30, [ints, ints + 4]).fault).toBeNull();
      expect(read(2)).toEqual([0, 600]);
    }
  });

  it("atomics of all blocks add up", () => {
    expect(launch("count", 2000, [ints], 256).fault).toBeNull();
    expect(read(1)).toEqual([512_000]);
  });

  it("a warp that spins on a vote lets others do what it waits for", () => {
    expect(launch("votesInBlock", 7, [ints], 128).fault).toBeNull();
    expect(read(4)).toEqual([1, 1, 1, 0]);
    for (const mask of [0xffffffff, 0xffff]) expect(launch("votesForLast", 40, [ints, mask]).fault).toBeNull();
  });

  it.each(["neverSet", "someNeverSet", "votesForNothing"])(
    "%s is reported as a deadlock, on however many threads it spins",
    (name) => {
      for (const blocks of [1, 2, 9, 100]) {
        if (name === "someNeverSet" && blocks === 1) continue;
        const { fault } = launch(name, blocks, [ints]);
        expect(fault).toMatchObject({ kind: "deadlock" });
        restart();
      }
    },
  );

  it("a lock that is never released is a deadlock", () => {
    expect(launch("heldForever", 20, [ints], 1).fault).toMatchObject({ kind: "deadlock" });
    restart();
  });
});
