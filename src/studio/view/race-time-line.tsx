/** Both accesses of a race on a time line, above the recording. */
import type { JSX } from "preact";
import type { RaceCell, RaceRow } from "../model/race-time.ts";
import { moved, type Watched } from "../model/watch.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { PlaceButton } from "./problems-panel.tsx";

export function RaceTimeLine({
  studio,
  watched,
}: {
  readonly studio: Studio;
  readonly watched: Watched;
}): JSX.Element | null {
  const time = useStore(studio.store, ({ raceTime }) => raceTime);
  if (time === null) return null;
  return (
    <section>
      <h2>The race</h2>
      <p class="cure">{time.verdict}</p>
      <p class="muted">
        From left to right: time, from the barrier before to the barrier behind. ◆ the access. Grey: the thread does
        something else. A mark at the right: it comes to a barrier.
      </p>
      <table class="warps">
        <tbody>
          {time.rows.map((row, i) => (
            <Row key={i} studio={studio} row={row} watched={watched} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const CLASSES: Readonly<Record<RaceCell, string>> = {
  idle: "",
  runs: "runs",
  barrier: "runs barrier",
  access: "access",
};

function Row({
  studio,
  row: { who, what, place, cells, step, block },
  watched,
}: {
  readonly studio: Studio;
  readonly row: RaceRow;
  readonly watched: Watched;
}): JSX.Element {
  const isHere = block === watched.block;
  return (
    <tr>
      <th scope="row">{who}</th>
      <td>
        <div class="times" role="img" aria-label={textOf(who, what, cells)}>
          {cells.map((cell, i) => (
            <i key={i} class={CLASSES[cell]} title={cell}>
              {cell === "access" ? "◆" : ""}
            </i>
          ))}
        </div>
      </td>
      <td>
        {what ?? "does not come to"} <PlaceButton studio={studio} place={place} />{" "}
        {step === null || !isHere ? null : (
          <button onClick={() => studio.look((now) => moved(now, { kind: "to", step }))}>Go there</button>
        )}
      </td>
    </tr>
  );
}

/** For those who do not see it. */
function textOf(who: string, what: string | null, cells: readonly RaceCell[]): string {
  if (what === null) return `${who}: no access was recorded`;
  const at = cells.indexOf("access");
  const barriers = cells.flatMap((cell, i) => (cell === "barrier" ? [i] : []));
  const before = barriers.some((i) => i < at) ? "behind a barrier, " : "";
  const after = barriers.some((i) => i > at) ? "before a barrier, " : "";
  return `${who} ${what}, ${before}${after}in piece ${at + 1} of ${cells.length} of the time shown`;
}
