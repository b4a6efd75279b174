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

test("units that call through pointers are linked with those that have functions of the type", () => {
  const caller = "define void @k(ptr %f) {\n  %v = call noundef { float, float } %f(ptr %f, i64 noundef 0)\n}\n";
  const taken = "@p = addrspace(1) global ptr @load\n";
  const load = (type: string): string => `define internal { float, float } @load(${type} %a, i64 noundef %b) {\n}\n`;
  const groups = (...units: string[]): readonly number[][] => linkGroups(units.map(program));
  expect(groups(caller, taken + load("ptr noundef"))).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(groups(caller, load("ptr")), "called by its name only").toEqual([[0], [1]]);
  expect(groups(caller, taken + load("i32")), "another type").toEqual([[0], [1]]);
  const own = taken.replace("@p", "@own");
  expect(groups(caller + own + load("ptr"), taken + load("ptr")), "it has its own too").toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(groups(caller, `${taken}${load("ptr")}define void @k() {\n}\n`), "would not link").toEqual([[0], [1]]);
  const loadOfAll = `${load("ptr").replace("internal ", "")}@q = addrspace(1) global ptr @load\n`;
  expect(groups(caller, taken + load("ptr"), loadOfAll, loadOfAll), "two of one name").toEqual([
    [0, 1, 2],
    [0, 1, 2],
    [0, 1, 2],
    [3],
  ]);
});
