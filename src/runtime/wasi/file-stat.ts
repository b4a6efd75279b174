/** WASI's records about files: types, rights, `filestat`, and the times that a call asks to set. */
import type { HostFileKind, HostFileStat } from "../host/host-files.ts";
import type { HostMemory } from "../host/host-memory.ts";

/** WASI `filetype`. */
export const FILE_TYPES: Readonly<Record<HostFileKind, number>> = {
  other: 0,
  "character-device": 2,
  directory: 3,
  file: 4,
  "symbolic-link": 7,
};

const SET_ATIME = 1;
const SET_ATIME_NOW = 2;
const SET_MTIME = 4;
const SET_MTIME_NOW = 8;

export function writeFilestat(memory: HostMemory, address: number, stat: HostFileStat): void {
  memory.slice(address, 64).fill(0);
  memory.setU64(address, stat.device);
  memory.setU64(address + 8, stat.inode);
  memory.setU8(address + 16, FILE_TYPES[stat.kind]);
  memory.setU64(address + 24, BigInt(stat.links));
  memory.setU64(address + 32, BigInt(stat.size));
  memory.setU64(address + 40, stat.accessedNs);
  memory.setU64(address + 48, stat.modifiedNs);
  memory.setU64(address + 56, stat.changedNs);
}

/** The two times that `fstflags` ask to set; null leaves one as it is. */
export function timesToSet(accessed: bigint, modified: bigint, flags: number): [bigint | null, bigint | null] {
  const now = BigInt(Math.round(Date.now() * 1e6));
  const chosen = (isNow: boolean, isGiven: boolean, given: bigint): bigint | null => {
    if (isNow) return now;
    return isGiven ? given : null;
  };
  return [
    chosen((flags & SET_ATIME_NOW) !== 0, (flags & SET_ATIME) !== 0, accessed),
    chosen((flags & SET_MTIME_NOW) !== 0, (flags & SET_MTIME) !== 0, modified),
  ];
}
