/** What runs compiled kernels, by the tier that compiled them. Loaded by every thread that runs blocks. */
import type { BlockRunnerFactory } from "./backend.ts";
import { THREAD_BACKEND } from "./thread-tier/metadata.ts";
import { threadRunner } from "./thread-tier/runner.ts";
import { WARP_BACKEND } from "./warp-tier/metadata.ts";
import { warpRunner } from "./warp-tier/runner.ts";

export const BLOCK_RUNNERS: Readonly<Record<string, BlockRunnerFactory>> = {
  [WARP_BACKEND]: warpRunner,
  [THREAD_BACKEND]: threadRunner,
};
