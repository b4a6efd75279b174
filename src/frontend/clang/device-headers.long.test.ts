/**
 * Whatever device function the headers offer, Clang's own and ours, must have behind it what it calls: every intrinsic
 * must be known to the engines, every library function defined, every inline PTX statement be lowered. All of them are
 * compiled, used or not.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { intrinsicOf } from "../../ir/intrinsics/lookup.ts";
import type { IrModule } from "../../ir/model/ir.ts";
import { parseModule } from "../../ir/text/parse.ts";
import { lowerAtomicScopes } from "../../ir/passes/pass-cuda-atomics.ts";
import { lowerInlinePtx } from "../../ir/inline-ptx/pass-inline-ptx.ts";
import { clangForTests } from "./clang-resources.test-helper.ts";
import { Clang } from "./clang.ts";
import { createCompiler } from "./compile.ts";
import { DEFAULT_OPTIONS, deviceFlags } from "./flags.ts";
import { openNodeStore } from "./prebuilt-node.ts";

const OUTPUT = "/heddle/out/output";
const resources = clangForTests();
const text = ["cuda_fp16.h", "cuda_bf16.h", "mma.h", "cuda_pipeline.h"]
  .map((header) => `#include <${header}>\n`)
  .join("");
let library: ReadonlySet<string>;
let clang: Clang;

beforeAll(async () => {
  clang = await Clang.load(resources);
  const units = await (await createCompiler({ resources, store: openNodeStore() })).compileDeviceLibrary();
  library = new Set(
    units.flatMap(({ ir }) => [...ir.matchAll(/^define .*?@([\w.$]+)\(/gm)].map((match) => match[1] as string)),
  );
});

/** Every device function of the headers, unoptimised. */
function allFunctions(options: { readonly arch: string }): IrModule {
  const flags = deviceFlags({ ...DEFAULT_OPTIONS, ...options }).filter(
    (flag) => !/^-(debug-info-kind|dwarf-version)/.test(flag),
  );
  const files = new Map([["all.cu", new TextEncoder().encode(text)]]);
  const result = clang.run(
    [
      ...flags,
      "-femit-all-decls",
      "-disable-llvm-passes",
      "-w",
      "-emit-llvm",
      "-include",
      "cuda_runtime.h",
      "-o",
      OUTPUT,
      "all.cu",
    ],
    { files },
  );
  expect(result.stderr).toBe("");
  return parseModule(new TextDecoder().decode(result.output(OUTPUT) ?? new Uint8Array()), "all.ll");
}

describe("device functions of the headers", () => {
  test("have what they call", () => {
    const module = allFunctions({ arch: "sm_90" });
    lowerInlinePtx(module);
    lowerAtomicScopes(module);
    const called = new Set<string>();
    for (const fn of module.functions.values()) {
      if (fn.name.includes("__heddle_clang_")) continue; // hidden by hide_clang_functions.inc: nobody can call it
      for (const i of fn.blocks.flatMap((block) => block.instructions))
        if (i.op === "call" && i.callee.kind === "function" && i.callee.blocks.length === 0) called.add(i.callee.name);
    }
    expect(called.size).toBeGreaterThan(300);
    const missing = [...called].filter((name) => !library.has(name) && intrinsicOf(name) === null);
    // the C++ library's comparison of wide characters, which is the host's; distributed shared memory, which
    // docs/support.md names as absent
    expect(missing.sort()).toEqual(["llvm.nvvm.getctarank", "llvm.nvvm.mapa", "wcslen", "wmemcmp"]);
  });

  test("everything that Clang declares of NVIDIA's libdevice is in the device library", () => {
    const files = new Map([
      ["declares.cu", new TextEncoder().encode("#include <__clang_cuda_libdevice_declares.h>\n")],
    ]);
    const result = clang.run([...deviceFlags(DEFAULT_OPTIONS), "-E", "-w", "-o", OUTPUT, "declares.cu"], { files });
    const declared = new Set(
      [...new TextDecoder().decode(result.output(OUTPUT) ?? new Uint8Array()).matchAll(/\b(__nv_\w+)\(/g)].map(
        (match) => match[1] as string,
      ),
    );
    // The halfword and byte functions are header functions of ours; NVVM's of the same name are never called.
    const missing = [...declared].filter((name) => !library.has(name) && !/^__nv_v\w+[24]$/.test(name));
    expect(declared.size).toBeGreaterThan(300);
    expect(missing).toEqual([]);
  });

  test("a program's macros do not reach into them", () => {
    const headers = [
      "cooperative_groups.h",
      "cooperative_groups/memcpy_async.h",
      "cooperative_groups/reduce.h",
      "cooperative_groups/scan.h",
      "mma.h",
    ];
    const macros = ["GROUP", "SIZE", "PARENT", "OP", "STAGES", "M", "N", "K", "ROWS", "LAYOUT", "MAX_THREADS"];
    const source = [
      ...macros.map((macro) => `#define ${macro} 8`),
      ...headers.map((header) => `#include <${header}>`),
    ].join("\n");
    const { stderr } = clang.run(
      [...deviceFlags(DEFAULT_OPTIONS), "-fsyntax-only", "-include", "cuda_runtime.h", "macros.cu"],
      { files: new Map([["macros.cu", new TextEncoder().encode(source)]]) },
    );
    expect(stderr).toBe("");
  });
});
