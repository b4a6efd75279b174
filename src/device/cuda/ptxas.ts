/**
 * The registers that NVIDIA's assembler gives kernels, where a machine has it: ptxas of a toolkit, or of Python's
 * wheels. It compiles the PTX that a GPU would be given for the program.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeddleError } from "../../base/diagnostics.ts";
import { reachableFunctions } from "../../ir/graph/reachable-functions.ts";
import { pointerBitsOf } from "../../ir/model/layout.ts";
import type { IrFunction, IrModule, PointerBits } from "../../ir/model/ir.ts";
import type { ObservedProgram } from "../../machine/observer.ts";
import type { CompiledRegisters, RegisterSource } from "../../profile/launch-facts.ts";
import { CONSTANT_ALIAS, GLOBAL_START, WINDOW_BYTES } from "../../ptx/address-map.ts";
import { callsDeviceRuntime, usesDeviceRuntime } from "../../ptx/emit/device-runtime.ts";
import { emitPtxModule } from "../../ptx/emit-module.ts";
import { createPtxPipeline } from "../../ptx/link-program.ts";
import type { CudaVersion } from "./driver.ts";
import { toolkitPrograms } from "./library-search.ts";
import { ptxVersion } from "./link-ptx.ts";

/** Kernels of a program that are assembled together when the first is asked for; of more, each by itself. */
const MOST_KERNELS = 24;
/** Assembling that takes longer is given up, and the estimate stays. */
const MOST_MS = 20_000;
/** Code is written for this version at least (inline PTX, fast conversions). */
const OLDEST = 12;

type Environment = Readonly<Record<string, string | undefined>>;

/** Any window does: its place is a constant in the code. */
const WINDOW = { windowBase: 32n * WINDOW_BYTES, variablesBase: GLOBAL_START, constantsBase: CONSTANT_ALIAS };

interface Assembler {
  readonly path: string;
  readonly ptx: CudaVersion;
}

/** HEDDLE_PTXAS: its path, or "none". */
function candidates(env: Environment): string[] {
  const chosen = env["HEDDLE_PTXAS"] ?? "";
  if (chosen === "none") return [];
  return chosen === "" ? toolkitPrograms("ptxas", env) : [chosen];
}

/** null: there is none that can be used. */
function findAssembler(paths: readonly string[]): Assembler | null {
  for (const path of paths) {
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8", timeout: MOST_MS });
    const version = /release (\d+)\.(\d+)/.exec(stdout ?? "");
    if (version === null) continue;
    const cuda: CudaVersion = { major: Number(version[1]), minor: Number(version[2]) };
    if (cuda.major >= OLDEST) return { path, ptx: ptxVersion(cuda) };
  }
  return null;
}

/**
 * @param library IR text of the device library, with 32-bit pointers: of 64-bit programs, kernels that call more of it
 * than functions of numbers are not assembled. null: the machine has no ptxas.
 */
export function openPtxas(library: string, env: Environment = process.env): RegisterSource | null {
  const paths = candidates(env);
  if (paths.length === 0) return null;
  // Asked when the first kernel is launched.
  let assembler: Assembler | null | undefined;
  const links = { 32: createPtxPipeline(library), 64: createPtxPipeline(library, 64) };
  const modules = new Map<readonly ObservedProgram[], IrModule | null>();
  const known = new Map<readonly ObservedProgram[], Map<string, CompiledRegisters | null>>();
  const linkedOf = (programs: readonly ObservedProgram[]): IrModule | null => {
    let module = modules.get(programs);
    if (module === undefined) modules.set(programs, (module = quietly(() => links[pointerBits(programs)](programs))));
    return module;
  };
  return (programs, kernel, capability) => {
    const found = known.get(programs) ?? new Map<string, CompiledRegisters | null>();
    known.set(programs, found);
    const before = found.get(kernel);
    if (before !== undefined) return before;
    assembler ??= findAssembler(paths);
    const module = assembler === null ? null : linkedOf(programs);
    if (assembler === null || module === null) return null;
    const kernels = [...module.functions.values()].filter(({ isKernel, blocks }) => isKernel && blocks.length > 0);
    const wanted = kernels.length > MOST_KERNELS ? kernels.filter(({ name }) => name === kernel) : kernels;
    // One that cannot be written as PTX takes the others with it.
    const all =
      assembled(assembler, module, wanted, capability) ??
      assembled(
        assembler,
        module,
        kernels.filter(({ name }) => name === kernel),
        capability,
      );
    for (const [name, registers] of all ?? []) found.set(name, registers);
    if (!found.has(kernel)) found.set(kernel, null);
    return found.get(kernel) ?? null;
  };
}

function pointerBits([program]: readonly ObservedProgram[]): PointerBits {
  if (program === undefined) return 32;
  if (typeof program.ir !== "string") return pointerBitsOf(program.ir);
  return /^target triple = "nvptx64-/m.test(program.ir) ? 64 : 32;
}

/** null where the GPU's code generator does not take the program: then an estimate will do. */
function quietly<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof HeddleError) return null;
    throw error;
  }
}

function assembled(
  { path, ptx }: Assembler,
  module: IrModule,
  kernels: readonly IrFunction[],
  computeCapability: CudaVersion,
): Map<string, CompiledRegisters> | null {
  const text = quietly(
    () =>
      emitPtxModule(reachedFrom(module, kernels), {
        computeCapability,
        ptxVersion: ptx,
        window: pointerBitsOf(module) === 64 ? null : WINDOW,
        lineInfo: false,
      }).text,
  );
  if (text === null) return null;
  const folder = mkdtempSync(join(tmpdir(), "heddle-ptxas-"));
  try {
    const [source, code] = ["kernels.ptx", "kernels.cubin"].map((name) => join(folder, name)) as [string, string];
    writeFileSync(source, text);
    const [, arch = ""] = /^\.target (sm_\w+)/m.exec(text) ?? [];
    const relocatable = callsDeviceRuntime(text) ? ["-c"] : [];
    const { status, stderr } = spawnSync(path, ["-v", `-arch=${arch}`, ...relocatable, "-o", code, source], {
      encoding: "utf8",
      timeout: MOST_MS,
    });
    return status === 0 ? registersIn(stderr) : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The module with these kernels and what they call. Where kernels launch others, all of it. */
function reachedFrom(module: IrModule, kernels: readonly IrFunction[]): IrModule {
  if (usesDeviceRuntime(module)) return module;
  const others = [...module.functions.values()].filter(({ isKernel }) => !isKernel);
  const reached = new Set(kernels.flatMap((kernel) => [...reachableFunctions(kernel, others)]));
  const functions = [...module.functions].filter(([, fn]) => reached.has(fn) || fn.blocks.length === 0);
  return { ...module, functions: new Map(functions) };
}

/** What ptxas -v says: a paragraph for each kernel. */
export function registersIn(report: string): Map<string, CompiledRegisters> {
  const found = new Map<string, CompiledRegisters>();
  let kernel: string | null = null;
  let spilled = 0;
  for (const line of report.split("\n")) {
    const entry = /Compiling entry function '([^']+)'/.exec(line);
    if (entry !== null) [kernel, spilled] = [entry[1] ?? null, 0];
    const spills = /(\d+) bytes spill stores, (\d+) bytes spill loads/.exec(line);
    if (spills !== null) spilled = Number(spills[1]) + Number(spills[2]);
    const used = /Used (\d+) registers/.exec(line);
    if (used === null || kernel === null) continue;
    found.set(kernel, { registersPerThread: Number(used[1]), spillBytes: spilled });
    kernel = null;
  }
  return found;
}
