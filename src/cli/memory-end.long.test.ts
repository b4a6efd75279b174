/** What a program sees where the host's memory ends, in both data models. Needs dist/ (npm run test:long builds it). */
import { expect, test } from "vitest";
import { nodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import { builtLibrary } from "../frontend/clang/lp64/library-place-node.ts";
import { heddle, program } from "./heddle-process.test-helper.ts";

const isBuilt = builtLibrary(await nodeClangResources().libraryPlace()) !== null;

// Where the library of 64-bit programs is not built, there are only those of 32.
test.each(isBuilt ? ["ilp32", "lp64"] : ["ilp32"])(
  "an allocation that fails is NULL, and nothing is lost (%s)",
  (model) => {
    const { status, stdout, stderr } = heddle(["run", "--model", model, program("out-of-memory.cu")]);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout:
        "arrays that grow fit\nmalloc fails: ENOMEM\nall are good\nfreed memory is given again\nnew throws bad_alloc\n",
    });
    expect(stderr).toContain("an allocation of 1073741836 bytes on the host fails");
  },
  60_000,
);
