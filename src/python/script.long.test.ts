/** Whole Python scripts, as `heddle run FILE.py` runs them. */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { heddle, main, root, type Ended } from "../cli/heddle-process.test-helper.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-scripts-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function script(text: string, args: readonly string[] = [], options: readonly string[] = []): Ended {
  writeFileSync(join(folder, "script.py"), text);
  return heddle(["run", ...options, "script.py", ...args], { cwd: folder });
}

const HEAD = `import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()
`;

const ADD = `${HEAD}
SCALE = sum([1, 1])

@triton.jit
def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x + SCALE, mask=at < n)
`;

describe("a script", () => {
  it("runs kernels and operations of torch, prints, and gets its arguments", () => {
    const { status, stdout, stderr } = script(
      `${ADD}
import sys
x = torch.arange(10, device=DEVICE, dtype=torch.float32)
y = torch.empty_like(x)
add[lambda meta: (triton.cdiv(10, meta["BLOCK"]),)](x, y, 10, BLOCK=8, num_warps=1)
print(y)
print(sys.argv, (y - x).max().item(), __name__)
sys.exit(3)
`,
      ["--size", "5"],
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 3,
      stdout:
        "tensor([ 2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11.], device='cuda:0')\n" +
        "['script.py', '--size', '5'] 2.0 __main__\n",
      stderr: "",
    });
  });

  it("the example in examples/triton runs", () => {
    const { status, stdout, stderr } = heddle(["run", "examples/triton/swish.py"], { cwd: root });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^tensor\(\[[^]*device='cuda:0'\)\nswish:\n +n {2}Triton \(GB\/s\) {2}torch \(GB\/s\)\n/);
    expect(stdout.trimEnd().split("\n")).toHaveLength(8);
  });

  it("an exception ends it with the traceback of the user's own frames", () => {
    const { status, stdout, stderr } = script(
      "import torch\nprint(1)\ndef f(x):\n    return x + torch.ones(3)\nf(torch.ones(2))\n",
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: "1\n" });
    expect(stderr).toBe(`Traceback (most recent call last):
  File "script.py", line 5, in <module>
    f(torch.ones(2))
    ~^^^^^^^^^^^^^^^
  File "script.py", line 4, in f
    return x + torch.ones(3)
           ~~^~~~~~~~~~~~~~~
RuntimeError: The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0
  the shapes are [2] and [3]: sizes have to be equal, or 1, from the last one on
`);
  });

  it("mistakes are errors of Python's, which name what is wrong", () => {
    const mistakes: [string, string][] = [
      ["print(torch.stft)", "AttributeError: torch.stft is not supported yet by heddle"],
      ["torch.ones(2).cholesky()", "AttributeError: torch.Tensor.cholesky is not supported yet by heddle"],
      ["torch.nn.Linear(2, 2)", "AttributeError: torch.nn.Linear is not supported yet by heddle"],
      ["assert not hasattr(torch, 'compile'); 1 / 0", "ZeroDivisionError"],
      ["import numpy", "ModuleNotFoundError: No module named 'numpy'"],
      ["tl.load(1)", "ValueError: Did you forget to add @triton.jit ? (tl.load can only be called in a kernel)"],
      ["add(1)", "RuntimeError: Cannot call @triton.jit'd outside of the scope of a kernel"],
      ["add[(1,)](torch.ones(2), torch.ones(2), 2, BLOCK=2)", "ValueError: Pointer argument cannot be accessed"],
      ["add[(1,)](torch.ones(2), BLOCK=2)", "TypeError: add() missing a required argument: 'y_ptr'"],
      ["x = torch.ones(2, device=DEVICE); add[(1,)](x, x, 2, BLOCK=3)", "CompilationError"],
      ["x = torch.ones(2, device=DEVICE); x + torch.ones(2)", "Expected all tensors to be on the same device"],
      ["torch.ones(2, device=DEVICE).item()", "a Tensor with 2 elements cannot be converted to Scalar"],
      ["torch.ones(3)[5]", "IndexError: index 5 is out of bounds for dimension 0 with size 3"],
    ];
    const { status, stdout, stderr } = script(`${ADD}
for line in ${JSON.stringify(mistakes.map(([line]) => line))}:
    try:
        exec(line)
        print("no error")
    except Exception as error:
        print(f"{type(error).__name__}: {error}".split("\\n")[0])
`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(mistakes.length);
    for (const [i, [, message]] of mistakes.entries()) expect(lines[i]).toContain(message);
  });

  it("tables without tabulate, marks without pytest; an own module of the name comes first", () => {
    const text = 'import pytest, tabulate\n@pytest.mark.parametrize("n", [1])\ndef f(n):\n    return n\n';
    const { stdout } = script(`${text}print(f(3), tabulate.tabulate([["a", 1.5, 20], ["bc", -0.25, 3]]), sep="\\n")\n`);
    expect(stdout).toBe("3\n--  -----  --\na    1.5   20\nbc  -0.25   3\n--  -----  --\n");
    writeFileSync(join(folder, "tabulate.py"), "tabulate = repr\n");
    expect(script(`${text}print(tabulate.tabulate([1]))\n`).stdout).toBe("[1]\n");
    rmSync(join(folder, "tabulate.py"));
  });

  it("a kernel that accesses what it does not own is reported with its line", () => {
    const { status, stderr } = script(`${ADD}
x = torch.ones(2, device=DEVICE)
add[(4096,)](x, x, 4096 * 1024, BLOCK=1024)
`);
    expect(status).toBe(1);
    expect(stderr).toContain("script.py:12");
    expect(stderr).toMatch(/RuntimeError: kernel add failed: an illegal memory access[^]*of 8 bytes\n$/);
  });

  it("--timeout and Ctrl-C end it at once, also in a loop of Python", async () => {
    const endless = "print('begun')\nwhile True:\n    pass\n";
    // The time is the script's own: it begins when Python is there.
    const { status, stdout, stderr } = script(endless, [], ["--timeout", "2"]);
    expect({ status, stdout }).toEqual({ status: 124, stdout: "begun\n" });
    expect(stderr).toBe("heddle: stopped after 2 s (--timeout) in script.py\n");
    const child = spawn(process.execPath, [main, "run", "script.py"], {
      cwd: folder,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await new Promise((begun) => child.stdout.once("data", begun));
    const started = Date.now();
    child.kill("SIGINT");
    const code = await new Promise((ended) => child.once("exit", ended));
    expect(code).toBe(130);
    expect(Date.now() - started).toBeLessThan(5000);
  });

  it("ends quietly when nobody reads its output any more", () => {
    writeFileSync(join(folder, "long.py"), "for i in range(100000):\n    print(i)\n");
    const piped = `"${process.execPath}" "${main}" run long.py | head -n 1`;
    const { stdout, stderr } = spawnSync("sh", ["-c", piped], { cwd: folder, encoding: "utf8" });
    expect({ stdout, stderr }).toEqual({ stdout: "0\n", stderr: "" });
  });

  it("mistakes on the command line", () => {
    expect(heddle(["run", "--frob", "1", "script.py"], { cwd: folder })).toMatchObject({ status: 64 });
    expect(heddle(["run", "no-such-script.py"], { cwd: folder })).toMatchObject({ status: 66 });
    expect(script("def f(:\n").stderr).toContain("SyntaxError");
  });
});

describe("heddle check and heddle profile of a script", () => {
  const outside = `${ADD}
x, y = torch.ones(8, device=DEVICE), torch.empty(8, device=DEVICE)
add[(1,)](x, y, 9, BLOCK=16, num_warps=1)
print("ended")
`;

  it("an access out of bounds is found, with its line; a clean script has nothing", () => {
    writeFileSync(join(folder, "outside.py"), outside);
    const found = heddle(["check", "--tool", "memcheck", "outside.py"], { cwd: folder });
    expect(found).toMatchObject({ status: 72, stdout: "ended\n" });
    expect(found.stderr).toContain("memcheck: out of bounds: read of 4 bytes");
    expect(found.stderr).toMatch(/outside\.py:12:9, in add/);
    expect(found.stderr).toContain("the allocation was made here\n  --> outside.py:15\n");
    expect(found.stderr).toContain("launch 1: add<<<(1, 1, 1), (32, 1, 1)>>>, at outside.py:16\n");
    writeFileSync(join(folder, "inside.py"), outside.replace("y, 9,", "y, 8,"));
    expect(heddle(["check", "inside.py"], { cwd: folder })).toEqual({
      status: 0,
      stdout: "ended\n",
      stderr: "heddle: nothing found in 1 launch\n",
    });
    expect(heddle(["check", "--tool", "memchek", "inside.py"], { cwd: folder }).status).toBe(64);
  });

  it("counters by line", () => {
    writeFileSync(join(folder, "inside.py"), outside.replace("y, 9,", "y, 8,"));
    const { status, stdout, stderr } = heddle(["profile", "--lines", "inside.py"], { cwd: folder });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "ended\n" });
    expect(stderr).toMatch(/12 {2,}x = tl\.load/);
  });
});

describe("the module triton", () => {
  it("heuristics, autotune with pre_hook, warmup, kernels as arguments, imported helpers", () => {
    mkdirSync(join(folder, "lib"), { recursive: true });
    writeFileSync(join(folder, "lib", "helpers.py"), "import triton\n@triton.jit\ndef twice(x):\n    return x + x\n");
    const { stdout, stderr } = script(`${HEAD}
from lib.helpers import twice

@triton.jit
def negate(x):
    return -x

seen = []
@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=2, pre_hook=lambda a: seen.append(a["BLOCK"]))
                          for b in (4, 8)], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def k(x_ptr, n, f: tl.constexpr, EVEN: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0)
    tl.store(x_ptr + at, f(twice(x)) + (0 if EVEN else 100), mask=at < n)

x = torch.arange(6, dtype=torch.int32, device=DEVICE)
k[lambda meta: (triton.cdiv(6, meta["BLOCK"]),)](x, 6, negate)
print(x.tolist(), k.best_config, seen[-1])
kernel = k.fn.fn.warmup(x, 6, negate, True, 8, grid=(1,))
kernel._init_handles()
print(kernel.n_regs > 0, kernel.metadata.num_warps, kernel.n_spills)
kernel[(1, 1, 1)](x, 6, negate, True, 8)
print(x.tolist())
`);
    expect(stderr).toBe("");
    expect(stdout).toBe(
      "[100, 98, 96, 94, 92, 90] BLOCK: 4, num_warps: 2, num_stages: 3, num_ctas: 1 4\n" +
        "True 4 0\n[-200, -196, -192, -188, -184, -180]\n",
    );
  });

  it("a benchmark prints a table, and writes a plot and CSV; long lines end", () => {
    const { stdout, stderr, status } = script(`${HEAD}
import time

@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[1, 2, 3], line_arg="by", line_vals=["a", "b"], line_names=["A", "B"],
    styles=[("blue", "-"), ("red", "--")], ylabel="ms", plot_name="times", args={"k": 2}))
def bench(n, by, k):
    if by == "b" and n == 2:
        time.sleep(2.1)
    return n * k

bench.run(print_data=True, save_path="results")
print(triton.testing.do_bench(lambda: None, quantiles=[0.5, 0.2, 0.8]))
`);
    expect(status).toBe(0);
    expect(stdout.split("\n").slice(0, 5)).toEqual([
      "times:",
      "     n  A (ms)  B (ms)",
      "0  1.0     2.0     2.0",
      "1  2.0     4.0     4.0",
      "2  3.0     6.0     NaN",
    ]);
    expect(stderr).toContain("1 points of times are empty: without a GPU, a line ends after a point of 2 s");
    expect(readFileSync(join(folder, "results", "times.csv"), "utf8")).toBe(
      "n,A,B\n1.0,2.0,2.0\n2.0,4.0,4.0\n3.0,6.0,\n",
    );
    expect(readFileSync(join(folder, "results", "times.svg"), "utf8")).toMatch(
      /^<svg[^]*stroke-dasharray[^]*<\/svg>\n$/,
    );
  });
});

describe("the module torch", () => {
  it("a function of the user's has its own derivative", () => {
    const { stdout, stderr } = script(`import torch
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return k * x * x * x
    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        return 3 * ctx.k * x * x * dy, None

for device in ("cpu", "cuda"):
    x = torch.tensor([1.0, 2.0], device=device, requires_grad=True)
    y = Cube.apply(x, 2) * 10
    y.backward(torch.ones_like(y), retain_graph=True)
    y.backward(torch.ones_like(y), retain_graph=True)
    y.backward(torch.ones_like(y))
    print(x.grad, y.requires_grad, x.is_leaf, y.is_leaf)
    with torch.no_grad():
        print((x * 2).requires_grad)
    x.grad = None
    print(x.grad)
`);
    expect(stderr).toBe("");
    expect(stdout).toBe(
      ["", ", device='cuda:0'"]
        .map((device) => `tensor([180., 720.]${device}) True True False\nFalse\nNone\n`)
        .join(""),
    );
  });

  it("indexing, comparisons, assert_close, types", () => {
    const { stdout, stderr } = script(`import torch
x = torch.arange(12).reshape(3, 4)
print(x[1], x[:, 1:3].tolist(), x[-1, -1].item(), x[:, None].shape, x[..., 0].tolist(), x[x % 2 == 1].tolist())
x[0] = 7
x[x > 9] = -1
print(x, x.T.stride(), x.T.is_contiguous(), len(x), x.dtype)
a, b = torch.ones(2), torch.tensor([1.0, 1.1])
print(torch.allclose(a, b), torch.allclose(a, b, atol=0.2), bool((a == 1).all()), 3 - a, (a / 4).half())
x = torch.empty(3).normal_(0.0, 2.0).requires_grad_()
print(x.requires_grad, torch.finfo(torch.float16).max, torch.float32.itemsize, torch.Size([2, 3]).numel())
torch.testing.assert_close(a, b)
`);
    expect(stdout)
      .toBe(`tensor([4, 5, 6, 7]) [[1, 2], [5, 6], [9, 10]] 11 torch.Size([3, 1, 4]) [0, 4, 8] [1, 3, 5, 7, 9, 11]
tensor([[ 7,  7,  7,  7],
        [ 4,  5,  6,  7],
        [ 8,  9, -1, -1]]) (1, 4) False 3 torch.int64
False True True tensor([2., 2.]) tensor([0.2500, 0.2500], dtype=torch.float16)
True 65504.0 4 6
`);
    expect(stderr).toContain("AssertionError: Tensor-likes are not close!");
    expect(stderr).toContain("Mismatched elements: 1 / 2 (50.0%)");
  });

  it("memory of tensors that are gone is used again", () => {
    const { status, stderr } = script(`import torch
for i in range(60):
    x = torch.empty(64, 1024, 1024, device="cuda")
    y = x[1:]
print(torch.cuda.memory_allocated() < 2**30)
`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});
