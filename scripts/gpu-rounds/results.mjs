// What a run has brought back: rounds.tar.gz.00 and so on, or its folder. Results of several runs come together in
// .gpu-results.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where what is expected of a step lies, in .gpu-results/NAME. */
export const expectedFolder = (kept, key) => join(kept, "expected", key);

/** A step's result; null where there is none. */
export function readStep(folder) {
  const text = (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : "");
  if (text("status") === "") return null;
  return {
    folder,
    status: Number(text("status")),
    seconds: Number(text("seconds")),
    key: text("key").trim(),
    out: text("out"),
    err: text("err"),
    /** A file that the step has written beside them. */
    file: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : null),
  };
}

/**
 * Adds what a folder has to what was taken earlier: of each step the later result, but none that failed in place of one
 * that was right and is of the same key.
 * @param from a folder with rounds.tar.gz.00 and so on, or with results/NAME
 * @param to .gpu-results/NAME
 */
export function addResults(name, from, to) {
  const unpacked = mkdtempSync(join(tmpdir(), "heddle-results-"));
  try {
    const parts = readdirSync(from)
      .filter((part) => part.startsWith("rounds.tar.gz"))
      .toSorted();
    const input = Buffer.concat(parts.map((part) => readFileSync(join(from, part))));
    if (parts.length > 0) execFileSync("tar", ["xzf", "-", "-C", unpacked], { input });
    const folder = parts.length > 0 ? join(unpacked, "results") : join(from, "results");
    if (!existsSync(join(folder, name))) throw new Error(`${from} has no results of the round ${name}`);
    const machine = JSON.parse(readFileSync(join(folder, "machine.json"), "utf8"));
    const steps = join(to, "steps");
    mkdirSync(steps, { recursive: true });
    for (const step of readdirSync(join(folder, name))) {
      const [later, earlier] = [readStep(join(folder, name, step)), readStep(join(steps, step))];
      if (later === null) continue;
      if (earlier?.status === 0 && later.status !== 0 && earlier.key === later.key) continue;
      rmSync(join(steps, step), { recursive: true, force: true });
      cpSync(later.folder, join(steps, step), { recursive: true });
      writeFileSync(join(steps, step, "machine.json"), JSON.stringify(machine));
    }
    return machine;
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** All steps that were taken so far, by name: results, the machine, and the path of what is expected. */
export function takenSteps(to) {
  const all = readdirSync(join(to, "steps")).toSorted();
  return new Map(
    all.map((name) => {
      const folder = join(to, "steps", name);
      const step = readStep(folder);
      const machine = JSON.parse(readFileSync(join(folder, "machine.json"), "utf8"));
      return [name, { ...step, machine, expected: (file) => join(expectedFolder(to, step.key), file) }];
    }),
  );
}
