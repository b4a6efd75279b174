/** The processes of a communicator, and how they exchange bytes. */
import { HeddleError } from "../base/diagnostics.ts";
import { checkOptions } from "../base/options.ts";
import { ROOM, type ProcessRooms } from "../runtime/host/process-rooms.ts";

/** The processes of this machine whose devices work together. */
export interface ProcessGroup {
  /** Letters, digits, dots and hyphens: the same in all processes of the group, and in no other group at the time. */
  readonly name: string;
  /** The number of this process, from 0. */
  readonly rank: number;
  /** How many processes there are. */
  readonly size: number;
  /** Seconds that a call waits for other processes; default 300. */
  readonly timeout?: number;
}

/** What a communicator asks of the other processes. */
export interface Peers {
  readonly rank: number;
  readonly size: number;
  /**
   * Each process gives bytes, and gets those of all, by rank. All processes make the same calls in the same order.
   * @throws HeddleError "timeout" if a process does not come, "io-error" if one has ended.
   */
  exchange(bytes: Uint8Array): Promise<readonly Uint8Array[]>;
  /** This process takes no more part. */
  close(): void;
}

const DEFAULT_SECONDS = 300;
const LANE = 0;
const LENGTH_BYTES = 8;
/** Polls that follow each other at once, before sleeping begins. */
const EAGER_POLLS = 40;

/** @throws HeddleError "bad-arguments"; "io-error" if another process has this rank. */
export function openPeers(rooms: ProcessRooms, group: ProcessGroup): Peers {
  checkGroup(group);
  const { name, rank, size, timeout = DEFAULT_SECONDS } = group;
  const room = rooms.enter(`world-${name}`, rank, size, new TextEncoder().encode(String(size)));
  if (room === ROOM.taken)
    throw new HeddleError("io-error", `another process of the group ${name} has rank ${rank}, too`);
  if (room <= 0) throw new HeddleError("io-error", `the group ${name}: ${rooms.failure}`);
  const others = Array.from({ length: size }, (_, other) => other).filter((other) => other !== rank);
  let isClosed = false;
  /** Calls, one after the other. */
  let last: Promise<unknown> = Promise.resolve();

  /** Until `look` gives something. */
  const waited = async <T>(look: () => T | null, deadline: number, other: number): Promise<T> => {
    for (let round = 0; ; round++) {
      const found = look();
      if (found !== null) return found;
      if (performance.now() > deadline)
        throw new HeddleError("timeout", `process ${other} of the group ${name} did not come within ${timeout} s`);
      await new Promise((resolve) => setTimeout(resolve, round < EAGER_POLLS ? 0 : 1));
    }
  };
  const met = (other: number): true | null => {
    const info = new Uint8Array(16);
    if (rooms.member(room, other, info) === ROOM.absent) return null;
    const theirs = Number(new TextDecoder().decode(info.subarray(0, info.indexOf(0))));
    if (theirs === size) return true;
    throw new HeddleError(
      "bad-arguments",
      `process ${other} of the group ${name} names ${theirs} processes, not ${size}`,
    );
  };
  const receive = async (other: number, count: number, deadline: number): Promise<Uint8Array> => {
    const bytes = new Uint8Array(count);
    for (let done = 0; done < count;)
      done += await waited(
        () => {
          const got = rooms.receive(room, LANE, other, rank, bytes.subarray(done));
          if (got === ROOM.gone) throw new HeddleError("io-error", `process ${other} of the group ${name} has ended`);
          if (got < 0) throw new HeddleError("io-error", `the group ${name}: ${rooms.failure}`);
          return got > 0 ? got : null;
        },
        deadline,
        other,
      );
    return bytes;
  };
  const exchange = async (bytes: Uint8Array): Promise<readonly Uint8Array[]> => {
    if (isClosed) throw new HeddleError("bad-arguments", `the communicator of the group ${name} is closed`);
    const deadline = performance.now() + timeout * 1000;
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setFloat64(0, bytes.length, true);
    // Sending never waits.
    for (const other of others)
      for (const part of [length, bytes])
        if (part.length > 0 && rooms.send(room, LANE, rank, other, part) !== ROOM.here)
          throw new HeddleError("io-error", `the group ${name}: ${rooms.failure}`);
    const all: Uint8Array[] = [];
    for (let other = 0; other < size; other++) {
      if (other === rank) {
        all.push(bytes);
        continue;
      }
      await waited(() => met(other), deadline, other);
      const count = await receive(other, LENGTH_BYTES, deadline);
      all.push(await receive(other, new DataView(count.buffer).getFloat64(0, true), deadline));
    }
    return all;
  };
  return {
    rank,
    size,
    exchange(bytes) {
      const next = last.then(() => exchange(bytes));
      last = next.catch(() => undefined);
      return next;
    },
    close() {
      if (!isClosed) rooms.leave(room, rank);
      isClosed = true;
    },
  };
}

function checkGroup(group: ProcessGroup): void {
  const refuse = (what: string): never => {
    throw new HeddleError("bad-arguments", `processes of communicator: ${what}`, {
      notes: ['for example { processes: { name: "training", rank: 0, size: 2 } }'],
    });
  };
  checkOptions<ProcessGroup>("processes of communicator", group, { name: true, rank: true, size: true, timeout: true });
  const { name, rank, size, timeout = DEFAULT_SECONDS } = group;
  if (typeof name !== "string" || !/^[a-z0-9][a-z0-9.-]{0,99}$/i.test(name))
    refuse("name must be of letters, digits, dots and hyphens");
  if (!Number.isInteger(size) || size < 1) refuse("size must be a whole number from 1");
  if (!Number.isInteger(rank) || rank < 0 || rank >= size) refuse(`rank must be a whole number from 0 to ${size - 1}`);
  if (!(typeof timeout === "number" && timeout > 0)) refuse("timeout must be seconds above 0");
}
