import { expect, test } from "vitest";
import { ModuleBuilder } from "../../wasm/module-builder.ts";
import type { ValueType } from "../../wasm/types.ts";
import { callWithFewer } from "./call-with-fewer.ts";

/** A function of WebAssembly that returns its parameters as digits of a number. */
function digits(parameters: readonly ValueType[]): (...values: (number | bigint)[]) => unknown {
  const builder = new ModuleBuilder();
  const f = builder.function("f", parameters, ["i32"]);
  f.i32Const(0);
  parameters.forEach((type, i) => {
    f.i32Const(10).i32Mul().localGet(i);
    if (type === "i64") f.i32WrapI64();
    f.i32Add();
  });
  builder.exportFunction("f", f);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(builder.finish() as BufferSource));
  return instance.exports["f"] as (...values: (number | bigint)[]) => unknown;
}

test.each<[readonly ValueType[], number]>([
  [["i32", "i32"], 12],
  [["i64", "i32"], 12],
  [["i32", "i64", "i64"], 123],
  [[], 0],
])("a function of %j gets the first values, whatever their widths", (parameters, wanted) => {
  expect(callWithFewer(digits(parameters), [1n, 2, 3, 4n])).toBe(wanted);
});

test("what the function itself throws goes on", () => {
  const failure = new TypeError("not of the call");
  expect(() =>
    callWithFewer(() => {
      throw failure;
    }, [1n]),
  ).toThrow(failure);
});
