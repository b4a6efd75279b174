import { expect, test } from "vitest";
import { SourceText } from "../frontend/triton/syntax/source-text.ts";
import { changedFiles, fileLines, importFromFolder, resolvePath, writeFiles } from "./python-files.ts";
import type { PythonFiles } from "./run-script.ts";

const DIRECTORY = 1;
const FILE = 2;

/** As much of Emscripten's file system as is used. */
function memoryFiles(): PythonFiles {
  const files = new Map<string, Uint8Array>();
  const folders = new Set<string>();
  return {
    mkdirTree: (path) => void folders.add(path),
    chdir: () => {},
    writeFile: (path, content) =>
      void files.set(path, typeof content === "string" ? new TextEncoder().encode(content) : content),
    readFile: (path) => {
      const bytes = files.get(path);
      if (bytes === undefined) throw new Error("ENOENT");
      return bytes;
    },
    readdir: (folder) => [
      ".",
      "..",
      ...new Set(
        [...files.keys(), ...folders]
          .filter((path) => path.startsWith(`${folder}/`))
          .map((path) => path.slice(folder.length + 1).split("/")[0] as string),
      ),
    ],
    stat: (path) => ({ mode: files.has(path) ? FILE : DIRECTORY, size: 0 }),
    isDir: (mode) => mode === DIRECTORY,
    isFile: (mode) => mode === FILE,
  };
}

test("what a script has written is what was not there, or has other bytes", () => {
  const files = memoryFiles();
  const before = writeFiles(files, "/work", { "a.py": "x", "data/in.txt": "1" });
  files.writeFile("/work/data/in.txt", "2");
  files.writeFile("/work/plot.svg", "<svg>");
  files.writeFile("/work/__pycache__/a.pyc", "cache");
  expect(changedFiles(files, "/work", before).map(({ path }) => path)).toEqual(["data/in.txt", "plot.svg"]);
});

test("finds modules as Python does", () => {
  const files = memoryFiles();
  writeFiles(files, "/work", { "kernels/a.py": "A", "kernels/b.py": "B", "common/__init__.py": "C", "top.py": "T" });
  const find = (name: string, from: string): string | undefined =>
    importFromFolder(files, "/work")(name, new SourceText(from, ""))?.file;
  expect(find(".b", "kernels/a.py")).toBe("kernels/b.py");
  expect(find("..common", "kernels/a.py")).toBe("common/__init__.py");
  expect(find("top", "kernels/a.py")).toBe("top.py");
  expect(find("none", "kernels/a.py")).toBeUndefined();
});

test("paths", () => {
  expect(resolvePath("/work", "./a/../b.py")).toBe("/work/b.py");
  expect(resolvePath("/work", "/tmp/x")).toBe("/tmp/x");
  const files = memoryFiles();
  writeFiles(files, "/work", { "a.py": "1\n2" });
  expect(fileLines(files, "/work", "a.py")).toEqual(["1", "2"]);
  expect(fileLines(files, "/work", "b.py")).toBeNull();
});
