/**
 * From a front end's text to IR that can be placed in memory:
 *
 *   parseModule       text → model; one module for each translation unit
 *   lowerInlinePtx    inline PTX → IR and calls of the device library
 *   fuseMultiplyAdd   a*b+c → fma where the source allows it, and -fmad=false was not given; not in the device library
 *   linkModules       one module, with the device library's functions that are called
 */
import type { IrModule } from "../../ir/ir.ts";
import { linkModules } from "../../ir/link.ts";
import { parseModule, parseModuleLazily, type LazyModule } from "../../ir/parse.ts";
import { fuseMultiplyAdd } from "../../ir/pass-contract.ts";
import { lowerInlinePtx } from "../../ir/pass-inline-ptx.ts";
import type { DeviceProgram } from "../device.ts";

/**
 * @param libraryIr the text of the device library's IR (`__nv_*` and the like), or null for none.
 * @throws HeddleError "invalid-ir" with the line, "link-error"
 */
export function createProgramPipeline(libraryIr: string | null): (programs: readonly DeviceProgram[]) => IrModule {
  let library: LazyModule | null = null;
  return (programs) => {
    const units = programs.map((program) => {
      const unit = parseModule(program.ir, program.name);
      lowerInlinePtx(unit);
      if (program.options.fmad) fuseMultiplyAdd(unit);
      return unit;
    });
    // Linking copies what is called and leaves the library as it is.
    if (libraryIr !== null) library ??= parseModuleLazily(libraryIr, "libdevice");
    return linkModules(units, library);
  };
}
