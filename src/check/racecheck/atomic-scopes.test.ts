/**
 * Atomic operations of two scopes on one word (CUDA C++ Programming Guide, "Atomic Functions": `atomicAdd_block` is
 * atomic for the threads of the block): every pair of scopes, in one block and in two, in either order. Kernels are IR,
 * so that no compiler is needed for them.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { dim3 } from "../../base/dim3.ts";
import { openNodeDevice } from "../../device/emulated/open-device-node.ts";
import { clangForTests } from "../../frontend/clang/clang-resources.test-helper.ts";
import { createCompiler } from "../../frontend/clang/compile.ts";
import { cachedDeviceLibrary } from "../../frontend/clang/device-library.ts";
import { openNodeStore } from "../../frontend/clang/prebuilt-node.ts";
import { sha256 } from "../../store/sha256.ts";
import { createCheckers } from "../checkers.ts";
import { Checks } from "../checks.ts";

let library: string;
beforeAll(async () => {
  const store = openNodeStore();
  library = await cachedDeviceLibrary(await createCompiler({ resources: clangForTests(), store }), store, sha256);
});

type Scope = "block" | "device";
/** What PTX and LLVM call the scope of an operation. */
const scopeOf = (scope: Scope): string => `syncscope("${scope}")`;

/** Threads with an even number take the first operation, the others the second. */
function kernel(numberOf: "tid" | "ctaid", first: string, second: string): string {
  return `target triple = "nvptx-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.${numberOf}.x()
define ptx_kernel void @k(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.${numberOf}.x()
  %low = and i32 %t, 1
  %isFirst = icmp eq i32 %low, 0
  br i1 %isFirst, label %first, label %second
first:
  ${first}
  ret void
second:
  ${second}
  ret void
}`;
}

function findings(ir: string, grid: number, block: number): string[] {
  const checks = new Checks(createCheckers(["racecheck"]));
  const device = openNodeDevice({ workers: 1, library, observer: checks });
  try {
    const module = device.loadModule({ name: "scopes.cu", ir, options: { fmad: true } });
    const out = device.allocate(64);
    device.fill(out, 0, 4, 16);
    const { fault } = device.launchBlocking(
      module.kernel("k"),
      { grid: dim3(grid), block: dim3(block), sharedBytes: 0 },
      new Uint8Array(Int32Array.of(out).buffer),
    );
    expect(fault).toBeNull();
    return [...new Set(checks.findings.map(({ kind }) => kind))];
  } finally {
    device.close();
  }
}

const OPERATIONS: readonly (readonly [string, (n: number, scope: Scope) => string])[] = [
  ["atomicrmw", (n, scope) => `%a${n} = atomicrmw add ptr %out, i32 1 ${scopeOf(scope)} monotonic`],
  ["cmpxchg", (n, scope) => `%a${n} = cmpxchg ptr %out, i32 0, i32 1 ${scopeOf(scope)} monotonic monotonic`],
];
const PAIRS: readonly (readonly [Scope, Scope])[] = [
  ["device", "device"],
  ["device", "block"],
  ["block", "device"],
  ["block", "block"],
];

describe.each(OPERATIONS)("%s", (_, operation) => {
  test.each(PAIRS)("%s and %s scope", (first, second) => {
    const pair = [operation(1, first), operation(2, second)] as const;
    // Of one block, every scope covers both.
    expect(findings(kernel("tid", ...pair), 1, 64)).toEqual([]);
    // Of two blocks, the scope of both must cover the other one.
    const isWide = first === "device" && second === "device";
    expect(findings(kernel("ctaid", ...pair), 2, 32)).toEqual(isWide ? [] : ["insufficient-scope"]);
  });
});
