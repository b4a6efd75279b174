/** NCCL: random collectives beside loops in double precision, over one to eight devices of one process. */
import { expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

test("random collectives of random ranks, types and operations", () => {
  const run = heddle(["run", "--devices", "8", program("nccl-collectives.cu"), "1", "200"]);
  expect(run).toMatchObject({ stdout: "200 cases PASSED\n", stderr: "", status: 0 });
});

test("a thread for each rank, a split, wrong calls, a rank that ends", () => {
  const { stdout, status } = heddle(["run", "--devices", "4", program("nccl-threads.cu")]);
  expect({ stdout, status }).toEqual({ stdout: "PASSED\n", status: 0 });
});
