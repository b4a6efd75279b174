import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

const EXAMPLES = [...readFileSync(join(ROOT, "README.md"), "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, example]) => example as string,
);

it.each(EXAMPLES.map((example, i) => [i + 1, example] as const))(
  "README's example %i does what it says, with the package as its users import it",
  (_number, example) => {
    const promised = /console\.log\(.*\); \/\/ (.*)/.exec(example)?.[1] ?? "nothing";
    // A module inside of the package may import the package by its name.
    const directory = join(ROOT, "dist", `readme-${process.pid}`);
    mkdirSync(directory, { recursive: true });
    try {
      writeFileSync(join(directory, "example.mjs"), example);
      const printed = execFileSync(process.execPath, [join(directory, "example.mjs")], { encoding: "utf8" });
      expect(printed.trim()).toBe(
        promised
          .replace(/^Float32Array /, "Float32Array(3) ")
          .replace("[", "[ ")
          .replace("]", " ]"),
      );
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
);
