/**
 * Whether a trace follows the Trace Event Format ("Trace Event Format", the Chromium project: event descriptions,
 * asynchronous events, flow events, metadata events), as far as Heddle writes it.
 */
import type { ChromeTrace, TraceEvent } from "./chrome-trace.ts";

const PHASES = ["X", "b", "e", "i", "s", "f", "M"];
const NAMES = ["process_name", "process_sort_index", "thread_name", "thread_sort_index"];

/** What is wrong, in sentences; empty: nothing. */
export function traceProblems(trace: ChromeTrace): string[] {
  const problems: string[] = [];
  const wrong = (event: TraceEvent, what: string): void => void problems.push(`${what}: ${JSON.stringify(event)}`);
  const isTime = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;
  const rows = new Map<string, TraceEvent[]>();
  const named = new Set<string>();
  const open = new Map<string, TraceEvent>();
  const arrows = new Map<string, TraceEvent>();
  let last = 0;
  for (const event of trace.traceEvents) {
    const { ph, pid, tid, ts, dur, name, id } = event;
    const row = `${pid} ${tid}`;
    if (!PHASES.includes(ph)) wrong(event, "unknown phase");
    if (typeof name !== "string" || !Number.isInteger(pid) || !Number.isInteger(tid))
      wrong(event, "a field is missing");
    if (ph === "M") {
      if (!NAMES.includes(name)) wrong(event, "unknown metadata");
      if (name === "thread_name") named.add(row);
      if (name === "process_name") named.add(`${pid}`);
      continue;
    }
    if (!isTime(ts)) wrong(event, "no time");
    if ((ts ?? 0) < last) wrong(event, "earlier than the event before");
    last = ts ?? 0;
    if (!named.has(row) || !named.has(`${pid}`)) wrong(event, "its row has no name");
    if (ph === "X") {
      if (!isTime(dur)) wrong(event, "no duration");
      rows.set(row, [...(rows.get(row) ?? []), event]);
    }
    const key = `${event.cat} ${id}`;
    if (ph === "b") open.set(key, event);
    if (ph === "e" && !open.delete(key)) wrong(event, "ends what has not begun");
    if (ph === "s") arrows.set(key, event);
    if (ph === "f" && !arrows.delete(key)) wrong(event, "an arrow from nowhere");
    if (ph === "i" && event.s !== "t") wrong(event, "no scope");
  }
  for (const event of [...open.values(), ...arrows.values()]) wrong(event, "has no end");
  for (const events of rows.values()) problems.push(...nestingProblems(events));
  return problems;
}

/** Complete events of one row nest, or follow one another. */
function nestingProblems(events: readonly TraceEvent[]): string[] {
  const around: number[] = [];
  return events.flatMap((event) => {
    const [start, end] = [Math.round((event.ts ?? 0) * 1e3), Math.round(((event.ts ?? 0) + (event.dur ?? 0)) * 1e3)];
    while (around.length > 0 && (around.at(-1) as number) <= start) around.pop();
    const outside = around.at(-1);
    around.push(end);
    return outside !== undefined && end > outside ? [`overlaps another: ${JSON.stringify(event)}`] : [];
  });
}
