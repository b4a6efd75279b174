/** Special registers: who a thread is, where its block is, what time it is (PTX ISA 10). */
import { bug } from "../../base/diagnostics.ts";
import type { Dim3 } from "../../base/dim3.ts";
import { dim3Volume } from "../../base/dim3.ts";
import { WARP_LANES } from "../../machine/memory-map.ts";
import type { Thread } from "./thread.ts";
import type { Value } from "./value.ts";

/** Reads what a "thread" intrinsic of the table names. */
export function threadValue(name: string): (thread: Thread, args: readonly Value[]) => Value {
  const register = name.replace(/^llvm\.(nvvm\.)?(read\.ptx\.sreg\.)?/, "");
  const axis = register.slice(-1) as keyof Dim3;
  if (/^tid\.[xyz]$/.test(register)) return (thread) => thread.index[axis];
  if (/^ntid\.[xyz]$/.test(register)) return ({ block }) => block.grid.launch.block[axis];
  if (/^(ctaid|clusterid)\.[xyz]$/.test(register)) return ({ block }) => block.index[axis];
  if (/^(nctaid|nclusterid)\.[xyz]$/.test(register)) return ({ block }) => block.grid.launch.grid[axis];
  if (/^cluster\.ctaid\.[xyz]$/.test(register) || register === "cluster.ctarank") return () => 0;
  if (/^cluster\.nctaid\.[xyz]$/.test(register) || register === "cluster.nctarank") return () => 1;
  if (register.startsWith("isspacep.")) return addressSpaceTest(register.slice("isspacep.".length));
  const now = (thread: Thread): bigint => BigInt.asUintN(64, thread.block.grid.host.nowNs());
  switch (register) {
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
      return () => 0;
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
    case "shared.cluster":
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
