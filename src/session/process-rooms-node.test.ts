/** Rooms of processes: whose folder they lie in, what is removed, and locks that were left behind. */
import * as fs from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ROOM } from "../runtime/host/process-rooms.ts";
import { NodeProcessRooms } from "./process-rooms-node.ts";

const none = new Uint8Array();
const longAgo = new Date(Date.now() - 3_600_000);
let place = "";
let base = "";

beforeEach(() => {
  place = fs.mkdtempSync(join(tmpdir(), "rooms-"));
  const { uid, username } = userInfo();
  base = join(place, `heddle-${uid >= 0 ? uid : username}`);
});
afterEach(() => fs.rmSync(place, { recursive: true, force: true }));

/** A folder with files in it, of an hour ago. */
function oldFolder(folder: string, ...files: string[]): string {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const file of files) fs.writeFileSync(join(folder, file), "");
  fs.utimesSync(folder, longAgo, longAgo);
  return folder;
}

test("a link in the place of the folder is refused, and what it names stays", () => {
  const own = oldFolder(join(place, "own"));
  const kept = oldFolder(join(own, "letters"), "rank-0");
  fs.symlinkSync(own, base);
  const rooms = new NodeProcessRooms(place);
  expect(rooms.enter("world-a", 0, 2, none)).toBe(ROOM.failed);
  expect(rooms.failure).toContain("must be a folder of your own, not a link or a file");
  expect(fs.existsSync(join(kept, "rank-0"))).toBe(true);
});

test("old rooms are removed, other folders are not", () => {
  const room = oldFolder(join(base, "world-old"), "rank-0", "gone-0", "0-0-1.0");
  const others = [
    oldFolder(join(base, "empty")),
    oldFolder(join(base, "lanes"), "0-0-1.0"),
    oldFolder(join(base, "letters"), "rank-0", "letter.txt"),
  ];
  const rooms = new NodeProcessRooms(place);
  expect(rooms.enter("world-a", 0, 1, none)).toBe(1);
  expect([room, ...others].map((folder) => fs.existsSync(folder))).toEqual([false, true, true, true]);
  rooms.close();
  expect(fs.existsSync(join(base, "world-a"))).toBe(false);
});

test("a rank is taken once", () => {
  const [first, second] = [new NodeProcessRooms(place), new NodeProcessRooms(place)];
  expect([first.enter("a", 0, 2, none), second.enter("a", 0, 2, none), second.enter("a", 1, 2, none)]).toEqual([
    1,
    ROOM.taken,
    1,
  ]);
  expect(first.send(1, 0, 0, 1, Uint8Array.of(7))).toBe(ROOM.here);
  const got = new Uint8Array(4);
  expect([second.receive(1, 0, 0, 1, got), got[0]]).toEqual([1, 7]);
});

test.each(["file", "folder"])("a lock that was left behind, a %s", (kind) => {
  fs.mkdirSync(base, { mode: 0o700 });
  const lock = join(base, "a.lock");
  if (kind === "file") fs.writeFileSync(lock, "another");
  else fs.mkdirSync(lock);
  fs.utimesSync(lock, longAgo, longAgo);
  expect(new NodeProcessRooms(place).enter("a", 0, 2, none)).toBe(1);
  expect(fs.readdirSync(base)).toEqual(["a"]);
});
