/**
 * The headers that are ours and take Clang long; and that no checker accuses them. All pairs of types:
 * header-types.exhaustive.test.ts.
 */
import { test } from "vitest";
import { expectNoAccusation, expectToPass } from "./header-programs.test-helper.ts";

test.each([
  "thrust.cu",
  "cub.cu",
  "thrust-scans.cu",
  "cub-regions.cu",
  "cooperative-groups.cu",
  "matrix.cu",
  "sobol.cu",
])("%s", expectToPass);

test.each(["cub.cu", "matrix.cu", "cooperative-groups.cu", "public-code.cu"])(
  "%s is accused of nothing",
  expectNoAccusation,
);
