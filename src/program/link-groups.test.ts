import { expect, test } from "vitest";
import { linkGroups } from "./link-groups.ts";

const program = (ir: string): { ir: string; name: string; options: { fmad: boolean } } => ({
  ir,
  name: "x",
  options: { fmad: true },
});

test("units that use one another are linked, the rest stays alone", () => {
  const groups = linkGroups([
    program("declare i32 @shared(i32)\ndefine void @k1() {\n  ret void\n}\n"),
    program("@table = addrspace(1) global [4 x i32] zeroinitializer\ndefine void @k2() {\n}\n"),
    program("define internal float @f(float %x) {\n}\ndefine i32 @shared(i32 %x) {\n}\n"),
    program(
      "declare float @llvm.fabs.f32(float)\ndeclare float @__nv_expf(float)\n" +
        "@table = external addrspace(1) global [4 x i32]\n",
    ),
  ]);
  expect(groups).toEqual([
    [0, 2],
    [1, 3],
    [0, 2],
    [1, 3],
  ]);
});

test("equal names in units that need nothing of each other stay apart", () => {
  const unit = "@v = addrspace(1) global i32 0\ndefine void @same() {\n}\n";
  expect(linkGroups([program(unit), program(unit)])).toEqual([[0], [1]]);
});
