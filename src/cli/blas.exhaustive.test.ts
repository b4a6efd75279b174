/** The rarer functions of cuBLAS, in all types, beside loops on the host, and cuBLASXt beside cuBLAS. */
import { expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

test.each(["blas-levels.cu", "blas-xt.cu"])("%s", (name) =>
  expect(heddle(["run", program(name)])).toMatchObject({ stdout: "all right\n", stderr: "", status: 0 }),
);
