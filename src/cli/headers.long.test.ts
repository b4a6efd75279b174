/**
 * The headers that are ours, and that no checker accuses them. All pairs of types:
 * header-types.exhaustive.test.ts, with further programs.
 */
import { test } from "vitest";
import { expectNoAccusation, expectToPass } from "./header-programs.test-helper.ts";

const MATRICES = ["matrix.cu", "matrix-forms.cu", "matrix-sparse.cu"];
const SMALL = ["half.cu", "fp8.cu", "host-headers.cpp", "rounding-modes.cpp"];
const TEMPLATES = ["thrust.cu", "thrust-universal.cu", "cub.cu", "cooperative-groups.cu"];
test.each([...SMALL, ...TEMPLATES, ...MATRICES])("%s", expectToPass);

test.each(["cooperative-groups.cu", "public-code.cu"])("%s is accused of nothing", expectNoAccusation);
