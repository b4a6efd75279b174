/**
 * Algorithms of Thrust and CUB over all pairs of types, beside plain loops: a minute of Clang for each program. And
 * programs for those who change these headers or the checkers.
 */
import { test } from "vitest";
import { expectNoAccusation, expectToPass } from "./header-programs.test-helper.ts";

test.each(["thrust-types.cu", "cub-types.cu", "sum-types.cu", "thrust-scans.cu", "cub-regions.cu", "sobol.cu"])(
  "%s",
  expectToPass,
);

test.each(["cub.cu", "matrix.cu"])("%s is accused of nothing", expectNoAccusation);
