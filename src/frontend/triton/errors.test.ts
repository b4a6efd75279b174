/** Errors in Python sources: what the message says, and where its caret points. */
import { describe, expect, it } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { Random } from "../../engine/fuzz/random.ts";
import { compileKernel, kernelParameters, type ArgumentSpecialisation } from "./compile-kernel.ts";
import { openModule } from "./evaluate/module.ts";
import { FP32, INT32, pointerTo } from "./language/dtypes.ts";
import { intValue } from "./language/values.ts";
import { generateKernel } from "./lower/generate-kernel.test-helper.ts";
import { SourceText } from "./syntax/source-text.ts";

const HEAD = "import triton\nimport triton.language as tl\n";

/** Compiles the functions of a file: `p` and upper-case names are pointers, N is 64, others are i32. */
function compile(text: string): void {
  const module = openModule(new SourceText("kernel.py", text));
  for (const fn of module.functions.values()) {
    const args = new Map(
      kernelParameters(module, fn).map(({ name, isConstexpr }): [string, ArgumentSpecialisation] => {
        if (isConstexpr) return [name, { kind: "constant", value: intValue(16) }];
        const dtype = /^[pXFY]/.test(name) ? pointerTo(name === "X" ? INT32 : FP32) : INT32;
        return [name, { kind: "value", dtype, divisibility: 1 }];
      }),
    );
    compileKernel(module, fn, args, 4);
  }
}

function errorOf(text: string): HeddleError {
  try {
    compile(text);
  } catch (error) {
    if (error instanceof HeddleError) return error;
    throw error;
  }
  throw new Error(`no error:\n${text}`);
}

/** Body of a kernel, what the summary says, and the text above the caret. */
const CASES: readonly (readonly [string, string, string])[] = [
  [
    "b = tl.advance(tl.make_block_ptr(p, (n, n), (n, 1), (0, 0), (8, 8), (1, 0)), (0, p))",
    "Expected a list of scalar integers in offsets",
    "tl.advance",
  ],
  ["x = tl.lod(p)", "has no attribute 'lod'", "tl.lod"],
  ["x = foo(p)", "NameError: foo is not defined", "foo"],
  ["tl.store(p + tl.arange(0, 64), tl.arange(0, 32))", "incompatible dimensions at index 0: 64 and 32", "tl.store"],
  ["tl.store(p + tl.arange(0, n), 0)", "arange's arguments must be of type tl.constexpr", "tl.arange(0, n)"],
  ["x = tl.zeros([n], tl.float32)", "constexpr", "tl.zeros"],
  ["x = tl.arange(0, 48)", "power of 2", "tl.arange(0, 48)"],
  ["x = tl.arange(0, 2097152)", "numel (2097152) exceeds triton maximum tensor numel (1048576)", "tl.arange"],
  ["x = tl.full([1024, 2048], 0.0, tl.float32)", "exceeds triton maximum tensor numel", "tl.full"],
  ["x = tl.arange(0, 8)[:, None] + tl.arange(0, 4)[:, None]", "incompatible dimensions", "tl.arange"],
  ["x = tl.dot(tl.zeros([16, 4], tl.float32), tl.zeros([4, 16], tl.float32))", "K >= 8", "tl.dot"],
  ["x = tl.load(n)", "Unsupported ptr type int32", "tl.load(n)"],
  ["if tl.arange(0, 4) > 2:\n        pass", "", "if tl.arange"],
  ["x = 1\n    for i in range(n):\n        x = tl.arange(0, 4)", "Loop-carried variable x", ""],
  ["for i in range(n):\n        break", "`break`", "break"],
  ["x = tl.gather_nd(p, n)", "tl.gather_nd is not supported yet", "tl.gather_nd"],
  ["x = tl.map_elementwise(tl.cumsum, n)", "", "tl.map_elementwise"],
  ["x = tl.zeros([4], tl.float8e4b8)", "type fp8e4b8 not supported in this architecture", "tl.float8e4b8"],
  ["tl.static_assert(N == 3, 'N is 3')", "static assertion failed", "tl.static_assert"],
  ["return 3", "returns", ""],
  ["p.foo()", "foo", "p.foo"],
  ["tl.store(p, 1, mask=tl.arange(0, 4) < 2)", "", "tl.store"],
];

describe("a caret in the source", () => {
  it.each(CASES)("%s", (body, summary, marked) => {
    const error = errorOf(`${HEAD}@triton.jit\ndef k(p, n, N: tl.constexpr):\n    ${body}\n`);
    expect(error.summary).toContain(summary);
    expect(error.location?.file).toBe("kernel.py");
    expect(error.location?.line).toBeGreaterThanOrEqual(4);
    const [line = "", caret = ""] = error.notes;
    const at = caret.indexOf("^");
    expect(at).toBeGreaterThan(0);
    expect(line.slice(at)).toContain(marked);
  });

  it("points into syntax errors", () => {
    const error = errorOf(`${HEAD}@triton.jit\ndef k(p):\n    x = = 1\n`);
    expect(error.summary).toContain("SyntaxError");
    expect(error.location?.line).toBe(5);
    expect(error.notes[1]).toContain("^");
  });

  it("points to a bracket that is never closed", () => {
    const error = errorOf(`${HEAD}@triton.jit\ndef k(p):\n    x = (p + "(" # [\n    tl.store(x, 1)\n`);
    expect(error.summary).toBe("SyntaxError: '(' was never closed");
    expect(error.location?.line).toBe(5);
    expect(error.notes[1]?.indexOf("^")).toBe(error.notes[0]?.indexOf("(p"));
  });

  it("names the calls that led to a helper", () => {
    const error = errorOf(
      `${HEAD}@triton.jit\ndef h(x):\n    return tl.lod(x)\n@triton.jit\ndef k(p):\n    tl.store(p, h(p))\n`,
    );
    expect(error.location?.line).toBe(5);
  });
});

/** A change of a text that leaves much of it as it was. */
function mutate(text: string, random: Random): string {
  const tokens = text.match(/\w+|\s+|[^\w\s]/g) ?? [];
  const at = random.below(tokens.length);
  const other = tokens[random.below(tokens.length)] ?? "";
  const odd = ["(", ")", "[", "]", ":", ",", "None", "-1", "0.5", "*", "**", "lambda", "while", "\n", "\t", '"', "'''"];
  const forms = [
    () => tokens.toSpliced(at, 1),
    () => tokens.toSpliced(at, 1, other),
    () => tokens.toSpliced(at, 0, other),
    () => tokens.toSpliced(at, 1, random.pick(odd)),
    () => tokens.slice(0, at),
  ];
  return random.pick(forms)().join("");
}

it("changed kernels compile or are refused with a place, and never crash the front end", () => {
  let refused = 0;
  for (let seed = 1; seed <= 400; seed++) {
    const random = new Random(seed);
    let text = generateKernel(random).source;
    for (let changes = 1 + random.below(3); changes > 0; changes--) text = mutate(text, random);
    try {
      compile(text);
    } catch (error) {
      if (!(error instanceof HeddleError)) throw new Error(`seed ${seed}: ${String(error)}\n${text}`, { cause: error });
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(100);
});
