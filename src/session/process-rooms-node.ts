/**
 * Rooms of processes of one machine, in files: a folder for each room, a file for each rank, and files of bytes from
 * one rank to another. They lie in memory (/dev/shm) where that is large, else in the folder for temporary files. Only
 * their owner can read them.
 *
 * Bytes are appended to a file and read behind it, so that neither side waits or locks: the size of a file is its
 * number of bytes that are there. Files have an end, SEGMENT_BYTES, and the reader removes each that it has read.
 */
import * as fs from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { ROOM, type ProcessRooms } from "../runtime/host/process-rooms.ts";

const SEGMENT_BYTES = 16 * 2 ** 20;
/** A smaller /dev/shm (64 MiB in many containers) fills up. */
const LEAST_SHARED_BYTES = 2 ** 30;
/** A rank's process is looked for at most so often. */
const LIFE_MS = 20;
/** A lock that is older was left behind. */
const LOCK_MS = 5000;
const OLD_MS = 600_000;

interface Member {
  readonly pid: number;
  readonly info: string;
}
interface Room {
  readonly name: string;
  /** Empty when all ranks of this process have left. */
  folder: string;
  readonly size: number;
  /** Ranks of this process. */
  readonly own: Set<number>;
  readonly members: Map<number, Member>;
  /** By rank: when it was looked for last, and what was seen. */
  readonly lives: Map<number, { at: number; isGone: boolean }>;
  readonly sent: Map<string, Lane>;
  readonly received: Map<string, Lane>;
}
/** One file of bytes after the other. */
interface Lane {
  fd: number | null;
  segment: number;
  position: number;
}

export class NodeProcessRooms implements ProcessRooms {
  failure = "";
  readonly #rooms: Room[] = [];
  readonly #place: string;
  #base: string | null = null;

  /** @param place where the folder of this user's rooms lies */
  constructor(place: string = isLarge("/dev/shm") ? "/dev/shm" : tmpdir()) {
    this.#place = place;
  }

  enter(name: string, rank: number, size: number, info: Uint8Array): number {
    return this.#tried(() => {
      if (!/^[a-z0-9][a-z0-9.-]{0,200}$/i.test(name)) throw new Error(`${JSON.stringify(name)} is no name of a room`);
      const folder = join((this.#base ??= baseFolder(this.#place)), name);
      const member: Member = { pid: process.pid, info: Buffer.from(info).toString("base64") };
      const isMade = withLock(`${folder}.lock`, () => {
        // Only names of worlds and ports come again.
        const isNew = /^(world|port)-/.test(name) && !this.#rooms.some((room) => room.folder === folder);
        if (isNew) removeIfOver(folder);
        fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
        return writeNew(join(folder, `rank-${rank}`), `${JSON.stringify({ ...member, size })}\n`);
      });
      if (!isMade) return ROOM.taken;
      let room = this.#rooms.find((known) => known.folder === folder);
      if (room === undefined) {
        const none = { own: new Set<number>(), members: new Map(), lives: new Map() };
        room = { name, folder, size, ...none, sent: new Map(), received: new Map() };
        this.#rooms.push(room);
      }
      room.own.add(rank);
      return this.#rooms.indexOf(room) + 1;
    });
  }

  member(number: number, rank: number, info: Uint8Array): number {
    const room = this.#rooms[number - 1];
    if (room === undefined) return ROOM.failed;
    let member = room.members.get(rank);
    if (member === undefined) {
      const found = readMember(room.folder, rank);
      if (found === null) return ROOM.absent;
      room.members.set(rank, (member = found));
    }
    info.set(Buffer.from(member.info, "base64").subarray(0, info.length));
    return this.#isGone(room, rank, member) ? ROOM.gone : ROOM.here;
  }

  leave(number: number, rank: number): void {
    const room = this.#rooms[number - 1];
    if (room === undefined || !room.own.delete(rank)) return;
    try {
      fs.writeFileSync(join(room.folder, `gone-${rank}`), "");
      if (room.own.size > 0) return;
      for (const { fd } of [...room.sent.values(), ...room.received.values()]) if (fd !== null) fs.closeSync(fd);
      const { folder } = room;
      room.folder = "";
      withLock(`${folder}.lock`, () => removeIfOver(folder, room.size));
    } catch {
      // The folder is not there any more: nobody waits for this rank.
    }
  }

  send(number: number, laneNumber: number, from: number, to: number, bytes: Uint8Array): number {
    return this.#tried(() => {
      const room = this.#rooms[number - 1] as Room;
      const { lane, path } = laneOf(room, room.sent, { lane: laneNumber, from, to });
      for (let done = 0; done < bytes.length;) {
        lane.fd ??= fs.openSync(path(lane.segment), "a", 0o600);
        const part = bytes.subarray(done, done + SEGMENT_BYTES - lane.position);
        const count = fs.writeSync(lane.fd, part);
        done += count;
        advance(lane, count);
      }
      return ROOM.here;
    });
  }

  receive(number: number, laneNumber: number, from: number, to: number, into: Uint8Array): number {
    return this.#tried(() => {
      const room = this.#rooms[number - 1] as Room;
      const { lane, path } = laneOf(room, room.received, { lane: laneNumber, from, to });
      const count = readFrom(lane, path, into);
      if (count > 0 || into.length === 0) return count;
      const member = room.members.get(from) ?? readMember(room.folder, from);
      if (member === null || !this.#isGone(room, from, member)) return 0;
      // It may have sent these before it went.
      return readFrom(lane, path, into) || ROOM.gone;
    });
  }

  /** A rank whose process has ended: others need not wait for it. */
  markEnded(name: string, rank: number, size: number): void {
    const number = this.enter(name, rank, size, new Uint8Array());
    if (number > 0) this.leave(number, rank);
  }

  /** Of a name that does not come again, and whose processes have all ended. */
  remove(name: string): void {
    if (this.#base === null) return;
    const folder = join(this.#base, name);
    withLock(`${folder}.lock`, () => removeIfOver(folder));
  }

  close(): void {
    for (const [at, room] of this.#rooms.entries()) for (const rank of room.own) this.leave(at + 1, rank);
  }

  #isGone(room: Room, rank: number, { pid }: Member): boolean {
    const now = performance.now();
    const life = room.lives.get(rank);
    if (life !== undefined && (life.isGone || now - life.at < LIFE_MS)) return life.isGone;
    const isGone = !isAlive(pid) || fs.existsSync(join(room.folder, `gone-${rank}`));
    room.lives.set(rank, { at: now, isGone });
    return isGone;
  }

  #tried(work: () => number): number {
    try {
      return work();
    } catch (error) {
      this.failure = (error as Error).message;
      return ROOM.failed;
    }
  }
}

function laneOf(
  { folder }: Room,
  lanes: Map<string, Lane>,
  { lane: number, from, to }: { readonly lane: number; readonly from: number; readonly to: number },
): { readonly lane: Lane; readonly path: (segment: number) => string } {
  const name = `${number}-${from}-${to}`;
  let lane = lanes.get(name);
  if (lane === undefined) lanes.set(name, (lane = { fd: null, segment: 0, position: 0 }));
  return { lane, path: (segment) => join(folder, `${name}.${segment}`) };
}

function advance(lane: Lane, count: number): void {
  lane.position += count;
  if (lane.position < SEGMENT_BYTES) return;
  fs.closeSync(lane.fd as number);
  lane.fd = null;
  lane.segment++;
  lane.position = 0;
}

function readFrom(lane: Lane, path: (segment: number) => string, into: Uint8Array): number {
  let done = 0;
  while (done < into.length) {
    const file = path(lane.segment);
    if (lane.fd === null) {
      // An exception for each poll takes longer.
      if (!fs.existsSync(file)) break;
      lane.fd = fs.openSync(file, "r");
    }
    const wanted = Math.min(into.length - done, SEGMENT_BYTES - lane.position);
    const count = fs.readSync(lane.fd, into, done, wanted, lane.position);
    if (count === 0) break;
    done += count;
    advance(lane, count);
    if (lane.fd === null) fs.unlinkSync(file);
  }
  return done;
}

function readMember(folder: string, rank: number): (Member & { readonly size: number }) | null {
  const path = join(folder, `rank-${rank}`);
  if (!fs.existsSync(path)) return null;
  const text = fs.readFileSync(path, "utf8");
  return text.endsWith("\n") ? (JSON.parse(text) as Member & { readonly size: number }) : null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** @returns false: the file is there */
function writeNew(path: string, text: string): boolean {
  try {
    fs.writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Names of files in a room: ranks, ranks that are gone, and bytes of lanes. */
const FILE_OF_ROOM = /^(?:(?:rank|gone)-\d+|\d+-\d+-\d+\.\d+)$/;

/**
 * Removes a room whose ranks are all gone. A folder in which anything else lies is no room, and stays.
 * @param size how many ranks there must have been; a room with fewer waits for others. Default: as many as there are
 */
function removeIfOver(folder: string, size = 0): void {
  if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  const names = fs.readdirSync(folder);
  if (!names.every((name) => FILE_OF_ROOM.test(name))) return;
  const ranks = names.map((name) => /^rank-(\d+)$/.exec(name)?.[1]).filter((rank) => rank !== undefined);
  if (ranks.length === 0 || ranks.length < size) return;
  const isOver = ranks.every((rank) => {
    const member = readMember(folder, Number(rank));
    return member === null || !isAlive(member.pid) || fs.existsSync(join(folder, `gone-${rank}`));
  });
  if (isOver) fs.rmSync(folder, { recursive: true, force: true });
}

const sleepWord = new Int32Array(new SharedArrayBuffer(4));

/** One process at a time. */
function withLock<T>(path: string, work: () => T): T {
  const token = randomBytes(8).toString("hex");
  while (!writeNew(path, token)) {
    removeStale(path, token);
    Atomics.wait(sleepWord, 0, 0, 1);
  }
  try {
    return work();
  } finally {
    // Another process may have taken the lock of one that was stopped for long.
    if (isLockOf(path, token)) fs.rmSync(path, { force: true });
  }
}

function isLockOf(path: string, token: string): boolean {
  try {
    return fs.readFileSync(path, "utf8") === token;
  } catch {
    return false;
  }
}

/** Removes a lock that was left behind. Of several processes that see it, one moves it away. */
function removeStale(path: string, token: string): void {
  const seen = fs.lstatSync(path, { throwIfNoEntry: false });
  if (seen === undefined || Date.now() - seen.mtimeMs <= LOCK_MS) return;
  const moved = `${path}.${token}.lock`;
  try {
    fs.renameSync(path, moved);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const { ino, mtimeMs } = fs.lstatSync(moved);
  const isSame = ino === seen.ino && mtimeMs === seen.mtimeMs;
  // A process has moved the old lock away before, and this is its own new one.
  if (!isSame) fs.linkSync(moved, path);
  fs.rmSync(moved, { recursive: true, force: true });
}

/** The folder of all rooms of this user. */
function baseFolder(place: string): string {
  const { uid, username } = userInfo();
  const name = `heddle-${uid >= 0 ? uid : username}`;
  const folder = join(place, name);
  try {
    fs.mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  // Others can write in that place, too: what a link of theirs names is not ours to clear up.
  const found = fs.lstatSync(folder);
  if (!found.isDirectory()) throw new Error(`${folder} must be a folder of your own, not a link or a file`);
  if (uid >= 0 && (found.uid !== uid || (found.mode & 0o077) !== 0))
    throw new Error(`${folder} must belong to you, and nobody else may read it (chmod 700)`);
  removeOld(folder);
  return folder;
}

function isLarge(folder: string): boolean {
  try {
    const { bsize, blocks } = fs.statfsSync(folder);
    fs.accessSync(folder, fs.constants.W_OK);
    return bsize * blocks >= LEAST_SHARED_BYTES;
  } catch {
    return false;
  }
}

/** Rooms of processes that were killed. Ranks may still come into one that is younger. */
function removeOld(base: string): void {
  for (const name of fs.readdirSync(base)) {
    if (name.endsWith(".lock")) continue;
    try {
      if (Date.now() - fs.lstatSync(join(base, name)).mtimeMs < OLD_MS) continue;
      withLock(join(base, `${name}.lock`), () => removeIfOver(join(base, name)));
    } catch {
      // Another process removes it, too.
    }
  }
}
