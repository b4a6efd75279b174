import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

it("README's example does what it says, with the package as its users import it", () => {
  const example = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, "README.md"), "utf8"))?.[1] ?? "";
  const promised = /console\.log\(.*\); \/\/ (.*)/.exec(example)?.[1] ?? "nothing";
  // A module inside of the package may import the package by its name.
  const directory = join(ROOT, "dist", `readme-${process.pid}`);
  mkdirSync(directory, { recursive: true });
  try {
    writeFileSync(join(directory, "example.mjs"), example);
    const printed = execFileSync(process.execPath, [join(directory, "example.mjs")], { encoding: "utf8" });
    expect(printed.trim()).toBe(promised.replace(/^Float32Array /, "Float32Array(3) ").replace("[", "[ ").replace("]", " ]"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
