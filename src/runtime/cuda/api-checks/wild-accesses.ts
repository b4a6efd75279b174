/** Accesses of the host program to what is no memory of the host: through null pointers and pointers to the device. */
import { NULL_PAGE_BYTES } from "../../../base/data-model.ts";
import type { Checks } from "../../../check/checks.ts";
import { countedBytes, type FindingDraft } from "../../../check/finding.ts";
import type { CudaContext } from "../context.ts";
import type { HostAllocations } from "./host-allocations.ts";

export interface HostAccess {
  readonly address: number;
  readonly bytes: number;
  readonly isWrite: boolean;
}

/** The finding about an access; null: it may be right. */
export function wildAccess(
  access: HostAccess,
  { cuda, checks, allocations }: { cuda: CudaContext; checks: Checks; allocations: HostAllocations },
): FindingDraft | null {
  const { address, bytes, isWrite } = access;
  const message = `${isWrite ? "write" : "read"} of ${countedBytes(bytes)} by the host`;
  const details = { access: isWrite ? "write" : "read", bytes, address };
  if (address < NULL_PAGE_BYTES)
    return {
      kind: "null-pointer",
      title: "null pointer",
      message,
      notes: cuda.options.guard.failed
        .slice(0, 1)
        .map(({ bytes: wanted, location }) => ({ text: `an allocation of ${wanted} bytes failed here`, location })),
      help: "compare what an allocation returns with a null pointer before it is used",
      details,
    };
  if (cuda.mirrored.find(address) !== null || cuda.ownerOf(address) === null) return null;
  // The host's memory may have grown over addresses of the device.
  if (address + bytes <= cuda.memory.size && allocations.mayHold(address)) return null;
  return {
    kind: "device-pointer-on-host",
    title: "device pointer used by the host",
    message,
    notes: checks.notesOn(address),
    help: "copy the data with cudaMemcpy first, or allocate it with cudaMallocManaged",
    details,
  };
}
