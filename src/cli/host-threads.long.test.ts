/** Threads of host programs, in both data models where the library of 64-bit programs is built. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

describe("host threads", () => {
  test("wait for one another", () => {
    const run = heddle(["run", "--devices", "2", program("host-threads.cpp")]);
    expect(run).toMatchObject({ stdout: "PASSED\n", stderr: "", status: 0 });
  });

  test("have variables of their own, which end with them, as with g++", () => {
    const expected = readFileSync(program("thread-locals.txt"), "utf8");
    const run = heddle(["run", program("thread-locals.cpp")]);
    expect(run).toEqual({ stdout: expected, stderr: "", status: 3 });
  });

  test("a deadlock is one line that names what each thread waits for", () => {
    const { stderr, stdout, status } = heddle(["run", program("host-deadlock.cpp")]);
    expect({ stdout, status }).toEqual({ stdout: "", status: 134 });
    expect(stderr.split("\n")[0]).toBe(
      "heddle: the host threads wait for one another, and none can go on: the main thread in pthread_join, " +
        "thread 1 in pthread_mutex_lock, thread 2 in pthread_mutex_lock",
    );
  });

  test("a fault of a thread names its line", () => {
    const { stderr, status } = heddle(["run", program("host-deadlock.cpp"), "fault"]);
    expect(status).toBe(134);
    expect(stderr).toMatch(/segmentation fault[\s\S]*host-deadlock\.cpp:16:/);
  });
});
