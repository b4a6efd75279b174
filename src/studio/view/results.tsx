/** What came of the program: one panel at a time, chosen by tabs. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { runsPython } from "../model/workspace.ts";
import { useStore } from "../store.ts";
import type { Studio } from "../studio.ts";
import type { Panel, StudioState } from "../studio-state.ts";
import { CodePanel } from "./code-panel.tsx";
import { OutputPanel } from "./output-panel.tsx";
import { ProblemsPanel } from "./problems-panel.tsx";
import { ProfilePanel } from "./profile-panel.tsx";
import { RacePanel } from "./race-panel.tsx";
import { LazyWatchPanel } from "./lazy-watch-panel.tsx";
import { useProblems } from "./use-problems.ts";

const PANELS: Readonly<Record<Panel, (props: { readonly studio: Studio }) => JSX.Element>> = {
  race: RacePanel,
  output: OutputPanel,
  problems: ProblemsPanel,
  profile: ProfilePanel,
  watch: LazyWatchPanel,
  code: CodePanel,
};

export function Results({ studio }: { readonly studio: Studio }): JSX.Element {
  const panel = useStore(studio.store, (state) => state.panel);
  const problems = useProblems(studio).length;
  const isLadder = useStore(studio.store, ({ workspace }) => workspace.ladder !== null);
  const Shown = PANELS[panel];
  const names: Readonly<Record<Panel, string>> = {
    race: "Race",
    output: "Output",
    problems: problems === 0 ? "Problems" : `Problems (${problems})`,
    profile: "Speed",
    watch: "Watch",
    code: "GPU code",
  };
  const isPython = useStore(studio.store, ({ workspace }) => runsPython(workspace));
  const ofProgram: readonly Panel[] = ["output", "problems", "watch", "profile", "code"];
  const tabs: readonly Panel[] = isLadder
    ? ["race", "problems", "code"]
    : ofProgram.filter((name) => name !== "code" || !isPython);
  const choose = (chosen: Panel): void => studio.store.change({ panel: chosen });
  const byKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs[(tabs.indexOf(panel) + step + tabs.length) % tabs.length] as Panel;
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <section class="results" aria-label="Results">
      <div class="tabs" role="tablist" aria-label="Results" onKeyDown={byKey}>
        {tabs.map((name) => (
          <button
            key={name}
            id={`tab-${name}`}
            role="tab"
            aria-selected={name === panel}
            aria-controls="panel"
            tabIndex={name === panel ? 0 : -1}
            onClick={() => choose(name)}
          >
            {names[name]}
          </button>
        ))}
      </div>
      <Status studio={studio} />
      <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${panel}`} tabIndex={0}>
        <Shown studio={studio} />
      </div>
    </section>
  );
}

/** What goes on, or how it ended. Its height never changes. */
function Status({ studio }: { readonly studio: Studio }): JSX.Element {
  const activity = useStore(studio.store, (state) => state.activity);
  const startedAt = useStore(studio.store, (state) => state.startedAt);
  const elapsedMs = useStore(studio.store, (state) => state.elapsedMs);
  const race = useStore(studio.store, (state) => state.race);
  const isPython = useStore(studio.store, ({ workspace }) => runsPython(workspace));
  const isBusy = startedAt !== null;
  const { verdict } = activity;
  return (
    <div class={`status ${isBusy ? "busy" : (verdict?.tone ?? "")}`}>
      <span role="status">{isBusy ? doingText(activity, race, isPython) : (verdict?.text ?? "Ready")}</span>
      {verdict?.next == null || isBusy ? null : (
        <button class="next" onClick={() => void studio.start(verdict.next?.action ?? "check")}>
          {verdict.next.text}
        </button>
      )}
      <span class="space" />
      {isBusy ? <Clock startedAt={startedAt} /> : <span class="muted">{timesText(activity, elapsedMs)}</span>}
      {isBusy ? <Progress part={race.part} /> : null}
    </div>
  );
}

function Progress({ part }: { readonly part: number | null }): JSX.Element {
  const bar = useRef<HTMLProgressElement>(null);
  useEffect(() => {
    if (part === null || part === 0) bar.current?.removeAttribute("value");
  }, [part]);
  return <progress ref={bar} aria-label="Progress" max={1} {...(part === null || part === 0 ? {} : { value: part })} />;
}

function doingText(
  { action, phase }: StudioState["activity"],
  { part, what }: StudioState["race"],
  isPython: boolean,
): string {
  if (action === "race" && part !== null && what !== "") return `Racing: ${what}`;
  if (isPython && phase !== "running") return "Loading Python: once, then it is here";
  if (phase === "loading") return "Loading the compiler: once, then it is here";
  if (phase === "compiling") return "Compiling";
  if (action === "check") return "Running, watched by the checkers";
  if (action === "profile") return "Running, counted by the profiler";
  return "Running";
}

function timesText({ compileMs, runMs }: StudioState["activity"], elapsedMs: number | null): string {
  if (elapsedMs === null) return "";
  const parts = [
    ...(compileMs === null ? [] : [`compiled in ${secondsText(compileMs)}`]),
    ...(runMs === null ? [] : [`ran ${secondsText(runMs)}`]),
  ];
  return parts.length === 0 ? secondsText(elapsedMs) : parts.join(", ");
}

function secondsText(ms: number): string {
  return ms < 1000 ? `${Math.max(1, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function Clock({ startedAt }: { readonly startedAt: number }): JSX.Element {
  const [now, setNow] = useState(performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, [startedAt]);
  // Hidden from screen readers: it would be read ten times a second.
  return (
    <span class="clock" aria-hidden="true">
      {(Math.max(0, now - startedAt) / 1000).toFixed(1)} s
    </span>
  );
}
