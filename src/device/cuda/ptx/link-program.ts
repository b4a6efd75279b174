/**
 * From a front end's text to linked IR for a GPU. As common/program-pipeline.ts, but for what the GPU does better:
 *
 *   parseModule        text → model; one module for each translation unit
 *   lowerInlinePtx     only inline PTX that reads or writes memory by a pointer: other statements are for the GPU as they are
 *   useGpuFunctions    functions of the device library that have a form for the GPU, and what LLVM has as an operation and PTX has not
 *   fuseMultiplyAdd    a*b+c → fma where the source allows it, and -fmad=false was not given
 *   linkModules        with what is called of the device library; functions that are PTX instructions stay declared
 */
import { ModuleText } from "../../../ir/excerpt.ts";
import type { IrModule } from "../../../ir/ir.ts";
import { linkModules } from "../../../ir/link.ts";
import { parseModule, parseModuleLazily } from "../../../ir/parse.ts";
import { fuseMultiplyAdd } from "../../../ir/pass-contract.ts";
import { lowerInlinePtx } from "../../../ir/pass-inline-ptx.ts";
import type { DeviceProgram } from "../../device.ts";
import { keepsInlinePtx } from "./inline-ptx.ts";
import { isLibraryInstruction } from "./library-functions.ts";
import { useGpuFunctions } from "./pass-gpu-functions.ts";

/**
 * What `emitPtxModule` is given.
 * @param libraryIr the text of the device library's IR
 * @throws HeddleError "invalid-ir" with the line, "link-error"
 */
export function createPtxPipeline(libraryIr: string): (programs: readonly DeviceProgram[]) => IrModule {
  let library: ModuleText | null = null;
  let gpuFunctions: ReadonlySet<string> | null = null;
  return (programs) => {
    library ??= new ModuleText(libraryIr);
    const known = (gpuFunctions ??= new Set([...libraryIr.matchAll(/^define [^@\n]*@(__heddle_gpu_\w+)\(/gm)].map((match) => match[1] as string)));
    const units = programs.map((program) => {
      const unit = parseModule(program.ir, program.name);
      lowerInlinePtx(unit, (asm) => keepsInlinePtx(asm.template));
      useGpuFunctions(unit, known);
      if (program.options.fmad) fuseMultiplyAdd(unit);
      return unit;
    });
    return linkModules(units, parseModuleLazily(library.excerpt(units.flatMap(undefinedNames)), "libdevice"));
  };
}

function undefinedNames(unit: IrModule): string[] {
  const functions = [...unit.functions.values()].filter((fn) => fn.blocks.length === 0 && !isLibraryInstruction(fn.name));
  const globals = [...unit.globals.values()].filter((global) => global.initializer === null);
  return [...functions, ...globals].map(({ name }) => name);
}
