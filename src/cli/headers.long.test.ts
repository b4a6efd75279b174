/**
 * The headers that are ours and take Clang long; and that no checker accuses them. All pairs of types:
 * header-types.exhaustive.test.ts, with further programs.
 */
import { test } from "vitest";
import { expectNoAccusation, expectToPass } from "./header-programs.test-helper.ts";

test.each(["thrust.cu", "cub.cu", "cooperative-groups.cu", "matrix.cu", "matrix-forms.cu"])("%s", expectToPass);

test.each(["cooperative-groups.cu", "public-code.cu"])("%s is accused of nothing", expectNoAccusation);
