import { expect, test } from "vitest";
import fc from "./properties.test-helper.ts";
import { parseShared, stringifyShared } from "./shared-json.ts";

test("any JSON comes back", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      expect(parseShared(stringifyShared(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
    { numRuns: 300 },
  );
});

test("a property that is undefined is left out, as by JSON.stringify", () => {
  expect(parseShared(stringifyShared({ a: undefined, b: [1] }))).toEqual({ b: [1] });
});

test("equal parts are written once, whether they are one object or not", () => {
  const name = "f".repeat(1000);
  const place = (line: number): object => ({ line, inlinedAt: { line: 1, functionName: name } });
  const shared = place(0);
  const places = [...Array.from({ length: 50 }, (_, line) => place(line)), ...Array<object>(50).fill(shared)];
  const text = stringifyShared(places);
  expect(text.split(name).length).toBe(2);
  expect(text.length).toBeLessThan(4000);
  expect(parseShared(text)).toEqual(places);
});
