/** Timelines in Chrome's Trace Event Format. */
import { expect, test } from "vitest";
import { chromeTrace, type ChromeTrace } from "./chrome-trace.ts";
import { TimelineRecorder } from "./timeline-recorder.ts";
import { scopeOf, type Annotation, type TimelineOperation } from "./timeline.ts";
import { traceProblems } from "./trace-check.test-helper.ts";

const named = (name: string, rest: Partial<Annotation> = {}): Annotation => ({
  name,
  domain: null,
  category: null,
  color: null,
  payload: null,
  ...rest,
});

const operation = (rest: Partial<TimelineOperation>): TimelineOperation => ({
  kind: "kernel",
  name: "_Z1kv",
  device: 0,
  stream: 0,
  startMs: 0,
  durationMs: 1,
  range: null,
  bytes: null,
  launch: null,
  call: null,
  ...rest,
});

function recorder(): { recorder: TimelineRecorder; at: (ms: number) => void } {
  let now = 100;
  return { recorder: new TimelineRecorder(() => now), at: (ms) => void (now = 100 + ms) };
}

const traceOf = (own: TimelineRecorder, source: "emulation" | "gpu-events" = "emulation"): ChromeTrace =>
  JSON.parse(
    JSON.stringify(
      chromeTrace(own.timeline(source, [{ ordinal: 0, name: "GPU" }]), {
        readable: (name) => (name === "_Z1kv" ? "k" : name),
        report: null,
        program: "p.cu",
      }),
    ),
  ) as ChromeTrace;

test("ranges of several domains, that nest, overlap and stay open", () => {
  const { recorder: own, at } = recorder();
  const { ranges } = own;
  ranges.push(named("outer", { color: 0xff00ff00, payload: "3", category: "solver" }));
  at(1);
  ranges.push(named("other", { domain: "io" }));
  ranges.start("1", named("free"));
  at(2);
  ranges.push(named("inner"));
  const { innermost } = ranges;
  at(3);
  // Domains need not nest in one another.
  ranges.pop("io");
  ranges.pop(null);
  at(4);
  ranges.end("1");
  ranges.mark(named("here", { payload: "0.5" }));
  ranges.pop(null);
  ranges.pop(null);
  ranges.push(named("open"));
  at(5);
  const timeline = own.timeline("emulation", []);
  expect(timeline.ranges.map(({ name, startMs, durationMs, isOpen }) => [name, startMs, durationMs, isOpen])).toEqual([
    ["outer", 0, 4, false],
    ["other", 1, 2, false],
    ["free", 1, 3, false],
    ["inner", 2, 1, false],
    ["open", 4, 1, true],
  ]);
  expect(scopeOf(timeline, innermost)).toEqual(["outer", "other", "inner"]);
  const trace = traceOf(own);
  expect(traceProblems(trace)).toEqual([]);
  const shown = trace.traceEvents.filter(({ cat }) => cat === "nvtx");
  expect(shown.map(({ ph, name, tid, ts, dur }) => [ph, name, tid, ts, dur])).toEqual([
    ["X", "outer", 2, 0, 4000],
    ["X", "other", 3, 1000, 2000],
    ["b", "free", 2, 1000, undefined],
    ["X", "inner", 2, 2000, 1000],
    ["X", "open", 2, 4000, 1000],
    ["e", "free", 2, 4000, undefined],
    ["i", "here", 2, 4000, undefined],
  ]);
  expect(shown[0]?.args).toEqual({ category: "solver", color: "#ff00ff00", payload: "3" });
});

test("work by streams, with arrows from the calls that asked for it", () => {
  const { recorder: own } = recorder();
  own.useStream(0, 0, "default stream");
  own.useStream(0, 0x50, null);
  own.useStream(0, 0x60, null);
  own.nameStream(0x60, "mine");
  own.call({ id: 7, name: "cudaLaunchKernel", startMs: 1, durationMs: 1, error: 0 });
  own.call({ id: 8, name: "cudaMemcpy", startMs: 3, durationMs: 1, error: 700 });
  own.operation(
    operation({ kind: "copy", name: "copy, host to device", stream: 0x60, startMs: 3.5, bytes: 64, call: 8 }),
  );
  own.operation(operation({ stream: 0x50, startMs: 1.5, durationMs: 2, call: 7 }));
  // A GPU's events are half a microsecond away from the truth: the next one does not begin before the last one's end.
  own.operation(operation({ stream: 0x50, startMs: 3.4997, durationMs: 1, call: 7 }));
  const trace = traceOf(own, "gpu-events");
  expect(traceProblems(trace)).toEqual([]);
  const { traceEvents, otherData } = trace;
  expect(otherData["times"]).toMatch(/CUDA events/);
  const nameOf = (pid: number, tid: number): unknown =>
    traceEvents.find((one) => one.name === "thread_name" && one.pid === pid && one.tid === tid)?.args?.["name"];
  const work = traceEvents.filter(({ ph, pid }) => ph === "X" && pid === 2);
  expect(work.map(({ name, tid, ts, dur }) => [name, nameOf(2, tid), ts, dur])).toEqual([
    ["k", "stream 1", 1500, 2000],
    ["copy, host to device", "mine", 3500, 1000],
    ["k", "stream 1", 3500, 999.7],
  ]);
  expect(traceEvents.filter(({ ph }) => ph === "s").map(({ ts, id }) => [id, ts])).toEqual([
    ["0", 1000],
    ["1", 1000],
    ["2", 3000],
  ]);
  expect(traceEvents.find(({ name }) => name === "cudaMemcpy")?.args).toEqual({ cudaError: 700 });
});

test("the test itself finds what is wrong", () => {
  const row = { pid: 1, tid: 1, cat: "c" };
  const problems = traceProblems({
    displayTimeUnit: "ms",
    otherData: {},
    traceEvents: [
      { name: "process_name", ph: "M", pid: 1, tid: 0, args: { name: "p" } },
      { name: "thread_name", ph: "M", pid: 1, tid: 1, args: { name: "t" } },
      { ...row, name: "a", ph: "X", ts: 1, dur: 5 },
      { ...row, name: "b", ph: "X", ts: 3, dur: 5 },
      { ...row, name: "c", ph: "b", id: "1", ts: 2 },
      { ...row, name: "d", ph: "f", id: "2", ts: 9 },
      { ...row, tid: 2, name: "e", ph: "X", ts: 9, dur: 1 },
    ],
  });
  expect(problems.map((text) => text.split(":")[0])).toEqual([
    "earlier than the event before",
    "an arrow from nowhere",
    "its row has no name",
    "has no end",
    "overlaps another",
  ]);
});
