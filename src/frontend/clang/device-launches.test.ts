/** What the IR of relocatable device code becomes. */
import { expect, test } from "vitest";
import { plainNames, refusesDeviceLaunches, registerAlone, relocatableFlags } from "./device-launches.ts";

test("suffixes of static variables and kernels are removed, in strings, too", () => {
  const ir = [
    "@_ZL1v = external local_unnamed_addr addrspace(1) global i32, align 4",
    "@_ZL1v__static__9b0cab039d75786a = addrspace(1) externally_initialized global i32 0, align 4",
    "@other = external addrspace(1) global i32, align 4",
    '@3 = private unnamed_addr constant [32 x i8] c"_ZL1v__static__9b0cab039d75786a\\00", align 1',
    "define weak_odr ptx_kernel void @_Z1kv__intern__9b0cab039d75786a() {",
    "",
  ].join("\n");
  expect(plainNames(ir)).toBe(
    [
      "@_ZL1v = addrspace(1) externally_initialized global i32 0, align 4",
      "@other = external addrspace(1) global i32, align 4",
      '@3 = private unnamed_addr constant [6 x i8] c"_ZL1v\\00", align 1',
      "define weak_odr ptx_kernel void @_Z1kv() {",
      "",
    ].join("\n"),
  );
  expect(plainNames("@_ZL1v = global i32 0\n")).toBe("@_ZL1v = global i32 0\n");
});

test.each(["call void", "tail call void"])("a host module registers its device code itself: %s", (call) => {
  const pointer = call.startsWith("tail") ? "ptr nonnull" : "ptr";
  const ir = [
    "@__fatbinwrap__nv_14390e616603bf4d = alias { i32, i32, ptr, ptr }, ptr @__cuda_fatbin_wrapper",
    `  ${call} @__cudaRegisterLinkedBinary__nv_14390e616603bf4d(${pointer} @__cuda_register_globals, ` +
      `${pointer} @__cuda_fatbin_wrapper, ${pointer} @5, ${pointer} @dummy)`,
    "declare void @__cudaRegisterLinkedBinary__nv_14390e616603bf4d(ptr, ptr, ptr, ptr)",
    "declare ptr @__cudaRegisterFatBinary(ptr)",
    "",
  ].join("\n");
  expect(registerAlone(ir).split("\n")).toEqual([
    "  %heddle.code = call ptr @__cudaRegisterFatBinary(ptr @__cuda_fatbin_wrapper)",
    "  call void @__cuda_register_globals(ptr %heddle.code)",
    "  call void @__cudaRegisterFatBinaryEnd(ptr %heddle.code)",
    "declare ptr @__cudaRegisterFatBinary(ptr)",
    "declare void @__cudaRegisterFatBinaryEnd(ptr)",
    "",
  ]);
});

test("flags of a pass that accepts launches in device code", () => {
  expect(relocatableFlags(["clang", "-cc1", "-x", "cuda", "-emit-obj"])).toEqual([
    "clang",
    "-cc1",
    "-fgpu-rdc",
    "-cuid=heddle",
    "-x",
    "cuda",
    "-emit-llvm",
  ]);
  expect(refusesDeviceLaunches("a.cu:1:2: error: something else")).toBe(false);
});
