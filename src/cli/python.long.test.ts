/** `heddle python`: what takes Clang, NumPy or a second process. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { heddle, type Ended } from "./heddle-process.test-helper.ts";

const python = (code: string): boolean => spawnSync("python3", ["-c", code]).status === 0;
const hasPython = python("import sys; sys.exit(sys.version_info < (3, 9))");
const hasNumpy = hasPython && python("import numpy");
const folder = mkdtempSync(join(tmpdir(), "heddle-python-"));
afterAll(() => rmSync(folder, { recursive: true }));

function script(text: string): Ended {
  writeFileSync(join(folder, "script.py"), text);
  return heddle(["python", "script.py"], { cwd: folder, env: { HEDDLE_TORCH: "own" } });
}

const ADD = `import torch
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)
`;

describe.skipIf(!hasPython)("heddle python", () => {
  it("shows the PTX of a kernel", () => {
    const { status, stdout } = script(`${ADD}
kernel = triton.compile(triton.compiler.ASTSource(fn=add, signature={"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32"},
                                                  constexprs={"BLOCK": 64}))
print(".target sm_90" in kernel.asm["ptx"], ".entry add" in kernel.asm["ptx"], "define" in kernel.asm["llir"])
`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "True True True\n" });
  });

  it("a forked process says that it cannot share the pipe, and the first one goes on", () => {
    const { status, stdout } = script(`import os
import torch
x = torch.ones(2)
child = os.fork()
if child == 0:
    try:
        x + 1
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print((x + 1).tolist())
`);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Heddle does not work in a forked process: .*\n\[2\.0, 2\.0\]\n$/);
  });

  it.skipIf(!hasNumpy)("takes NumPy's arrays, parts of them and whole numbers of 64 bits, and gives them back", () => {
    const { status, stdout, stderr } = script(`${ADD}
import numpy as np
x = np.arange(8, dtype=np.int64) + 2**62
y = np.zeros(12, np.int64)
add[(2,)](x, y[4:], 8, BLOCK=4)
print((y[4:] == x + 1).all(), y[:4].tolist())
t = torch.tensor(x.reshape(2, 4).T, device="cuda")
print(t.shape, t.stride(), (t.clone().cpu().numpy() == x.reshape(2, 4).T).all(), (torch.ones(2).numpy() + 1).tolist())
`);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "True [0, 0, 0, 0]\ntorch.Size([4, 2]) (1, 4) True [2.0, 2.0]\n",
      stderr: "",
    });
  });
});
