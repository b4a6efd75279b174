/** Programs that check themselves, through the built command line. Needs dist/ (npm test builds it first). */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";

const root = new URL("../../", import.meta.url).pathname;

function heddle(command: string, name: string): { status: number | null; stdout: string; stderr: string } {
  const program = join(root, "src/cli/test-programs", name);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "dist/bin/main.js"), command, program], {
    encoding: "utf8",
    cwd: root,
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { status, stdout, stderr };
}

/** Runs a program of test-programs/, which says PASSED. */
export function expectToPass(name: string): void {
  expect(heddle("run", name)).toMatchObject({ status: 0, stdout: expect.stringMatching(/PASSED\n$/) });
}

export function expectNoAccusation(name: string): void {
  expect(heddle("check", name).stderr).toMatch(/^heddle check: no errors in \d+ kernel launches/m);
}
