/** `heddle check` of programs with much data: which checkers go on. Needs dist/ (npm run test:long builds it first). */
import { expect, test } from "vitest";
import { heddle, programs, type Ended } from "./heddle-process.test-helper.ts";

const check = (...args: string[]): Ended => heddle(["check", ...args], { cwd: programs });

test("a program of 2 GB is checked, and the report says by which checkers", () => {
  expect(check("large-data.cu")).toEqual({
    status: 0,
    stdout: "there is room\n134 1 8\n",
    stderr: [
      "heddle check: no errors in 4 kernel launches",
      "  racecheck watched the first 2 of 4 launches: the program needed its memory for an " +
        "allocation of 1073741824 bytes at ./large-data.cu:35:7",
      "  to check with it, make the data smaller, or run --tool racecheck alone: it has room for more data then",
      "  initcheck watched the first 2 of 4 launches: the program needed its memory for an " +
        "allocation of 1073741824 bytes at ./large-data.cu:35:47",
      "  to check with it, make the data smaller, or run --tool initcheck alone: it has room for more data then",
      "",
    ].join("\n"),
  });
  const wrong = check("large-data.cu", "wrong");
  expect(wrong.status).toBe(72);
  expect(wrong.stderr).toMatch(
    /^memcheck: out of bounds: write of 4 bytes\n {2}--> .\/large-data.cu:23:\d+, in fill\n/,
  );
  expect(check("--tool", "memcheck,synccheck,api", "large-data.cu").stderr).toBe(
    "heddle check: no errors in 4 kernel launches\n",
  );
  const { status, stderr } = check("--tool", "racecheck,api", "large-data.cu");
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /device memory: 1073741824 bytes asked for, .*; \d+ more hold the notes of racecheck: use others of the tools/,
  );
});
