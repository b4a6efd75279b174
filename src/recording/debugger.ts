/**
 * Goes through a recording as a debugger does: breakpoints, steps of a warp, backwards too. What there is at a step is
 * plain data: a terminal, a debug adapter and the studio show the same.
 */
import type { WatchedRequest } from "./accesses.ts";
import type { BlockRecording } from "./recording.ts";
import { Replay, type LaneGroup, type SharedVariable, type WatchedVariable } from "./replay.ts";
import type { SourceLine } from "./source-lines.ts";
import { STEP_FLAGS } from "./stepper.ts";

export type StepEvent = keyof typeof STEP_FLAGS;

/** A step of a warp, before it is executed. */
export interface StepView {
  /** From 0. */
  readonly step: number;
  readonly warp: number;
  /** null: no line of the user's source. */
  readonly line: SourceLine | null;
  /** The lanes that take part. */
  readonly mask: number;
  readonly events: readonly StepEvent[];
  readonly callStack: readonly SourceLine[];
  readonly variables: readonly WatchedVariable[];
  /** By warp: where its lanes are. */
  readonly warps: readonly (readonly LaneGroup[])[];
  /** What the step reads and writes. */
  readonly accesses: readonly WatchedRequest[];
}

export class BlockDebugger {
  readonly recording: BlockRecording;
  readonly replay: Replay;
  readonly breakpoints: Set<string> = new Set();
  #step = 0;

  constructor(recording: BlockRecording) {
    this.recording = recording;
    this.replay = new Replay(recording);
    this.#step = Math.max(
      0,
      this.#find(0, 1, (step) => this.lineOf(step) !== null),
    );
  }

  get step(): number {
    return this.#step;
  }

  get warp(): number {
    return this.recording.steps.warps[this.#step] ?? 0;
  }

  lineOf(step: number): SourceLine | null {
    return this.recording.lines[this.recording.steps.lines[step] ?? -1] ?? null;
  }

  view(step: number = this.#step): StepView {
    const { steps } = this.recording;
    this.replay.goTo(step);
    const line = this.lineOf(step);
    const warp = steps.warps[step] ?? 0;
    const mask = steps.masks[step] ?? 0;
    return {
      step,
      warp,
      line,
      mask,
      events: eventsOf(steps.flags[step] ?? 0),
      callStack: this.replay.callStack(warp, mask === 0 ? 0 : 31 - Math.clz32(mask & -mask)),
      variables: line === null ? [] : this.replay.variables(warp, line),
      warps: this.replay.warps(),
      // Last: everything is behind the step then.
      accesses: this.replay.accesses(step),
    };
  }

  /** Shared memory before the step. */
  shared(): SharedVariable[] {
    this.replay.goTo(this.#step);
    return this.replay.shared();
  }

  // ---------------------------------------------------------------- breakpoints

  static breakpoint(file: string, line: number): string {
    return `${baseName(file)}:${line}`;
  }

  #isBreakpoint(step: number): boolean {
    const line = this.lineOf(step);
    return line !== null && this.breakpoints.has(BlockDebugger.breakpoint(line.file, line.line));
  }

  // ---------------------------------------------------------------- moves: each says whether there was such a step

  goTo(step: number): boolean {
    if (!(step >= 0 && step < this.recording.stepCount)) return false;
    this.#step = step;
    return true;
  }

  /** The next step of the warp, or the one before. */
  stepWarp(direction: 1 | -1, warp: number = this.warp): boolean {
    const { warps } = this.recording.steps;
    return this.#move(direction, (step) => warps[step] === warp && this.lineOf(step) !== null);
  }

  /** The same, over calls. */
  nextLine(direction: 1 | -1): boolean {
    const { warps, depths } = this.recording.steps;
    const { warp } = this;
    const depth = depths[this.#step] as number;
    return this.#move(
      direction,
      (step) => warps[step] === warp && (depths[step] as number) <= depth && this.lineOf(step) !== null,
    );
  }

  /** Out of the function. */
  finish(direction: 1 | -1): boolean {
    const { warps, depths } = this.recording.steps;
    const { warp } = this;
    const depth = depths[this.#step] as number;
    return this.#move(direction, (step) => warps[step] === warp && (depths[step] as number) < depth);
  }

  /** To the next breakpoint, of any warp; without one to the end, or the beginning. */
  resume(direction: 1 | -1): "breakpoint" | "end" {
    if (this.#move(direction, (step) => this.#isBreakpoint(step))) return "breakpoint";
    this.#step = direction === 1 ? Math.max(0, this.recording.stepCount - 1) : 0;
    return "end";
  }

  /** To where a warp is now: its next step, or its last one. */
  selectWarp(warp: number): boolean {
    const { warps } = this.recording.steps;
    const next = this.#find(this.#step, 1, (step) => warps[step] === warp);
    const found = next >= 0 ? next : this.#find(this.#step, -1, (step) => warps[step] === warp);
    return found >= 0 && this.goTo(found);
  }

  #move(direction: 1 | -1, test: (step: number) => boolean): boolean {
    const found = this.#find(this.#step + direction, direction, test);
    return found >= 0 && this.goTo(found);
  }

  #find(from: number, direction: 1 | -1, test: (step: number) => boolean): number {
    for (let step = from; step >= 0 && step < this.recording.stepCount; step += direction) if (test(step)) return step;
    return -1;
  }
}

export function eventsOf(flags: number): StepEvent[] {
  return (Object.keys(STEP_FLAGS) as StepEvent[]).filter((name) => (flags & STEP_FLAGS[name]) !== 0);
}

export function baseName(file: string): string {
  return file.split("/").at(-1) ?? file;
}
