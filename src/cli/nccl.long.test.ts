/** NCCL: random collectives beside loops in double precision, over one to eight devices of one process. */
import { expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

test("random collectives of random ranks, types and operations", () => {
  const run = heddle(["run", "--devices", "8", program("nccl-collectives.cu"), "1", "200"]);
  expect(run).toMatchObject({ stdout: "200 cases PASSED\n", stderr: "", status: 0 });
});
