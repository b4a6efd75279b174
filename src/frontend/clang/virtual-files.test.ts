import { expect, test } from "vitest";
import { SystemTree, VirtualFiles, normalizePath } from "./virtual-files.ts";
import type { SourceReader } from "../../store/source-reader.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function reader(files: Record<string, string>): SourceReader {
  return {
    readFile: (path) => (Object.hasOwn(files, path) ? bytes(files[path] as string) : null),
    isDirectory: (path) => Object.keys(files).some((file) => file.startsWith(`${path}/`)),
  };
}

test("paths are normalised, leading .. kept", () => {
  expect(normalizePath("a/./b/../c")).toBe("a/c");
  expect(normalizePath("../../x/../y")).toBe("../../y");
});

test("relative paths win over absolute ones; what was read and missed is recorded", () => {
  const files = new VirtualFiles(new SystemTree(), reader({ "dir/a.h": "rel", "/abs/b.h": "abs" }));
  expect(files.lookup("dir/a.h")?.path).toBe("dir/a.h");
  expect(files.lookup("abs/b.h")?.path).toBe("/abs/b.h");
  expect(files.lookup("dir/none.h")).toBeNull();
  expect(files.lookup("dir")?.kind).toBe("directory");
  expect([...files.dependencies.read.keys()]).toEqual(["dir/a.h", "/abs/b.h"]);
  expect(files.dependencies.missing).toEqual(new Set(["abs/b.h", "dir/none.h", "/dir/none.h"]));
});

test("our own tree is never asked of the user, and a file keeps its identity", () => {
  const system = new SystemTree();
  system.add("heddle/include/x.h", bytes("x"));
  const files = new VirtualFiles(system, reader({ "heddle/include/y.h": "no" }));
  expect(files.lookup("heddle/include/y.h")).toBeNull();
  expect(files.lookup("heddle/include")?.kind).toBe("directory");
  expect(files.lookup("heddle/include/x.h")?.id).toBe(files.lookup("heddle/include/../include/x.h")?.id);
});
