/** All functions of the CUDA runtime API that exist, in groups. docs/support.md is made from it. */
import type { ApiGroup } from "./api-table.ts";
import { arrayApi } from "./arrays.ts";
import { cuptiApi } from "./cupti.ts";
import { deviceApi } from "./devices.ts";
import { errorApi } from "./error-handling.ts";
import { executionApi } from "./execution.ts";
import { graphApi } from "./graphs.ts";
import { libraryApi } from "./library-calls.ts";
import { memoryApi } from "./memory.ts";
import { moduleApi } from "./modules.ts";
import { nvrtcApi } from "./nvrtc.ts";
import { nvtxApi } from "./nvtx.ts";
import { streamApi } from "./streams.ts";
import { tensorMapApi } from "./tensor-maps.ts";
import { textureApi } from "./textures.ts";
import { virtualMemoryApi } from "./virtual-memory.ts";

export const cudaApi: readonly ApiGroup[] = [
  deviceApi,
  errorApi,
  executionApi,
  memoryApi,
  arrayApi,
  textureApi,
  tensorMapApi,
  streamApi,
  graphApi,
  libraryApi,
  moduleApi,
  nvrtcApi,
  nvtxApi,
  cuptiApi,
  virtualMemoryApi,
];
