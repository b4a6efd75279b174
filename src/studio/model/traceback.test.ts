import { expect, test } from "vitest";
import { tracebackProblems } from "./traceback.ts";

test("an error in a kernel stands at its place in the kernel, with the calls as related places", () => {
  const stderr = `ValueError: Both inputs must be either 2D or 3D

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "bad.py", line 16, in <module>
    call(x)
    ~~~~^^^
  File "bad.py", line 13, in call
    k[(1,)](x, 10, BLOCK=16)
    ~~~~~~~^^^^^^^^^^^^^^^^^
triton.compiler.errors.CompilationError: at 4:8: of k
Both inputs must be either 2D or 3D
  at bad.py:9:9
  9 |     z = tl.dot(y, y)
    |         ^~~~~~~~~~~~
`;
  expect(tracebackProblems(stderr)).toMatchObject([
    {
      severity: "error",
      source: "python",
      place: { file: "bad.py", line: 9, column: 9 },
      title: "triton.compiler.errors.CompilationError: at 4:8: of k",
      related: [
        { text: "called here", place: { line: 16 } },
        { text: "called here, in call", place: { line: 13 } },
      ],
    },
  ]);
});

test("an exception of the script stands at the innermost call", () => {
  const stderr = `something\nTraceback (most recent call last):
  File "a.py", line 3, in <module>
    f()
  File "/work/b.py", line 2, in f
    raise ValueError("no")
ValueError: no
`;
  expect(tracebackProblems(stderr)).toMatchObject([
    { place: { file: "b.py", line: 2, column: 0 }, title: "ValueError: no", related: [{ place: { line: 3 } }] },
  ]);
});

test("a file that Python cannot read has its line", () => {
  const stderr = `  File "bad.py", line 2\n    def f(:\n          ^\nSyntaxError: invalid syntax\n`;
  expect(tracebackProblems(stderr)).toMatchObject([
    { place: { file: "bad.py", line: 2 }, title: "SyntaxError: invalid syntax" },
  ]);
});

test("what a CUDA program writes is no traceback", () => {
  expect(tracebackProblems("heddle: kernel k failed: misaligned address\n  at a.cu:3:4\nError: no\n")).toEqual([]);
});
