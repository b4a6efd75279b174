/** Device code is linked with the source line by line. */
import { expect, it } from "vitest";
import { irLines, ptxLines, sassLines, withoutGaps } from "./code-lines.ts";

it("PTX", () => {
  const ptx = `.version 8.4
.file 1 "./a.cu"
.file 2 "include/math.h"
.visible .entry f() {
\t.loc 1 7 3
\tadd.s32 %r1, %r2, %r3;
\tmul.s32 %r1, %r2, %r3;
\t.loc 2 99 1
\tneg.s32 %r1, %r1;
}
`;
  expect(withoutGaps(ptxLines(ptx, "a.cu")).map(({ text, line }) => [text.trim(), line])).toEqual([
    [".version 8.4", null],
    [".visible .entry f() {", null],
    ["add.s32 %r1, %r2, %r3;", 7],
    ["mul.s32 %r1, %r2, %r3;", 7],
    ["neg.s32 %r1, %r1;", null],
    ["}", null],
  ]);
});

it("LLVM IR, without metadata", () => {
  const ir = `; ModuleID = 'a'
define void @f() !dbg !1 {
  %a = add i32 1, 2, !dbg !3
  ret void, !dbg !4
}
!1 = distinct !DISubprogram(line: 1)
!3 = !DILocation(line: 5, column: 2, scope: !1)
!4 = !DILocation(line: 0, scope: !1)
`;
  expect(withoutGaps(irLines(ir))).toEqual([
    { text: "define void @f() {", line: null },
    { text: "  %a = add i32 1, 2", line: 5 },
    { text: "  ret void", line: null },
    { text: "}", line: null },
  ]);
});

it("of SASS: instructions with the lines that nvdisasm names, no directives", () => {
  const sass = `\t.target\tsm_90

//--------------------- .text.scale         --------------------------
\t.section\t.text.scale,"ax",@progbits
        .global         scale
scale:
.text.scale:
\t//## File "/heddle/usr/include/builtin_vars.h", line 53
        /*0010*/                   S2R R3, SR_TID.X ;
\t//## File "./a.cu", line 3
        /*0030*/                   ULDC UR6, c[0x0][0x218] ;
.L_x_0:
        /*00e0*/                   BRA \`(.L_x_0);
`;
  expect(withoutGaps(sassLines(sass, "a.cu"))).toEqual([
    { text: "scale:", line: null },
    { text: "        /*0010*/                   S2R R3, SR_TID.X;", line: null },
    { text: "        /*0030*/                   ULDC UR6, c[0x0][0x218];", line: 3 },
    { text: ".L_x_0:", line: null },
    { text: "        /*00e0*/                   BRA `(.L_x_0);", line: null },
  ]);
});
