/**
 * From a front end's text to linked IR for a GPU: the pipeline of every device, with what the GPU does better. Inline
 * PTX is lowered only where it reads or writes memory by a pointer; functions of the device library that have a form
 * for the GPU, and what LLVM has as an operation and PTX has not, are called by it; functions that are PTX instructions
 * stay declared.
 */
import { HeddleError, unsupported } from "../base/diagnostics.ts";
import type { IrModule, PointerBits } from "../ir/model/ir.ts";
import { createProgramPipeline, type TargetHooks } from "../program/program-pipeline.ts";
import type { LibraryText } from "../program/library-text.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import { moduleOf } from "../program/program-ir.ts";
import { keepsInlinePtx } from "./emit/native-inline-ptx.ts";
import { isRuntimeFunction } from "./emit/device-runtime.ts";
import { isLibraryInstruction } from "./emit/library-functions.ts";
import { useGpuFunctions } from "./passes/pass-gpu-functions.ts";
import { keepLaunchBuffers } from "./passes/pass-launch-buffers.ts";

/** Functions for which a loader would have to prepare memory. */
const NEEDS_SERVICES: ReadonlySet<string> = new Set(["malloc", "free"]);

/**
 * What `emitPtxModule` is given.
 * @param libraryIr the text of the device library's IR; null for none. With pointers of 32 bits it is good for programs
 * with pointers of 64, as far as its functions take numbers only
 * @param pointerBits the width of the pointers in the programs' IR
 * @throws HeddleError "invalid-ir" with the line, "link-error", "unsupported"
 */
export function createPtxPipeline(
  libraryIr: string | LibraryText | null,
  pointerBits: PointerBits = 32,
): (programs: readonly DeviceProgram[]) => IrModule {
  // A device whose programs are all in the cache links none.
  let link: ((programs: readonly DeviceProgram[]) => IrModule) | null = null;
  const text = (): string | null =>
    libraryIr === null || typeof libraryIr === "string" ? libraryIr : libraryIr.text();
  return (programs) => (link ??= pipelineOver(text(), pointerBits))(programs);
}

function pipelineOver(
  libraryIr: string | null,
  pointerBits: PointerBits,
): (programs: readonly DeviceProgram[]) => IrModule {
  const known = new Set(
    [...(libraryIr ?? "").matchAll(/^define [^@\n]*@(__heddle_gpu_\w+)\(/gm)].map((match) => match[1] as string),
  );
  const hooks: TargetHooks = {
    // Addresses in inline PTX are the GPU's own: with 64-bit pointers everything is.
    keepsInlinePtx: (asm) => pointerBits === 64 || keepsInlinePtx(asm.template),
    adaptUnit: (unit) => {
      refuseWaiting(unit);
      keepLaunchBuffers(unit);
      useGpuFunctions(unit, known);
    },
    isProvided: (name) => isLibraryInstruction(name) || isRuntimeFunction(name),
    // Arguments of 64-bit programs hold 8-byte pointers, kernels behind a window take offsets of 4 bytes.
    narrowsPointers: false,
  };
  const isFit = libraryIr === null || pointerBits === 32 || WIDE_TRIPLE.test(libraryIr);
  const library = isFit ? libraryIr : withWidePointers(libraryIr);
  const link = createProgramPipeline(library, null, hooks, pointerBits);
  return pointerBits === 32 || (isFit && library !== null) ? link : (programs) => checkWide(link(programs), programs);
}

/** A function of the CUDA device runtime that NVIDIA's own has no more: of its first generation. */
const WAITING = "cudaDeviceSynchronize";

function refuseWaiting(unit: IrModule): void {
  if (!unit.functions.has(WAITING)) return;
  throw new HeddleError("unsupported", `${WAITING} in a kernel is not supported on a GPU`, {
    notes: [
      "since CUDA 12, kernels on a GPU cannot wait for what they have launched; what is to run afterwards can be " +
        "launched with cudaStreamTailLaunch",
      "the emulated device runs such programs",
    ],
  });
}

/** Of a device library that was compiled for pointers of 64 bits. */
const WIDE_TRIPLE = /^target triple = "nvptx64-/m;

/**
 * A device library that is compiled for 32-bit pointers. Its functions of numbers are the same for all; those that make
 * numbers of pointers are refused (checkWide).
 */
function withWidePointers(libraryIr: string): string {
  return libraryIr
    .replace(/^target datalayout = .*$/m, 'target datalayout = "e-i64:64-i128:128-i256:256-v16:16-v32:32"')
    .replace(/^(@__heddle_pointer_bytes = .* i32) 4\b/m, "$1 8");
}

function checkWide(module: IrModule, programs: readonly DeviceProgram[]): IrModule {
  const own = new Set(programs.flatMap((program) => [...moduleOf(program).functions.keys()]));
  for (const fn of module.functions.values()) {
    if (own.has(fn.name) && fn.blocks.length === 0 && NEEDS_SERVICES.has(fn.name))
      throw unsupported(`${fn.name} in kernels with 64-bit pointers`);
    if (own.has(fn.name)) continue;
    for (const block of fn.blocks)
      for (const i of block.instructions)
        if (i.op === "cast" && (i.operator === "ptrtoint" || i.operator === "inttoptr"))
          throw unsupported(`${fn.name} in kernels with 64-bit pointers`);
  }
  return module;
}
