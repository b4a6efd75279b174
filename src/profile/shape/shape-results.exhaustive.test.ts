/** Random kernels do what they did when their code has the form that NVIDIA's compilers give it: most of them. */
import { test } from "vitest";
import { expectSameResults } from "./shape-results.test-helper.ts";

test.each(Array.from({ length: 28 }, (_, n) => 24 + n))("seed %i", expectSameResults);
