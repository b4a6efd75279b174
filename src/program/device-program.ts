/** The hand-over from front ends to devices. */
import type { SourceLocation } from "../base/diagnostics.ts";
import type { IrModule } from "../ir/model/ir.ts";

export interface ProgramContent {
  readonly key: string;
  /** Where a line lies that the IR with this key had at first; null: where it was. */
  readonly move: ((location: SourceLocation) => SourceLocation) | null;
}

/** A compiled device program, as a front end delivers it. */
export interface DeviceProgram {
  /**
   * The device side: a module, which nobody changes from here on, or its text. Text is what files, caches and object
   * files hold; a front end that builds IR hands over the module.
   */
  readonly ir: string | IrModule;
  /** Names the program in messages. */
  readonly name: string;
  /**
   * The same for programs with the same IR, up to the lines of its places: for caches. Absent: the text of `ir`, if it
   * is text, and nothing else.
   */
  readonly content?: ProgramContent;
  /** -fmad=false, --use_fast_math and the like that code generation must know. */
  readonly options: { readonly fmad: boolean };
  /** A module in PTX that the program itself brought, for a device that loads it as it is; `ir` is empty then. */
  readonly ptx?: string;
}

/** A program whose IR is text, as Clang writes it. */
export interface TextProgram extends DeviceProgram {
  readonly ir: string;
}
