/** Against a table that glibc's snprintf made (printf-format.cases.json: format, kind, argument, expected),
 * less the lines where glibc itself is wrong: "%#g" of 999999.5 must keep its zeros (C17 7.21.6.1 p6). */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { float64FromBits } from "./float-bits.ts";
import { formatPrintf, type PrintfArguments } from "./printf-format.ts";

const cases = JSON.parse(readFileSync(new URL("./printf-format.cases.json", import.meta.url), "utf8")) as [
  string,
  "d" | "i" | "l" | "s",
  string,
  string,
][];

function argumentsOf(...values: (bigint | number | string | null)[]): PrintfArguments {
  let next = 0;
  return {
    integer: () => values[next++] as bigint,
    double: () => values[next++] as number,
    string: () => values[next++] as string | null,
  };
}

/** The argument of a case, which stands there as text. */
function valueOf(kind: string, argument: string): number | bigint | string {
  if (kind === "d") return float64FromBits(BigInt(argument));
  return kind === "s" ? argument : BigInt(argument);
}

test("agrees with the C library", () => {
  expect(cases.length).toBeGreaterThan(1000);
  for (const [format, kind, argument, expected] of cases) {
    expect(formatPrintf(format, argumentsOf(valueOf(kind, argument))), `${format} of ${argument}`).toBe(expected);
  }
});

test("stars, percent signs, unknown conversions, null strings", () => {
  expect(formatPrintf("%*d|%-*d|%.*f", argumentsOf(5n, 42n, 4n, 7n, 2n, 1.005))).toBe("   42|7   |1.00");
  expect(formatPrintf("%*d|", argumentsOf(0xfffffffbn, 42n))).toBe("42   |");
  expect(formatPrintf("100%% %y %", argumentsOf())).toBe("100% %y %");
  expect(formatPrintf("%s %p %p", argumentsOf(null, 0n, 4096n))).toBe("(null) (nil) 0x1000");
});
