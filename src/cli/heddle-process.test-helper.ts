/** The built command line as a process of its own. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

export const root: string = new URL("../../", import.meta.url).pathname;
export const main: string = join(root, "dist/bin/main.js");
export const programs: string = new URL("./test-programs/", import.meta.url).pathname;

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built command line to its end. */
export function heddle(
  args: readonly string[],
  options: { input?: string; cwd?: string; env?: Record<string, string> } = {},
): Ended {
  if (!existsSync(main)) throw new Error("dist/bin/main.js is not there: run npm run build first");
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    encoding: "utf8",
    cwd: options.cwd ?? root,
    input: options.input ?? "",
    env: { ...process.env, NO_COLOR: "1", ...options.env },
  });
  return { status, stdout, stderr };
}

/** A program of the tests. */
export const program = (name: string): string => join(programs, name);
