/**
 * The names of what one tool adds to modules: all begin with the tool's own prefix, so that the code of several tools
 * stands in one module without meeting.
 */
import { bug } from "../base/diagnostics.ts";
import type { Emitter } from "../ir/model/emitter.ts";
import type { IrGlobal, IrModule, IrValue } from "../ir/model/ir.ts";
import { SHARED_SPACE } from "../ir/model/layout.ts";
import { I8, arrayType, ptrType } from "../ir/model/types.ts";
import { TOOL_PREFIX } from "../machine/observer.ts";

export class ToolNamespace {
  readonly prefix: string;

  /** @param tool a word of lower-case letters and digits; the device library's functions for the tool bear it, too. */
  constructor(tool: string) {
    if (!/^[a-z][a-z0-9]*$/.test(tool)) bug(`${tool} is no name for a tool's names to begin with`);
    this.prefix = `${TOOL_PREFIX}${tool}_`;
  }

  name(short: string): string {
    return this.prefix + short;
  }

  /**
   * A variable of the tool in this module, declared where it is missing: raw bytes, whose address the observer alone
   * knows (InstrumentedDevice.variable).
   */
  variable(module: IrModule, short: string): IrGlobal {
    return this.#declared(module, short, {
      type: ptrType(1),
      valueType: arrayType(I8, 0),
      align: 8,
      linkage: "external",
    });
  }

  /** A variable of the tool in the memory of each block, not initialised. */
  shared(module: IrModule, short: string, bytes: number): IrGlobal {
    return this.#declared(module, short, {
      type: ptrType(SHARED_SPACE),
      valueType: arrayType(I8, bytes),
      align: 16,
      linkage: "internal",
    });
  }

  /** A pointer to the byte of a shadow plane that belongs to the byte at `address` (i32): ObservedMemory.shadow. */
  shadowPointer(e: Emitter, plane: number, address: IrValue): IrValue {
    return e.offset(this.variable(e.module, shadowVariable(plane)), address);
  }

  #declared(
    module: IrModule,
    short: string,
    { type, valueType, align, linkage }: Pick<IrGlobal, "type" | "valueType" | "align" | "linkage">,
  ): IrGlobal {
    const name = this.name(short);
    const known = module.globals.get(name);
    if (known !== undefined) return known;
    const made: IrGlobal = {
      kind: "global",
      name,
      type,
      valueType,
      isConstant: false,
      align,
      initializer: null,
      linkage,
    };
    module.globals.set(name, made);
    return made;
  }
}

/** The variable whose address is the distance from memory to a shadow plane. */
export function shadowVariable(plane: number): string {
  return `shadow_${plane}`;
}
