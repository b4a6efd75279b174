/** A recorded block: where its warps are, what its lanes have and access, step by step, forwards and backwards. */
import type { JSX } from "preact";
import { demangle } from "../../base/demangle.ts";
import {
  accessRows,
  laneStates,
  lanesLabel,
  moved,
  sharedGrids,
  timeLine,
  variableRows,
  warpRows,
  type Move,
  type Watched,
} from "../model/watch.ts";
import { fileName } from "../model/problems.ts";
import { runsPython } from "../model/workspace.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { PlaceButton } from "./problems-panel.tsx";
import { RaceTimeLine } from "./race-time-line.tsx";
import { TilesPanel } from "./tiles-panel.tsx";

interface Parts {
  readonly studio: Studio;
  readonly watched: Watched;
}

export function WatchPanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const watched = useStore(studio.store, ({ watch }) => watch);
  const tiles = useStore(studio.store, (state) => state.tiles);
  const isPython = useStore(studio.store, ({ workspace }) => runsPython(workspace));
  const isBusy = useStore(studio.store, ({ startedAt }) => startedAt !== null);
  return (
    <>
      <Choice studio={studio} />
      {tiles === null ? null : <TilesPanel studio={studio} tiles={tiles} />}
      {watched === null ? null : <Recorded studio={studio} watched={watched} />}
      {tiles !== null || watched !== null ? null : (
        <p>
          {isPython ? (
            <>
              <b>Watch</b> records one program of a launch, and shows each of its statements: the tiles that it binds,
              and what it reads and writes.{" "}
            </>
          ) : (
            <>
              <b>Watch</b> records one block of a launch, and shows each step of its warps: which lanes are active, what
              their variables hold, and what they read and write.{" "}
            </>
          )}
          {isBusy ? "It is recording." : ""}
        </p>
      )}
    </>
  );
}

/** Which block the next recording has. */
function Choice({ studio }: { readonly studio: Studio }): JSX.Element {
  const choice = useStore(studio.store, (state) => state.choice);
  const isPython = useStore(studio.store, ({ workspace }) => runsPython(workspace));
  const number = (text: string, least: number): number => Math.max(least, Math.floor(Number(text)) || least);
  return (
    <form
      class="choice"
      aria-label="What to record"
      onSubmit={(event) => {
        event.preventDefault();
        void studio.start("watch");
      }}
    >
      <label>
        Kernel
        <input
          value={choice.kernel ?? ""}
          placeholder="any"
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget: { value } }) =>
            studio.store.change({ choice: { ...choice, kernel: value === "" ? null : value } })
          }
        />
      </label>
      <label>
        Launch
        <input
          type="number"
          min={1}
          value={choice.launch}
          onInput={({ currentTarget: { value } }) =>
            studio.store.change({ choice: { ...choice, launch: number(value, 1) } })
          }
        />
      </label>
      {(["x", "y"] as const).map((axis) => (
        <label key={axis}>
          {isPython ? "Program" : "Block"} {axis}
          <input
            type="number"
            min={0}
            value={choice.block[axis]}
            onInput={({ currentTarget: { value } }) =>
              studio.store.change({ choice: { ...choice, block: { ...choice.block, [axis]: number(value, 0) } } })
            }
          />
        </label>
      ))}
      <button type="submit">Record</button>
    </form>
  );
}

function Recorded({ studio, watched }: Parts): JSX.Element {
  const { title, end, view, stepCount } = watched;
  const { line, step, warp, events, callStack } = view;
  const states = laneStates(watched);
  return (
    <>
      <p class="muted">
        {title}. The block ran alone, before the launch, without optimization.
        {end === null ? null : <b class="bad"> {sentence(end)}</b>}
      </p>
      <RaceTimeLine studio={studio} watched={watched} />
      <Moves studio={studio} watched={watched} />
      <p role="status">
        Step {step + 1} of {stepCount}, warp {warp}
        {line === null ? (
          ", in code without lines"
        ) : (
          <>
            {" at "}
            <PlaceButton studio={studio} place={{ file: fileName(line.file), line: line.line, column: 0 }} /> in{" "}
            {demangle(line.functionName)}
          </>
        )}
        {callStack.length > 1 ? `, called from line ${callStack[1]?.line}` : ""}
        {events.length === 0 ? "" : `: ${events.map((event) => EVENTS[event]).join(", ")}`}
      </p>
      <div class="lanes" role="img" aria-label={`Lanes of warp ${warp}: ${lanesLabel(states)}`}>
        {states.map((state, lane) => (
          <span key={lane} class={state} title={`lane ${lane}: ${state}`}>
            {lane}
          </span>
        ))}
      </div>
      <Variables watched={watched} />
      <Accesses watched={watched} />
      <Shared watched={watched} />
      <Warps studio={studio} watched={watched} />
    </>
  );
}

const EVENTS: Readonly<Record<Watched["view"]["events"][number], string>> = {
  diverged: "its lanes go apart",
  reconverged: "its lanes meet again",
  barrier: "it comes to a barrier",
  waited: "it waits for lanes of its warp",
  exited: "lanes end",
  fault: "it fails",
};

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`;
}

function Moves({ studio, watched }: Parts): JSX.Element {
  const go = (move: Move): void => studio.look((now) => moved(now, move));
  const { view, stepCount, warpCount } = watched;
  const cursor = (direction: 1 | -1): void => {
    const { workspace, cursorLine } = studio.state;
    go({ kind: "cursor", file: workspace.active, line: cursorLine, direction });
  };
  return (
    <div class="moves" role="group" aria-label="Steps">
      <button onClick={() => go({ kind: "step", direction: -1 })}>Back</button>
      <button onClick={() => go({ kind: "step", direction: 1 })}>Step</button>
      <button onClick={() => go({ kind: "line", direction: 1 })}>Over calls</button>
      <button onClick={() => cursor(-1)}>Back to cursor</button>
      <button onClick={() => cursor(1)}>To cursor</button>
      <label>
        Warp
        <select
          value={view.warp}
          onChange={({ currentTarget: { value } }) => go({ kind: "warp", warp: Number(value) })}
        >
          {Array.from({ length: warpCount }, (_, warp) => (
            <option key={warp} value={warp} selected={warp === view.warp}>
              {warp}
            </option>
          ))}
        </select>
      </label>
      <label class="time">
        Step of the block
        <input
          type="range"
          min={1}
          max={stepCount}
          value={view.step + 1}
          onInput={({ currentTarget: { value } }) => go({ kind: "to", step: Number(value) - 1 })}
        />
      </label>
    </div>
  );
}

function Variables({ watched }: { readonly watched: Watched }): JSX.Element | null {
  const rows = variableRows(watched);
  if (rows.length === 0) return <p class="muted">No variable is in scope yet.</p>;
  return (
    <section>
      <h2>Variables by lane, before the step</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="Variables by lane">
        <table class="values">
          <tbody>
            {rows.map(({ name, type, same, byLane }) => (
              <tr key={name}>
                <th scope="row">
                  {name} <span class="muted">{type}</span>
                </th>
                {same === null ? (
                  byLane.map((text, lane) => (
                    <td key={lane} title={`lane ${lane}`}>
                      {text}
                    </td>
                  ))
                ) : (
                  <td class="same" colSpan={32}>
                    {same} <span class="muted">in every lane</span>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Accesses({ watched }: { readonly watched: Watched }): JSX.Element | null {
  const rows = accessRows(watched);
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>Memory that the step accesses</h2>
      {rows.map(({ text, isWasteful, picture }, i) => (
        <div key={i}>
          <p class={isWasteful ? "bad" : ""}>{text}</p>
          {/* A drawing of the reports: its texts are escaped there. */}
          <div class="picture" dangerouslySetInnerHTML={{ __html: picture.text }} />
        </div>
      ))}
    </section>
  );
}

function Shared({ watched }: { readonly watched: Watched }): JSX.Element | null {
  const grids = sharedGrids(watched);
  if (grids.length === 0) return null;
  return (
    <section>
      <h2>Shared memory, before the step</h2>
      {grids.map(({ name, type, rows, leftOut }) => (
        <div key={name}>
          <p>
            {name} <span class="muted">{type}</span>
          </p>
          <div class="scroll" tabIndex={0} role="region" aria-label={`Shared memory: ${name}`}>
            <table class="values grid">
              <tbody>
                {rows.map(({ first, cells }) => (
                  <tr key={first}>
                    <th scope="row">{first}</th>
                    {cells.map(({ text, access }, i) => (
                      <td
                        key={i}
                        class={access ?? ""}
                        title={access === null ? `${first + i}` : `${first + i}: ${access}`}
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
        </div>
      ))}
    </section>
  );
}

function Warps({ studio, watched }: Parts): JSX.Element {
  const { rows, at } = timeLine(watched);
  const cells = rows[0]?.length ?? 1;
  const go = (cell: number, warp: number): void =>
    studio.look((now) => {
      const there = moved(now, { kind: "to", step: Math.floor((cell * now.stepCount) / cells) });
      return moved(there, { kind: "warp", warp });
    });
  return (
    <section>
      <h2>Warps over time</h2>
      <p class="muted">
        From left to right: the recording. Dark: many lanes are active. A line below: lanes went apart. A mark at the
        right: a barrier.
      </p>
      <table class="warps">
        <tbody>
          {warpRows(watched).map(({ warp, places, isCurrent }) => (
            <tr key={warp} class={isCurrent ? "current" : ""}>
              <th scope="row">warp {warp}</th>
              <td>
                <div
                  class="times"
                  role="img"
                  aria-label={`Warp ${warp} over time`}
                  onClick={({ currentTarget, clientX }) => {
                    const { left, width } = currentTarget.getBoundingClientRect();
                    go(Math.min(cells - 1, Math.floor(((clientX - left) / width) * cells)), warp);
                  }}
                >
                  {rows[warp]?.map(({ active, isDiverged, isBarrier }, i) => (
                    <i
                      key={i}
                      class={`${i === at ? "now " : ""}${isDiverged ? "apart " : ""}${isBarrier ? "barrier" : ""}`}
                      style={{ "--a": active ?? 0 }}
                    />
                  ))}
                </div>
              </td>
              <td>{places.join("; ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
