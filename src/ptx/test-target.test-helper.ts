/** What the tests of this folder make PTX for. */
import { CONSTANT_ALIAS, GLOBAL_START } from "./address-map.ts";
import type { PtxTarget } from "./ptx-module.ts";

export const TEST_TARGET: PtxTarget = {
  computeCapability: { major: 9, minor: 0 },
  ptxVersion: { major: 8, minor: 4 },
  windowBase: 0x20_0000_0000n,
  variablesBase: GLOBAL_START,
  constantsBase: CONSTANT_ALIAS,
  lineInfo: false,
};
