import { describe, expect, it } from "vitest";
import { ptxEntries } from "./ptx-entries.ts";

const PTX = `
.visible .entry k(
	.param .u64 k_param_0,
	.param .u64 k_param_1,
	.param .f64 k_param_2,
	.param .align 8 .b8 k_param_3[16],
	.param .u8 k_param_4
)
{ ret; }
.weak .entry _Z1tIfEvPT_i(
	.param .u64 .ptr .align 1 _Z1tIfEvPT_i_param_0,
	.param .u32 _Z1tIfEvPT_i_param_1
)
.maxntid 128, 1, 1
{ ret; }
.visible .entry _Z4half6__halfPS_(.param .align 2 .b8 p[2], .param .u64 q) { ret; }
.visible .entry u() { ret; }
.func helper(.param .b64 helper_param_0) { ret; }`;

describe("kernels of a PTX text", () => {
  const entries = ptxEntries(
    PTX,
    `extern "C" __global__ void k(const float* x, /* a count, not a float* */ unsigned long long n, double z,
                                  Pair p, char c) {}`,
  );
  const layout = (name: string): string[] =>
    (entries.find((entry) => entry.name === name)?.params ?? []).map(
      ({ kind, offset, size }) => `${kind} ${offset} ${size}`,
    );

  it("tells pointers by the name's types, by .ptr, or by the declaration", () => {
    expect(layout("_Z1tIfEvPT_i")).toEqual(["pointer 0 8", "i32 8 4"]);
    expect(layout("k")).toEqual(["pointer 0 8", "i64 8 8", "f64 16 8", "struct 24 16", "i8 40 1"]);
    expect(layout("_Z4half6__halfPS_")).toEqual(["f16 0 2", "pointer 8 8"]);
  });

  it("finds all kernels, those without parameters too, and no functions", () => {
    expect(entries.map(({ name, paramBytes }) => [name, paramBytes])).toEqual([
      ["k", 41],
      ["_Z1tIfEvPT_i", 12],
      ["_Z4half6__halfPS_", 16],
      ["u", 0],
    ]);
  });
});
