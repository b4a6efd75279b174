/** A whole Python script, in one process: CPython takes seconds to start. All the rest: script.long.test.ts. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { heddle } from "../cli/heddle-process.test-helper.ts";

const folder = mkdtempSync(join(tmpdir(), "heddle-script-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("a script launches a kernel, computes with torch, and ends with Python's traceback", () => {
  writeFileSync(
    join(folder, "script.py"),
    `import torch
import triton
import triton.language as tl

@triton.jit
def twice(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)

x = torch.arange(5, dtype=torch.float32, device="cuda")
twice[(2,)](x, 5, BLOCK=4)
print((x + 1).tolist())
raise ValueError("the end")
`,
  );
  const { status, stdout, stderr } = heddle(["run", "script.py"], { cwd: folder });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "[1.0, 3.0, 5.0, 7.0, 9.0]\n" });
  expect(stderr).toMatch(/line 13, in <module>\n {4}raise ValueError\("the end"\)\nValueError: the end\n$/);
});
