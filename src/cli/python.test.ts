/** `heddle python`: our modules in a CPython of the user's, over the pipe. Without one there is nothing to test. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { heddle, type Ended } from "./heddle-process.test-helper.ts";

const hasPython = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
const folder = mkdtempSync(join(tmpdir(), "heddle-python-"));
afterAll(() => rmSync(folder, { recursive: true }));

function script(text: string, env: Record<string, string> = { HEDDLE_TORCH: "own" }): Ended {
  writeFileSync(join(folder, "script.py"), text);
  return heddle(["python", "script.py", "one"], { cwd: folder, env });
}

const HEAD = "import sys\nimport torch\nimport triton\nimport triton.language as tl\n";

/** What our modules use of an installed torch. */
const INSTALLED = `import array, types
name = "a torch of the test"
Size = tuple
class device:
    def __init__(self, type):
        self.type = type
class Tensor:
    dtype = "torch.float32"
    device = device("cpu")
    def __init__(self, values):
        self.memory = array.array("f", values)
    def data_ptr(self):
        return self.memory.buffer_info()[0]
    def numel(self):
        return len(self.memory)
    def untyped_storage(self):
        return types.SimpleNamespace(data_ptr=self.data_ptr, nbytes=lambda: 4 * len(self.memory))
`;

describe.skipIf(!hasPython)("heddle python", () => {
  it("kernels of closures, helpers and constants; gradients of the user's own functions; exceptions", () => {
    const { status, stdout, stderr } = script(`${HEAD}
SCALE = tl.constexpr(3)

@triton.jit
def scaled(x):
    return x * SCALE

def make(shift):
    @triton.jit
    def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y_ptr + at, scaled(tl.load(x_ptr + at, mask=at < n)) + shift, mask=at < n)
    return kernel

x = torch.arange(5, dtype=torch.float32, device="cuda")
for shift in (1, 2):
    y = torch.empty_like(x)
    compiled = make(shift)[(2,)](x, y, 5, BLOCK=4)
    print(y.tolist(), sys.argv[1:])

print("define" in compiled.asm["llir"])

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, gradient):
        if gradient.sum() > 100:
            raise OverflowError("too large")
        return gradient * 2

leaf = torch.ones(3, requires_grad=True)
Twice.apply(leaf).sum().backward()
print(leaf.grad.tolist())
try:
    (Twice.apply(leaf) * 1000).sum().backward()
except OverflowError as error:
    print(error)
print(all(torch.ones(1000) > 0))

@triton.jit
def wrong(x_ptr):
    tl.arange(0, 4) + tl.arange(0, 8)

try:
    wrong[(1,)](x)
except triton.CompilationError as error:
    print(error)
try:
    make(0)[(1,)](torch.ones(3), x, 5, BLOCK=4)
except ValueError as error:
    print(error)
`);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.split("\n")).toEqual([
      "[1.0, 4.0, 7.0, 10.0, 13.0] ['one']",
      "[2.0, 5.0, 8.0, 11.0, 14.0] ['one']",
      "True",
      "[2.0, 2.0, 2.0]",
      "too large",
      "True",
      "at 2:4: of wrong",
      "Cannot make_shape_compatible: incompatible dimensions at index 0: 4 and 8",
      "  at script.py:48:5",
      "  48 |     tl.arange(0, 4) + tl.arange(0, 8)",
      "     |     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
      "  the shapes are [4] and [8]",
      "Pointer argument cannot be accessed from Triton (cpu tensor?)",
      "",
    ]);
  });

  it("an installed torch comes first: memory of its tensors goes to the device, and comes back", () => {
    const site = join(folder, "site", "torch");
    mkdirSync(site, { recursive: true });
    writeFileSync(join(site, "testing.py"), "assert_close = None\n");
    writeFileSync(join(site, "__init__.py"), INSTALLED);
    const { status, stdout, stderr } = script(
      `${HEAD}
@triton.jit
def twice(x_ptr, y_ptr, n: tl.constexpr):
    at = tl.arange(0, n)
    tl.store(y_ptr + at, 2 * tl.load(x_ptr + at))

print(triton.runtime.driver.active.get_active_torch_device().type)
x, y = torch.Tensor([1, 2, 3, 4]), torch.Tensor([0] * 4)
twice[(1,)](x, y, 4)
print(torch.name, list(x.memory), list(y.memory))
`,
      { HEDDLE_TORCH: "", PYTHONPATH: join(folder, "site") },
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "cpu\na torch of the test [1.0, 2.0, 3.0, 4.0] [2.0, 4.0, 6.0, 8.0]\n",
      stderr: "",
    });
  });

  it("says what is wrong with its options, and where its modules are", () => {
    expect(heddle(["python", "--path"]).stdout).toMatch(/python.modules\n$/);
    expect(heddle(["python", "--gpu", "none"]).stderr).toContain('no GPU is called "none"');
    expect(heddle(["python", "x.py"], { env: { HEDDLE_PYTHON: "no-such-python" } })).toMatchObject({ status: 66 });
  });
});
