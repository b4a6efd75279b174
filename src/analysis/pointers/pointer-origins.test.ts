import { describe, expect, test } from "vitest";
import { parseModule } from "../../ir/text/parse.ts";
import type { IrFunction, IrValue } from "../../ir/model/ir.ts";
import { originsOf, stepsFromOrigin, underlyingPointer } from "./pointer-origins.ts";

function kernel(body: string): IrFunction {
  const ir = `target triple = "nvptx-nvidia-cuda"
@table = global [4 x i32] zeroinitializer
define ptx_kernel void @k(ptr %p, ptr %q, i32 %i, i1 %c) {
${body}
}
declare ptr @llvm.ptrmask.p0.i32(ptr, i32)`;
  return parseModule(ir, "test.ll").functions.get("k") as IrFunction;
}

/** The pointer that the kernel's only store goes to. */
function stored(fn: IrFunction): IrValue {
  for (const { instructions } of fn.blocks) for (const i of instructions) if (i.op === "store") return i.pointer;
  throw new Error("no store");
}

const names = (values: Iterable<IrValue>): string[] =>
  [...values].map((value) => ("name" in value ? value.name : value.kind)).sort();

describe("origins", () => {
  test("are reached through address arithmetic, casts and integers", () => {
    const fn = kernel(`  %a = getelementptr i32, ptr %p, i32 %i
  %n = ptrtoint ptr %a to i32
  %m = and i32 %n, -16
  %b = inttoptr i32 %m to ptr
  %d = getelementptr i8, ptr %b, i32 4
  store i32 0, ptr %d
  ret void`);
    expect(names(originsOf(stored(fn)))).toEqual(["p"]);
    expect(names([underlyingPointer(stored(fn))])).toEqual(["b"]);
  });
  test("of a loop's pointer, and of a select, are those of all that come together", () => {
    const fn = kernel(`entry:
  br label %loop
loop:
  %a = phi ptr [ %p, %entry ], [ %next, %loop ]
  %s = select i1 %c, ptr %a, ptr @table
  store i32 0, ptr %s
  %next = getelementptr i32, ptr %a, i32 1
  br i1 %c, label %loop, label %end
end:
  ret void`);
    expect(names(originsOf(stored(fn)))).toEqual(["p", "table"]);
  });
  test("are loads, calls and integers that no pointer or several pointers went into", () => {
    const fn = kernel(`  %n = ptrtoint ptr %p to i32
  %m = ptrtoint ptr %q to i32
  %d = sub i32 %n, %m
  %b = inttoptr i32 %d to ptr
  store i32 0, ptr %b
  ret void`);
    expect(names(originsOf(stored(fn)))).toEqual(["b"]);
    const masked = kernel(`  %b = call ptr @llvm.ptrmask.p0.i32(ptr %p, i32 -8)
  store i32 0, ptr %b
  ret void`);
    expect(names(originsOf(stored(masked)))).toEqual(["b"]);
  });
});

test("the geps between an origin and a pointer, the last one first", () => {
  const fn = kernel(`  %a = getelementptr i32, ptr %p, i32 %i
  %b = getelementptr i8, ptr %a, i32 8
  store i32 0, ptr %b
  ret void`);
  const steps = stepsFromOrigin(stored(fn), (value) => value.kind === "param");
  expect(steps?.origin).toBe(fn.params[0]);
  expect(steps?.geps.map(({ indices: [index] }) => index?.kind)).toEqual(["const-int", "param"]);
  expect(stepsFromOrigin(stored(fn), (value) => value.kind === "global")).toBeNull();
});
