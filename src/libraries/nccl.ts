/** NCCL: communicators over the devices of one or several processes, and NVIDIA's library on GPUs whose user has it. */
import { manifest, type LibraryManifest } from "./manifest.ts";

export const NCCL: LibraryManifest = manifest({
  name: "nccl",
  title: "NCCL",
  linkNames: ["nccl", "nccl_static"],
  headers: ["nccl.h"],
  symbolPrefix: "nccl",
  sources: {
    folder: "libraries/nccl",
    units: ["nccl.cpp", "processes.cpp", "exchange.cpp", "collectives.cu", "copies.cu"],
    linked: "when-called",
  },
  wrongCalls: { 4: "ncclInvalidArgument", 5: "ncclInvalidUsage", 6: "ncclRemoteError" },
  vendor: {
    files: { linux: ["libnccl.so.2"], win32: [] },
    comesWith: "toolkit",
    handles: [{ kind: "device-group", create: "ncclCommInitAll", destroy: "ncclCommDestroy" }],
  },
  has: "communicators over the devices of one or several processes, all collectives, point to point, groups, all types",
  lacks: "the device API (`nccl_device.h`), windows for one-sided copies",
});
