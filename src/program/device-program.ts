/** The hand-over from front ends to devices. */

/** A compiled device program, as a front end delivers it. */
export interface DeviceProgram {
  /** LLVM IR text of the device side. */
  readonly ir: string;
  /** Names the program in messages. */
  readonly name: string;
  /** -fmad=false, --use_fast_math and the like that code generation must know. */
  readonly options: { readonly fmad: boolean };
}
