/** Which statements the code of a kernel can depend on. */
import { expect, test } from "vitest";
import type { FunctionValue } from "../language/values.ts";
import { SourceText } from "../syntax/source-text.ts";
import { openModule } from "./module.ts";
import { reachedSource } from "./reached-source.ts";

const HEAD = "import triton\nimport triton.language as tl\n";

/** Texts of the statements that `kernel` reaches, without the lines that tell of changed globals. */
function reached(source: string, imports: Readonly<Record<string, string>> = {}, name = "kernel"): string[] | null {
  const files = new Map(Object.entries(imports).map(([path, text]) => [path, new SourceText(`${path}.py`, text)]));
  const module = openModule(new SourceText("k.py", HEAD + source), (path) => files.get(path) ?? null);
  const fn = module.functions.get(name) ?? (module.globals.get(name) as FunctionValue);
  return reachedSource(module.files, [fn])?.flatMap(({ line, text }) => (line === 0 ? [] : [text])) ?? null;
}

const KERNEL = "@triton.jit\ndef kernel(p):\n    tl.store(p, ";

test("its own lines, and names that they have", () => {
  const statements = reached(`A = B + 1\nB = 2\nC = 3\n${KERNEL}A)\n`);
  expect(statements).toContain("A = B + 1");
  expect(statements).toContain("B = 2");
  expect(statements?.join("\n")).not.toContain("C = 3");
  expect(statements?.[0]).toContain("def kernel(p):");
});

test("every statement that binds a name, whole", () => {
  const attempt = "try:\n    import nowhere\nexcept ImportError:\n    A = 3\n";
  const source = `A = 1\nif True:\n    A = 2\n    Z = 9\n${attempt}${KERNEL}A)\n`;
  const statements = reached(source)?.join("\n");
  expect(statements).toContain("A = 1\n");
  expect(statements).toContain("if True:\n    A = 2\n    Z = 9");
  expect(statements).toContain("except ImportError:\n    A = 3");
});

test("of imported files what is imported, and all that a module's name stands for", () => {
  const helper =
    "import triton\nfrom .deep import deepest\n\n@triton.jit\ndef h(x):\n    return deepest(x)\n\nOTHER = 1\n";
  const deep = "import triton\n\n@triton.jit\ndef deepest(x):\n    return x + 1\n\nUNUSED = 2\n";
  const files = { ".helper": helper, ".deep": deep, helper };
  const named = reached(`from .helper import h as own\n${KERNEL}own(1))\n`, files)?.join("\n");
  expect(named).toContain("return deepest(x)");
  expect(named).toContain("return x + 1");
  expect(named).not.toContain("OTHER");
  expect(named).not.toContain("UNUSED");
  expect(reached(`import helper\n${KERNEL}helper.h(1))\n`, files)?.join("\n")).toContain("OTHER = 1");
  expect(reached(`from .helper import *\n${KERNEL}h(1))\n`, files)?.join("\n")).toContain("OTHER = 1");
  expect(reached(`from .helper import h\n${KERNEL}1)\n`, files)?.join("\n")).not.toContain("deepest");
});

test("decorators, but for those whose values a kernel is compiled for", () => {
  const source = (decorators: string): string => `N = 4\n${decorators}${KERNEL}1)\n`;
  const tuned = '@triton.autotune(configs=[triton.Config({"B": N})], key=[])\n';
  expect(reached(source(tuned))?.join("\n")).not.toContain("N = 4");
  expect(reached(source(""))?.join("\n")).toContain("@triton.jit");
});

test("a name that a function of the file changes is another thing", () => {
  const changed = "def host():\n    global A\n    A = 2\n";
  const module = openModule(new SourceText("k.py", `${HEAD}A = 1\n${changed}${KERNEL}1)\n`));
  const fn = module.functions.get("kernel") as FunctionValue;
  expect(reachedSource(module.files, [fn])?.some(({ text }) => text === "global A")).toBe(true);
});

test("a function that another one makes has values that the text does not show", () => {
  const source = "def make(n):\n    def inner(p):\n        return n\n    return inner\n\nmade = make(3)\n";
  const module = openModule(new SourceText("k.py", HEAD + source + `${KERNEL}1)\n`));
  const kernel = module.functions.get("kernel") as FunctionValue;
  const definition = { ...kernel.definition, name: "kernel" } as FunctionValue["definition"];
  expect(reachedSource(module.files, [{ ...kernel, definition }])).toBeNull();
});
