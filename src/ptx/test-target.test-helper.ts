/** What the tests of this folder make PTX for. */
import { CONSTANT_ALIAS, GLOBAL_START } from "./address-map.ts";
import type { PtxTarget } from "./ptx-module.ts";

export const TEST_TARGET: PtxTarget = {
  computeCapability: { major: 9, minor: 0 },
  ptxVersion: { major: 8, minor: 4 },
  window: { windowBase: 0x20_0000_0000n, variablesBase: GLOBAL_START, constantsBase: CONSTANT_ALIAS },
  lineInfo: false,
};

/** For modules with 64-bit pointers. */
export const NATIVE_TARGET: PtxTarget = { ...TEST_TARGET, window: null };

/** IR that was made for 32-bit pointers, read with 64-bit ones. Casts of pointers to numbers change their meaning. */
export function withWidePointers(ir: string): string {
  const layout = 'target datalayout = "e-i64:64-i128:128-i256:256-v16:16-v32:32"';
  return /^target datalayout/m.test(ir) ? ir.replace(/^target datalayout = .*$/m, layout) : `${layout}\n${ir}`;
}
