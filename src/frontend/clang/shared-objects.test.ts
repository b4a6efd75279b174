import { expect, test } from "vitest";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { createCompiler } from "./compile.ts";
import { openNodeStore } from "./prebuilt-node.ts";
import { holdSharedObjects } from "./shared-objects.ts";

const refused = (place: string, path = "a.cu"): string =>
  `${path}:${place}: error: initialization is not supported for __shared__ variables\n`;

test("a refused variable is held in a union, on its line", () => {
  const text = "void k() {\n  static __shared__ B<int, 2> b[3]; int x;\n}";
  const held = holdSharedObjects("a.cu", text, refused("2:31"));
  expect(held?.split("\n")).toEqual([
    "void k() {",
    "  static __shared__ __heddle_shared<B<int, 2>[3]> b__storage; auto &b = b__storage.object; int x;",
    "}",
  ]);
  const aligned = "__shared__ static alignas(sizeof(B<int, 2>)) __align__(16) B<int, 2> b;";
  expect(holdSharedObjects("a.cu", aligned, refused(`1:${aligned.length - 1}`))).toBe(
    "__shared__ static alignas(sizeof(B<int, 2>)) __align__(16) __heddle_shared<B<int, 2>> b__storage; " +
      "auto &b = b__storage.object;",
  );
  // A template's instances name the same place again; colours do not hide it; other files do not count.
  expect(holdSharedObjects("a.cu", text, refused("2:31").repeat(2))).toBe(held);
  expect(holdSharedObjects("a.cu", text, `\u001b[1m${refused("2:31")}`)).toBe(held);
  expect(holdSharedObjects("a.cu", text, refused("2:31", "b.cu"))).toBeNull();
});

test("other declarations stay refused", () => {
  const error = refused("1:14");
  expect(holdSharedObjects("a.cu", "__shared__ B b, c;", error)).toBeNull();
  expect(holdSharedObjects("a.cu", "__shared__ B b = B(1);", error)).toBeNull();
  expect(holdSharedObjects("a.cu", "__shared__ B b{1};", error)).toBeNull();
  expect(holdSharedObjects("a.cu", "SHARED__(B)  b;", error)).toBeNull();
  expect(holdSharedObjects("a.cu", "__shared__ B b;", "a.cu:1:14: error: something else\n")).toBeNull();
});

test("programs with constructors and destructors in shared memory compile, and run neither", async () => {
  const compiler = await createCompiler({ resources: clangForTests(), store: openNodeStore() });
  const variables = Array.from({ length: 23 }, (_, i) => `__shared__ Noisy<T> v${i};`).join(" ");
  const text = `
    __device__ int count;
    template <typename T> struct Noisy {
      T t;
      __device__ Noisy() { count = 4711; }
      __device__ ~Noisy() { count = 4712; }
    };
    template <typename T> __global__ void k(T *p) { /* é */ ${variables} *p = v0.t + v22.t; }
    template __global__ void k(int *);
    template __global__ void k(float *);
    int main() {}`;
  const { program } = await compiler.compileDevice({ path: "s.cu", text }, {}, null);
  expect(program.ir).not.toMatch(/471[12]/);
  const wrong = { path: "s.cu", text: text.replace("v22;", "v22{};") };
  await expect(compiler.compileDevice(wrong, {}, null)).rejects.toThrow(/initialization is not supported/);
});
