/** Whole programs that take Clang long. */
import { describe, expect, test } from "vitest";
import { heddle, program } from "./heddle-process.test-helper.ts";

describe("programs", () => {
  test("LU, inverses, solutions and QR of matrices in batches", () =>
    expect(heddle(["run", "-lcublas", program("blas-factors.cu")])).toMatchObject({
      stdout: "all factors are right\n",
      status: 0,
    }));
  test("every algorithm of the C++ library with a policy", () =>
    expect(heddle(["run", program("execution-policies.cu")])).toMatchObject({ stdout: "PASSED\n", status: 0 }));
});
