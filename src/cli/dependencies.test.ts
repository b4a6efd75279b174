import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dependencyRule } from "./dependencies.ts";
import { includedFiles } from "../kernel-library/included-files-node.ts";
import { parseNvccCommand } from "./options/nvcc-flags.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "heddle-dependencies-"));
  writeFileSync(join(directory, "a.cu"), '#include "b.h"\n#include <stdio.h>\n# include "sub.h"\n');
  writeFileSync(join(directory, "b.h"), '#include "a.cu"\n#include "c d.h"\n');
  writeFileSync(join(directory, "c d.h"), "");
});
afterAll(() => rmSync(directory, { recursive: true }));

test("included files are found through each other, once", () => {
  expect(includedFiles(join(directory, "a.cu"), [])).toEqual(
    ["a.cu", "b.h", "c d.h"].map((name) => join(directory, name)),
  );
});

test("rules escape and name their targets", () => {
  const source = join(directory, "a.cu");
  expect(dependencyRule(parseNvccCommand(["-MT", "out/a.o", "-MP", source]), source, "a.o")).toBe(
    `out/a.o: ${source} \\\n  ${directory}/b.h \\\n  ${directory}/c\\ d.h\n\n${directory}/b.h:\n\n` +
      `${directory}/c\\ d.h:\n`,
  );
});
