import { expect, test } from "vitest";
import { Harness } from "../../engine/harness.ts";
import { createInterpreter } from "../../engine/interpreter/interpreter.ts";
import { cloneModule } from "../../ir/model/clone.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { assertValid } from "../../ir/verify.ts";
import { splitUnaligned } from "./pass-split-unaligned.ts";

function kernel(body: string): IrModule {
  return parseModule(
    `target triple = "nvptx-nvidia-cuda"
@table = internal addrspace(1) global [4 x i32] zeroinitializer, align 8
@bytes = internal addrspace(1) global [16 x i8] zeroinitializer, align 1
define ptx_kernel void @k(ptr %in, ptr %out) {
  %at = getelementptr i8, ptr %in, i32 4
  %to = getelementptr i8, ptr %out, i32 4
${body}
  ret void
}`,
    "k.ll",
  );
}

function split(module: IrModule): IrModule {
  const changed = cloneModule(module);
  splitUnaligned(changed.functions.get("k") as IrFunction, changed);
  assertValid(changed, "splitUnaligned");
  return changed;
}

/** The alignment of each access, in bytes, and whether it is that of its size. */
function accesses(body: string): string[] {
  const fn = split(kernel(body)).functions.get("k") as IrFunction;
  return fn.blocks.flatMap(({ instructions }) =>
    instructions.flatMap((i) => (i.op === "load" || i.op === "store" ? [`${i.op} ${i.align}`] : [])),
  );
}

test.each([
  ["an i64 at a multiple of 4", "%x = load i64, ptr %at, align 4", ["load 4", "load 4"]],
  ["a double anywhere", "%x = load double, ptr %at, align 1", Array.from({ length: 8 }, () => "load 1")],
  ["a float of a packed struct", "store float 1.0, ptr %to, align 2", ["store 2", "store 2"]],
  ["an i64 at its own alignment", "%x = load i64, ptr %at, align 8", ["load 8"]],
  ["an atomic load", "%x = load atomic i64, ptr %at monotonic, align 4", ["load 4"]],
  ["a variable that is aligned", "%x = load i64, ptr addrspace(1) @table, align 4", ["load 4"]],
  ["a variable that is not", "%x = load i16, ptr addrspace(1) @bytes, align 1", ["load 1", "load 1"]],
])("%s", (_name, body, expected) => {
  expect(accesses(body)).toEqual(expected);
});

test("the pieces mean what the whole did", () => {
  const types = ["i16", "i32", "i64", "half", "float", "double", "ptr"];
  const body = types.flatMap((type, n) => {
    const align = Math.min(2, n % 3 === 0 ? 1 : 2);
    const [from, to] = [`getelementptr i8, ptr %in, i32 ${8 * n + align}`, `getelementptr i8, ptr %out, i32 ${9 * n}`];
    return [
      `%f${n} = ${from}`,
      `%t${n} = ${to}`,
      `%x${n} = load ${type}, ptr %f${n}, align ${align}`,
      `store ${type} %x${n}, ptr %t${n}, align 1`,
    ];
  });
  const original = kernel(body.join("\n  "));
  const run = (module: IrModule): Uint8Array => {
    const h = new Harness(1 << 20);
    const input = h.place(Uint8Array.from({ length: 128 }, (_, i) => (i * 37 + 11) % 251));
    const out = h.place(new Uint8Array(128));
    const { fault } = h.run(createInterpreter(), h.load(module), "k", { grid: 1, block: 1 }, [input, out]);
    expect(fault).toBeNull();
    return h.read(out, 128);
  };
  const expected = run(original);
  expect(expected.some((byte) => byte !== 0)).toBe(true);
  expect(run(split(original))).toEqual(expected);
});
