/** What an emulated device is made of. */
import type { IrModule } from "../../ir/model/ir.ts";
import type { DeviceObserver } from "../../machine/observer.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { GridRunner } from "./grid-runner.ts";
import type { KeptCode } from "./kept-code.ts";
import type { DeviceMemory } from "./memory.ts";

/** What siblings have in common. */
export interface EmulatedDeviceParts {
  readonly memory: DeviceMemory;
  readonly runner: GridRunner;
  /** Turns a front end's programs into IR that is ready to be placed (program-pipeline.ts). */
  readonly prepare: (programs: readonly DeviceProgram[]) => IrModule;
  /** The same with pointers of 32 bits, where `prepare` makes pointers of 64; else absent or null. */
  readonly prepareNear?: ((programs: readonly DeviceProgram[]) => IrModule) | null;
  /** The tool that watches, if any. */
  readonly observer: DeviceObserver | null;
  /** Skip launches whose result is already in memory (launch-reuse.ts). */
  readonly reuse: boolean;
  /** Compiled kernels of earlier runs, if they are kept. */
  readonly keptCode?: KeptCode | null;
}
