/** Which files of a program in memory are its own work. */
import { expect, it } from "vitest";
import { MemoryFiles } from "./host-files-memory.ts";

it("files that were made or changed, and no others", () => {
  const files = new MemoryFiles({ "given.txt": "x", "changed.txt": "x", "emptied.txt": "x" });
  const plain = { read: true, write: true, create: false, exclusive: false, truncate: false, append: false };
  const text = new TextEncoder().encode("new");
  files.open("given.txt", plain).read(new Uint8Array(1), 0);
  files.open("changed.txt", { ...plain, append: true }).write(text, null);
  files.open("emptied.txt", { ...plain, truncate: true });
  files.makeDirectory("out");
  files.open("out/made.ppm", { ...plain, create: true }).write(text, 0);
  files.open("/tmp/made", { ...plain, create: true });
  expect(files.written().map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)])).toEqual([
    ["changed.txt", "xnew"],
    ["emptied.txt", ""],
    ["out/made.ppm", "new"],
    ["/tmp/made", ""],
  ]);
});
