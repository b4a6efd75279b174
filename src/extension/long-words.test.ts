import { expect, test } from "vitest";
import { withWideLongs } from "./long-words.ts";

test.each([
  ["long x = 1L;", "long long x = 1LL;"],
  ["unsigned long int a; long unsigned b;", "unsigned long long int a; long long unsigned b;"],
  ["t.data_ptr<long>()", "t.data_ptr<long long>()"],
  ["0x7fUL + 3ul", "0x7fULL + 3uLL"],
  ['printf("%ld of %5ld, %d", a, b, c);', 'printf("%lld of %5lld, %d", a, b, c);'],
])("%s", (text, wide) => expect(withWideLongs(text)).toBe(wide));

test.each([
  "long long x; unsigned long long y; long double z;",
  "int belong = longest + long_name;",
  "// a long comment with 1L",
  "/* long\n long */",
  'const char* s = "a long text";',
  'auto r = R"(long)";',
  "float f = 1.5f; auto l = 10LL; x1L = 'L';",
  "1'000'000",
])("%s stays as it is", (text) => expect(withWideLongs(text)).toBe(text));

test("no line moves", () => {
  const text = "long\na;\n// long\nunsigned\n  long b;\n";
  expect(withWideLongs(text).split("\n").length).toBe(text.split("\n").length);
});
