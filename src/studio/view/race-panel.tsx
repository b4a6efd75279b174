/** The versions of a ladder against one another. */
import type { JSX } from "preact";
import type { RaceRow, RaceTable } from "../model/race.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";

export function RacePanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const { tables, part } = useStore(studio.store, (state) => state.race);
  const names = useStore(studio.store, ({ workspace }) => workspace.files);
  if (tables.length === 0)
    return (
      <div class="welcome">
        <p>
          <b>Race</b> checks every version against a reference, then times each on this computer&apos;s emulated GPU.
          Times say which version does less work here; they are not those of a GPU.
        </p>
        {part === null ? (
          <ol>
            {names.map(({ path }) => (
              <li key={path}>{path.replace(/\.cu$/, "")}</li>
            ))}
          </ol>
        ) : null}
      </div>
    );
  return (
    <>
      {tables.map((table) => (
        <Table key={table.title} studio={studio} table={table} />
      ))}
    </>
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
  const { version, idea, isRight, problem, time, speed, speedText } = row;
  return (
    <tr>
      <th scope="row">
        <button class="place" onClick={() => studio.reveal({ file: `${version}.cu`, line: 1, column: 0 })}>
          {version}
        </button>
        <span class="idea">{idea}</span>
        {problem === null ? null : <span class="bad">{problem}</span>}
      </th>
      <td class={isRight ? "good" : "bad"}>{isRight ? "yes" : "no"}</td>
      <td class="number">{time}</td>
      <td>
        <span class="bar" style={{ "--part": speed }} aria-hidden="true" />
        <span class="muted">{speedText}</span>
      </td>
    </tr>
  );
}
