/**
 * Rooms: where ranks of several processes of one machine meet and exchange bytes (libraries/common/rooms.h). NCCL and
 * MPI are built on them.
 */
import type { HostMemory } from "./host-memory.ts";
import type { WasmFunction } from "../wasi/wasi-model.ts";

/** What the functions return beside numbers of bytes; as in rooms.h. */
export const ROOM = { absent: 0, here: 1, gone: -1, taken: -2, failed: -3, none: -4 } as const;

export interface ProcessRooms {
  /**
   * Makes a rank known to the others.
   * @param info what the others get to know of the rank
   * @returns the number of the room, from 1; ROOM.taken if another process has the rank, or ROOM.failed
   */
  enter(name: string, rank: number, size: number, info: Uint8Array): number;
  /** ROOM.here, with what the rank gave as `info`; ROOM.absent if it has not come yet; ROOM.gone. */
  member(room: number, rank: number, info: Uint8Array): number;
  /** A rank takes no more part. */
  leave(room: number, rank: number): void;
  /** Appends to what rank `to` receives from `from` in this lane; never waits. @returns ROOM.here or ROOM.failed */
  send(room: number, lane: number, from: number, to: number, bytes: Uint8Array): number;
  /** @returns bytes that were there, from 0; ROOM.gone if there are none and the sender is gone; ROOM.failed */
  receive(room: number, lane: number, from: number, to: number, into: Uint8Array): number;
  /** Why the last function failed. */
  readonly failure: string;
  /** At the end of the program. */
  close(): void;
}

export interface RoomSurroundings {
  readonly memory: HostMemory;
  /** Null: the program has no other processes, in a page or where it is isolated. */
  readonly rooms: ProcessRooms | null;
  readonly sleepMs: (milliseconds: number) => void;
  readonly flush: () => void;
  readonly report: (text: string) => void;
}

/** Polls that follow each other at once, before sleeping begins. */
const EAGER_POLLS = 40;
const LONGEST_SLEEP_MS = 1;

/** The functions of rooms.h. */
export function roomImports({
  memory,
  rooms,
  sleepMs,
  flush,
  report,
}: RoomSurroundings): ReadonlyMap<string, WasmFunction> {
  const checked = (room: ProcessRooms, status: number): number => {
    if (status === ROOM.failed) report(`ranks of several processes: ${room.failure}`);
    return status;
  };
  const functions: Readonly<Record<string, WasmFunction>> = {
    __heddle_room_enter: (name: number, rank: number, size: number, info: number, bytes: number) =>
      rooms === null
        ? ROOM.none
        : checked(rooms, rooms.enter(memory.cString(name), rank, size, memory.slice(info, bytes))),
    __heddle_room_member: (room: number, rank: number, info: number, bytes: number) =>
      rooms === null ? ROOM.none : rooms.member(room, rank, memory.slice(info, bytes)),
    __heddle_room_leave: (room: number, rank: number) => void rooms?.leave(room, rank),
    __heddle_room_send: (room: number, lane: number, from: number, to: number, data: number, bytes: number) =>
      rooms === null ? ROOM.none : checked(rooms, rooms.send(room, lane, from, to, memory.slice(data, bytes))),
    __heddle_room_receive: (room: number, lane: number, from: number, to: number, data: number, bytes: number) =>
      rooms === null ? ROOM.none : checked(rooms, rooms.receive(room, lane, from, to, memory.slice(data, bytes))),
    __heddle_room_pause: (round: number) => {
      if (round < EAGER_POLLS) return;
      if (round === EAGER_POLLS) flush();
      sleepMs(Math.min(LONGEST_SLEEP_MS, 0.02 * (round - EAGER_POLLS + 1)));
    },
  } as Readonly<Record<string, WasmFunction>>;
  return new Map(Object.entries(functions));
}
