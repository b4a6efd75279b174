/** No header that a program may include is misled by the names of Linux. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PLATFORM_HEADERS, asBuilt } from "./platform-headers.ts";
import { readTar } from "./tar.ts";

const PLATFORM = /\b(__(gnu_)?linux(__)?|__unix(__)?|linux|unix)\b/;
const archive = join(dirname(createRequire(import.meta.url).resolve("@yowasp/clang")), "llvm-resources.tar");

test("every header that asks for the platform is known, and then asks for nothing", () => {
  const asking: string[] = [];
  for (const { name, bytes } of readTar(new Uint8Array(readFileSync(archive)))) {
    // C++03 is never asked for; the others are Clang's own headers for processors that we never compile for.
    if (!name.startsWith("include/") || /\/__cxx03\/|include\/(ppc_wrappers\/|arm_)/.test(name)) continue;
    const conditions = (text: string): string[] =>
      text
        .replaceAll("\\\n", " ")
        .split("\n")
        .filter((line) => /^\s*#\s*(el)?if/.test(line) && PLATFORM.test(line));
    if (conditions(new TextDecoder().decode(bytes)).length === 0) continue;
    asking.push(name);
    expect(conditions(new TextDecoder().decode(asBuilt(name, bytes))), name).toEqual([]);
  }
  expect(new Set(asking)).toEqual(PLATFORM_HEADERS);
});
