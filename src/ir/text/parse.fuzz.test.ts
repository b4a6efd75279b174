/** Whatever text comes, the reader gives a module or a HeddleError, soon. */
import fc from "../../base/properties.test-helper.ts";
import { expect, test } from "vitest";
import { HeddleError } from "../../base/diagnostics.ts";
import { parseModule } from "./parse.ts";
import { SAMPLE } from "../model/sample.test-data.ts";
import { verifyModule } from "../verify.ts";

function mustCope(text: string): void {
  const before = process.cpuUsage();
  try {
    verifyModule(parseModule(text, "fuzz.ll"));
  } catch (error) {
    if (!(error instanceof HeddleError)) throw error;
    expect(["invalid-ir", "unsupported"]).toContain(error.code);
    expect(error.location?.line).toBeGreaterThan(0);
  }
  expect(process.cpuUsage(before).user).toBeLessThan(10e6);
}

test("truncated text", () => {
  for (let length = 0; length < SAMPLE.length; length += 3) mustCope(SAMPLE.slice(0, length));
});

test("text with a piece cut out, repeated or exchanged", () => {
  const at = fc.nat({ max: SAMPLE.length });
  const length = fc.nat({ max: 30 });
  fc.assert(
    fc.property(at, length, at, length, (a, m, b, n) => {
      mustCope(SAMPLE.slice(0, a) + SAMPLE.slice(a + m));
      mustCope(SAMPLE.slice(0, a) + SAMPLE.slice(b, b + n) + SAMPLE.slice(a));
      mustCope(SAMPLE.slice(0, a) + SAMPLE.slice(b, b + n) + SAMPLE.slice(a + m));
    }),
    { numRuns: 500 },
  );
});

test("lines left out and exchanged", () => {
  const lines = SAMPLE.split("\n");
  const line = fc.nat({ max: lines.length - 1 });
  fc.assert(
    fc.property(line, line, (a, b) => {
      mustCope(lines.filter((_, i) => i !== a).join("\n"));
      const swapped = [...lines];
      [swapped[a], swapped[b]] = [swapped[b] as string, swapped[a] as string];
      mustCope(swapped.join("\n"));
    }),
    { numRuns: 300 },
  );
});

test("words and marks in any order", () => {
  const word = fc.constantFrom(
    ...new Set(SAMPLE.split(/\s+|(?=[(),{}[\]<>=])|(?<=[(),{}[\]<>=])/).filter((w) => w !== "")),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => mustCope(words.join(" "))),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) =>
      mustCope(`define void @f(ptr %p, i32 %n) {\nentry:\n${words.join(" ")}\nret void\n}`),
    ),
    { numRuns: 2000 },
  );
});

test("arbitrary characters", () => {
  fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), mustCope), { numRuns: 1000 });
});

test.each(["[1 x ", "{", "<{", "ptr addrspace(", "splat (", "add (i32 "])("deep nesting of %s", (piece) => {
  mustCope(`@x = global ${piece.repeat(20_000)}`);
  mustCope(`@x = global i32 ${piece.repeat(20_000)}`);
});
