/** Launches in device code as PTX that calls NVIDIA's device runtime. */
import { describe, expect, test } from "vitest";
import { HeddleError } from "../base/diagnostics.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import { emitPtxModule } from "./emit-module.ts";
import { createPtxPipeline } from "./link-program.ts";
import type { PtxModule } from "./ptx-module.ts";
import { PTXAS, assemble } from "./ptxas.test-helper.ts";
import { NATIVE_TARGET, TEST_TARGET } from "./test-target.test-helper.ts";

/** What libdevice/gpu-launches.cu has of a launch, in few words: the first four bytes of the arguments. */
const LIBRARY = `
declare i64 @__heddle_runtime_buffer(ptr, i32, i32, i32, i32, i32, i32, i32)
declare void @__heddle_runtime_store(i64, i32)
declare void @__heddle_runtime_store_byte(i64, i32)
declare i32 @__heddle_runtime_launch(i64, i64)
declare i32 @__heddle_runtime_last_error()
declare i32 @vprintf(ptr, ptr)
%dim = type { i32, i32, i32 }
define i32 @__heddle_gpu_cudaLaunchDevice(ptr %k, ptr %args, ptr byval(%dim) %g, ptr byval(%dim) %b, i32 %s, ptr %t) {
  %x = load i32, ptr %g, align 4
  %w = load i32, ptr %b, align 4
  %buffer = call i64 @__heddle_runtime_buffer(ptr %k, i32 %x, i32 1, i32 1, i32 %w, i32 1, i32 1, i32 %s)
  %header = getelementptr i8, ptr %args, i32 -64
  %bytes = load i32, ptr %header, align 4
  call void @__heddle_runtime_store(i64 %buffer, i32 %bytes)
  %first = load i32, ptr %args, align 4
  %next = add i64 %buffer, 4
  call void @__heddle_runtime_store(i64 %next, i32 %first)
  call void @__heddle_runtime_store_byte(i64 %next, i32 7)
  %r = call i32 @__heddle_runtime_launch(i64 %buffer, i64 3)
  ret i32 %r
}
define i32 @__heddle_gpu_cudaGetLastError() {
  %r = call i32 @__heddle_runtime_last_error()
  ret i32 %r
}
`;
const PARENT = `
declare ptr @cudaGetParameterBuffer(SIZE, SIZE)
declare i32 @cudaLaunchDevice(ptr, ptr, ptr, ptr, i32, ptr)
declare i32 @cudaGetLastError()
declare i32 @vprintf(ptr, ptr)
%dim = type { i32, i32, i32 }
define ptx_kernel void @parent(ptr %out, i32 %n) {
entry:
  %grid = alloca %dim, align 4
  %block = alloca %dim, align 4
  store i32 %n, ptr %grid, align 4
  store i32 32, ptr %block, align 4
  %buf = call ptr @cudaGetParameterBuffer(SIZE 64, SIZE 10)
  %none = icmp eq ptr %buf, null
  br i1 %none, label %end, label %launch
launch:
  store i32 %n, ptr %buf, align 64
  %r = call i32 @cudaLaunchDevice(ptr @child, ptr %buf, ptr byval(%dim) %grid, ptr byval(%dim) %block, i32 16, ptr null)
  br label %end
end:
  %e = call i32 @cudaGetLastError()
  store i32 %e, ptr %out, align 4
  ret void
}
define ptx_kernel void @child(i32 %a, i32 %b, i16 %c) {
  %r = call i32 @vprintf(ptr null, ptr null)
  ret void
}
`;
const ERRORS_ALONE = `
declare i32 @cudaGetLastError()
define ptx_kernel void @parent(ptr %out) {
  %e = call i32 @cudaGetLastError()
  store i32 %e, ptr %out, align 4
  ret void
}
`;

const widths = [
  { bits: 32, triple: "nvptx", size: "i32" },
  { bits: 64, triple: "nvptx64", size: "i64" },
] as const;

function emit(text: string, { bits, triple, size }: (typeof widths)[number]): PtxModule {
  const head = `target triple = "${triple}-nvidia-cuda"\n`;
  const layout = bits === 64 ? 'target datalayout = "e-i64:64-i128:128-i256:256-v16:16-v32:32"\n' : "";
  const program: DeviceProgram = {
    name: "launches.cu",
    options: { fmad: false },
    ir: layout + head + text.replaceAll("SIZE", size),
  };
  const printf = "define i32 @__heddle_gpu_vprintf(ptr %format, ptr %packed) {\n  ret i32 0\n}\n";
  const library = layout + head + LIBRARY.replace(/^declare i32 @vprintf.*\n/m, "") + printf;
  return emitPtxModule(createPtxPipeline(library, bits)([program]), bits === 64 ? NATIVE_TARGET : TEST_TARGET);
}

describe.each(widths)("with pointers of $bits bits", (width) => {
  const { text, callsDeviceRuntime, kernels } = emit(PARENT, width);
  const lines = text.split("\n").map((line) => line.trim());

  test("NVIDIA's functions are declared as its header has them", () => {
    expect(callsDeviceRuntime).toBe(true);
    expect(lines).toContain(
      ".extern .func (.param .b64 result) __cudaCDP2GetParameterBufferV2 " +
        "(.param .b64 p0, .param .align 4 .b8 p1[12], .param .align 4 .b8 p2[12], .param .b32 p3);",
    );
    expect(lines).toContain(
      ".extern .func (.param .b32 result) __cudaCDP2LaunchDeviceV2 (.param .b64 p0, .param .b64 p1);",
    );
    expect(lines).toContain(".extern .func (.param .b32 result) __cudaCDP2GetLastError ();");
  });

  test("the kernel is declared before its address is taken, with the same parameters", () => {
    const entries = [...text.matchAll(/\.visible \.entry child\(([^)]*)\)(;?)/g)];
    expect(entries.map(([, , end]) => end)).toEqual([";", ""]);
    expect(entries[0]?.[1]).toBe(entries[1]?.[1]);
    // The other is launched by nobody.
    expect(text.match(/\.entry parent\(/g)).toHaveLength(1);
    const first = width.bits === 64 ? "mov.b64 %rd\\d+, child;" : "heddle_functions\\[\\d\\] = \\{0, child\\};";
    expect(text.search(new RegExp(first))).toBeGreaterThan(entries[0]?.index ?? Infinity);
  });

  test("a grid's sizes go by value, the arguments to the buffer's address", () => {
    const at = lines.findIndex((line) => line.startsWith(".param .align 4 .b8 a1[12]"));
    expect(lines.slice(at + 1, at + 4)).toEqual([
      expect.stringMatching(/^st\.param\.b32 \[a1\+0\], %r\d+;$/),
      "st.param.b32 [a1+4], 1;",
      "st.param.b32 [a1+8], 1;",
    ]);
    expect(lines).toContain("st.param.b32 [a2+0], 32;");
    const [, buffer = ""] = /ld\.param\.b64 (%rd\d+), \[result\];/.exec(text) ?? [];
    // The header, which the thread's own memory has in front of the arguments; an argument; a byte.
    expect(lines.find((line) => line.startsWith(`st.b32 [${buffer}],`))).toBeDefined();
    expect(text).toMatch(/st\.b8 \[%rd\d+\], %r\d+;/);
    expect(text).toMatch(
      new RegExp(`st\\.param\\.b64 \\[a0\\], ${buffer};\\s+\\.param \\.b64 a1;\\s+st\\.param\\.b64 \\[a1\\], 3;`),
    );
  });

  test("a kernel needs what those that it may launch need", () => {
    expect(kernels.get("parent")).toMatchObject({ usesPrintf: true, regions: null });
    expect(kernels.get("child")?.usesPrintf).toBe(true);
  });

  test("without launches there are no errors, and nothing is linked", () => {
    const alone = emit(ERRORS_ALONE, width);
    expect(alone.callsDeviceRuntime).toBe(false);
    expect(alone.text).toMatch(/mov\.b32 %r\d+, 0;/);
  });

  test.skipIf(PTXAS === null)("ptxas takes it", () => {
    expect(assemble(text, "sm_90", ["-c"])).toBe("");
  });

  test("waiting for children is refused by name", () => {
    const waits = "declare i32 @cudaDeviceSynchronize()\ndefine ptx_kernel void @k() {\n  ret void\n}\n";
    let error: unknown = null;
    try {
      emit(waits, width);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(HeddleError);
    expect(error).toMatchObject({
      code: "unsupported",
      summary: "cudaDeviceSynchronize in a kernel is not supported on a GPU",
    });
  });

  test("a launch whose arguments have a size that is no constant is refused", () => {
    const dynamic = PARENT.replace("SIZE 64, SIZE 10", "SIZE 64, SIZE %size").replace(
      "  %grid = alloca",
      "  %size = zext i16 7 to SIZE\n  %grid = alloca",
    );
    expect(() => emit(dynamic, width)).toThrow(/whose arguments have a size that is no constant/);
  });
});
