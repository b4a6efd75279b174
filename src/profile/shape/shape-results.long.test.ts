/** Random kernels do what they did when their code has the form that NVIDIA's compilers give it: more of them. */
import { test } from "vitest";
import { expectSameResults } from "./shape-results.test-helper.ts";

test.each(Array.from({ length: 12 }, (_, n) => 12 + n))("seed %i", expectSameResults);
