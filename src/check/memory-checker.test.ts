/** Every wrong kernel of the suite is accused, by kind and line, of one thing; no right one is. On both compiled tiers. */
import { readFileSync } from "node:fs";
import { describe, expect, it, beforeAll, afterAll } from "vitest";
import type { Dim3 } from "../base/dim3.ts";
import { dim3 } from "../base/dim3.ts";
import type { Device, DeviceProgram, GpuModule } from "../device/device.ts";
import { keptDeviceLibrary } from "../device/common/device-library.ts";
import { openNodeDevice } from "../device/emulated/open-device-node.ts";
import { nodeClangResources } from "../frontend/clang/clang-loader-node.ts";
import { createCompiler } from "../frontend/clang/compile.ts";
import { openNodeStore } from "../frontend/clang/prebuilt-node.ts";
import { sha256 } from "../frontend/clang/sha256.ts";
import { parseModule } from "../ir/parse.ts";
import { verifyModule } from "../ir/verify.ts";
import { addMemcheck } from "./memcheck.ts";
import { MemoryChecker } from "./memory-checker.ts";
import { readSuite } from "./suite.test-helper.ts";

const SOURCE = readFileSync(new URL("./suite/memory.cu", import.meta.url), "utf8");
const SUITE = readSuite(SOURCE);

describe.each(["warp", "thread"] as const)("memcheck in the %s tier", (engine) => {
  let device: Device;
  let module: GpuModule;
  let checker: MemoryChecker;
  let program: DeviceProgram;
  let library: string;

  beforeAll(async () => {
    const store = openNodeStore();
    const compiler = await createCompiler({ resources: nodeClangResources(), store });
    library = await keptDeviceLibrary(compiler, store, sha256);
    program = (await compiler.compileDevice({ path: "memory.cu", text: SOURCE }, {}, null)).program;
    open();
  });
  afterAll(() => device.close());

  function open(): void {
    checker = new MemoryChecker();
    device = openNodeDevice({ engine: engine === "warp" ? "auto" : engine, workers: 1, library, observer: checker });
    module = device.loadModule(program);
  }

  /** What the checker says of one launch on two allocations of n ints. */
  function found(kernel: string, { grid, block, sharedBytes, n }: { grid: Dim3; block: Dim3; sharedBytes: number; n: number }): string[] {
    const before = checker.findings.length;
    const [out, in_] = [device.allocate(4 * n), device.allocate(4 * n)];
    device.write(in_, new Uint8Array(Int32Array.from({ length: n }, (_, i) => i).buffer));
    device.fill(out, 0, 4, n);
    const params = new Uint8Array(Int32Array.of(out, in_, n).buffer);
    const { fault } = device.launchBlocking(module.kernel(kernel), { grid, block, sharedBytes }, params);
    const findings = checker.findings.slice(before).map(({ kind, access, location }) => `${location?.line}: ${kind} ${access}`);
    if (fault !== null) {
      device.close();
      open();
    } else for (const pointer of [out, in_]) device.free(pointer);
    return [...new Set(findings)];
  }

  it.each(SUITE.map((pair) => [pair.name, pair] as const))("%s", (name, pair) => {
    expect(found(`${name}_right`, pair)).toEqual([]);
    expect(found(`${name}_wrong`, pair)).toEqual([`${pair.line}: ${pair.expected}`]);
  });

  it("adds code that is valid, and only tests where something can be wrong", () => {
    const module = parseModule(program.ir, "memory.cu");
    const count = (): number => [...module.functions.values()].reduce((sum, fn) => sum + fn.blocks.length, 0);
    const before = count();
    const sites = addMemcheck(module, [...module.functions.values()], { records: "test" });
    expect(verifyModule(module)).toEqual([]);
    expect(count()).toBeGreaterThan(before);
    expect(new Set(sites.map(({ index }) => index)).size).toBe(sites.length);
    // A variable at a constant index inside of it, and what a thread reads of its own struct, need none.
    const text = `@v = internal addrspace(1) global [4 x i32] zeroinitializer
define ptx_kernel void @k(ptr byval({ i32, i32 }) %s, i32 %i) {
  %p = getelementptr { i32, i32 }, ptr %s, i32 0, i32 1
  %a = load i32, ptr %p
  store i32 %a, ptr addrspace(1) getelementptr ([4 x i32], ptr addrspace(1) @v, i32 0, i32 3)
  %q = getelementptr [4 x i32], ptr addrspace(1) @v, i32 0, i32 %i
  store i32 %a, ptr addrspace(1) %q
  ret void
}`;
    const small = parseModule(text, "small.ll");
    expect(addMemcheck(small, [...small.functions.values()], { records: "test" })).toMatchObject([{ kind: "write", object: { kind: "variable", name: "v", bytes: 16 } }]);
    expect(verifyModule(small)).toEqual([]);
  });

  it("tells memory that was freed, and memory that is not the device's", () => {
    const one = dim3(1);
    const pair = SUITE.find(({ name }) => name === "stencil") as (typeof SUITE)[number];
    const [out, in_] = [device.allocate(256), device.allocate(256)];
    device.free(in_);
    device.launchBlocking(module.kernel("stencil_right"), { grid: one, block: pair.block, sharedBytes: 0 }, new Uint8Array(Int32Array.of(out, in_, 64).buffer));
    expect(checker.findings.find(({ kind }) => kind === "use-after-free")).toMatchObject({ kind: "use-after-free", access: "read", example: { owner: { start: in_, bytes: 256 } } });
    device.free(out);
  });
});

it("the suite is read as it is meant", () => {
  expect(SUITE.length).toBeGreaterThanOrEqual(30);
  expect(SUITE.find(({ name }) => name === "dynamic_shared")).toMatchObject({ grid: dim3(1), block: dim3(64), sharedBytes: 128, n: 64, expected: "out-of-bounds write" });
  expect(SUITE.find(({ name }) => name === "tile")).toMatchObject({ block: dim3([8, 8]) });
});
