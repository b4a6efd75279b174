/** Fault records and standstills as DeviceFaults. */
import type { SourceLocation } from "../../base/diagnostics.ts";
import { dim3Unflatten, type Dim3 } from "../../base/dim3.ts";
import type { DeviceFault, FaultKind, WaitingThreads } from "../../machine/faults.ts";
import type { LaunchDescriptor } from "../executor.ts";
import { USER_BASE } from "../../machine/memory-map.ts";
import { bitCount, type ResidentBlock, type Waiting } from "./resident-block.ts";
import type { FaultRecord, Site, Task, Wait } from "./task.ts";

const KINDS: Readonly<Record<number, FaultKind>> = {
  1: "illegal-address",
  2: "illegal-instruction",
  3: "assert",
  4: "trap",
  5: "stack-overflow",
};

const MESSAGES: Partial<Record<FaultKind, string>> = {
  "illegal-instruction": "an instruction that must not be reached, or a call of something that is no function",
  assert: "device-side assertion failed",
  trap: "the kernel executed a trap",
  "stack-overflow": "the thread's stack is too small for this depth of calls and these local variables",
};

export function faultFromRecord(
  record: FaultRecord,
  warp: number,
  block: ResidentBlock,
  launch: LaunchDescriptor,
  kernel: string,
  sites: readonly Site[],
  message?: string,
): DeviceFault {
  const site = sites[record.site] ?? { location: null, access: null };
  const base = {
    kernel,
    block: block.ctaid,
    thread: threadIndex(warp, record.lane, launch.block),
    location: site.location,
  };
  if (record.code !== 1) {
    const kind = KINDS[record.code] ?? "trap";
    return { ...base, kind, message: message ?? MESSAGES[kind] ?? "the kernel was stopped" };
  }
  const { address } = record;
  const bytes = record.bytes !== 0 ? record.bytes >>> 0 : (site.access?.bytes ?? 0);
  const kind = site.access?.kind ?? "load";
  const inside = address >= USER_BASE && address + bytes <= launch.memoryTop;
  const where = `${kind} of ${bytes} bytes at address 0x${address.toString(16)}`;
  return inside
    ? {
        ...base,
        kind: "misaligned-address",
        message: `${where}, which is not a multiple of ${site.access?.align ?? bytes}`,
        access: { address, bytes, kind },
      }
    : {
        ...base,
        kind: "illegal-address",
        message: `${where}, outside the memory in use`,
        access: { address, bytes, kind },
      };
}

export function threadIndex(warp: number, lane: number, block: Dim3): Dim3 {
  return dim3Unflatten(32 * warp + lane, block);
}

/** What is wrong with a barrier instruction's operands, or null. */
export function illegalBarrier(wait: Pick<Wait, "barrier" | "threads">): string | null {
  if (wait.barrier >>> 0 >= 16) return `barrier ${wait.barrier >>> 0}: a block has barriers 0 to 15`;
  if (wait.threads !== -1 && (wait.threads <= 0 || wait.threads % 32 !== 0))
    return `barrier ${wait.barrier} for ${wait.threads} threads: the number must be a multiple of 32`;
  return null;
}

/** Nobody can go on. Lists groups of threads by block, place and what they wait for. */
export function deadlockFault(
  resident: readonly ResidentBlock[],
  spinning: readonly { task: Task; block: ResidentBlock }[],
  launch: LaunchDescriptor,
  kernel: string,
  sites: readonly Site[],
): DeviceFault {
  const groups = new Map<
    string,
    {
      block: Dim3;
      thread: Dim3;
      count: number;
      what: WaitingThreads["what"];
      location: SourceLocation | null;
      mask?: number;
    }
  >();
  const add = (
    block: ResidentBlock,
    warp: number,
    lanes: number,
    what: WaitingThreads["what"],
    site: number,
    mask?: number,
  ): void => {
    const location = sites[site]?.location ?? null;
    const key = `${block.linear}|${what}|${mask ?? ""}|${JSON.stringify(location)}`;
    const group = groups.get(key);
    if (group !== undefined) group.count += bitCount(lanes);
    else
      groups.set(key, {
        block: block.ctaid,
        thread: threadIndex(warp, 31 - Math.clz32(lanes & -lanes), launch.block),
        count: bitCount(lanes),
        what,
        location,
        ...(mask === undefined ? {} : { mask: mask >>> 0 }),
      });
  };
  const addAll = (block: ResidentBlock, list: readonly Waiting[], what: WaitingThreads["what"]): void => {
    for (const { task, wait } of list)
      add(block, task.warp, wait.lanes, what, wait.site, what === "warp-sync" ? wait.mask : undefined);
  };
  for (const block of resident) {
    for (const barrier of block.barriers.values()) addAll(block, barrier.waiting, "barrier");
    addAll(block, block.productWaits, "products");
    addAll(block, block.gridSync, "grid-sync");
    addAll(block, block.clusterWaits, "cluster-sync");
    for (const warp of block.warps) if (warp !== undefined) addAll(block, warp.collectives, "warp-sync");
  }
  for (const { task, block } of spinning) {
    for (let lanes = task.yieldedLanes; lanes !== 0; lanes &= lanes - 1)
      add(block, task.warp, lanes & -lanes, "memory", task.yieldSite(31 - Math.clz32(lanes & -lanes)));
  }
  const waiting = [...groups.values()];
  const first = waiting[0];
  const total = waiting.reduce((sum, group) => sum + group.count, 0);
  return {
    kind: "deadlock",
    kernel,
    block: first?.block ?? { x: 0, y: 0, z: 0 },
    thread: first?.thread ?? { x: 0, y: 0, z: 0 },
    location: first?.location ?? null,
    message: total === 1 ? "1 thread waits for ever" : `${total} threads wait and none of them can ever go on`,
    waiting,
  };
}
