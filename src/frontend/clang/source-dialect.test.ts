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

test("bytes that are not UTF-8 stay as they are", () => {
  const bytes = Uint8Array.from([0xe9, 0x20, ...new TextEncoder().encode(`asm("%tid");`), 0xff]);
  const result = acceptDialectBytes(bytes);
  expect(result[0]).toBe(0xe9);
  expect(result.at(-1)).toBe(0xff);
  expect(result.length).toBe(bytes.length + 1);
});
