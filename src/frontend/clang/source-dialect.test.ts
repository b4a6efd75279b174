import { expect, test } from "vitest";
import { acceptDialect, acceptDialectBytes } from "./source-dialect.ts";

test("a single % before a name in inline PTX is doubled, operands are not", () => {
  expect(acceptDialect(`asm volatile("mov.u32 %0, %laneid;" : "=r"(id));`)).toBe(
    `asm volatile("mov.u32 %0, %%laneid;" : "=r"(id));`,
  );
  expect(acceptDialect(`asm("mov.u64 %0, %%globaltimer;" : "=l"(t));`)).toBe(
    `asm("mov.u64 %0, %%globaltimer;" : "=l"(t));`,
  );
  expect(acceptDialect(`printf("%d %s", a, b); asm ( "{ .reg .u32 r; }" );`)).toBe(
    `printf("%d %s", a, b); asm ( "{ .reg .u32 r; }" );`,
  );
  expect(acceptDialect(`asm("a %tid.x" /* %x */\n "b %1" :: "r"(x)); printf("%x");`)).toBe(
    `asm("a %%tid.x" /* %%x */\n "b %1" :: "r"(x)); printf("%x");`,
  );
});

test("a launch that a formatter pulled apart is closed up, columns kept", () => {
  expect(acceptDialect("k << <g, b >> > (x); y >> 2 > 1;")).toBe("k <<< g, b >>>  (x); y >> 2 > 1;");
  expect(acceptDialect("k << <g, b>>>(x); std::vector<std::vector<int> > v;")).toBe(
    "k <<< g, b>>>(x); std::vector<std::vector<int> > v;",
  );
});

test("the end of a launch alone may be pulled apart; shifts, templates and comparisons in it stay", () => {
  expect(acceptDialect("k<<<g, b >> > (x);")).toBe("k<<<g, b >>>  (x);");
  expect(acceptDialect("k<<<n >> 2, f(v >> (a > b)), sizeof(A<B<int>> >(0)) >> > (x);")).toBe(
    "k<<<n >> 2, f(v >> (a > b)), sizeof(A<B<int>> >(0)) >>>  (x);",
  );
  expect(acceptDialect('puts("<<<"); A<B<C<int>> > a; k<<<1, 2>>>(x); D<E<F<int>> > b;')).toBe(
    'puts("<<<"); A<B<C<int>> > a; k<<<1, 2>>>(x); D<E<F<int>> > b;',
  );
});

test("a backslash before the comment that ends a line continues the line; elsewhere it stays", () => {
  expect(acceptDialect("a = b + \\ // why\n    c;")).toBe("a = b +   // why\n    c;");
  expect(acceptDialect("a = b + \\ /* why */\r\n    c;")).toBe("a = b +   /* why */\r\n    c;");
  for (const same of [
    'puts("\\ // no");',
    "/* a \\ // b */",
    "// a \\ // b",
    "#define A(x) x \\ // c\n",
    "#define A(x) \\\n  x \\ // c\n",
    'R"(a \\ // b\n)"',
    "'\\'  // a quote",
    "a \\ /* in */ b",
  ]) {
    expect(acceptDialect(same)).toBe(same);
  }
});

test("lists among a launch's arguments become dim3", () => {
  expect(acceptDialect("k<<<n, {x, y, 1}, 0, s>>>(a, {1});")).toBe("k<<<n, dim3(x, y, 1), 0, s>>>(a, {1});");
  expect(acceptDialect("k<<<{2}, 1>>>(); f({1, 2});")).toBe("k<<<dim3(2), 1>>>(); f({1, 2});");
  expect(acceptDialect("k<<<dim3{2}, 1>>>();")).toBe("k<<<dim3{2}, 1>>>();");
});

test("bytes that are not UTF-8 stay as they are", () => {
  const bytes = Uint8Array.from([0xe9, 0x20, ...new TextEncoder().encode(`asm("%tid");`), 0xff]);
  const result = acceptDialectBytes(bytes);
  expect(result[0]).toBe(0xe9);
  expect(result.at(-1)).toBe(0xff);
  expect(result.length).toBe(bytes.length + 1);
});
