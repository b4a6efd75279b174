/** A recorded block in a terminal: what a command does, and what is shown. Without a terminal of its own. */
import { shortNumber } from "../base/short-number.ts";
import { counted } from "../base/counted.ts";
import { demangle } from "../base/demangle.ts";
import type { WatchedRequest } from "../recording/accesses.ts";
import { BlockDebugger, baseName, type StepView } from "../recording/debugger.ts";
import type { BlockRecording } from "../recording/recording.ts";
import { endText, titleText } from "../recording/recording-text.ts";
import type { LaneGroup, SharedVariable, WatchedVariable } from "../recording/replay.ts";
import { valueText, type WatchedValue } from "../recording/values.ts";
import type { LinesOf } from "./debug-session.ts";
import { lanesText } from "./lanes-text.ts";

const HELP = `s, step [N]       the next step of this warp          back [N]    the one before
n, next           the next line, over calls           c, continue    to the next breakpoint; rc: backwards
finish            out of this function                b LINE, delete [LINE]    a breakpoint, or none
warp N            look at another warp                goto N      go to step N
p NAME [LANE]     a variable, by lane                 locals      all variables of this place
mem               what this step reads and writes     shared [NAME]    shared memory
warps             where all warps are                 where       the calls;  l: the source
q, quit           the end. An empty line repeats the last command.
`;

/** What a command says: text, and the same as data. */
export interface Answer {
  readonly text: string;
  readonly data: unknown;
}

export class BlockDebugSession {
  readonly #debugger: BlockDebugger;
  readonly #linesOf: LinesOf;
  #last = "s";

  constructor(recording: BlockRecording, linesOf: LinesOf) {
    this.#debugger = new BlockDebugger(recording);
    this.#linesOf = linesOf;
  }

  get start(): string {
    const { recording } = this.#debugger;
    const end = endText(recording);
    return `${titleText(recording)}\n${end === null ? "" : `${end}\n`}\n${this.#shown().text}`;
  }

  /** What the prompt shows. */
  get prompt(): string {
    return `(warp ${this.#debugger.warp}) `;
  }

  /** Null ends the session. */
  command(line: string): Answer | null {
    const text = line.trim() === "" ? this.#last : line.trim();
    this.#last = text;
    const [name = "", ...rest] = text.split(/\s+/);
    switch (name) {
      case "q":
      case "quit":
        return null;
      case "s":
      case "step":
        return this.#moves(rest[0], () => this.#debugger.stepWarp(1), "this warp has no later step");
      case "back":
      case "rs":
        return this.#moves(rest[0], () => this.#debugger.stepWarp(-1), "this is the first step of this warp");
      case "n":
      case "next":
        return this.#moves(rest[0], () => this.#debugger.nextLine(1), "this warp has no later step");
      case "rn":
        return this.#moves(rest[0], () => this.#debugger.nextLine(-1), "this is the first step of this warp");
      case "finish":
        return this.#moves(undefined, () => this.#debugger.finish(1), "this is the kernel itself");
      case "c":
      case "continue":
        return this.#resume(1);
      case "rc":
        return this.#resume(-1);
      case "goto":
        return this.#moves(undefined, () => this.#debugger.goTo(Number(rest[0]) - 1), `there is no step ${rest[0]}`);
      case "warp":
        return this.#moves(undefined, () => this.#debugger.selectWarp(Number(rest[0])), `there is no warp ${rest[0]}`);
      case "b":
      case "break":
        return this.#break(rest[0]);
      case "delete":
        return this.#delete(rest[0]);
      default:
        return this.#look(name, rest);
    }
  }

  #look(name: string, rest: readonly string[]): Answer {
    const view = this.#debugger.view();
    switch (name) {
      case "p":
      case "print":
        return this.#print(view, rest[0] ?? "", rest[1]);
      case "locals":
        return { text: view.variables.map(variableText).join("") || "no variable is in scope\n", data: view.variables };
      case "mem":
        return { text: accessesText(view.accesses), data: view.accesses };
      case "shared":
        return this.#shared(view, rest[0]);
      case "warps":
        return { text: view.warps.map(warpText).join(""), data: view.warps };
      case "where":
        return {
          text: view.callStack
            .map(({ file, line, functionName }, i) => `#${i} ${demangle(functionName)} at ${baseName(file)}:${line}\n`)
            .join(""),
          data: view.callStack,
        };
      case "l":
      case "list":
        return { text: this.#list(view), data: view.line };
      default:
        return { text: HELP, data: { error: `no command ${name}` } };
    }
  }

  #moves(times: string | undefined, move: () => boolean, otherwise: string): Answer {
    for (let left = Math.max(1, Number(times ?? 1) || 1); left > 0; left--)
      if (!move()) return { text: `${otherwise}\n`, data: { error: otherwise } };
    return this.#shown();
  }

  #resume(direction: 1 | -1): Answer {
    const why = this.#debugger.resume(direction);
    const shown = this.#shown();
    if (why === "breakpoint") return shown;
    const end =
      direction === 1
        ? `the end of the recording: ${endText(this.#debugger.recording) ?? "the block is done"}`
        : "the beginning of the recording";
    return { text: `${end}\n${shown.text}`, data: shown.data };
  }

  #break(place: string | undefined): Answer {
    const { recording, breakpoints } = this.#debugger;
    const here = this.#debugger.lineOf(this.#debugger.step);
    const [, file = here?.file ?? "", digits = ""] = /^(?:(.+):)?(\d+)$/.exec(place ?? "") ?? [];
    const wanted = BlockDebugger.breakpoint(file, Number(digits));
    const lines = recording.lines.filter(({ file: own }) => baseName(own) === baseName(file));
    // A line without code: the next one that has some.
    const exact = lines.map(({ line }) => line).filter((line) => line >= Number(digits));
    if (digits === "" || exact.length === 0) {
      const error = place === undefined ? "b LINE, or b FILE:LINE" : `the block has no step on or behind line ${place}`;
      return { text: `${error}\n`, data: { error } };
    }
    const line = Math.min(...exact);
    const set = BlockDebugger.breakpoint(file, line);
    breakpoints.add(set);
    const moved = set === wanted ? "" : ` (line ${digits} has no step)`;
    return { text: `a breakpoint at ${set}${moved}\n`, data: { breakpoint: set } };
  }

  #delete(place: string | undefined): Answer {
    const { breakpoints } = this.#debugger;
    if (place === undefined) breakpoints.clear();
    else for (const one of breakpoints) if (one === place || one.endsWith(`:${place}`)) breakpoints.delete(one);
    return { text: `${counted(breakpoints.size, "breakpoint")}\n`, data: [...breakpoints] };
  }

  #shown(): Answer {
    const view = this.#debugger.view();
    const { step, warp, line, mask, events } = view;
    const place = line === null ? "code without lines" : `${baseName(line.file)}:${line.line}`;
    const source = line === null ? undefined : this.#linesOf(line.file)?.[line.line - 1];
    const what = events.length === 0 ? "" : `  [${events.join(", ")}]`;
    const text =
      `step ${step + 1} of ${this.#debugger.recording.stepCount}  warp ${warp}, ${lanesText(mask)}  ${place}${what}\n` +
      (source === undefined ? "" : `  | ${source}\n`) +
      view.accesses.map((request) => `  ${requestText(request)}\n`).join("");
    return { text, data: view };
  }

  #print(view: StepView, name: string, lane: string | undefined): Answer {
    const variable = view.variables.find((one) => one.name === name);
    if (variable === undefined) {
      const shared = this.#debugger.shared().some((one) => one.name === name);
      if (shared) return this.#shared(view, name);
      const error = `${name} is not in scope here: ${view.variables.map((one) => one.name).join(", ") || "nothing is"}`;
      return { text: `${error}\n`, data: { error } };
    }
    if (lane === undefined) return { text: variableText(variable), data: variable };
    const value = variable.values[Number(lane)] ?? null;
    return { text: `${name} of lane ${lane} = ${valueText(value)}\n`, data: { name, lane: Number(lane), value } };
  }

  #shared(_: StepView, name: string | undefined): Answer {
    const all = this.#debugger.shared().filter((one) => name === undefined || one.name === name);
    if (all.length > 0) return { text: all.map(sharedText).join(""), data: all };
    return { text: "the kernel has no such variable in shared memory\n", data: [] };
  }

  #list({ line }: StepView): string {
    const lines = line === null ? null : this.#linesOf(line.file);
    if (line === null || lines === null) return "the source is not there\n";
    const first = Math.max(1, line.line - 5);
    return lines
      .slice(first - 1, line.line + 5)
      .map((text, i) => `${first + i === line.line ? ">" : " "}${String(first + i).padStart(4)} ${text}\n`)
      .join("");
  }
}

/** Equal values once, others by lane. */
function variableText({ name, type, values }: WatchedVariable): string {
  const texts = values.map(valueText);
  const first = texts[0] ?? "";
  if (texts.every((text) => text === first)) return `${name}: ${type} = ${first}, in every lane\n`;
  const rows: string[] = [];
  for (let lane = 0; lane < texts.length; lane += 8)
    rows.push(`  ${String(lane).padStart(2)}: ${texts.slice(lane, lane + 8).join("  ")}\n`);
  return `${name}: ${type}\n${rows.join("")}`;
}

function sharedText({ name, type, shape, values }: SharedVariable): string {
  const columns = shape.length > 1 ? (shape.at(-1) as number) : 16;
  const shownColumns = Math.min(columns, 16);
  const rows: string[] = [];
  for (let at = 0; at < values.length && rows.length < 16; at += columns)
    rows.push(
      `  ${String(at).padStart(5)}: ${values
        .slice(at, at + shownColumns)
        .map(short)
        .join(" ")}${columns > 16 ? " …" : ""}\n`,
    );
  const left = values.length > 16 * columns ? "  …\n" : "";
  return `${name}: ${type}\n${rows.join("")}${left}`;
}

function short(value: WatchedValue | null): string {
  return typeof value === "number" ? shortNumber(value, 4) : valueText(value);
}

function accessesText(accesses: readonly WatchedRequest[]): string {
  if (accesses.length === 0) return "this step accesses no global or shared memory\n";
  return accesses
    .map((request) => {
      const lanes = request.lanes.map(({ lane, address }) => `${lane}: 0x${address.toString(16)}`);
      const rows: string[] = [];
      for (let i = 0; i < lanes.length; i += 4) rows.push(`    ${lanes.slice(i, i + 4).join("  ")}\n`);
      return `  ${requestText(request)}\n${rows.join("")}`;
    })
    .join("");
}

function requestText({ kind, space, bytes, lanes, transactions, ideal }: WatchedRequest): string {
  const unit = space === "shared" ? "wavefront" : "sector";
  return (
    `${space} ${kind} of ${counted(bytes, "byte")} by ${counted(lanes.length, "lane")}: ` +
    `${counted(transactions, unit)}, ideally ${ideal}`
  );
}

function warpText(groups: readonly LaneGroup[], warp: number): string {
  const parts = groups.map(({ mask, state, line }) => {
    if (state === "done") return `${lanesText(mask)} done`;
    const place = line === null ? "" : ` at ${baseName(line.file)}:${line.line}`;
    const waits = {
      barrier: ", waits at a barrier",
      "warp-sync": ", waits for the warp",
      "grid-barrier": ", waits for the grid",
    };
    return `${lanesText(mask)}${place}${state in waits ? waits[state as keyof typeof waits] : ""}`;
  });
  return `warp ${warp}: ${parts.join("; ")}\n`;
}
