/** The IR of a program in both forms. Apart from DeviceProgram, so that compilers need neither parser nor printer. */
import type { IrModule } from "../ir/model/ir.ts";
import { parseModule } from "../ir/text/parse.ts";
import { printModule } from "../ir/text/print.ts";
import type { DeviceProgram } from "./device-program.ts";

/** @throws HeddleError "invalid-ir" with the line */
export function moduleOf({ ir, name }: DeviceProgram): IrModule {
  return typeof ir === "string" ? parseModule(ir, name) : ir;
}

export function textOf({ ir }: DeviceProgram): string {
  return typeof ir === "string" ? ir : printModule(ir);
}
