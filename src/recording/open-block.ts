/** A block of a launch, alone in a copy of the device's memory, before its first instruction. */
import { alignUp } from "../base/align.ts";
import { dim3Flatten } from "../base/dim3.ts";
import { blockShape, startCluster } from "../engine/interpreter/blocks.ts";
import { lowerFunction } from "../engine/interpreter/function-code.ts";
import type { Grid } from "../engine/interpreter/grid.ts";
import type { Block, FunctionCode } from "../engine/interpreter/thread.ts";
import type { ExecutorHost, LoadedKernel, LoadedProgram } from "../engine/executor.ts";
import type { IrFunction } from "../ir/model/ir.ts";
import { PAGE_BYTES, RecordedMemory } from "./recorded-memory.ts";
import type { RecordedLaunch } from "./recording.ts";

/** What a kernel's malloc can give to one block. */
const HEAP_BYTES = 16 * 1024 * 1024;

export interface OpenBlock {
  readonly block: Block;
  readonly memory: RecordedMemory;
  readonly heap: { next: number };
  /** What the block prints goes here; null: nowhere. */
  print: ((text: string) => void) | null;
  /** The clock of the block: instructions executed. */
  clock: () => number;
}

/** @param fetch copies a page of the device's memory; null: pages are restored */
export function openBlock(
  program: LoadedProgram,
  kernel: LoadedKernel,
  launch: RecordedLaunch,
  fetch: ((page: number, into: Uint8Array) => void) | null,
): OpenBlock {
  const base = alignUp(launch.memoryTop, PAGE_BYTES);
  const codes = new Map<IrFunction, FunctionCode>();
  const heap = { next: base };
  const open: { -readonly [K in keyof OpenBlock]?: OpenBlock[K] } = { heap, print: null, clock: () => 0 };
  const host: ExecutorHost = {
    print: (text) => open.print?.(text),
    nowNs: () => BigInt(open.clock?.() ?? 0),
    allocate: (bytes, align) => {
      const start = alignUp(heap.next, Math.max(align, 16));
      if (start + bytes > end) return 0;
      heap.next = start + bytes;
      return start;
    },
    free: () => {},
  };
  const grid: Grid = {
    program,
    kernel,
    // Of a cluster it is the only block here.
    launch: { ...launch, cluster: null },
    host,
    // The stepper's own turns decide.
    quantum: Infinity,
    // Set below: the size follows from the shape.
    memory: undefined as unknown as RecordedMemory,
    codeOf(fn) {
      let code = codes.get(fn);
      if (code === undefined) codes.set(fn, (code = lowerFunction(fn, grid)));
      return code;
    },
  };
  const shape = blockShape(grid);
  const end = base + alignUp(shape.sharedBytes + shape.stackBytes * shape.threads, PAGE_BYTES) + HEAP_BYTES;
  const isOwn = (page: number): boolean => page * PAGE_BYTES >= base;
  const memory = new RecordedMemory(
    end,
    fetch === null ? null : (page, into) => (isOwn(page) ? undefined : fetch(page, into)),
  );
  Object.assign(grid, { memory });
  const [block] = startCluster(grid, shape, dim3Flatten(launch.blockIndex, launch.grid)) as [Block];
  // Structures passed by value lie on the stacks of the threads already.
  for (const { linear, stackPointer } of block.threads) {
    const stack = block.localBase + linear * shape.stackBytes;
    if (stackPointer > stack) memory.check(stack, stackPointer - stack, 1, "store");
  }
  return Object.assign(open, { block, memory }) as OpenBlock;
}
