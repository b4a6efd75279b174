/**
 * The same programs with 32 and with 64 bits, where the library of 64-bit programs is built: what does not depend on
 * sizes of types is the same. Needs dist/ (npm run test:long builds it).
 */
import { expect, test } from "vitest";
import { nodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import { builtLibrary } from "../frontend/clang/lp64/library-place-node.ts";
import { heddle, program, root } from "./heddle-process.test-helper.ts";

const isBuilt = builtLibrary(await nodeClangResources().libraryPlace()) !== null;

test.skipIf(!isBuilt).each([
  ["async-copies.cu", program("async-copies.cu"), "pipelined 388 2680\ngrouped 63 704\ncudaSuccess\n"],
  ["vector-add.cu", `${root}examples/vector-add.cu`, "4 blocks of 256 threads added 1000 elements, 0 wrong\n"],
  ["mapped-memory.cu", program("mapped-memory.cu"), expect.stringMatching(/\n$/)],
])(
  "%s",
  (_, file, stdout) => {
    const [narrow, wide] = ["ilp32", "lp64"].map((model) =>
      heddle(["run", "--model", model, "--engine", "warp", file]),
    );
    expect(wide).toEqual(narrow);
    expect(wide).toMatchObject({ status: 0, stdout });
  },
  120_000,
);
