import { expect, test } from "vitest";
import { estimateRegisters } from "./register-estimate.ts";

/** What every kernel has beside its values. */
const OWN = 4;

const kernel = (body: string): string => `.version 9.0
.visible .entry k(
	.param .b64 param_0
)
{
	.reg .pred %p<9>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<9>;
	.reg .f32 %f<9>;
${body}	ret;
}
.visible .entry other()
{
	.reg .b32 %r<99>;
	ret;
}
`;

test.each([
  ["nothing", "", 0],
  ["one value at a time", "	mov.u32 %r1, 1;\n	add.s32 %r1, %r1, 1;\n", 1],
  ["addresses take two registers, predicates none", "	mov.u64 %rd1, 1;\n	setp.eq.s64 %p1, %rd1, 0;\n", 2],
  [
    "values that are read later, by a store",
    "	mov.u64 %rd1, 1;\n	mov.f32 %f1, 1;\n	mov.f32 %f2, 2;\n	st.global.v2.f32 [%rd1], {%f1, %f2};\n",
    4,
  ],
  ["what nobody reads has a register all the same", "	mov.u32 %r1, 1;\n	mov.u32 %r2, 2;\n", 1],
  [
    "what the next turn of a loop reads",
    "	mov.u32 %r1, 0;\n	mov.u32 %r2, 5;\n$L1:\n	add.s32 %r1, %r1, %r2;\n	mov.u32 %r3, 7;\n" +
      "	setp.lt.s32 %p1, %r1, %r3;\n	@%p1 bra $L1;\n",
    3,
  ],
  [
    "one branch or the other",
    "	mov.u32 %r1, 1;\n	setp.eq.s32 %p1, %r1, 0;\n	@%p1 bra $L1;\n	mov.u32 %r2, 1;\n	mov.u32 %r3, 2;\n" +
      "	add.s32 %r4, %r2, %r3;\n	bra $L2;\n$L1:\n	mov.u32 %r4, 3;\n$L2:\n	add.s32 %r5, %r4, %r1;\n",
    3,
  ],
  [
    "a write under a condition leaves what there was",
    "	mov.u32 %r1, 1;\n	mov.u32 %r2, 2;\n	setp.eq.s32 %p1, %r2, 0;\n	@%p1 mov.u32 %r1, 3;\n	add.s32 %r3, %r1, 1;\n",
    2,
  ],
])("%s", (_, body, live) => {
  expect(estimateRegisters(kernel(body), "k")).toBe(live + OWN);
});

test("a kernel that is not there", () => {
  expect(estimateRegisters(kernel(""), "absent")).toBeNull();
});
