/** Algorithms of Thrust and CUB over all pairs of types, beside plain loops: a minute of Clang for each program. */
import { test } from "vitest";
import { expectToPass } from "./header-programs.test-helper.ts";

test.each(["thrust-types.cu", "cub-types.cu", "sum-types.cu"])("%s", expectToPass);
