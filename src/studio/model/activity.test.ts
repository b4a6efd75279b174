/** What the page shows, event by event. */
import { describe, expect, it } from "vitest";
import type { ProgramExit, SessionEvent } from "../../session/events.ts";
import { begun, failed, NOTHING_YET, OutputDecoder, withEvent, withOutput, type ActivityState } from "./activity.ts";

function exit(status: Partial<ProgramExit["status"]>): SessionEvent {
  const whole = { exitCode: 0, deviceError: 0, launches: 1, trap: null, ...status } as ProgramExit["status"];
  const end: ProgramExit = {
    how: "exited",
    status: whole,
    kernels: [],
    compileMs: 1,
    setupMs: 2,
    runMs: 3,
    parallel: true,
    checked: null,
    profiled: null,
    measured: null,
    timeline: null,
  };
  return { kind: "exit", end };
}

function after(state: ActivityState, ...events: readonly SessionEvent[]): ActivityState {
  return events.reduce(withEvent, state);
}

describe("a run", () => {
  it("loads, compiles, runs and ends", () => {
    const started = after(begun("run", false), { kind: "started", compileMs: 7 });
    expect([begun("run", false).phase, begun("run", true).phase, started.phase]).toEqual([
      "loading",
      "compiling",
      "running",
    ]);
    expect(after(started, exit({}))).toMatchObject({
      phase: "ended",
      compileMs: 7,
      runMs: 3,
      verdict: { tone: "good", text: "Ended well", next: null },
    });
  });

  it("that ends badly offers a check", () => {
    const next = { action: "check" };
    expect(after(begun("run", true), exit({ exitCode: 3 })).verdict).toMatchObject({ tone: "bad", next });
    expect(after(begun("run", true), exit({ deviceError: 700 })).verdict).toMatchObject({ tone: "bad", next });
  });

  it("that was stopped in a loop names its line", () => {
    const activity = { kernel: "_Z4spinv", seconds: 2, launches: 1, loop: { file: "./a.cu", line: 4, column: 3 } };
    const state = after(begun("run", true), { kind: "exit", end: { how: "stopped", by: "caller", activity } });
    expect(state.problems).toMatchObject([{ place: { file: "a.cu", line: 4, column: 3 }, source: "kernel" }]);
    expect(state.verdict?.text).toBe("Stopped");
  });

  it("keeps what the last run has printed while somebody looks at its code", () => {
    const ran = withOutput(begun("run", true), [{ stream: "stdout", text: "x" }]);
    expect(begun("code", true, ran).output).toEqual(ran.output);
    expect(begun("run", true, ran).output).toEqual([]);
  });
});

describe("output", () => {
  it("joins pieces of one stream, and characters that are cut", () => {
    const decoder = new OutputDecoder();
    const bytes = new TextEncoder().encode("é");
    const pieces = [
      decoder.decode("stdout", bytes.slice(0, 1)),
      decoder.decode("stdout", bytes.slice(1)),
      decoder.decode("stderr", new TextEncoder().encode("!")),
    ];
    expect(withOutput(NOTHING_YET, pieces).output).toEqual([
      { stream: "stdout", text: "é" },
      { stream: "stderr", text: "!" },
    ]);
  });

  it("is bounded: its end stays", () => {
    let state = NOTHING_YET;
    for (let i = 0; i < 30; i++)
      state = withOutput(state, [{ stream: i % 2 ? "stdout" : "stderr", text: "x".repeat(20_000) }]);
    state = withOutput(state, [{ stream: "stdout", text: "end" }]);
    const text = state.output.map((piece) => piece.text).join("");
    expect(text.length).toBe(400_000);
    expect(text.endsWith("end")).toBe(true);
  });
});

it("an error without a place is shown whole", () => {
  expect(failed(begun("run", true), "no main", ["undefined symbol: main"])).toMatchObject({
    problems: [{ title: "no main", details: ["undefined symbol: main"], place: null }],
    verdict: { text: "Could not run" },
  });
  expect(failed(begun("run", true), "x does not compile", ["a.cu:1:2: error: bad"])).toMatchObject({
    problems: [{ title: "bad" }],
    verdict: { text: "Does not compile: 1 error" },
  });
});
