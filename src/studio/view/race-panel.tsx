/** The versions of a ladder against one another. */
import type { JSX } from "preact";
import { timeText } from "../../report/numbers.ts";
import { leadersOf } from "../model/leaderboard.ts";
import type { HeatMap, RaceRow, RaceTable } from "../model/race.ts";
import { withCopy, withFile } from "../model/workspace.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";

export function RacePanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const { tables, part } = useStore(studio.store, (state) => state.race);
  const files = useStore(studio.store, ({ workspace }) => workspace.files);
  return (
    <>
      <Sweeps studio={studio} />
      {tables.length > 0 ? null : (
        <div class="welcome">
          <p>
            <b>Race</b> checks every version against a reference, then times each on this computer&apos;s emulated GPU.
            Times say which version does less work here; they are not those of a GPU.
          </p>
          {part === null ? (
            <ol>
              {files.map(({ path }) => (
                <li key={path}>
                  {nameOf(path)} <CopyButton studio={studio} path={path} />
                </li>
              ))}
            </ol>
          ) : null}
        </div>
      )}
      {tables.map((table) => (
        <Table key={table.title} studio={studio} table={table} />
      ))}
      <Leaderboard studio={studio} />
    </>
  );
}

function nameOf(path: string): string {
  return path.replace(/\.(?:cu|py)$/, "");
}

function Sweeps({ studio }: { readonly studio: Studio }): JSX.Element {
  const sweeps = useStore(studio.store, (state) => state.sweeps);
  return (
    <label class="sweeps">
      <input
        type="checkbox"
        checked={sweeps}
        onChange={({ currentTarget: { checked } }) => studio.store.change({ sweeps: checked })}
      />
      Try all block and tile sizes of each version (takes minutes)
    </label>
  );
}

/** The original stays in the race. */
function CopyButton({ studio, path }: { readonly studio: Studio; readonly path: string }): JSX.Element {
  return (
    <button
      class="quiet"
      title="Make a copy to change; the original stays in the race"
      onClick={() => studio.change((now) => withCopy(now, path))}
    >
      Copy<span class="hidden"> {nameOf(path)}</span>
    </button>
  );
}

function Leaderboard({ studio }: { readonly studio: Studio }): JSX.Element | null {
  const leaders = useStore(studio.store, (state) => state.leaders);
  const id = useStore(studio.store, ({ workspace }) => workspace.ladder?.id ?? "");
  const gpu = useStore(studio.store, ({ workspace }) => workspace.gpu);
  const own = leadersOf(leaders, id, gpu);
  if (own.length === 0) return null;
  return (
    <section>
      <h2>Best times in this browser</h2>
      <table class="race">
        <thead>
          <tr>
            <th scope="col">version</th>
            <th scope="col">shape</th>
            <th scope="col" class="number">
              time
            </th>
            <th scope="col">when</th>
            <th scope="col">
              <span class="hidden">source</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {own.map((leader) => (
            <tr key={`${leader.shape} ${leader.file.text}`}>
              <th scope="row">
                {leader.version}
                <span class="idea">{leader.configuration}</span>
              </th>
              <td>{leader.shape}</td>
              <td class="number">{timeText(leader.ms * 1000)}</td>
              <td>{leader.when.slice(0, 10)}</td>
              <td>
                <button
                  class="quiet"
                  onClick={() =>
                    studio.change((now) => withFile(now, { path: leader.file.path, text: leader.file.text }))
                  }
                >
                  Put back<span class="hidden"> {leader.version}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Table({
  studio,
  table: { title, summary, rows },
}: {
  readonly studio: Studio;
  readonly table: RaceTable;
}): JSX.Element {
  return (
    <section>
      <h2>{title}</h2>
      <p class="muted">{summary}</p>
      <table class="race">
        <thead>
          <tr>
            <th scope="col">version</th>
            <th scope="col">right</th>
            <th scope="col" class="number">
              time
            </th>
            <th scope="col">speed</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={row.version} studio={studio} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ studio, row }: { readonly studio: Studio; readonly row: RaceRow }): JSX.Element {
  const { version, idea, isRight, problem, time, speed, speedText, configuration, heatMap } = row;
  const path = useStore(
    studio.store,
    ({ workspace }) => workspace.files.find((file) => nameOf(file.path) === version)?.path ?? "",
  );
  return (
    <>
      <tr>
        <th scope="row">
          <button class="place" onClick={() => studio.reveal({ file: path, line: 1, column: 0 })}>
            {version}
          </button>
          <CopyButton studio={studio} path={path} />
          <span class="idea">{idea}</span>
          {configuration === "" ? null : <span class="idea">{configuration}</span>}
          {problem === null ? null : <span class="bad">{problem}</span>}
        </th>
        <td class={isRight ? "good" : "bad"}>{isRight ? "yes" : "no"}</td>
        <td class="number">{time}</td>
        <td>
          <span class="bar" style={{ "--part": speed }} aria-hidden="true" />
          <span class="muted">{speedText}</span>
        </td>
      </tr>
      {heatMap === null ? null : (
        <tr>
          <td colSpan={4}>
            <Heat map={heatMap} version={version} />
          </td>
        </tr>
      )}
    </>
  );
}

function Heat({
  map: { columnName, columns, rowName, rows },
  version,
}: {
  readonly map: HeatMap;
  readonly version: string;
}): JSX.Element {
  const hasRows = rowName !== "";
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Times of ${version} by size`}>
      <table class="values tile-values">
        <caption>
          Best time by {columnName}
          {rowName === "" ? "" : ` (columns) and ${rowName} (rows)`}; the darker, the faster
        </caption>
        <thead>
          <tr>
            {hasRows ? <th scope="col">{rowName}</th> : <td />}
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ label, cells }) => (
            <tr key={label}>
              <th scope="row">{label === "" ? <span class="hidden">time</span> : label}</th>
              {cells.map(({ text, speed, title }, i) => (
                <td key={i} title={title} style={speed === null ? undefined : { "--part": (speed ** 2).toFixed(3) }}>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
