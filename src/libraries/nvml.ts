/** NVML: what the CUDA runtime knows of the devices, as NVML's functions. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const NVML: LibraryManifest = manifest({
  name: "nvidia-ml",
  title: "NVML",
  linkNames: ["nvidia-ml"],
  headers: ["nvml.h"],
  symbolPrefix: "nvml",
  sources: {
    folder: "libraries/nvml",
    units: ["answered.cpp", "answers.cpp", "boards.cpp", "devices.cpp", "events.cpp", "system.cpp"],
    linked: "when-called",
  },
  vendor: {
    files: { linux: ["libnvidia-ml.so.1"], win32: ["nvml.dll"] },
    comesWith: "driver",
    handles: [{ kind: "plan", create: ["nvmlInit_v2"], destroy: "nvmlShutdown" }],
  },
  has: "what the CUDA runtime knows of devices; of a GPU, what the machine's own NVML tells of the board, too",
  lacks: "what only a board has is not supported without a GPU: sensors, vGPU, MIG, events, samples",
});
