/** The headers that are ours and take Clang long; and that no checker accuses them. */
import { test } from "vitest";
import { expectNoAccusation, expectToPass } from "./header-programs.test-helper.ts";

test.each([
  "thrust.cu",
  "thrust-types.cu",
  "cub.cu",
  "cub-types.cu",
  "thrust-scans.cu",
  "sum-types.cu",
  "cub-regions.cu",
])("%s", expectToPass);

test.each(["cub.cu", "matrix.cu"])("%s is accused of nothing", expectNoAccusation);
