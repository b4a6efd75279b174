/**
 * From a front end's text to linked IR for a GPU: the pipeline of every device, with what the GPU does better. Inline
 * PTX is lowered only where it reads or writes memory by a pointer; functions of the device library that have a form
 * for the GPU, and what LLVM has as an operation and PTX has not, are called by it; functions that are PTX instructions
 * stay declared.
 */
import type { IrModule } from "../ir/model/ir.ts";
import { createProgramPipeline } from "../program/program-pipeline.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import { keepsInlinePtx } from "./emit/native-inline-ptx.ts";
import { isLibraryInstruction } from "./emit/library-functions.ts";
import { useGpuFunctions } from "./passes/pass-gpu-functions.ts";

/**
 * What `emitPtxModule` is given.
 * @param libraryIr the text of the device library's IR
 * @throws HeddleError "invalid-ir" with the line, "link-error"
 */
export function createPtxPipeline(libraryIr: string): (programs: readonly DeviceProgram[]) => IrModule {
  const known = new Set(
    [...libraryIr.matchAll(/^define [^@\n]*@(__heddle_gpu_\w+)\(/gm)].map((match) => match[1] as string),
  );
  return createProgramPipeline(libraryIr, null, {
    keepsInlinePtx: (asm) => keepsInlinePtx(asm.template),
    adaptUnit: (unit) => {
      useGpuFunctions(unit, known);
    },
    isProvided: isLibraryInstruction,
  });
}
