/** Several processes: NCCL and MPI between them, ranks that end, and how `--processes` starts and ends them. */
import { spawn } from "node:child_process";
import { describe, expect, test } from "vitest";
import { heddle, main, program, root } from "./heddle-process.test-helper.ts";

const collectives = program("nccl-collectives.cu");
const mpi = program("mpi.cu");

/** Lines of all ranks, in an order. */
const lines = (text: string): string[] => text.trimEnd().split("\n").toSorted();

describe("NCCL over processes", () => {
  test("random collectives over four ranks of two processes", () => {
    const { stdout, stderr, status } = heddle(["run", "--processes", "2", "-DPROCESSES", collectives, "1", "200", "4"]);
    expect({ stdout, stderr, status }).toEqual({
      stdout: "200 cases PASSED\n".repeat(2),
      stderr: "",
      status: 0,
    });
  });

  test("a rank that dies", () => {
    const { stdout, status } = heddle(["run", "--processes", "3", mpi, "dies"]);
    expect({ lines: lines(stdout), status }).toEqual({ lines: ["rank 0 saw it", "rank 2 saw it"], status: 3 });
  });

  test("a rank that dies in a split", () => {
    const { stdout, status } = heddle(["run", "--processes", "3", mpi, "splits"]);
    const error = "remote process exited or there was a network error";
    expect({ lines: lines(stdout), status }).toEqual({ lines: [`rank 0: ${error}`, `rank 2: ${error}`], status: 3 });
  });

  test("host threads and groups that enter two communicators in opposite orders, a split beside them", () => {
    const run = heddle(["run", "--processes", "2", program("nccl-processes.cu")]);
    expect(run).toMatchObject({ stdout: "PASSED\n".repeat(2), stderr: "", status: 0 });
  });

  test("a count that is larger than the buffers, as in llm.c's barrier", () => {
    const args = ["--processes", "2", "--tag", program("nccl-processes.cu"), "beyond"];
    const { stdout, stderr, status } = heddle(["run", ...args]);
    expect({ stdout: lines(stdout), stderr, status }).toEqual({
      stdout: ["[0] the sum is 3", "[1] the sum is 3"],
      stderr: "",
      status: 0,
    });
    expect(heddle(["check", ...args]).stderr).toMatch(/\[0\] memcheck: out of bounds/);
  });

  test("heddle check reports that a rank has ended", () => {
    const { stderr, status } = heddle(["check", "--processes", "2", "--tag", mpi, "dies"]);
    expect(stderr).toContain("[0] api: a rank waits for one that does not come: ncclAllReduce returns ncclRemoteError");
    expect(status).not.toBe(0);
  });
});

describe("MPI", () => {
  test.each([2, 3])("collectives, messages, types, communicators, wrong calls of NCCL: %i processes", (processes) => {
    const { stdout, status } = heddle(["run", "--processes", String(processes), mpi]);
    expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
  });

  test("a receive of a rank that has ended", () => {
    const { stderr, status } = heddle(["run", "--processes", "2", mpi, "receives"]);
    expect(stderr).toContain("MPI_Recv of rank 0: other error: rank 1 has ended without sending the message");
    expect(status).toBe(15);
  });

  test("a send to a rank that has ended", () => {
    const { stderr, status } = heddle(["run", "--processes", "2", mpi, "sends"]);
    expect(stderr).toContain("MPI_Send of rank 0: other error: rank 1 has ended, and receives no message");
    expect(status).toBe(15);
  });

  test("a rank that never calls MPI_Init", () => {
    const absent = heddle(["run", "--processes", "2", program("mpi-alone.cpp"), "absent"]);
    expect(absent).toMatchObject({
      stderr: "heddle: MPI_Init of rank 0: rank 1 has ended without calling MPI_Init\n",
      status: 15,
    });
    const alone = ["run", "--processes", "3", "--rank", "1", "--world", `alone-${process.pid}`];
    const late = heddle([...alone, program("mpi-alone.cpp")], { env: { HEDDLE_JOIN_SECONDS: "0.2" } });
    expect(late).toMatchObject({ stderr: "heddle: MPI_Init of rank 1: rank 0, 2 never came\n", status: 15 });
  });

  test("ranks that call different collectives", () => {
    const { stderr, status } = heddle(["run", "--processes", "2", mpi, "disagrees"]);
    expect(stderr).toMatch(/MPI_\w+ of rank \d: other error: the ranks disagree: rank \d calls MPI_\w+/);
    expect(status).toBe(15);
  });

  test("without --processes a program is the only rank", () => {
    expect(heddle(["run", program("mpi-alone.cpp")])).toMatchObject({ stdout: "0 of 1\n", status: 0 });
  });
});

test("TCP between processes", () => {
  const run = heddle([
    "run",
    "--processes",
    "2",
    program("sockets.cpp"),
    "{rank}",
    String(10000 + (process.pid % 50000)),
  ]);
  expect(run).toMatchObject({ stdout: "PASSED\n", stderr: "", status: 0 });
});

test("main with the environment as its third parameter", () => {
  const run = heddle(["run", program("environment-main.cpp")], { env: { GREETING: "hello" } });
  expect(run).toMatchObject({ stdout: "1 hello\n", stderr: "", status: 0 });
});

describe("--processes", () => {
  test("ranks in arguments, and the tags", () => {
    const { stdout, status } = heddle([
      "run",
      "--processes",
      "2",
      "--tag",
      program("mpi-alone.cpp"),
      "{rank}/{processes}",
    ]);
    expect({ lines: lines(stdout), status }).toEqual({ lines: ["[0] 0 of 2 0/2", "[1] 1 of 2 1/2"], status: 0 });
  });

  test("one rank in each shell", async () => {
    const world = ["run", "--processes", "2", "--world", `test-${process.pid}`];
    const run = (rank: number): Promise<string> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [main, ...world, "--rank", String(rank), program("mpi-alone.cpp")], {
          cwd: root,
        });
        let text = "";
        child.stdout.on("data", (part: Buffer) => (text += part.toString()));
        child.on("close", () => resolve(text));
      });
    expect(await Promise.all([run(0), run(1)])).toEqual(["0 of 2\n", "1 of 2\n"]);
  });

  test("the first failure ends the others", () => {
    const { stderr, status } = heddle(["run", "--processes", "2", program("mpi-alone.cpp"), "fail"]);
    expect(stderr).toContain("heddle: rank 1 ended with exit code 5; rank 0 is ended, too");
    expect(status).toBe(5);
  });

  test("Ctrl-C ends all", async () => {
    const child = spawn(process.execPath, [main, "run", "--processes", "2", program("mpi-alone.cpp"), "wait"], {
      cwd: root,
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    child.kill("SIGINT");
    expect(await new Promise((resolve) => child.on("close", resolve))).toBe(130);
  });

  test("what is refused", () => {
    const refused = (...args: string[]): unknown => heddle(["run", ...args, mpi]).stderr.split("\n")[0];
    expect(refused("--rank", "0")).toBe("heddle: --rank needs --processes");
    expect(refused("--processes", "2", "--rank", "2")).toBe("heddle: --rank is 0 to 1, not 2");
    expect(refused("--processes", "2", "--json=x.json")).toBe("heddle: each process would write x.json");
    expect(refused("--processes", "2", "--watch")).toBe("heddle: --processes and --watch do not go together");
  });
});
