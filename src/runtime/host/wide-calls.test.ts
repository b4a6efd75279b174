import { expect, test } from "vitest";
import { ModuleBuilder } from "../../wasm/module-builder.ts";
import { wideFunction, wideImports } from "./wide-calls.ts";

test("pointers and sizes arrive as numbers, integers of 64 bits as bigints", () => {
  const builder = new ModuleBuilder();
  const copy = builder.importFunction("env", "copy", ["i64", "i64", "i32"], ["i64"]);
  const seek = builder.importFunction("wasi", "fd_seek", ["i64", "i64"], ["i64"]);
  const id = builder.importFunction("env", "nvtxRangeStartA", ["i64"], ["i64"]);
  for (const [name, target] of [
    ["copy", copy],
    ["seek", seek],
    ["id", id],
  ] as const) {
    const f = builder.function(name, target.params, target.results);
    target.params.forEach((_, i) => f.localGet(i));
    f.call(target);
    builder.exportFunction(name, f);
  }
  const calls: unknown[][] = [];
  const wasm = builder.finish();
  const imports = {
    env: {
      copy: (...values: unknown[]) => calls.push(values),
      nvtxRangeStartA: (text: number) => {
        calls.push([text]);
        return 0xffff_ffff_ffff_ffffn;
      },
    },
    wasi: { fd_seek: (...values: unknown[]) => calls.push(values) },
  };
  const { exports } = new WebAssembly.Instance(
    new WebAssembly.Module(wasm as BufferSource),
    wideImports(wasm, imports),
  );
  const call = (name: string): ((...values: unknown[]) => unknown) =>
    exports[name] as (...values: unknown[]) => unknown;
  expect(call("copy")(0x1_2345_6789n, -1n, -1)).toBe(1n);
  expect(call("seek")(3n, -5n)).toBe(2n);
  expect(call("id")(16n)).toBe(-1n);
  expect(calls).toEqual([[0x1_2345_6789, 2 ** 64, -1], [3, -5n], [16]]);
});

test("a function of a 64-bit program is called with numbers", () => {
  const wide = wideFunction((...values: never[]) => (values as bigint[]).reduce((a, b) => a + b, 0n));
  expect(wide(2 ** 40, 2)).toBe(2 ** 40 + 2);
  expect(wideFunction(() => undefined)(1)).toBe(0);
});
