/** Of which commit, on which machine and with which driver a result is. */
import { availableParallelism, cpus, hostname } from "node:os";
import type { Gpu } from "../library/gpu.ts";
import type { Surroundings } from "./results.ts";
import { askProgram as ask } from "../measure/ask-program-node.ts";

/** Of the repository that the folder is in. */
export function commitOf(folder: string): Pick<Surroundings, "commit" | "dirty"> {
  return {
    commit: ask("git", ["-C", folder, "rev-parse", "HEAD"]),
    dirty: (ask("git", ["-C", folder, "status", "--porcelain", "--untracked-files=no"]) ?? "") !== "",
  };
}

/** @param folder whose repository's commit is meant. */
export function surroundings(gpu: Gpu, folder: string, heddle: string, engine: string): Surroundings {
  const isReal = gpu.raw.kind === "cuda";
  return {
    time: new Date().toISOString(),
    heddle,
    ...commitOf(folder),
    machine: { host: hostname(), cpu: cpus()[0]?.model ?? "unknown", cores: availableParallelism() },
    device: {
      kind: gpu.raw.kind,
      name: gpu.properties.name,
      driver: isReal ? ask("nvidia-smi", ["--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]) : null,
      engine: isReal ? null : engine,
    },
  };
}
