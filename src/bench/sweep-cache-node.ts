/**
 * Results of earlier sweeps, cached by the content of the kernel, its space, the shape and the device: edits elsewhere
 * do not invalidate them.
 */
import { createHash } from "node:crypto";
import type { SyncStore } from "../store/disk-store-node.ts";
import type { SweepKey, SweepMemory } from "./sweep.ts";
import type { Surroundings, Trial } from "./results.ts";

/** Changes whenever the meaning of an entry does. */
const FORMAT = "sweep 2";

export function sweepCache(store: SyncStore, { machine, device, heddle }: Surroundings): SweepMemory {
  const keyOf = (key: SweepKey): string =>
    createHash("sha256")
      .update(JSON.stringify([FORMAT, heddle, machine.host, machine.cpu, machine.cores, device, key]))
      .digest("hex");
  return {
    get: (key) => {
      const bytes = store.get(keyOf(key));
      return bytes === null ? null : (JSON.parse(new TextDecoder().decode(bytes)) as Trial[]);
    },
    put: (key, trials) => store.put(keyOf(key), new TextEncoder().encode(JSON.stringify(trials))),
  };
}
