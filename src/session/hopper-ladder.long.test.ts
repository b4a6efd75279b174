/** The versions of matmul-bf16 with wgmma: NVIDIA's assembler takes our PTX without waiting after each product. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeSourceReader } from "../frontend/clang/clang-loader-node.ts";
import { PTXAS } from "../ptx/ptxas.test-helper.ts";
import { openCompiler } from "./compiler-node.ts";
import { ptxText } from "./ptx-text.ts";

const KERNELS = new URL("../../kernels/matmul-bf16/", import.meta.url);

/** What the assembler says of registers and waits, beside the numbers that -v gives. */
function remarks(ptx: string): string[] {
  const directory = mkdtempSync(join(tmpdir(), "heddle-ptx-"));
  try {
    const file = join(directory, "module.ptx");
    writeFileSync(file, ptx);
    const { stdout, stderr } = spawnSync(
      PTXAS as string,
      ["-v", "-arch=sm_90a", file, "-o", join(directory, "module.cubin")],
      { encoding: "utf8" },
    );
    return `${stdout}${stderr}`.split("\n").filter((line) => /\(C\d+\)|error|[1-9]\d* bytes spill/.test(line));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe.skipIf(PTXAS === null)("wgmma", () => {
  test.each([
    ["6-wgmma", ["TILE_M=128", "TILE_N=128", "STAGES=4"]],
    ["8-persistent", ["TILE_N=256", "ROWS=64", "STAGES=4", "OUT_N=128", "GROUP=8"]],
    ["8-persistent", ["TILE_N=192", "ROWS=128", "STAGES=3", "OUT_N=192", "GROUP=8"]],
    ["9-ping-pong", ["TILE_N=128", "ROWS=128", "STAGES=6", "OUT_N=128", "GROUP=8"]],
    ["10-clusters", ["TILE_N=256", "ROWS=64", "STAGES=4", "OUT_N=128", "GROUP=8", "CLUSTER=2"]],
  ] as const)("%s with %j", async (version, defines) => {
    const path = `${KERNELS.pathname}${version}.cu`;
    const { compiler, deviceLibrary } = await openCompiler();
    const { program } = await compiler.compileDevice(
      { path, text: readFileSync(path, "utf8") },
      { arch: "sm_90a", defines: [...defines] },
      nodeSourceReader,
    );
    const ptx = ptxText(program, await deviceLibrary("ilp32"), { arch: "sm_90a", model: "ilp32" });
    expect(remarks(ptx)).toEqual([]);
    const lines = ptx.split("\n");
    const at = (text: string): number => lines.findIndex((line) => line.includes(text));
    const stage = lines.slice(at("wgmma.fence"), at("wgmma.wait_group.sync.aligned 0"));
    expect(stage.filter((line) => /^\tmov\.f32/.test(line))).toEqual([]);
  });
});
