/** Findings about calls that are wrong, even if the program handles the error that they return. */
import { unsigned } from "../../../base/unsigned.ts";
import type { Place } from "../../../base/source-places.ts";
import type { Checks } from "../../../check/checks.ts";
import type { FindingDraft, Note } from "../../../check/finding.ts";
import type { CudaContext } from "../context.ts";
import { copySpans } from "../work/copy.ts";
import { type CopyRequest } from "../work/requests.ts";
import { errorName, hex, type CudaFailure, type Misuse } from "../errors.ts";
import type { HostAllocations } from "./host-allocations.ts";

const SIDES = ["host to host", "host to device", "device to host", "device to device"] as const;
const KINDS = [
  "cudaMemcpyHostToHost",
  "cudaMemcpyHostToDevice",
  "cudaMemcpyDeviceToHost",
  "cudaMemcpyDeviceToDevice",
  "cudaMemcpyDefault",
] as const;
const INFER = 4;

export interface MisuseSurroundings {
  readonly checks: Checks;
  readonly cuda: CudaContext;
  readonly hostAllocations: HostAllocations;
  /** Where streams and events were destroyed. */
  readonly destroyed: ReadonlyMap<number, Place>;
  /** The copy that the call asks for; null: it is no copy, or did not come so far. */
  readonly copy: CopyRequest | null;
}

/** The finding behind the failure of a call; null: none. */
export function misuseDraft(
  name: string,
  { misuse, code, detail }: CudaFailure,
  around: MisuseSurroundings,
): FindingDraft | null {
  if (misuse === null) return null;
  const notes: Note[] = [
    ...(detail === undefined ? [] : [{ text: detail }]),
    ...about(misuse, around),
    { text: `the call does nothing, and returns ${errorName(code)}` },
  ];
  return {
    ...classify(misuse, around),
    message: name,
    notes,
    details: { call: name, error: errorName(code), ...misuse },
  };
}

function classify(
  misuse: Misuse,
  { checks, cuda, copy }: MisuseSurroundings,
): Pick<FindingDraft, "kind" | "title" | "help"> {
  switch (misuse.kind) {
    case "beyond-allocation":
      return {
        kind: "copy-out-of-bounds",
        title: "copy out of bounds",
        help: "compare the size with the allocation's; sizes are in bytes: elements times sizeof",
      };
    case "wrong-direction":
      return WRONG_DIRECTION;
    case "wrong-pointer": {
      if (
        copy !== null &&
        copy.kind !== INFER &&
        actualSides(cuda, copy) !== null &&
        actualSides(cuda, copy) !== SIDES[copy.kind]
      )
        return WRONG_DIRECTION;
      if (checks.wasFreed(misuse.address))
        return {
          kind: "use-after-free",
          title: "copy through freed memory",
          help: "free the memory after its last use",
        };
      return {
        kind: "wrong-pointer",
        title: "wrong pointer",
        help:
          "give device memory where the call takes device memory, and host memory where it takes that; " +
          "check that allocations succeeded",
      };
    }
    case "bad-free": {
      if (checks.wasFreed(misuse.address))
        return {
          kind: "double-free",
          title: "double free",
          help: "free memory once: set the pointer to null behind it, or let one owner free it",
        };
      const owner = cuda.ownerOf(misuse.address);
      if (owner !== null && owner.pointer !== misuse.address)
        return {
          kind: "free-inside",
          title: "free inside an allocation",
          help: "free the pointer that the allocation returned, before anything is added to it",
        };
      return {
        kind: "invalid-free",
        title: "invalid free",
        help:
          "cudaFree takes what cudaMalloc and cudaMallocManaged give, cudaFreeHost what cudaMallocHost gives, " +
          "free what malloc gives",
      };
    }
    case "in-capture":
      return IN_CAPTURE;
    case "destroyed-handle": {
      const table = misuse.what === "stream" ? cuda.streams : cuda.events;
      if (!table.wasMade(misuse.handle))
        return {
          kind: "invalid-handle",
          title: `no ${misuse.what}`,
          help: `create the ${misuse.what} before it is used, and check that that succeeded`,
        };
      return {
        kind: "use-after-destroy",
        title: `use of a destroyed ${misuse.what}`,
        help: `destroy the ${misuse.what} after its last use, once`,
      };
    }
  }
}

const IN_CAPTURE = {
  kind: "call-in-capture",
  title: "a call that a capture refuses",
  help:
    "make this call before the capture begins or after it has ended, or capture in a mode that lets it pass " +
    "(cudaStreamCaptureModeThreadLocal for other threads' calls, cudaStreamCaptureModeRelaxed for all that are " +
    "not on captured streams)",
};
const WRONG_DIRECTION = {
  kind: "wrong-direction",
  title: "wrong copy direction",
  help: "name the direction of the pointers, destination first, or cudaMemcpyDefault",
};

function about(
  misuse: Misuse,
  { checks, cuda, hostAllocations, destroyed, copy }: MisuseSurroundings,
): readonly Note[] {
  if (misuse.kind === "in-capture") return [{ text: "the capture is invalid from here on" }];
  if (misuse.kind === "destroyed-handle") {
    const place = destroyed.get(unsigned(misuse.handle))?.() ?? null;
    return place === null ? [] : [{ text: `the ${misuse.what} was destroyed here`, location: place }];
  }
  const direction = copy === null ? null : directionNote(cuda, copy);
  if (misuse.kind === "wrong-direction") return direction === null ? [] : [direction];
  const own = checks.notesOn(misuse.address);
  if (own.length > 0) return own;
  const host = hostAllocations.find(misuse.address);
  const place = host?.place?.() ?? null;
  return [
    ...(direction === null ? [] : [direction]),
    ...(place === null ? [] : [{ text: `${hex(misuse.address)} is host memory, allocated here`, location: place }]),
  ];
}

/** "host to device" by the pointers; null: one of them is in no memory, or in both. */
function actualSides(cuda: CudaContext, copy: CopyRequest): string | null {
  const side = (address: number): "host" | "device" | null => {
    const isDevice = cuda.ownerOf(address) !== null;
    const isHost = address >= 1024 && address < cuda.memory.size;
    if (isDevice === isHost) return null;
    return isDevice ? "device" : "host";
  };
  const [to, from] = [side(copy.to.address), side(copy.from.address)];
  return to === null || from === null ? null : `${from} to ${to}`;
}

/** Where the kind of a copy is not what its pointers say. */
export function directionNote(cuda: CudaContext, copy: CopyRequest): Note | null {
  const actual = actualSides(cuda, copy);
  return actual === null || copy.kind === INFER || actual === SIDES[copy.kind]
    ? null
    : { text: `the pointers say ${actual}, the call says ${KINDS[copy.kind] ?? copy.kind}` };
}

/** What is wrong with a copy that succeeds: a kind that the driver overlooks, or host memory that it leaves. */
export function copyDrafts(
  name: string,
  copy: CopyRequest,
  { cuda, hostAllocations }: Pick<MisuseSurroundings, "cuda" | "hostAllocations">,
): FindingDraft[] {
  const drafts: FindingDraft[] = [];
  // Managed and pinned memory is both sides'.
  const shared = [copy.to.address, copy.from.address].some(
    (address) => cuda.mirrored.find(address) !== null || cuda.mirrored.findDevice(address) !== null,
  );
  const direction = shared ? null : directionNote(cuda, copy);
  if (direction !== null) {
    const notes: Note[] = [
      direction,
      {
        text:
          "the driver goes by the pointers where unified addressing lets it; " +
          "elsewhere the copy fails, or copies something else",
      },
    ];
    drafts.push({
      ...WRONG_DIRECTION,
      level: "warning",
      message: name,
      notes,
      details: { call: name, copyKind: copy.kind },
    });
  }
  const spans = copySpans(copy);
  for (const [end, bytes, access] of [
    [copy.to.address, spans.to, "writes"],
    [copy.from.address, spans.from, "reads"],
  ] as const) {
    const host = cuda.ownerOf(end) === null && cuda.mirrored.find(end) === null ? hostAllocations.find(end) : null;
    if (host === null || end + bytes <= host.start + host.bytes) continue;
    const place = host.place?.() ?? null;
    const past = end + bytes - host.start - host.bytes;
    const notes: Note[] = [
      { text: `it ${access} ${past} bytes past the end of a host allocation of ${host.bytes} bytes` },
      ...(place === null ? [] : [{ text: "the host allocation was made here", location: place }]),
    ];
    drafts.push({
      kind: "copy-out-of-bounds",
      title: "copy out of bounds",
      message: name,
      notes,
      help: "compare the size with the allocation's; sizes are in bytes: elements times sizeof",
      details: { call: name, side: "host", start: host.start, size: host.bytes, bytes },
    });
  }
  return drafts;
}
