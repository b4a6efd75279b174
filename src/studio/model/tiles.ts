/** What the view of a recorded Triton program shows: tiles at every statement, as plain data. */
import { shortNumber } from "../../base/short-number.ts";
import { counted } from "../../base/counted.ts";
import type {
  ProgramRecording,
  RecordedAccess,
  RecordedStep,
  RecordedTile,
  RecordedValue,
  RecordedVariable,
} from "../../frontend/triton/record-program.ts";

export interface Tiles {
  readonly recording: ProgramRecording;
  readonly title: string;
  /** Which is shown, from 0. */
  readonly step: number;
}

export function openTiles(recording: ProgramRecording): Tiles {
  const { kernel, program, grid, steps } = recording;
  const title = `${kernel}, program (${program.join(", ")}) of (${grid.join(", ")}): ${counted(steps.length, "step")}`;
  return { recording, title, step: 0 };
}

export type TilesMove =
  | { readonly kind: "step"; readonly direction: 1 | -1 }
  | { readonly kind: "to"; readonly step: number }
  /** To the next step on a line. */
  | { readonly kind: "cursor"; readonly file: string; readonly line: number; readonly direction: 1 | -1 };

/** Stays where there is no such step. */
export function movedTiles(tiles: Tiles, move: TilesMove): Tiles {
  const { steps } = tiles.recording;
  const wanted = wantedStep(tiles, move);
  return { ...tiles, step: Math.max(0, Math.min(steps.length - 1, wanted)) };
}

function wantedStep({ recording: { steps }, step }: Tiles, move: TilesMove): number {
  if (move.kind === "to") return move.step;
  if (move.kind === "step") return step + move.direction;
  for (let at = step + move.direction; at >= 0 && at < steps.length; at += move.direction)
    if (steps[at]?.line === move.line && steps[at]?.file.endsWith(move.file)) return at;
  return step;
}

export function currentStep({ recording, step }: Tiles): RecordedStep | null {
  return recording.steps[step] ?? null;
}

// ---------------------------------------------------------------- values

export interface TileCell {
  readonly text: string;
  /** Between the least and the greatest number of the tile, from 0 to 1; null: no number, or all are equal. */
  readonly part: number | null;
  /** Of an access: this element is left out by the mask, or lies in no array. */
  readonly state: "masked" | "outside" | null;
}

/** A tile as a table; of more dimensions the last two are its rows and columns. */
export interface TileGrid {
  readonly rows: readonly { readonly label: string; readonly cells: readonly TileCell[] }[];
  /** Elements that are not shown. */
  readonly leftOut: number;
}

export interface VariableView {
  readonly name: string;
  readonly type: string;
  /** The statement has bound it; else it is of an earlier one. */
  readonly isNew: boolean;
  /** The one value of a scalar, or of a tile whose elements are equal; else null. */
  readonly same: string | null;
  readonly grid: TileGrid;
}

const GRID_COLUMNS = 32;
const GRID_ROWS = 16;

/** What the statement binds first, then what is bound already, the latest first, and the arguments. */
export function variableViews({ recording, step }: Tiles): VariableView[] {
  const here = recording.steps[step]?.functionName ?? recording.kernel;
  const found = new Map<string, VariableView>();
  for (let at = step; at >= 0; at--)
    for (const variable of recording.steps[at]?.variables ?? []) addTo(found, variable, here, at === step);
  for (const argument of recording.arguments) addTo(found, argument, here, false);
  return [...found.values()];
}

function addTo(found: Map<string, VariableView>, variable: RecordedVariable, here: string, isNew: boolean): void {
  const name = variable.functionName === here ? variable.name : `${variable.functionName}'s ${variable.name}`;
  if (found.has(name)) return;
  const { values } = variable;
  const isSame = values.every((value) => value === values[0]);
  found.set(name, {
    name,
    type: typeText(variable),
    isNew,
    same: isSame ? valueText(values[0] ?? 0) : null,
    grid: gridOf(variable),
  });
}

export interface TileAccessView {
  readonly text: string;
  /** null: nothing is wrong. */
  readonly fault: string | null;
  /** Indices in the array, or addresses. */
  readonly places: TileGrid;
  readonly values: TileGrid;
}

export function accessViews(tiles: Tiles): TileAccessView[] {
  return (currentStep(tiles)?.accesses ?? []).map(accessView);
}

function accessView({ kind, tile, parameter, indices, addresses, mask, outside }: RecordedAccess): TileAccessView {
  const states = tile.values.map((_, i) => {
    if (mask?.[i] === false) return "masked";
    return outside.includes(i) ? "outside" : null;
  });
  const active = states.filter((state) => state !== "masked").length;
  const masked = mask === null ? "" : `, ${active} of ${states.length} by its mask`;
  const places = indices ?? addresses.map((address) => `0x${address.toString(16)}`);
  const first = outside[0];
  return {
    text: `${kind} of ${typeText(tile)}${parameter === null ? "" : `, array ${parameter}`}${masked}`,
    fault:
      first === undefined
        ? null
        : `${counted(outside.length, "element")} out of bounds, the first at ${places[first] ?? ""}`,
    places: gridOf({ shape: tile.shape, values: places }, states),
    values: gridOf(tile, states),
  };
}

function gridOf(
  { shape, values }: Pick<RecordedTile, "shape" | "values">,
  states: readonly TileCell["state"][] = [],
): TileGrid {
  const width = shape.at(-1) ?? 1;
  // A long row is shown in several.
  const columns = Math.min(width, GRID_COLUMNS);
  const rowLength = shape.length > 1 ? width : columns;
  const height = Math.min(GRID_ROWS, Math.ceil(values.length / rowLength));
  const numbers = values.filter((value): value is number => typeof value === "number");
  const least = numbers.reduce((a, b) => Math.min(a, b), Infinity);
  const range = numbers.reduce((a, b) => Math.max(a, b), -Infinity) - least;
  const rows = Array.from({ length: height }, (_, row) => {
    const first = row * rowLength;
    return {
      label: labelOf(first, shape),
      cells: values.slice(first, first + columns).map((value, i) => ({
        text: shortText(value),
        part: typeof value === "number" && range > 0 ? (value - least) / range : null,
        state: states[first + i] ?? null,
      })),
    };
  });
  const shown = rows.reduce((sum, { cells }) => sum + cells.length, 0);
  return { rows, leftOut: values.length - shown };
}

/** The position of a row's first element, without its column where there are several dimensions. */
function labelOf(index: number, shape: readonly number[]): string {
  const position: number[] = [];
  let rest = index;
  for (const size of shape.toReversed()) {
    position.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return (shape.length > 1 ? position.slice(0, -1) : position).join(", ");
}

function typeText({ dtype, shape }: Pick<RecordedTile, "dtype" | "shape">): string {
  return shape.length === 0 ? dtype : `${dtype} [${shape.join(", ")}]`;
}

function valueText(value: RecordedValue): string {
  return typeof value === "number" ? shortNumber(value, 6) : String(value);
}

function shortText(value: RecordedValue): string {
  if (typeof value === "boolean") return value ? "1" : "0";
  return typeof value === "number" ? shortNumber(value, 3) : value;
}
