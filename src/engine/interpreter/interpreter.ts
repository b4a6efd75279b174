/**
 * The interpreter: the definition of what a kernel means, against which the compiled tiers are tested.
 *
 * It carries out the IR thread by thread, one instruction at a time, and is written to be read. Where LLVM, PTX or CUDA
 * leave something open, the choice is made, and stated, in one of these files:
 *   scalar-operations.ts   shifts, divisions by zero, conversions that do not fit, fast-math flags
 *   value.ts               undef and poison are zero; NaNs have no sign or payload to rely on
 *   memory.ts              which addresses are legal, which alignment is needed
 *   collectives.ts         who takes part in a warp's collective; what activemask says
 *   barriers.ts            who counts at a barrier
 *   product-groups.ts      when the products of a warpgroup are done
 *   deadlock-proof.ts      when a thread yields, and the proof that a launch is deadlocked
 *   nvvm-functions.ts      approximate functions
 * Memory is sequentially consistent: threads take turns.
 */
import type { IrFunction } from "../../ir/model/ir.ts";
import type { Executor } from "../executor.ts";
import { lowerFunction } from "./function-code.ts";
import { type FunctionCode } from "./thread.ts";
import type { Grid, InterpreterOptions } from "./grid.ts";
import { DeviceMemory } from "./memory.ts";
import { runGrid } from "./scheduler.ts";

const DEFAULT_QUANTUM = 20_000;

export function createInterpreter(options: InterpreterOptions = {}): Executor {
  return {
    name: "interpreter",
    run(program, kernel, launch, memory, host) {
      const codes = new Map<IrFunction, FunctionCode>();
      const grid: Grid = {
        program,
        kernel,
        launch,
        host,
        memory: new DeviceMemory(memory, launch.memoryTop),
        quantum: options.quantum ?? DEFAULT_QUANTUM,
        codeOf(fn) {
          let code = codes.get(fn);
          if (code === undefined) codes.set(fn, (code = lowerFunction(fn, grid)));
          return code;
        },
      };
      return runGrid(grid, options);
    },
  };
}
