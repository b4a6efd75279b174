/** What the view of a recorded block shows, as plain data; and the ways to go through it. */
import { shortNumber } from "../../base/short-number.ts";
import { counted } from "../../base/counted.ts";
import { formatDim3 } from "../../base/dim3.ts";
import { requestPicture } from "../../profile/access-pictures.ts";
import { BlockDebugger, type StepView } from "../../recording/debugger.ts";
import type { BlockRecording } from "../../recording/recording.ts";
import { endText, titleText } from "../../recording/recording-text.ts";
import type { LaneGroup, SharedVariable } from "../../recording/replay.ts";
import { STEP_FLAGS } from "../../recording/stepper.ts";
import { valueText } from "../../recording/values.ts";
import type { Html } from "../../report/markup.ts";

export interface Watched {
  readonly debugger: BlockDebugger;
  readonly title: string;
  /** "(0, 0, 0)": the one that was recorded. */
  readonly block: string;
  /** Why the recording ends before the block does; null: it does not. */
  readonly end: string | null;
  readonly stepCount: number;
  readonly warpCount: number;
  readonly view: StepView;
  readonly shared: readonly SharedVariable[];
}

export function openWatched(recording: BlockRecording): Watched {
  const own = new BlockDebugger(recording);
  const { x, y, z } = recording.launch.block;
  return looked({
    debugger: own,
    title: titleText(recording),
    block: formatDim3(recording.launch.blockIndex),
    end: endText(recording),
    stepCount: recording.stepCount,
    warpCount: Math.ceil((x * y * z) / 32),
  });
}

/** The same recording, where its debugger is now. */
function looked(watched: Omit<Watched, "view" | "shared">): Watched {
  const shared = watched.debugger.shared();
  return { ...watched, view: watched.debugger.view(), shared };
}

export type Move =
  | { readonly kind: "step"; readonly direction: 1 | -1 }
  | { readonly kind: "line"; readonly direction: 1 | -1 }
  | { readonly kind: "to"; readonly step: number }
  | { readonly kind: "warp"; readonly warp: number }
  /** To the next step, of any warp, on a line. */
  | { readonly kind: "cursor"; readonly file: string; readonly line: number; readonly direction: 1 | -1 };

export function moved(watched: Watched, move: Move): Watched {
  const { debugger: own } = watched;
  switch (move.kind) {
    case "step":
      own.stepWarp(move.direction);
      break;
    case "line":
      own.nextLine(move.direction);
      break;
    case "to":
      own.goTo(move.step);
      break;
    case "warp":
      own.selectWarp(move.warp);
      break;
    case "cursor":
      toLine(own, move);
  }
  return looked(watched);
}

/** Stays where there is no such step. */
function toLine(own: BlockDebugger, { file, line, direction }: Extract<Move, { kind: "cursor" }>): void {
  const before = own.step;
  own.breakpoints.clear();
  own.breakpoints.add(BlockDebugger.breakpoint(file, line));
  if (own.resume(direction) === "end") own.goTo(before);
  own.breakpoints.clear();
}

// ---------------------------------------------------------------- lanes and warps

/** By lane: takes part in the step, is on another line, waits, has ended, is not there. */
export type LaneState = "active" | "elsewhere" | "waiting" | "done" | "absent";

export function laneStates({ view }: Watched): LaneState[] {
  const groups = view.warps[view.warp] ?? [];
  return Array.from({ length: 32 }, (_, lane) => {
    if (((view.mask >>> lane) & 1) === 1) return "active";
    const group = groups.find(({ mask }) => ((mask >>> lane) & 1) === 1);
    if (group === undefined) return "absent";
    if (group.state === "done") return "done";
    return group.state === "ready" || group.state === "yielded" ? "elsewhere" : "waiting";
  });
}

export function lanesLabel(states: readonly LaneState[]): string {
  const count = (wanted: LaneState): number => states.filter((state) => state === wanted).length;
  const parts = [`${counted(count("active"), "lane")} active`];
  if (count("elsewhere") > 0) parts.push(`${count("elsewhere")} on another line`);
  if (count("waiting") > 0) parts.push(`${count("waiting")} waiting`);
  if (count("done") > 0) parts.push(`${count("done")} done`);
  return parts.join(", ");
}

export interface WarpRow {
  readonly warp: number;
  /** Where its lanes are, each place once. */
  readonly places: readonly string[];
  readonly isCurrent: boolean;
}

const WAITS: Readonly<Partial<Record<LaneGroup["state"], string>>> = {
  barrier: "waits at the barrier",
  "warp-sync": "waits for lanes of its warp",
  "grid-barrier": "waits for the grid",
};

export function warpRows({ view }: Watched): WarpRow[] {
  return view.warps.map((groups, warp) => ({
    warp,
    isCurrent: warp === view.warp,
    places: groups.map(({ line, state, mask }) => {
      const lanes = bitCount(mask);
      const who = groups.length === 1 ? "" : `${counted(lanes, "lane")}: `;
      if (state === "done") return `${who}done`;
      const wait = WAITS[state];
      return `${who}line ${line?.line ?? "?"}${wait === undefined ? "" : `, ${wait}`}`;
    }),
  }));
}

export function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask >>> 0; rest !== 0; rest = (rest & (rest - 1)) >>> 0) count++;
  return count;
}

// ---------------------------------------------------------------- time

/** A piece of a warp's time. */
export interface TimeCell {
  /** The part of the lanes that took part, from 0 to 1; null: the warp did nothing. */
  readonly active: number | null;
  readonly isDiverged: boolean;
  readonly isBarrier: boolean;
}

export interface TimeLine {
  /** By warp. */
  readonly rows: readonly (readonly TimeCell[])[];
  /** The cell of the step that is shown. */
  readonly at: number;
}

const TIME_CELLS = 96;

/** The whole recording, in as many columns as fit. */
export function timeLine({ debugger: { recording, step }, stepCount, warpCount }: Watched): TimeLine {
  // The warps take turns: narrower cells would have gaps.
  const cells = Math.max(1, Math.min(TIME_CELLS, Math.ceil(stepCount / warpCount)));
  const { warps, masks, flags } = recording.steps;
  const sums = Array.from({ length: warpCount }, () =>
    Array.from({ length: cells }, () => ({ lanes: 0, steps: 0, isDiverged: false, isBarrier: false })),
  );
  for (let i = 0; i < stepCount; i++) {
    const cell = sums[warps[i] as number]?.[Math.floor((i * cells) / stepCount)];
    if (cell === undefined) continue;
    cell.steps++;
    cell.lanes += bitCount(masks[i] as number);
    if (((flags[i] as number) & STEP_FLAGS.diverged) !== 0) cell.isDiverged = true;
    if (((flags[i] as number) & STEP_FLAGS.barrier) !== 0) cell.isBarrier = true;
  }
  return {
    at: Math.floor((step * cells) / Math.max(1, stepCount)),
    rows: sums.map((row) =>
      row.map(({ lanes, steps, isDiverged, isBarrier }) => ({
        active: steps === 0 ? null : lanes / steps / 32,
        isDiverged,
        isBarrier,
      })),
    ),
  };
}

// ---------------------------------------------------------------- values

export interface VariableRow {
  readonly name: string;
  readonly type: string;
  /** The value that all lanes have; null: they differ. */
  readonly same: string | null;
  readonly byLane: readonly string[];
}

export function variableRows({ view }: Watched): VariableRow[] {
  return view.variables.map(({ name, type, values }) => {
    const byLane = values.map(valueText);
    const present = byLane.filter((_, lane) => values[lane] !== null);
    const same = present.every((text) => text === present[0]) ? (present[0] ?? "–") : null;
    return { name, type, same, byLane };
  });
}

export interface AccessRow {
  readonly text: string;
  /** It costs more than it must. */
  readonly isWasteful: boolean;
  readonly picture: Html;
}

export function accessRows({ view, debugger: own }: Watched): AccessRow[] {
  return view.accesses.flatMap(({ kind, space, bytes, lanes, transactions, ideal }) => {
    if (space === "local") return [];
    const base = space === "shared" ? own.replay.sharedBase : 0;
    const addresses = new Array<number>(32).fill(0);
    let mask = 0;
    for (const { lane, address } of lanes) {
      addresses[lane] = address - base;
      mask |= 1 << lane;
    }
    const unit = space === "shared" ? "wavefront" : "sector";
    const text =
      `${space} ${kind} of ${counted(bytes, "byte")} by ${counted(lanes.length, "lane")}: ` +
      `${counted(transactions, unit)}, ideally ${ideal}`;
    const picture = requestPicture(space, { lanes: mask, addresses }, bytes, text);
    return { text, isWasteful: transactions > ideal, picture };
  });
}

export interface SharedGrid {
  readonly name: string;
  readonly type: string;
  readonly columns: number;
  /** What is shown of it, row by row. */
  readonly rows: readonly { readonly first: number; readonly cells: readonly SharedCell[] }[];
  /** Elements that are left out. */
  readonly leftOut: number;
}

export interface SharedCell {
  readonly text: string;
  readonly access: "read" | "written" | null;
}

const GRID_COLUMNS = 32;
const GRID_ROWS = 32;

export function sharedGrids({ shared, view, debugger: own }: Watched): SharedGrid[] {
  const touched = new Map<number, "read" | "written">();
  for (const { space, kind, lanes } of view.accesses)
    if (space === "shared")
      for (const { address } of lanes)
        touched.set(address - own.replay.sharedBase, kind === "load" ? "read" : "written");
  return shared.map(({ name, type, offset, elementBytes, shape, values }) => {
    const width = shape.length > 1 ? (shape.at(-1) as number) : Math.min(GRID_COLUMNS, values.length);
    const columns = Math.min(width, GRID_COLUMNS);
    const height = Math.min(GRID_ROWS, Math.ceil(values.length / Math.max(1, width)));
    const rows = Array.from({ length: height }, (_, row) => ({
      first: row * width,
      cells: values.slice(row * width, row * width + columns).map((value, i) => ({
        text: typeof value === "number" ? shortNumber(value, 3) : valueText(value),
        access: touched.get(offset + (row * width + i) * elementBytes) ?? null,
      })),
    }));
    const shown = rows.reduce((sum, { cells }) => sum + cells.length, 0);
    return { name, type, columns, rows, leftOut: values.length - shown };
  });
}
