/** The headers that are ours and take Clang long. */
import { test } from "vitest";
import { expectToPass } from "./header-programs.test-helper.ts";

test.each(["thrust.cu", "cub.cu"])("%s", expectToPass);
