/** A function under construction, as the parts of the compiler see it (function-compiler.ts makes it). */
import type { IrBlock, IrInstruction, IrValue } from "../../ir/model/ir.ts";
import type { FunctionBuilder, Local } from "../../wasm/function-builder.ts";
import type { FaultCode, ScalarContext } from "../emit/environment.ts";
import type { FunctionPlan } from "./function-plan.ts";
import type { ProgramCompiler } from "./program-compiler.ts";
import type { LiveValue, Segment } from "./segments.ts";

export interface FunctionContext {
  readonly program: ProgramCompiler;
  readonly plan: FunctionPlan;
  readonly code: FunctionBuilder;
  /** The parameters of every compiled function: addresses of its frame and of its thread's context. */
  readonly frame: Local;
  readonly context: Local;
  /** The number of the place at which to resume; 0 while the function runs. */
  readonly pc: Local;
  readonly localBase: Local;
  readonly sharedBase: Local;
  /** Iterations of spinning loops that are left until the thread yields. */
  readonly fuel: Local;
  readonly usesLocalStack: boolean;
  readonly scalar: ScalarContext;
  localsOf(value: LiveValue): readonly Local[];
  /** Pushes a leaf of a value. */
  get(value: IrValue, component?: number): void;
  /** Pops into a leaf of a result. */
  set(instruction: IrInstruction, component?: number): void;
  /** Writes a fault record and returns. */
  fault(
    reason: FaultCode,
    instruction: IrInstruction,
    address?: Local,
    bytes?: Local | { readonly constant: number },
  ): void;
  loadSlot(local: Local, offset: number): void;
  /** Saves what `segment` needs and returns. */
  stopAt(segment: Segment, pushStatus: () => void): void;
  /** Lets other threads run. `place`: where a deadlock report says that the thread waits. */
  yieldAt(segment: Segment, place: IrInstruction): void;
  /** Loads what `segment` needs. */
  reload(segment: Segment): void;
  emitSegment(segment: Segment, goBlock: (block: IrBlock) => void, goSegment: (index: number) => void): void;
}
