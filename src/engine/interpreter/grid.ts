/** What all threads of a launch share. */
import type { IrFunction } from "../../ir/model/ir.ts";
import type { ExecutorHost, LaunchDescriptor, LoadedKernel, LoadedProgram } from "../executor.ts";
import type { FunctionCode } from "./thread.ts";
import type { DeviceMemory } from "./memory.ts";

export interface InterpreterOptions {
  /**
   * The order in which threads of a block run. Every order is legal: results of race-free kernels do not depend on it.
   */
  readonly order?: "forward" | "reverse";
  /** Steps after which a thread yields at its next backward branch. */
  readonly quantum?: number;
  /** Blocks that are resident from the start. More start if these make no progress. */
  readonly residentBlocks?: number;
  /** The launch ends with the fault "timeout" after this many steps of all threads together. */
  readonly maxSteps?: number;
}

export interface Grid {
  readonly program: LoadedProgram;
  readonly kernel: LoadedKernel;
  readonly launch: LaunchDescriptor;
  readonly memory: DeviceMemory;
  readonly host: ExecutorHost;
  readonly quantum: number;
  /** The steps of a function, made when it is first called. */
  codeOf(fn: IrFunction): FunctionCode;
}
