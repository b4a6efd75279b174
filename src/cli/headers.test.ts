/** The headers that are ours. Those that take Clang long: headers.long.test.ts. */
import { test } from "vitest";
import { expectToPass } from "./header-programs.test-helper.ts";

test.each(["half.cu", "fp8.cu", "host-headers.cpp", "rounding-modes.cpp"])("%s", expectToPass);
