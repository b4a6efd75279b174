/** `heddle debug program.cu`: a block of a program, recorded and replayed by commands. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

function debug(commands: readonly string[], ...args: readonly string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["dist/cli/main.js", "debug", ...args], {
    cwd: root,
    encoding: "utf8",
    input: `${commands.join("\n")}\n`,
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

test("breakpoints, variables by lane, steps forwards and backwards, shared memory", () => {
  const commands = ["b 24", "c", "p t 5", "p half", "n", "back", "shared part", "warp 3", "p t 0", "rc", "q"];
  const text = debug(commands, "--block", "1", "examples/sum-race.cu");
  expect(text).toContain("sum, block (1, 0, 0) of (40, 1, 1), 256 threads");
  expect(text).toContain("> b 24\na breakpoint at sum-race.cu:24\n");
  expect(text).toMatch(/> c\nstep \d+ of \d+ {2}warp 0, all 32 lanes {2}sum-race.cu:24/);
  expect(text).toContain("if (t < half) part[t] += part[t + half];\n  shared load of 4 bytes by 32 lanes: 1 wavefront");
  expect(text).toContain("> p t 5\nt of lane 5 = 5\n");
  expect(text).toContain("half: int = 128, in every lane");
  expect(text).toContain("> shared part\npart: float[256]\n");
  expect(text).toContain("> p t 0\nt of lane 0 = 96\n");
});

test("divergence, and the end of a block that loops for ever, as JSON", () => {
  const [first, ...answers] = debug(["warps", "c"], "--json", "examples/deadlock.cu")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({ version: 1, end: { how: "spins" }, launch: { ordinal: 1 } });
  expect(answers.map(({ command }) => command)).toEqual(["warps", "c"]);
});
