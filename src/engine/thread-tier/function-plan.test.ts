/** Local variables lie one behind the other, each at the next address that is aligned for it. */
import { expect, test } from "vitest";
import type { IrFunction } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { planFunction } from "./function-plan.ts";

function offsets(...variables: readonly (readonly [type: string, align: number])[]): number[] {
  const lines = variables.map(
    ([type, align], i) => `  %a${i} = alloca ${type}, align ${align}\n  store i8 1, ptr %a${i}`,
  );
  const module = parseModule(
    `target triple = "nvptx-nvidia-cuda"\ndefine ptx_kernel void @k() {\n${lines.join("\n")}\n  ret void\n}`,
    "locals.ll",
  );
  const fn = module.functions.get("k") as IrFunction;
  const { staticAllocas } = planFunction(fn, { runsThrough: () => true, countsChanges: false } as never);
  return [...staticAllocas.values()];
}

test("bytes lie side by side, and words at multiples of four", () => {
  expect(offsets(["i8", 1], ["i8", 1], ["i8", 1])).toEqual([0, 1, 2]);
  expect(offsets(["i8", 1], ["i32", 4])).toEqual([0, 4]);
  expect(offsets(["i8", 1], ["i16", 2], ["i8", 1], ["double", 8])).toEqual([0, 2, 4, 8]);
});
