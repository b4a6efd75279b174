/**
 * SASS, the machine code of NVIDIA GPUs, as text: what ptxas makes of PTX, by nvdisasm, or by cuobjdump, which names no
 * source lines. Both programs come with a toolkit or with Python's wheels; Heddle has neither.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { callsDeviceRuntime } from "../../ptx/emit/device-runtime.ts";
import { toolkitPrograms } from "./library-search.ts";

const MOST_MS = 60_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** @param arch "sm_90" and the like @throws HeddleError "unsupported" without the programs, or for what they refuse */
export function sassText(ptx: string, arch: string, env: Environment = process.env): string {
  const chosen = env["HEDDLE_PTXAS"] ?? "";
  const [assembler] = chosen === "" ? toolkitPrograms("ptxas", env) : [chosen];
  if (assembler === undefined || assembler === "none") throw missing("ptxas");
  const folder = mkdtempSync(join(tmpdir(), "heddle-sass-"));
  try {
    const [source, code] = [join(folder, "code.ptx"), join(folder, "code.cubin")];
    writeFileSync(source, ptx);
    // Calls of NVIDIA's device runtime are linked later.
    const relocatable = callsDeviceRuntime(ptx) ? ["-c"] : [];
    run(assembler, [`-arch=${arch}`, "-lineinfo", ...relocatable, source, "-o", code]);
    const [disassembler] = toolkitPrograms("nvdisasm", env);
    if (disassembler !== undefined) return run(disassembler, ["-g", "-c", code]);
    const [dump] = toolkitPrograms("cuobjdump", env);
    if (dump === undefined) throw missing("nvdisasm");
    return run(dump, ["-sass", code]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: MOST_MS,
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return stdout;
  const said = `${stdout ?? ""}${stderr ?? ""}`.trim();
  throw new HeddleError("unsupported", `${program} does not take the code`, {
    notes: said === "" ? [error?.message ?? `exit code ${status}`] : said.split("\n").slice(0, 20),
  });
}

function missing(name: string): HeddleError {
  return new HeddleError("unsupported", `SASS needs NVIDIA's ${name}, which this machine does not have`, {
    notes: ["a CUDA toolkit has it, and so has Python's triton: pip install triton"],
  });
}
