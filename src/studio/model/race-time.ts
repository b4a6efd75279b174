/** A race on a time line: where in the recording its two accesses stand, and what each thread does around them. */
import { dim3Flatten, formatDim3, type Dim3 } from "../../base/dim3.ts";
import { Replay } from "../../recording/replay.ts";
import type { BlockRecording } from "../../recording/recording.ts";
import { STEP_FLAGS } from "../../recording/stepper.ts";
import { fileName, type Place, type Race, type RaceParty } from "./problems.ts";

/** The blocks to record for it: one, or two that race with each other. */
export function blocksOf({ parties: [first, second] }: Race): Dim3[] {
  return formatDim3(first.block) === formatDim3(second.block) ? [first.block] : [first.block, second.block];
}

export interface RaceTime {
  readonly rows: readonly [RaceRow, RaceRow];
  /** What stands between the two, or does not. */
  readonly verdict: string;
}

export interface RaceRow {
  readonly who: string;
  /** "writes part": what the access does; null: the recording does not come to it. */
  readonly what: string | null;
  readonly place: Place;
  /** From left to right. Rows of one block have the same time. */
  readonly cells: readonly RaceCell[];
  /** The step of the access; null: it was not found. */
  readonly step: number | null;
  /** The block that was recorded for it, as Watched.block. */
  readonly block: string;
}

/** What the thread does in a piece of time: nothing, other steps, it waits at a barrier, the access. */
export type RaceCell = "idle" | "runs" | "barrier" | "access";

/** Columns, at most. */
const CELLS = 64;
/** Steps of a thread on its line that are looked at: a loop may come by often. */
const CANDIDATES = 200;

/** @param recordings of blocksOf(race), in this order. */
export function raceTime(race: Race, recordings: readonly BlockRecording[]): RaceTime {
  const replays = recordings.map((recording) => new Replay(recording));
  const [own, others] = [replays[0], replays.at(-1)] as [Replay, Replay];
  const tracks: [Track, Track] = [trackOf(race.parties[0], own), trackOf(race.parties[1], others)];
  const isOneBlock = recordings.length === 1;
  const pair = meeting(tracks, isOneBlock);
  const spans = tracks.map((track, i) => intervalOf(track, pair[i]?.step ?? null));
  // Of one block both rows show the same time.
  const common = { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };
  const rows = tracks.map((track, i): RaceRow => {
    const found = pair[i] ?? null;
    const span = isOneBlock ? common : (spans[i] as Span);
    return {
      who: `thread ${formatDim3(track.party.thread)} of block ${formatDim3(track.party.block)}`,
      what: found === null ? null : doing(found),
      place: track.party.place,
      cells: cellsOf(track, span, found?.step ?? null),
      step: found?.step ?? null,
      block: formatDim3(track.party.block),
    };
  }) as [RaceRow, RaceRow];
  return { rows, verdict: verdictOf(pair, isOneBlock) };
}

function verdictOf([first, second]: Pair, isOneBlock: boolean): string {
  if (first === null || second === null) return "The recording does not come to both accesses: other blocks decide it.";
  if (!isOneBlock) return "Blocks run in any order, and beside one another: either access may come first.";
  if (first.step === second.step) return "Lanes of one warp do it in one step: either access may come first.";
  const who = first.step < second.step ? "upper" : "lower";
  return `No barrier stands between the two. Here the ${who} one came first; on a GPU either may.`;
}

// ---------------------------------------------------------------- where the accesses are

/** A thread in its recording. */
interface Track {
  readonly party: RaceParty;
  readonly recording: BlockRecording;
  readonly warp: number;
  readonly lane: number;
  readonly replay: Replay;
}

interface Found {
  readonly step: number;
  readonly kinds: ReadonlySet<string>;
  readonly addresses: ReadonlySet<number>;
  /** Barriers that the thread's warp has come to before. */
  readonly epoch: number;
}

type Pair = readonly [Found | null, Found | null];

function trackOf(party: RaceParty, replay: Replay): Track {
  const { recording } = replay;
  const linear = dim3Flatten(party.thread, recording.launch.block);
  return { party, recording, warp: Math.floor(linear / 32), lane: linear % 32, replay };
}

/** The first two accesses to one place that no barrier is between. */
function meeting([first, second]: readonly [Track, Track], isOneBlock: boolean): Pair {
  const [ours, theirs] = [accessesOf(first), accessesOf(second)];
  for (const one of ours)
    for (const other of theirs)
      if ((!isOneBlock || one.epoch === other.epoch) && changesCommonPlace(one, other)) return [one, other];
  return [null, null];
}

function changesCommonPlace(one: Found, other: Found): boolean {
  const changes = [one, other].some(({ kinds }) => kinds.size > 1 || !kinds.has("load"));
  return changes && [...one.addresses].some((address) => other.addresses.has(address));
}

function accessesOf({ party, recording, warp, lane, replay }: Track): Found[] {
  const { steps, lines, stepCount } = recording;
  const found: Found[] = [];
  let epoch = 0;
  for (let step = 0; step < stepCount && found.length < CANDIDATES; step++) {
    if (steps.warps[step] !== warp) continue;
    const line = lines[steps.lines[step] ?? -1];
    const takesPart = (((steps.masks[step] as number) >>> lane) & 1) === 1;
    if (takesPart && line?.line === party.place.line && fileName(line.file) === party.place.file) {
      const requests = replay.accesses(step).filter(({ lanes }) => lanes.some((one) => one.lane === lane));
      const addresses = new Set<number>();
      for (const { lanes, bytes } of requests)
        for (const { lane: who, address } of lanes)
          if (who === lane) for (let i = 0; i < bytes; i++) addresses.add(address + i);
      if (requests.length > 0) found.push({ step, addresses, epoch, kinds: new Set(requests.map(({ kind }) => kind)) });
    }
    if (isBarrier(recording, step)) epoch++;
  }
  return found;
}

function doing({ kinds }: Found): string {
  const [reads, writes] = [kinds.has("load"), kinds.has("store")];
  if (kinds.has("atomic") || (reads && writes)) return "reads and writes";
  return reads ? "reads" : "writes";
}

// ---------------------------------------------------------------- what stands around them

interface Span {
  readonly from: number;
  readonly to: number;
}

const isBarrier = ({ steps }: BlockRecording, step: number): boolean =>
  ((steps.flags[step] as number) & STEP_FLAGS.barrier) !== 0;

/** From the barrier before the access to the one behind it. */
function intervalOf({ recording, warp }: Track, step: number | null): Span {
  const { steps, stepCount } = recording;
  if (step === null) return { from: 0, to: stepCount };
  const isEdge = (at: number): boolean => steps.warps[at] === warp && isBarrier(recording, at);
  let from = step;
  while (from > 0 && !isEdge(from - 1)) from--;
  let to = step + 1;
  while (to < stepCount && !isEdge(to - 1)) to++;
  return { from: Math.max(0, from - 1), to };
}

function cellsOf({ recording, warp, lane }: Track, { from, to }: Span, access: number | null): RaceCell[] {
  const { warps, masks } = recording.steps;
  const count = Math.max(1, Math.min(CELLS, to - from));
  const cells = new Array<RaceCell>(count).fill("idle");
  const rank: readonly RaceCell[] = ["idle", "runs", "barrier", "access"];
  for (let step = from; step < to; step++) {
    if (warps[step] !== warp || (((masks[step] as number) >>> lane) & 1) === 0) continue;
    const cell = Math.floor(((step - from) * count) / (to - from));
    const other: RaceCell = isBarrier(recording, step) ? "barrier" : "runs";
    const now = step === access ? "access" : other;
    if (rank.indexOf(now) > rank.indexOf(cells[cell] as RaceCell)) cells[cell] = now;
  }
  return cells;
}
