/** Everything that was found: a click, or Enter, goes to the place in the source. */
import type { JSX } from "preact";
import type { Place, Problem } from "../model/problems.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import { useProblems } from "./use-problems.ts";

const WORDS: Readonly<Record<Problem["severity"], string>> = { error: "Error", warning: "Warning", hint: "Hint" };

export function PlaceButton({ studio, place }: { readonly studio: Studio; readonly place: Place }): JSX.Element {
  return (
    <button class="place" onClick={() => studio.reveal(place)}>
      {place.file}:{place.line}
    </button>
  );
}

export function ProblemsPanel({ studio }: { readonly studio: Studio }): JSX.Element {
  const { action, phase } = useStore(studio.store, (state) => state.activity);
  const problems = useProblems(studio);
  const files = useStore(studio.store, ({ workspace }) => workspace.files);
  if (problems.length > 0)
    return (
      <ol class="problems">
        {problems.map((problem, i) => (
          <Item key={i} studio={studio} problem={problem} textOf={(place) => lineText(files, place)} />
        ))}
      </ol>
    );
  if (phase === "ended" && action === "check")
    return (
      <p class="good">
        No faults found. Watched: accesses out of bounds, races, uninitialised memory, barriers, and calls of the CUDA
        API.
      </p>
    );
  return (
    <div class="welcome">
      <p>
        What the compiler, the checkers and the profiler say of the program stands here. <b>Find faults</b> runs it and
        watches every access to memory.
      </p>
    </div>
  );
}

function lineText(files: readonly { readonly path: string; readonly text: string }[], place: Place): string | null {
  const text = files.find(({ path }) => path === place.file)?.text;
  return text?.split("\n")[place.line - 1]?.trim() ?? null;
}

function Item({
  studio,
  problem: { severity, source, place, title, details, related, race },
  textOf,
}: {
  readonly studio: Studio;
  readonly problem: Problem;
  readonly textOf: (place: Place) => string | null;
}): JSX.Element {
  return (
    <li class={severity}>
      <p class="what">
        <span class="severity">{WORDS[severity]}</span> {title}
      </p>
      {place === null ? null : <Quoted studio={studio} place={place} text={textOf(place)} />}
      {related.map((other, i) => (
        <div key={i} class="related">
          <p>{other.text}</p>
          <Quoted studio={studio} place={other.place} text={textOf(other.place)} />
        </div>
      ))}
      {details
        .filter((line) => related.every(({ text }) => text !== line))
        .map((line, i) => (
          <p key={i} class={/^To (?:fix|make)/.test(line) ? "cure" : "detail"}>
            {line}
          </p>
        ))}
      {race === undefined ? null : (
        <p>
          <button onClick={() => void studio.showRace(race)}>Show both accesses on a time line</button>
        </p>
      )}
      <p class="who">{source}</p>
    </li>
  );
}

function Quoted({
  studio,
  place,
  text,
}: {
  readonly studio: Studio;
  readonly place: Place;
  readonly text: string | null;
}): JSX.Element {
  return (
    <p class="quoted">
      {text === null ? (
        <span class="mono">
          {place.file}:{place.line}
        </span>
      ) : (
        <PlaceButton studio={studio} place={place} />
      )}
      {text === null ? null : <code>{text}</code>}
    </p>
  );
}
