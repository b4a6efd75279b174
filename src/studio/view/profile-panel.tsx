/** What makes the kernels slow on a GPU: hints first, then the figures behind them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Html } from "../../report/markup.ts";
import { percentText } from "../../report/numbers.ts";
import { roofline, shareCurve } from "../../report/plots.ts";
import { occupancyAt, type KernelView } from "../model/explanation.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { PlaceButton } from "./problems-panel.tsx";

export function ProfilePanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const explanation = useStore(studio.store, (state) => state.explanation);
  const isBusy = useStore(studio.store, ({ startedAt }) => startedAt !== null);
  if (explanation === null)
    return (
      <div class="welcome">
        <p>
          <b>Explain speed</b> runs the program, counts what its kernels make a GPU do, and says which lines cost most
          and what would help. {isBusy ? "It is running." : ""}
        </p>
      </div>
    );
  const { kernels, roofs, gpu } = explanation;
  const points = kernels.flatMap(({ point }) => (point === null ? [] : [point]));
  return (
    <>
      <p class="muted">By the rules of an {gpu}. Counts are exact; times are those of a model.</p>
      {kernels.map((kernel) => (
        <Kernel key={kernel.id} studio={studio} kernel={kernel} />
      ))}
      {kernels.length === 0 ? <p>The program launched no kernel.</p> : null}
      {points.length === 0 ? null : (
        <section>
          <h3>Roofline</h3>
          <p class="muted">The line is what the GPU could do; a dot is where a kernel is.</p>
          <Picture html={roofline({ ...roofs, points, label: "Roofline" })} />
        </section>
      )}
    </>
  );
}

/** A drawing of the reports: its texts are escaped there. */
function Picture({ html }: { readonly html: Html | null }): JSX.Element {
  return <div class="picture" dangerouslySetInnerHTML={{ __html: html?.text ?? "" }} />;
}

function Kernel({ studio, kernel }: { readonly studio: Studio; readonly kernel: KernelView }): JSX.Element {
  const { id, name, about, tiles, units, hints } = kernel;
  return (
    <section id={id} class="kernel">
      <h2>{name}</h2>
      <p class="muted">{about}</p>
      {hints.length === 0 ? <p class="good">Nothing stands out.</p> : null}
      <ol class="hints">
        {hints.map(({ what, cure, place }, i) => (
          <li key={i}>
            {place === null ? null : <PlaceButton studio={studio} place={{ ...place, column: 0 }} />} {what}
            <span class="cure">{cure}</span>
          </li>
        ))}
      </ol>
      <dl class="tiles">
        {tiles.map((tile) => (
          <div key={tile.name} class="tile">
            <dt>{tile.name}</dt>
            <dd>{tile.value}</dd>
          </div>
        ))}
      </dl>
      <h3>What each unit would need by itself</h3>
      <dl class="bars">
        {units.map((unit) => (
          <div key={unit.name}>
            <dt>{unit.name}</dt>
            <dd>
              <span class="bar" style={{ "--part": unit.value }} aria-hidden="true" />
              {unit.text}
            </dd>
          </div>
        ))}
      </dl>
      <OccupancySlider kernel={kernel} />
    </section>
  );
}

function OccupancySlider({ kernel: { id, occupancy } }: { readonly kernel: KernelView }): JSX.Element {
  const [threads, setThreads] = useState(occupancy.threads);
  const part = threads === occupancy.threads ? occupancy.part : occupancyAt(occupancy, threads);
  return (
    <div class="occupancy">
      <h3>Occupancy by block size</h3>
      <label for={`${id}-threads`}>
        {threads} threads a block: <b>{percentText(part)}</b>
        {threads === occupancy.threads ? `, as launched; limited by ${occupancy.limit}` : ""}
      </label>
      <input
        id={`${id}-threads`}
        type="range"
        min={32}
        max={1024}
        step={32}
        value={threads}
        onInput={({ currentTarget: { value } }) => setThreads(Number(value))}
      />
      <Picture
        html={shareCurve(
          occupancy.curve.map((point) => ({ x: point.threads, y: point.part })),
          { label: "Occupancy by block size", xTitle: "threads a block", at: threads },
        )}
      />
    </div>
  );
}
