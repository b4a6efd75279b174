/** What the page is doing, from the events of a session. Plain data. */
import { demangle } from "../../base/demangle.ts";
import { formatLocation } from "../../base/diagnostics.ts";
import type { ProgramEnd, SessionEvent } from "../../session/events.ts";
import type { CompiledAhead } from "../../session/session-worker-browser.ts";
import { COMPILER, compilerProblems, faultProblems, findingProblem, hintProblem, type Problem } from "./problems.ts";
import { tracebackProblems } from "./traceback.ts";

export type ActionName = "run" | "check" | "profile" | "watch" | "code" | "race";
export type Phase = "idle" | "loading" | "compiling" | "running" | "ended";

export interface OutputPiece {
  readonly stream: "stdout" | "stderr";
  readonly text: string;
}

export interface WrittenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface Verdict {
  readonly tone: "good" | "bad" | "neutral";
  readonly text: string;
  /** What a person may do next; null: nothing. */
  readonly next: { readonly action: ActionName; readonly text: string } | null;
}

export interface ActivityState {
  readonly action: ActionName | null;
  readonly phase: Phase;
  readonly output: readonly OutputPiece[];
  readonly files: readonly WrittenFile[];
  readonly problems: readonly Problem[];
  readonly verdict: Verdict | null;
  /** What the program itself took, and its compilation; null: not known yet. */
  readonly compileMs: number | null;
  readonly runMs: number | null;
}

export const NOTHING_YET: ActivityState = {
  action: null,
  phase: "idle",
  output: [],
  files: [],
  problems: [],
  verdict: null,
  compileMs: null,
  runMs: null,
};

/** Characters of output that the page keeps: a program may print for ever. */
const MOST_OUTPUT = 400_000;

/** @param isLoaded the engine is there already. last: what was done before; who looks at code still sees its output. */
export function begun(action: ActionName, isLoaded: boolean, last: ActivityState = NOTHING_YET): ActivityState {
  const phase = isLoaded ? "compiling" : "loading";
  if (action === "code") return { ...last, action, phase, verdict: null, compileMs: null, runMs: null };
  return { ...NOTHING_YET, action, phase };
}

/** The code for the GPU is there. */
export function compiled(state: ActivityState): ActivityState {
  return { ...state, phase: "ended", verdict: { tone: "good", text: "Compiled", next: null } };
}

export function withProblems(state: ActivityState, problems: readonly Problem[]): ActivityState {
  return problems.length === 0 ? state : { ...state, problems: [...state.problems, ...problems] };
}

/** All versions of a ladder were measured. */
export function raced(state: ActivityState): ActivityState {
  return { ...state, phase: "ended", verdict: { tone: "good", text: "Raced", next: null } };
}

/** A block was recorded: what the program does further is of no interest. */
export function recorded(state: ActivityState, end: string | null): ActivityState {
  const verdict: Verdict = { tone: end === null ? "good" : "bad", text: "Recorded", next: null };
  return { ...state, phase: "ended", verdict };
}

/** Turns bytes of streams into text, over the borders of events. */
export class OutputDecoder {
  readonly #decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };

  decode(stream: OutputPiece["stream"], bytes: Uint8Array): OutputPiece {
    return { stream, text: this.#decoders[stream].decode(bytes, { stream: true }) };
  }
}

export function withOutput(state: ActivityState, pieces: readonly OutputPiece[]): ActivityState {
  const output = [...state.output];
  for (const piece of pieces) {
    const last = output.at(-1);
    if (last?.stream === piece.stream) output[output.length - 1] = { ...piece, text: last.text + piece.text };
    else output.push(piece);
  }
  let over = output.reduce((sum, { text }) => sum + text.length, 0) - MOST_OUTPUT;
  while (over > 0 && output[0] !== undefined) {
    const { stream, text } = output[0];
    if (text.length <= over) output.shift();
    else output[0] = { stream, text: text.slice(over) };
    over -= text.length;
  }
  return { ...state, output };
}

/** All events but those of output. */
export function withEvent(state: ActivityState, event: SessionEvent): ActivityState {
  switch (event.kind) {
    case "diagnostic":
      return { ...state, problems: [...state.problems, ...compilerProblems(event.text)] };
    case "started":
      return { ...state, phase: "running", compileMs: event.compileMs };
    case "file":
      return { ...state, files: [...state.files, { path: event.path, bytes: event.bytes }] };
    case "finding":
      return { ...state, problems: [...state.problems, findingProblem(event.finding)] };
    case "profiled":
      return { ...state, problems: [...state.problems, ...event.launch.hints.map(hintProblem)] };
    case "exit":
      return ended(state, event.end);
    default:
      return state;
  }
}

function ended(state: ActivityState, end: ProgramEnd): ActivityState {
  const stderr = state.output.flatMap(({ stream, text }) => (stream === "stderr" ? [text] : [])).join("");
  const faults = state.action === "check" ? [] : [...faultProblems(stderr), ...tracebackProblems(stderr)];
  const hang = hangProblem(end);
  const unique = state.problems.filter(
    (problem, i, all) => all.findIndex((other) => sameProblem(other, problem)) === i,
  );
  const problems = [...faults, ...(hang === null ? [] : [hang]), ...unique];
  const runMs = end.how === "exited" ? end.runMs : state.runMs;
  return { ...state, phase: "ended", problems, runMs, verdict: verdictOf(state.action, end, problems) };
}

/** Launches of one kernel have the same hints. */
function sameProblem(a: Problem, b: Problem): boolean {
  return JSON.stringify([a.title, a.place]) === JSON.stringify([b.title, b.place]);
}

function hangProblem(end: ProgramEnd): Problem | null {
  if (end.how !== "stopped" || end.activity?.kernel == null) return null;
  const { kernel, seconds, loop } = end.activity;
  return {
    severity: "warning",
    source: "kernel",
    place:
      loop === null
        ? null
        : { file: loop.file.replace(/^(?:\.\/|\/work\/)+/, ""), line: loop.line, column: loop.column },
    title: `stopped while kernel ${demangle(kernel)} was running, for ${seconds.toFixed(1)} s`,
    details: loop === null ? [] : [`it was in the loop at ${formatLocation(loop)}`],
    related: [],
  };
}

function verdictOf(action: ActionName | null, end: ProgramEnd, problems: readonly Problem[]): Verdict {
  if (end.how !== "exited") return { tone: "neutral", text: "Stopped", next: null };
  const { exitCode, deviceError } = end.status;
  const faults = problems.filter(({ source }) => source !== "compiler" && source !== "profiler");
  if (action === "check") {
    const errors = faults.filter(({ severity }) => severity === "error").length;
    if (errors > 0) return { tone: "bad", text: `${errors === 1 ? "1 fault" : `${errors} faults`} found`, next: null };
    return { tone: "good", text: "No faults found", next: null };
  }
  if (action === "profile") return { tone: "good", text: "Profiled", next: null };
  if (action === "watch") return { tone: "neutral", text: "Launched no such block", next: null };
  const next = { action: "check", text: "Find the fault" } as const;
  const script = problems.find(({ source }) => source === "python");
  if (script !== undefined)
    return { tone: "bad", text: "The script failed", next: /kernel .* failed/.test(script.title) ? next : null };
  if (deviceError !== 0 || faults.length > 0) return { tone: "bad", text: "A kernel failed", next };
  if (exitCode !== 0) return { tone: "bad", text: `Ended with exit code ${exitCode}`, next };
  return { tone: "good", text: "Ended well", next: null };
}

/** The program could not be compiled or run. @param notes with the compiler's report. */
/** Of a program that was compiled in a pause of typing. What is no error of the program is told when it is run. */
export function aheadProblems({ warnings, failure }: CompiledAhead): Problem[] {
  return compilerProblems([warnings, ...(failure?.notes ?? [])].join("\n"));
}

/** What is known of the program. @param ahead what the compiler has said last; null: at the run */
export function knownProblems({ problems }: ActivityState, ahead: readonly Problem[] | null): readonly Problem[] {
  return ahead === null ? problems : [...ahead, ...problems.filter(({ source }) => source !== COMPILER)];
}

export function failed(state: ActivityState, message: string, notes: readonly string[]): ActivityState {
  const problems = compilerProblems(notes.join("\n"));
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const whole: Problem = {
    severity: "error",
    source: "heddle",
    place: null,
    title: message,
    details: notes,
    related: [],
  };
  return {
    ...state,
    phase: "ended",
    problems: errors > 0 ? problems : [whole],
    verdict: {
      tone: "bad",
      text: errors > 0 ? `Does not compile: ${errors === 1 ? "1 error" : `${errors} errors`}` : "Could not run",
      next: null,
    },
  };
}
