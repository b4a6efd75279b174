/** initcheck goes on where racecheck has no room for its notes, and knows what it has noted before. */
import { expect, test } from "vitest";
import { heddle, programs } from "./heddle-process.test-helper.ts";

const ASIDE =
  "  racecheck watched no launch: the program needed its memory for an allocation of 734003200 bytes at " +
  "./large-unset.cu:17:7\n" +
  "  to check with it, make the data smaller, or run --tool racecheck alone: it has room for more data then\n";

test("700 MB of data: what is set is, and what is not is reported", () => {
  expect(heddle(["check", "large-unset.cu"], { cwd: programs })).toEqual({
    status: 0,
    stdout: "16843009\n",
    stderr: `heddle check: no errors in 1 kernel launch\n${ASIDE}`,
  });
  const { status, stderr } = heddle(["check", "large-unset.cu", "wrong"], { cwd: programs });
  expect(status).toBe(72);
  expect(stderr).toMatch(/^initcheck: uninitialized value: arithmetic uses it/);
  expect(stderr).toContain("131072 of its bytes have not been written: those from 131072 to 262143");
  expect(stderr.endsWith(`heddle check: 1 error in 1 kernel launch\n${ASIDE}`)).toBe(true);
});
