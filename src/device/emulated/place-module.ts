/** Places a program in the memory of an emulated device, and again for a tool that has given up its shadow memory. */
import type { LoadedProgram } from "../../engine/executor.ts";
import { loadProgram } from "../../engine/load-program.ts";
import type { IrModule } from "../../ir/model/ir.ts";
import type { DeviceProgram } from "../../program/device-program.ts";
import type { EmulatedDeviceParts } from "./device-parts.ts";
import { EmulatedModule } from "./emulated-module.ts";

/**
 * @param ir what `prepare` has made of the programs.
 * @throws what placing throws; then nothing is left in memory
 */
export function placeModule(
  ir: IrModule,
  programs: readonly DeviceProgram[],
  {
    memory,
    observer,
    prepare,
    prepareNear,
    keptCode,
  }: Pick<EmulatedDeviceParts, "memory" | "observer" | "prepare" | "prepareNear" | "keptCode">,
  onUnload: (module: EmulatedModule) => void,
): EmulatedModule {
  const owned: number[] = [];
  const allocate = (bytes: number, align: number): number => {
    const block = memory.allocate(bytes, { align }, "module");
    owned.push(block.start);
    return block.start;
  };
  const usesShadow = memory.shadowPlanes > 0;
  const ofTool = (name: string): number | null => observer?.addressOf?.(name) ?? null;
  const options = { fmad: programs.every(({ options: { fmad } }) => fmad) };
  try {
    const placed = loadProgram(ir, { allocate, memory: memory.wasm, placed: ofTool }, options);
    const content = observer === null ? (keptCode?.contentOf(programs, placed) ?? null) : null;
    const loaded: LoadedProgram = content === null ? placed : { ...placed, content };
    // The same variables with what they hold, and the same addresses of functions.
    const reload = (again: IrModule): LoadedProgram =>
      loadProgram(
        again,
        {
          allocate,
          memory: memory.wasm,
          // Shadow memory may lie elsewhere now.
          placed: (name) => ofTool(name) ?? loaded.globalAddresses.get(name) ?? null,
          numbered: [...loaded.functionAddresses.keys()],
        },
        options,
      );
    return new EmulatedModule(loaded, memory, owned, onUnload, {
      reload: usesShadow ? () => reload(prepare(programs)) : null,
      near: prepareNear == null ? null : () => reload(prepareNear(programs)),
    });
  } catch (error) {
    for (const address of owned) memory.free(address);
    throw error;
  }
}
