/** A recorded program of a Triton kernel: its tiles at each statement, forwards and backwards. */
import type { JSX } from "preact";
import { fileName } from "../model/problems.ts";
import {
  accessViews,
  currentStep,
  movedTiles,
  variableViews,
  type TileGrid,
  type Tiles,
  type TilesMove,
} from "../model/tiles.ts";
import type { Studio } from "../studio.ts";
import { PlaceButton } from "./problems-panel.tsx";

interface Parts {
  readonly studio: Studio;
  readonly tiles: Tiles;
}

export function TilesPanel({ studio, tiles }: Parts): JSX.Element {
  const { title, recording, step: at } = tiles;
  const step = currentStep(tiles);
  const [caller] = step?.callers ?? [];
  return (
    <>
      <p class="muted">
        {title}. The program ran alone, before the launch.
        {recording.endedEarly === null ? null : <b class="bad"> It ends early: {recording.endedEarly}.</b>}
      </p>
      <Moves studio={studio} tiles={tiles} />
      {step === null ? null : (
        <p role="status">
          Step {at + 1} of {recording.steps.length} at{" "}
          <PlaceButton studio={studio} place={{ file: fileName(step.file), line: step.line, column: 0 }} /> in{" "}
          {step.functionName}
          {caller === undefined ? "" : `, called from line ${caller.line}`}
          {step.condition === null ? "" : `: the condition is ${step.condition ? "true" : "false"}`}
        </p>
      )}
      <Accesses tiles={tiles} />
      <Variables tiles={tiles} />
    </>
  );
}

function Moves({ studio, tiles }: Parts): JSX.Element {
  const go = (move: TilesMove): void => studio.lookAtTiles((now) => movedTiles(now, move));
  const cursor = (direction: 1 | -1): void => {
    const { workspace, cursorLine } = studio.state;
    go({ kind: "cursor", file: workspace.active, line: cursorLine, direction });
  };
  return (
    <div class="moves" role="group" aria-label="Steps">
      <button onClick={() => go({ kind: "step", direction: -1 })}>Back</button>
      <button onClick={() => go({ kind: "step", direction: 1 })}>Step</button>
      <button onClick={() => cursor(-1)}>Back to cursor</button>
      <button onClick={() => cursor(1)}>To cursor</button>
      <label class="time">
        Step of the program
        <input
          type="range"
          min={1}
          max={Math.max(1, tiles.recording.steps.length)}
          value={tiles.step + 1}
          onInput={({ currentTarget: { value } }) => go({ kind: "to", step: Number(value) - 1 })}
        />
      </label>
    </div>
  );
}

function Accesses({ tiles }: { readonly tiles: Tiles }): JSX.Element | null {
  const views = accessViews(tiles);
  if (views.length === 0) return null;
  return (
    <section>
      <h2>Memory that the statement accesses</h2>
      {views.map(({ text, fault, places, values }, i) => (
        <div key={i}>
          <p>
            {text}
            {fault === null ? null : <b class="bad"> {fault}</b>}
          </p>
          <Grid grid={places} label={`Where: ${text}`} caption="index in the array" />
          <Grid grid={values} label={`Values: ${text}`} caption="value" />
        </div>
      ))}
    </section>
  );
}

function Variables({ tiles }: { readonly tiles: Tiles }): JSX.Element {
  return (
    <section>
      <h2>Variables, after the statement</h2>
      {variableViews(tiles).map(({ name, type, isNew, same, grid }) => (
        <div key={name} class={isNew ? "tile new" : "tile"}>
          <p>
            <b>{name}</b> <span class="muted">{type}</span>
            {isNew ? <span class="badge"> bound here</span> : null}
            {same === null ? null : (
              <>
                {" = "}
                {same}
              </>
            )}
          </p>
          {same === null ? <Grid grid={grid} label={`Tile ${name}`} caption="" /> : null}
        </div>
      ))}
    </section>
  );
}

const STATES = { masked: "left out by the mask", outside: "out of bounds" } as const;

function Grid({
  grid: { rows, leftOut },
  label,
  caption,
}: {
  readonly grid: TileGrid;
  readonly label: string;
  readonly caption: string;
}): JSX.Element {
  return (
    <>
      <div class="scroll" tabIndex={0} role="region" aria-label={label}>
        <table class="values tile-values">
          {caption === "" ? null : <caption>{caption}</caption>}
          <tbody>
            {rows.map(({ label: first, cells }) => (
              <tr key={first}>
                <th scope="row">{first}</th>
                {cells.map(({ text, part, state }, i) => (
                  <td
                    key={i}
                    class={state ?? ""}
                    title={state === null ? undefined : STATES[state]}
                    style={part === null ? undefined : { "--part": part.toFixed(3) }}
                  >
                    {text}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {leftOut > 0 ? <p class="muted">{leftOut} more elements are not shown.</p> : null}
    </>
  );
}
