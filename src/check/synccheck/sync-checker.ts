/**
 * Synccheck: barriers and operations of lanes to which not all of their threads come, and launches that end because all
 * threads wait.
 */
import type { Example, FunctionContext, ModuleFacts, Site } from "../../instrument/instrumenter.ts";
import { userLocation } from "../../base/source-places.ts";
import { formatLocation } from "../../base/diagnostics.ts";
import { dim3Unflatten, dim3Volume, formatDim3, type Dim3 } from "../../base/dim3.ts";
import type { IrFunction, IrModule } from "../../ir/model/ir.ts";
import type { DeviceFault, WaitingThreads } from "../../machine/faults.ts";
import type { ObservedLaunch } from "../../machine/observer.ts";
import type { CheckedDevice, Checker } from "../checker.ts";
import { nameOf } from "../checks.ts";
import { type Finding, type FindingDraft, type Note } from "../finding.ts";
import { BARRIER_WORDS, BarrierPlan } from "./barriers.ts";
import { LANE_WORDS } from "./lanes.ts";
import type { SyncSite } from "./sites.ts";
import { GRID_BYTES, GRID_VARIABLE, GRID_WORDS, SyncVisitor, type ModuleSync } from "./sync-visitor.ts";

export type SyncFault =
  | "divergent-barrier"
  | "bad-barrier"
  | "caller-not-in-mask"
  | "mask-mismatch"
  | "inactive-lane"
  | "divergent-grid-sync"
  | "not-cooperative"
  | "deadlock";

/** By kind of fault: all that synccheck finds. */
export const SYNC_TITLES: Readonly<Record<SyncFault, string>> = {
  "divergent-barrier": "barrier not reached by all",
  "bad-barrier": "illegal barrier",
  "caller-not-in-mask": "lane not in its own mask",
  "mask-mismatch": "lanes of the mask do not come",
  "inactive-lane": "value of a lane that takes no part",
  "divergent-grid-sync": "grid barrier not reached by all",
  "not-cooperative": "launch not cooperative",
  deadlock: "deadlock",
};

const HELP: Readonly<Record<SyncFault, string>> = {
  "divergent-barrier":
    "take the barrier out of the branch: all threads of the block must come to the same barrier; keep " +
    "threads without work alive, and guard the work instead",
  "bad-barrier":
    "a block has barriers 0 to 15, the number of threads is a multiple of 32 and the same for all that use the barrier",
  "caller-not-in-mask":
    "name exactly the lanes that call: often __ballot_sync(0xffffffff, condition), computed before the branch",
  "mask-mismatch":
    "name exactly the lanes that come here: compute the mask with __ballot_sync before the branch, or call " +
    "in front of the branch",
  "inactive-lane":
    "read only from lanes that take part: let the whole warp shuffle, and use the value where it is meant",
  "divergent-grid-sync": "let every thread of every block come to grid.sync(): no block may return before it",
  "not-cooperative": "launch with cudaLaunchCooperativeKernel, and check that all blocks fit on the device at once",
  deadlock:
    "see that all threads that wait here are answered: that barriers and masks count those who come, and " +
    "that who waits for a value is not in the way of who writes it",
};

export class SyncChecker implements Checker {
  readonly name = "synccheck";
  readonly shadowPlanes = 0;
  #device: CheckedDevice | null = null;
  #grid = 0;
  #module: ModuleSync | null = null;
  /** Shuffles of this launch that read a lane without part in them, and uses of such values. */
  #shuffles = new Map<Site, Example>();
  #uses: SyncSite[] = [];
  readonly #reported = new Map<string, Finding>();

  attach(device: CheckedDevice): void {
    this.#device = device;
    this.#grid = device.variable(GRID_VARIABLE, GRID_BYTES);
  }

  beginModule(_module: IrModule, own: ReadonlySet<IrFunction>, { uniformity }: ModuleFacts): void {
    this.#module = { uniformity, barriers: new BarrierPlan(own, uniformity), barrierSites: new Map() };
  }

  visitor(context: FunctionContext): SyncVisitor {
    return new SyncVisitor(context, this.#module as ModuleSync);
  }

  launching({ grid, block, cooperative }: ObservedLaunch): void {
    const words = new Uint32Array((this.#device as CheckedDevice).memory.bytes.buffer, this.#grid, GRID_BYTES / 4);
    words.fill(0);
    words[GRID_WORDS.threads] = dim3Volume(grid) * dim3Volume(block);
    words[GRID_WORDS.cooperative] = Number(cooperative);
    this.#shuffles.clear();
    this.#uses = [];
  }

  describe(site: Site, example: Example, launch: ObservedLaunch): FindingDraft | null {
    const at = site as SyncSite;
    const { words } = example;
    const { operation } = at;
    const lanes = (index: number): number => words[index] as number;
    switch (at.sync) {
      case "barrier":
        return this.#barrier(at, words, launch);
      case "counted-barrier":
        return draft("bad-barrier", operation, []);
      case "caller":
        return draft(
          "caller-not-in-mask",
          operation,
          [{ text: `the mask is ${hex(lanes(LANE_WORDS.mask))}, without the lane that calls` }],
          { mask: lanes(LANE_WORDS.mask) },
        );
      case "lanes": {
        const [mask, present, absent] = [lanes(LANE_WORDS.mask), lanes(LANE_WORDS.present), lanes(LANE_WORDS.lanes)];
        return draft(
          "mask-mismatch",
          operation,
          [
            {
              text:
                `the mask ${hex(mask)} names ${describeLanes(absent)}, which ended without coming here with ` +
                `this mask; here ${isOne(present) ? "is" : "are"} ${describeLanes(present)}`,
            },
          ],
          { mask, present, absent },
        );
      }
      case "masks": {
        const [mask, others] = [lanes(LANE_WORDS.mask), lanes(LANE_WORDS.lanes)];
        return draft(
          "mask-mismatch",
          operation,
          [
            {
              text:
                `this lane names the mask ${hex(mask)}; in it ${isOne(others) ? "is" : "are"} ` +
                `${describeLanes(others)}, with another mask`,
            },
          ],
          { mask, others },
        );
      }
      case "shuffle":
        this.#shuffles.set(site, example);
        return null;
      case "use":
        this.#uses.push(at);
        return null;
      case "grid":
        return draft(
          "divergent-grid-sync",
          operation,
          [{ text: `${lanes(0)} of the ${lanes(1)} threads of the grid come here; the others have ended` }],
          { arrived: lanes(0), threads: lanes(1) },
        );
      case "not-cooperative":
        return draft("not-cooperative", operation, [
          {
            text:
              "without a cooperative launch not all blocks need be on the device at once: those that are " +
              "would wait for ever",
          },
        ]);
    }
  }

  #barrier({ operation, siblings }: SyncSite, words: Uint32Array, { block }: ObservedLaunch): FindingDraft {
    const word = (name: keyof typeof BARRIER_WORDS): number => words[BARRIER_WORDS[name]] as number;
    const thread = (place: number): string => formatDim3(dim3Unflatten(place, block));
    const threads = dim3Volume(block);
    const [arrived, missing] = [word("arrived"), word("missing")];
    const notes: Note[] = [];
    const other = word("otherSite");
    if (other !== 0) {
      const at = siblings?.get(other - 1)?.location ?? null;
      notes.push({
        text: `while thread ${thread(word("firstOther"))} of the block waits at another barrier:`,
        location: at,
      });
    }
    if (missing > 0) {
      const last = word("lastSite");
      const passed = last === 0 ? null : (siblings?.get(last - 1)?.location ?? null);
      const who = `${missing} of the block's ${threads} threads do not come, the first of them`;
      const ended = `ended ${last === 0 ? "without a barrier" : "after the barrier"}`;
      const at = passed === null ? "" : ` at ${formatLocation(passed)}`;
      notes.push({ text: `${who} ${thread(word("firstMissing"))}: ${ended}${at}` });
    }
    return draft("divergent-barrier", operation, notes, { arrived, missing, threads });
  }

  launched(launch: ObservedLaunch, fault: DeviceFault | null, known: readonly Finding[]): Finding[] {
    const found = this.#inactiveLanes(launch, known);
    const isKnown = [...known, ...found].some(
      ({ checker, launch: of }) => checker === this.name && of?.ordinal === launch.ordinal,
    );
    // The findings of this launch say why it could not go on.
    if (fault !== null && !isKnown) {
      if (fault.kind === "deadlock") found.push(deadlock(fault, launch));
      else if (fault.kind === "illegal-instruction" && fault.message.startsWith("barrier"))
        found.push(ofFault(fault, launch, draft("bad-barrier", fault.message, [])));
    }
    return found;
  }

  /** Shuffles whose undefined values were used, one finding for each place. */
  #inactiveLanes(launch: ObservedLaunch, known: readonly Finding[]): Finding[] {
    const found: Finding[] = [];
    // Where a mask names lanes that do not come, they are read, too: one finding says both.
    const places = new Set(
      known.filter(({ checker }) => checker === this.name).map(({ location }) => JSON.stringify(location)),
    );
    for (const use of this.#uses) {
      for (const shuffle of use.shuffles ?? []) {
        const example = this.#shuffles.get(shuffle);
        if (example === undefined) continue;
        const key = JSON.stringify(shuffle.location);
        if (places.has(key) && !this.#reported.has(key)) continue;
        const reported = this.#reported.get(key);
        if (reported !== undefined) {
          if (reported.launch?.ordinal !== launch.ordinal) reported.count++;
          continue;
        }
        const { words, block, thread } = example;
        const [mask, present, source] = [
          words[LANE_WORDS.mask] as number,
          words[LANE_WORDS.present] as number,
          words[LANE_WORDS.lanes] as number,
        ];
        const notes: Note[] = [
          {
            text:
              `it reads lane ${source}; the mask is ${hex(mask)}, ${describeLanes(present)} ` +
              `${isOne(present) ? "takes" : "take"} part`,
          },
        ];
        if (JSON.stringify(use.location) !== key)
          notes.push({ text: "the value, which is undefined, is used here:", location: use.location });
        const finding: Finding = {
          ...draft("inactive-lane", shuffle.operation, notes, { mask, present, source }),
          checker: this.name,
          location: shuffle.location,
          function: shuffle.function,
          count: 1,
          example: { block, thread },
          launch: nameOf(launch),
        };
        this.#reported.set(key, finding);
        found.push(finding);
      }
    }
    return found;
  }
}

function draft(
  kind: SyncFault,
  message: string,
  notes: readonly Note[],
  details: Record<string, unknown> = {},
): FindingDraft {
  return { kind, title: SYNC_TITLES[kind], message, notes, help: HELP[kind], details };
}

function ofFault(
  fault: DeviceFault,
  launch: ObservedLaunch,
  what: FindingDraft,
  at: { block: Dim3 | null; thread: Dim3 | null; location: DeviceFault["location"]; count: number } = {
    ...fault,
    count: 1,
  },
): Finding {
  const location = userLocation(at.location);
  const example = at.block === null || at.thread === null ? null : { block: at.block, thread: at.thread };
  return {
    ...what,
    checker: "synccheck",
    location,
    function: location?.functionName ?? fault.kernel,
    count: at.count,
    example,
    launch: nameOf(launch),
  };
}

/** The threads that wait, by place. Lanes that wait for lanes that are elsewhere have a kind of their own. */
function deadlock(fault: DeviceFault, launch: ObservedLaunch): Finding {
  const waiting = fault.waiting ?? [];
  const lanes = waiting.filter(({ what, mask }) => what === "warp-sync" && mask !== undefined);
  const first = lanes[0] ?? waiting[0];
  const others = waiting.filter((group) => group !== first);
  const notes: Note[] = others.map((group) => ({
    text: describeWaiting(group),
    location: userLocation(group.location),
  }));
  const kind: SyncFault = lanes.length > 0 ? "mask-mismatch" : "deadlock";
  const message = first === undefined ? fault.message : waitingForEver(first);
  return ofFault(fault, launch, draft(kind, message, notes, { waiting }), first ?? { ...fault, count: 1 });
}

function waitingForEver({ count, what, mask }: WaitingThreads): string {
  const who = count === 1 ? "1 thread waits" : `${count} threads wait`;
  return `${who} for ever for ${WAITING_FOR[what]}${mask === undefined ? "" : ` with the mask ${hex(mask)}`}`;
}

const WAITING_FOR: Readonly<Record<WaitingThreads["what"], string>> = {
  barrier: "a barrier of the block",
  "warp-sync": "other lanes of the warp",
  products: "products that other warps of the warpgroup have not issued",
  memory: "a value in memory that nobody writes",
  "cluster-sync": "the barrier of the cluster",
  "grid-sync": "the grid barrier",
};

function describeWaiting({ count, what, thread, block, mask }: WaitingThreads): string {
  const who =
    count === 1
      ? `thread ${formatDim3(thread)} of block ${formatDim3(block)} waits`
      : `${count} threads of block ${formatDim3(block)}, such as ${formatDim3(thread)}, wait`;
  return `${who} for ${WAITING_FOR[what]}${mask === undefined ? "" : ` with the mask ${hex(mask)}`}`;
}

function hex(mask: number): string {
  return `0x${(mask >>> 0).toString(16).padStart(8, "0")}`;
}

function isOne(mask: number): boolean {
  return mask !== 0 && (mask & (mask - 1)) === 0;
}

/** "lane 3", "lanes 0 to 15", "lanes 0, 2 and 5 to 9". */
export function describeLanes(mask: number): string {
  const ranges: string[] = [];
  for (let lane = 0; lane < 32; lane++) {
    if (((mask >>> lane) & 1) === 0) continue;
    let last = lane;
    while (last < 31 && ((mask >>> (last + 1)) & 1) === 1) last++;
    ranges.push(last === lane ? `${lane}` : `${lane} to ${last}`);
    lane = last;
  }
  if (ranges.length === 0) return "no lane";
  const list = ranges.length === 1 ? ranges[0] : `${ranges.slice(0, -1).join(", ")} and ${ranges.at(-1)}`;
  return `lane${isOne(mask) ? "" : "s"} ${list}`;
}
