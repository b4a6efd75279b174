import { expect, it } from "vitest";
import { writableVariables } from "./source-program.ts";

const PTX = `
.visible .const .align 4 .f32 three = 0f40400000;
.visible .global .align 4 .u32 calls = 1;
.visible .global .align 4 .b8 kept[16384];
.weak .global .align 8 .u64 _ZN1a1bE;
.global .align 4 .u32 SIZE = 8;
.weak .global .align 4 .u32 _ZN1P4sizeE = 4;
.global .align 8 .u64 reached = generic(kept);
	.global .align 1 .b8 $str[12] = {110, 32};
.global .align 4 .b8 __cudart_i2opi_f[24] = {65};
.global .align 1 .b8 __unnamed_1[5];
.visible .entry k(.param .u64 p) {
  ld.global.f32 %f1, [%rd1];
  ld.global.u32 %r1, [calls];
  mov.u64 %rd2, _ZN1a1bE;
  cvta.global.u64 %rd3, reached;
  .shared .align 4 .b8 part[128];
  ret;
}
`;

it("variables that kernels can write, without those of the compiler and those that nothing names", () => {
  expect(writableVariables(PTX)).toEqual(["calls", "kept", "_ZN1a1bE", "reached"]);
});
