/** Makes a block's threads and memory windows, and takes them away again. */
import { dim3Flatten, dim3Unflatten, dim3Volume } from "../../base/dim3.ts";
import { blockOfLaunch, clusterExtents } from "../../machine/clusters.ts";
import type { IrFunction } from "../../ir/model/ir.ts";
import { alignOf, sizeOf } from "../../ir/model/layout.ts";
import { alignUp } from "../../base/align.ts";
import { BlockClocks } from "../../machine/barrier-skew.ts";
import type { KernelParam } from "../../machine/launch.ts";
import { SHARED_ALIGN, WARP_LANES } from "../../machine/memory-map.ts";
import type { LaunchDescriptor, LoadedKernel } from "../executor.ts";
import { pushFrame } from "./calls.ts";
import type { Grid } from "./grid.ts";
import { allocateLocal, type Block, type Cluster, type Thread, type Warp } from "./thread.ts";
import { loaderOf, type Value } from "./value.ts";

/** What recursion and variable-length arrays get on top of the frames that can be counted. */
const DYNAMIC_STACK_BYTES = 32 * 1024;
const STACK_ALIGN = 16;

export interface BlockShape {
  readonly threads: number;
  readonly sharedBytes: number;
  readonly stackBytes: number;
}

export function blockShape(grid: Grid): BlockShape {
  return {
    threads: dim3Volume(grid.launch.block),
    sharedBytes: grid.kernel.staticSharedBytes + grid.launch.dynamicSharedBytes,
    stackBytes: alignUp(localStackBytes(grid.kernel, grid), STACK_ALIGN),
  };
}

/** Local memory that one thread may need: the deepest chain of calls, where it has a bound. */
function localStackBytes(kernel: LoadedKernel, grid: Grid): number {
  const { functionTable } = grid.program;
  const open = new Set<IrFunction>();
  const known = new Map<IrFunction, number>();
  let dynamic = false;
  const deepest = (fn: IrFunction): number => {
    const done = known.get(fn);
    if (done !== undefined) return done;
    if (open.has(fn)) {
      dynamic = true;
      return 0;
    }
    open.add(fn);
    let own = 0;
    let calls = 0;
    for (const param of fn.params) if (param.byval !== null) own += sizeOf(param.byval) + STACK_ALIGN;
    for (const block of fn.blocks)
      for (const i of block.instructions) {
        if (i.op === "alloca") {
          own += sizeOf(i.allocatedType) + i.align;
          // A second visit of an alloca takes new room.
          dynamic ||= i.count !== null || block !== fn.blocks[0];
        } else if (i.op === "call") {
          if (i.functionType.isVarArg) own += i.args.length * 16 + STACK_ALIGN;
          if (i.callee.kind === "function") calls = Math.max(calls, deepest(i.callee));
          // Through a pointer: any function whose address is taken.
          else if (i.callee.kind !== "inline-asm")
            for (const target of functionTable) if (target !== null) calls = Math.max(calls, deepest(target));
        }
      }
    open.delete(fn);
    known.set(fn, own + calls);
    return own + calls;
  };
  const bytes = deepest(kernel.function);
  return dynamic ? bytes + DYNAMIC_STACK_BYTES : bytes;
}

/** The blocks that begin with number `ordinal` of the launch: of one cluster. */
export function startCluster(grid: Grid, shape: BlockShape, ordinal: number): readonly Block[] {
  const { host, launch } = grid;
  const extents = clusterExtents(launch.cluster);
  const count = dim3Volume(extents);
  const stride = alignUp(Math.max(1, shape.sharedBytes), SHARED_ALIGN);
  const sharedBase = host.allocate((count - 1) * stride + Math.max(1, shape.sharedBytes), SHARED_ALIGN, "user");
  const cluster: Cluster = { extents, blocks: [], sharedBase, stride: count === 1 ? 0 : stride };
  for (let rank = 0; rank < count; rank++) cluster.blocks.push(startBlock(grid, shape, ordinal + rank, cluster, rank));
  return [...cluster.blocks];
}

/** Block number `ordinal` of the launch, its windows allocated, every thread at the kernel's first instruction. */
function startBlock(grid: Grid, shape: BlockShape, ordinal: number, cluster: Cluster, rank: number): Block {
  const { host, launch, memory } = grid;
  const localBytes = shape.stackBytes * shape.threads;
  const sharedBase = cluster.sharedBase + rank * cluster.stride;
  const localBase = host.allocate(Math.max(1, localBytes), 256, "user");
  memory.refresh();
  memory.includeWindow(Math.max(sharedBase + shape.sharedBytes, localBase + localBytes));
  const index = blockOfLaunch(ordinal, launch.grid, launch.cluster);
  const block: Block = {
    grid,
    cluster,
    rank,
    linear: dim3Flatten(index, launch.grid),
    index,
    warps: [],
    threads: [],
    sharedBase,
    sharedBytes: shape.sharedBytes,
    localBase,
    localBytes,
    barriers: new Map(),
    clocks: new BlockClocks(),
    live: shape.threads,
  };
  for (let t = 0; t < shape.threads; t++) {
    if (t % WARP_LANES === 0) block.warps.push({ index: t / WARP_LANES, threads: [], arrivals: 0 });
    const warp = block.warps.at(-1) as Warp;
    const thread = startThread(block, warp, t, shape);
    warp.threads.push(thread);
    block.threads.push(thread);
  }
  return block;
}

function startThread(block: Block, warp: Warp, linear: number, shape: BlockShape): Thread {
  const { grid } = block;
  const stackBase = block.localBase + linear * shape.stackBytes;
  const thread: Omit<Thread, "frame"> = {
    block,
    warp,
    linear,
    index: dim3Unflatten(linear, grid.launch.block),
    lane: linear % WARP_LANES,
    state: "ready",
    stackPointer: stackBase,
    stackEnd: stackBase + shape.stackBytes,
    collective: null,
    barrier: null,
    productGroups: 0,
    awaitedGroups: 0,
    atCluster: false,
    steps: 0,
    spinningSince: -1,
    observing: false,
    snapshot: null,
  };
  const started = thread as Thread;
  const params = grid.kernel.function.params.map((param, i) =>
    paramValue(
      started,
      param.byval === null ? null : alignOf(param.byval),
      grid.kernel.params[i] as KernelParam,
      grid.launch,
      i,
    ),
  );
  started.frame = pushFrame(started, grid.kernel.function, params, {
    caller: null,
    resultSlot: -1,
    stackPointer: stackBase,
    variadic: 0,
  });
  return started;
}

/**
 * A parameter from the launch's parameter buffer; a struct passed by value becomes a copy on the thread's own stack.
 */
function paramValue(
  thread: Thread,
  byvalAlign: number | null,
  param: KernelParam,
  launch: LaunchDescriptor,
  index: number,
): Value {
  const { params } = launch;
  if (byvalAlign !== null) {
    const address = allocateLocal(thread, param.size, Math.max(byvalAlign, param.align));
    thread.block.grid.memory.bytes.set(params.subarray(param.offset, param.offset + param.size), address);
    return address;
  }
  const type = (thread.block.grid.kernel.function.params[index] as { type: Parameters<typeof loaderOf>[0] }).type;
  return loaderOf(type)(new DataView(params.buffer, params.byteOffset, params.byteLength), param.offset);
}

/** The shared memory of a cluster is free when all of its blocks have ended. */
export function endBlock(block: Block): void {
  const { host } = block.grid;
  const { blocks, sharedBase } = block.cluster;
  host.free(block.localBase);
  blocks.splice(blocks.indexOf(block), 1);
  if (blocks.length === 0) host.free(sharedBase);
}
