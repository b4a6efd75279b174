import { expect, test } from "vitest";
import { nameFunclets } from "./funclets.ts";

const ACCESS = "  call void @__sanitizer_cov_store4(ptr @total), !dbg !3";
const inPad = (pad: string): string =>
  `  call void @__sanitizer_cov_store4(ptr @total) [ "funclet"(token ${pad}) ], !dbg !3`;

/** A catch in a catch, and a cleanup beside it; `at` are calls in the blocks, in their order. */
function ir(at: readonly string[]): string {
  return [
    "define void @f() personality ptr @__gxx_wasm_personality_v0 {",
    at[0],
    "  invoke void @g()",
    "          to label %end unwind label %switch",
    "",
    "switch:                                           ; preds = %0",
    "  %1 = catchswitch within none [label %catch] unwind label %cleanup",
    "",
    "catch:                                            ; preds = %switch",
    "  %2 = catchpad within %1 [ptr @_ZTIi]",
    at[1],
    '  invoke void @g() [ "funclet"(token %2) ]',
    '          to label %after unwind label %"inner switch"',
    "",
    '"inner switch":',
    '  %3 = catchswitch within %2 [label %"inner catch"] unwind label %cleanup',
    "",
    '"inner catch":',
    "  %4 = catchpad within %3 [ptr null]",
    at[2],
    "  catchret from %4 to label %after, !dbg !3",
    "",
    "after:",
    at[3],
    "  catchret from %2 to label %end",
    "",
    "cleanup:",
    "  %5 = cleanuppad within none []",
    at[4],
    "  cleanupret from %5 unwind to caller",
    "",
    "end:",
    at[5],
    "  ret void",
    "}",
    "",
  ].join("\n");
}

test("calls in catches and cleanups name the pad of their block", () => {
  const all = Array.from({ length: 6 }, () => ACCESS);
  expect(nameFunclets(ir(all))).toBe(ir([ACCESS, inPad("%2"), inPad("%4"), inPad("%2"), inPad("%5"), ACCESS]));
});

test("other text stays", () => {
  const plain = `define void @f() {\n${ACCESS}\n  ret void\n}\n`;
  expect(nameFunclets(plain)).toBe(plain);
  const others = ir(Array.from({ length: 6 }, () => "  call void @g()"));
  expect(nameFunclets(others)).toBe(others);
});
