/** NVIDIA's assembler, where there is one: PATH, or the environment's HEDDLE_PTXAS. It needs no GPU. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

function find(): string | null {
  const candidate = process.env["HEDDLE_TEST_PTXAS"] ?? "ptxas";
  return spawnSync(candidate, ["--version"]).status === 0 ? candidate : null;
}

/** null: none was found, and the tests that need it are skipped, which this says. */
export const PTXAS: string | null = find();
if (PTXAS === null)
  process.stderr.write(
    "\n*** no ptxas on PATH or in HEDDLE_PTXAS: whether it takes the PTX that we make is NOT tested ***\n\n",
  );

/** What the assembler says against a text, or "". */
export function assemble(text: string, architecture = "sm_90", options: readonly string[] = []): string {
  const { problem } = assembled(text, architecture, options);
  return problem;
}

/** The machine code, in its file, and what the assembler says against the text. */
export function assembled(
  text: string,
  architecture = "sm_90",
  options: readonly string[] = [],
): { problem: string; cubin: Buffer } {
  const directory = mkdtempSync(join(tmpdir(), "heddle-ptx-"));
  try {
    const file = join(directory, "module.ptx"),
      cubin = join(directory, "module.cubin");
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(
      PTXAS as string,
      [`-arch=${architecture}`, ...options, file, "-o", cubin],
      {
        encoding: "utf8",
      },
    );
    if (status !== 0) return { problem: `${stdout}${stderr}`, cubin: Buffer.alloc(0) };
    return { problem: "", cubin: readFileSync(cubin) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
