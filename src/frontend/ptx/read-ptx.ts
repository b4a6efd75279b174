/**
 * The front end for PTX: a module's text becomes IR for the emulated device (PTX ISA 8.5).
 *
 *   parseModulePtx    text → declarations and instructions
 *   Symbols           variables and functions
 *   lowerFunction     registers → SSA values, instructions → IR, as inline assembly's
 *
 * Addresses have 32 bits there, whatever .address_size says: a kernel's pointers take as many bytes among its arguments
 * as the text says.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { newModule } from "../../ir/model/build-module.ts";
import type { IrModule } from "../../ir/model/ir.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import { lowerFunction } from "./lower-function.ts";
import { parseModulePtx } from "./parser.ts";
import { Symbols } from "./symbols.ts";
import type { PtxModuleSyntax } from "./syntax.ts";
import { PtxText } from "./tokens.ts";

export interface PtxProgram extends DeviceProgram {
  readonly ir: IrModule;
  /** sm_80 as 80 */
  readonly architecture: number;
  readonly version: PtxModuleSyntax["version"];
}

/**
 * @param name of the text, in messages
 * @throws HeddleError "compile-error" for what is no PTX, "unsupported" for an instruction that Heddle does not have;
 *   both with line and column
 */
export function readPtx(text: string, name: string): PtxProgram {
  const syntax = parseModulePtx(text, name);
  const module = newModule(name);
  const source = new PtxText(name, text);
  const symbols = new Symbols(module, source, syntax);
  for (const fn of syntax.functions) lowerFunction(fn, symbols, source, syntax.addressBits);
  for (const fn of module.functions.values()) if (fn.linkage === "defined") fn.linkage = "external";
  const [, architecture] = /^sm_(\d+)/.exec(syntax.target[0] ?? "") ?? [];
  if (architecture === undefined)
    throw new HeddleError("unsupported", `${name}: code for ${syntax.target[0] ?? "no target"}`);
  return {
    ir: module,
    name,
    content: { key: text, move: null },
    // Contraction was decided where the text was made, but for what it leaves open.
    options: { fmad: true },
    architecture: Number(architecture),
    version: syntax.version,
  };
}
