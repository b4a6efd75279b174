/** `heddle compile --emit ptx`, `heddle nvcc -ptx`: the text that a GPU's driver is given for a program. */
import type { DataModel } from "../base/data-model.ts";
import type { DeviceProgram } from "../program/device-program.ts";
import { CONSTANT_ALIAS, GLOBAL_START, WINDOW_BYTES } from "../ptx/address-map.ts";
import { emitPtxModule } from "../ptx/emit-module.ts";
import { createPtxPipeline } from "../ptx/link-program.ts";

/** Where the window lies that the pointers point into: that of a process with one GPU. */
const WINDOW_BASE: bigint = 32n * WINDOW_BYTES;

/** Of a program's PTX. */
export interface PtxForm {
  /** "sm_90" and the like. */
  readonly arch: string;
  readonly model: DataModel["name"];
  /** `.loc` before the instructions of a source line. */
  readonly lineInfo?: boolean;
}

/** @param libraryIr for the form's model. */
export function ptxText(program: DeviceProgram, libraryIr: string, { arch, model, lineInfo = false }: PtxForm): string {
  const number = Number(/\d+/.exec(arch)?.[0] ?? 80);
  const isWide = model === "lp64";
  const module = createPtxPipeline(libraryIr, isWide ? 64 : 32)([program]);
  const { text } = emitPtxModule(module, {
    computeCapability: { major: Math.floor(number / 10), minor: number % 10 },
    ptxVersion: { major: 8, minor: 4 },
    window: isWide ? null : { windowBase: WINDOW_BASE, variablesBase: GLOBAL_START, constantsBase: CONSTANT_ALIAS },
    lineInfo,
  });
  if (isWide) return `// What Heddle gives a GPU's driver for ${program.name}.\n${text}`;
  return (
    `// What Heddle gives a GPU's driver for ${program.name}. Pointers of the program have 32 bits: they are\n` +
    `// offsets into 4 GiB of GPU memory at 0x${WINDOW_BASE.toString(16)}.\n${text}`
  );
}
