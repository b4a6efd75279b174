/**
 * From a front end's text to IR that can be placed in memory, or written as PTX:
 *
 *   parseModule           text → model; one module for each translation unit. A module that is handed over is copied
 *   takeAnnotations   annotations of kernels become attributes
 *   narrowPointers    64-bit pointers → 32-bit ones, on a device with addresses of 32 bits
 *   lowerInlinePtx    inline PTX → IR and calls of the device library
 *   lowerAtomicScopes     scopes, and CUDA's own atomic functions
 *   adaptUnit         forms that only this device has
 *   fuseMultiplyAdd   a*b+c → fma where the source and -fmad allow it; not in the device library
 *   linkModules       one module, with the device library's functions that are called
 *   dropUnusedDeclarations   variables that unoptimized code declares and does not use (threadIdx)
 *   observer          a tool's own code, if an observer is attached (machine/observer.ts)
 */
import { ModuleText } from "../ir/text/excerpt.ts";
import { unsupported } from "../base/diagnostics.ts";
import type { InlineAsm, IrFunction, IrModule, IrValue, PointerBits } from "../ir/model/ir.ts";
import { linkModules } from "../ir/link.ts";
import { parseModule, parseModuleLazily } from "../ir/text/parse.ts";
import { fuseMultiplyAdd } from "../ir/passes/pass-contract.ts";
import { lowerAtomicScopes } from "../ir/passes/pass-cuda-atomics.ts";
import { takeAnnotations } from "../ir/passes/pass-annotations.ts";
import { narrowPointers } from "../ir/passes/pass-narrow-pointers.ts";
import { lowerInlinePtx } from "../ir/inline-ptx/pass-inline-ptx.ts";
import type { DeviceObserver } from "../machine/observer.ts";
import type { DeviceProgram } from "./device-program.ts";
import { cloneModule } from "../ir/model/clone.ts";
import { forEachSymbol } from "../ir/model/constant-symbols.ts";
import { operandsOf } from "../ir/model/operands.ts";
import { pointerBitsOf } from "../ir/model/layout.ts";

/** What a device takes care of itself. */
export interface TargetHooks {
  /** Statements of inline PTX that stay as they are. */
  keepsInlinePtx(asm: InlineAsm): boolean;
  /** Changes a unit in place. */
  adaptUnit(unit: IrModule): void;
  /** Functions that need no body from the device library. */
  isProvided(name: string): boolean;
  /** Whether IR with 64-bit pointers is narrowed for a target with 32-bit ones; else it is refused. */
  readonly narrowsPointers: boolean;
}

const NO_FORMS: TargetHooks = {
  keepsInlinePtx: () => false,
  adaptUnit: () => {},
  isProvided: () => false,
  narrowsPointers: true,
};

/**
 * @param libraryIr the text of the device library's IR (`__nv_*` and the like), or null for none.
 * @param pointerBits the width of pointers in the IR that the device takes.
 * @throws HeddleError "invalid-ir" with the line, "link-error", "unsupported" for IR with other pointers
 */
export function createProgramPipeline(
  libraryIr: string | null,
  observer: DeviceObserver | null = null,
  own: TargetHooks = NO_FORMS,
  pointerBits: PointerBits = 32,
): (programs: readonly DeviceProgram[]) => IrModule {
  let library: ModuleText | null = null;
  return (programs) => {
    const units = programs.map((program) => {
      const unit = typeof program.ir === "string" ? parseModule(program.ir, program.name) : cloneModule(program.ir);
      takeAnnotations(unit);
      fitPointers(unit, program.name, pointerBits, own.narrowsPointers);
      lowerInlinePtx(unit, (asm) => own.keepsInlinePtx(asm));
      lowerAtomicScopes(unit);
      own.adaptUnit(unit);
      if (program.options.fmad) fuseMultiplyAdd(unit);
      return unit;
    });
    const written = new Set<IrFunction>(
      observer === null
        ? []
        : units.flatMap((unit) => [...unit.functions.values()].filter(({ blocks }) => blocks.length > 0)),
    );
    if (libraryIr !== null) library ??= new ModuleText(libraryIr);
    const called = observer?.libraryFunctions ?? [];
    const wanted = [...units.flatMap(undefinedNames).filter((name) => !own.isProvided(name)), ...called];
    const module = linkModules(
      units,
      library === null ? null : parseModuleLazily(library.excerpt(wanted), "libdevice"),
      called,
    );
    dropUnusedDeclarations(module);
    observer?.loading?.(programs);
    observer?.instrument?.(module, written);
    return module;
  };
}

function dropUnusedDeclarations(module: IrModule): void {
  const declared = [...module.globals.values()].filter((global) => global.initializer === null);
  if (declared.length === 0) return;
  const used = new Set<IrValue>();
  const use = (value: IrValue): void => forEachSymbol(value, (symbol) => used.add(symbol));
  for (const global of module.globals.values()) if (global.initializer !== null) use(global.initializer);
  for (const fn of module.functions.values())
    for (const block of fn.blocks)
      for (const instruction of block.instructions) for (const operand of operandsOf(instruction)) use(operand);
  for (const global of declared) if (!used.has(global)) module.globals.delete(global.name);
}

function fitPointers(unit: IrModule, name: string, pointerBits: PointerBits, narrows: boolean): void {
  const own = pointerBitsOf(unit);
  if (own === 64 && pointerBits === 32 && narrows) narrowPointers(unit);
  else if (own !== pointerBits)
    throw unsupported(
      `${name}: IR with ${own}-bit pointers on a device that takes IR with ${pointerBits}-bit pointers`,
    );
}

/** What a unit declares and does not define. */
function undefinedNames(unit: IrModule): string[] {
  const functions = [...unit.functions.values()].filter((fn) => fn.blocks.length === 0);
  const globals = [...unit.globals.values()].filter((global) => global.initializer === null);
  return [...functions, ...globals].map(({ name }) => name);
}
