/** All functions of the CUDA runtime API that exist, in groups. docs/support.md is made from it. */
import type { ApiGroup } from "./cuda-api.ts";
import { arrayApi } from "./cuda-arrays.ts";
import { deviceApi } from "./cuda-devices.ts";
import { errorApi } from "./cuda-errors-api.ts";
import { executionApi } from "./cuda-execution.ts";
import { graphApi } from "./cuda-graphs.ts";
import { libraryApi } from "./cuda-libraries.ts";
import { memoryApi } from "./cuda-memory.ts";
import { streamApi } from "./cuda-streams.ts";
import { textureApi } from "./cuda-textures.ts";

export const cudaApi: readonly ApiGroup[] = [
  deviceApi,
  errorApi,
  executionApi,
  memoryApi,
  arrayApi,
  textureApi,
  streamApi,
  graphApi,
  libraryApi,
];
