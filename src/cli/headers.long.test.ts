/**
 * The headers that are ours and take Clang long; and that no checker accuses them. All pairs of types:
 * header-types.exhaustive.test.ts, with further programs.
 */
import { test } from "vitest";
import { expectNoAccusation, expectToPass } from "./header-programs.test-helper.ts";

const MATRICES = ["matrix.cu", "matrix-forms.cu", "matrix-sparse.cu"];
test.each(["thrust.cu", "thrust-universal.cu", "cub.cu", "cooperative-groups.cu", ...MATRICES])("%s", expectToPass);

test.each(["cooperative-groups.cu", "public-code.cu"])("%s is accused of nothing", expectNoAccusation);
