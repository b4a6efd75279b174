/** Special registers: the indices of a thread and of its block, and clocks (PTX ISA 10). */
import type { IntrinsicFacts } from "../../ir/intrinsics/facts.ts";
import { bug } from "../../base/diagnostics.ts";
import type { Dim3 } from "../../base/dim3.ts";
import { dim3Volume } from "../../base/dim3.ts";
import { WARP_LANES } from "../../machine/memory-map.ts";
import type { Thread } from "./thread.ts";
import type { Value } from "./value.ts";

/** Reads what a "thread" intrinsic of the table names. */
export function threadValue(facts: IntrinsicFacts): (thread: Thread, args: readonly Value[]) => Value {
  if (facts.spaceTest !== null) return addressSpaceTest(facts.spaceTest);
  const register = facts.register?.register ?? facts.operation;
  const axis: keyof Dim3 = facts.register?.axis ?? "x";
  const now = (thread: Thread): bigint => BigInt.asUintN(64, thread.block.grid.host.nowNs());
  switch (register) {
    case "tid":
      return (thread) => thread.index[axis];
    case "ntid":
      return ({ block }) => block.grid.launch.block[axis];
    case "ctaid":
      return ({ block }) => block.index[axis];
    case "clusterid":
      return ({ block }) => Math.floor(block.index[axis] / block.cluster.extents[axis]);
    case "nctaid":
      return ({ block }) => block.grid.launch.grid[axis];
    case "nclusterid":
      return ({ block }) => block.grid.launch.grid[axis] / block.cluster.extents[axis];
    case "cluster.ctaid":
      return ({ block }) => block.index[axis] % block.cluster.extents[axis];
    case "cluster.ctarank":
      return ({ block }) => block.rank;
    case "cluster.nctaid":
      return ({ block }) => block.cluster.extents[axis];
    case "cluster.nctarank":
      return ({ block }) => dim3Volume(block.cluster.extents);
    case "shared.window":
      return ({ block }) => block.sharedBase;
    case "cluster.window":
      return ({ block }) => block.cluster.sharedBase;
    case "cluster.stride":
      return ({ block }) => block.cluster.stride;
    case "laneid":
      return (thread) => thread.lane;
    case "warpid":
      return (thread) => thread.warp.index;
    case "nwarpid":
      return ({ block }) => Math.ceil(dim3Volume(block.grid.launch.block) / WARP_LANES);
    case "warpsize":
      return () => WARP_LANES;
    case "lanemask.eq":
      return ({ lane }) => (1 << lane) >>> 0;
    case "lanemask.lt":
      return ({ lane }) => ((1 << lane) - 1) >>> 0;
    case "lanemask.le":
      return ({ lane }) => Number((2n << BigInt(lane)) - 1n);
    case "lanemask.gt":
      return ({ lane }) => Number(0xffffffffn & ~((2n << BigInt(lane)) - 1n));
    case "lanemask.ge":
      return ({ lane }) => ~((1 << lane) - 1) >>> 0;
    case "smid":
    case "gridid":
      return () => 0;
    case "nsmid":
      return () => 1;
    case "is_explicit_cluster":
      return ({ block }) => Number(dim3Volume(block.cluster.extents) > 1);
    case "clock":
    case "globaltimer.lo":
      return (thread) => Number(now(thread) & 0xffffffffn);
    case "clock.hi":
      return (thread) => Number(now(thread) >> 32n);
    case "clock64":
    case "globaltimer":
    case "readcyclecounter":
    case "readsteadycounter":
      return now;
    default:
      return bug(`no meaning for the register ${register}`);
  }
}

function addressSpaceTest(space: string): (thread: Thread, args: readonly Value[]) => Value {
  const within = (address: Value | undefined, base: number, bytes: number): boolean =>
    (address as number) >= base && (address as number) < base + bytes;
  const shared = ({ block }: Thread, address: Value | undefined): boolean =>
    within(address, block.sharedBase, block.sharedBytes);
  const local = ({ block }: Thread, address: Value | undefined): boolean =>
    within(address, block.localBase, block.localBytes);
  switch (space) {
    case "shared":
      return (thread, [address]) => Number(shared(thread, address));
    case "local":
      return (thread, [address]) => Number(local(thread, address));
    case "global":
      return (thread, [address]) => Number(!shared(thread, address) && !local(thread, address));
    // Constants lie in global memory here: the space of a pointer to them is global.
    default:
      return () => 0;
  }
}
