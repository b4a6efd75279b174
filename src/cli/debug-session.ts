/** A recorded program, forwards and backwards: what a key does, and what is shown. Without a terminal of its own. */
import { shortNumber } from "../base/short-number.ts";
import type {
  ProgramRecording,
  RecordedAccess,
  RecordedStep,
  RecordedTile,
  RecordedValue,
  RecordedVariable,
} from "../frontend/triton/record-program.ts";

const SHOWN_VALUES = 16;
const SHOWN_ROWS = 8;
const SHOWN_COLUMNS = 8;

/** The lines of a file, or null. */
export type LinesOf = (file: string) => readonly string[] | null;

export function recordingTitle({ kernel, program, grid, steps, endedEarly }: ProgramRecording): string {
  const count = `${steps.length} ${steps.length === 1 ? "step" : "steps"}`;
  const end = endedEarly === null ? "" : `\nthe recording ends early: ${endedEarly}`;
  return `${kernel}, program (${program.join(", ")}) of (${grid.join(", ")}): ${count}${end}\n`;
}

export function stepText(recording: ProgramRecording, index: number, linesOf: LinesOf): string {
  const step = recording.steps[index] as RecordedStep;
  const { file, line, functionName, callers } = step;
  const source = linesOf(file)?.[line - 1];
  return [
    `step ${index + 1} of ${recording.steps.length}  ${file}:${line}, in ${functionName}`,
    ...callers.map((caller) => `  called from ${caller.file}:${caller.line}, in ${caller.functionName}`),
    ...(source === undefined ? [] : [`  | ${source}`]),
    ...(step.condition === null ? [] : [`  the condition is ${step.condition ? "true" : "false"}`]),
    ...step.accesses.flatMap(accessLines),
    ...step.variables.flatMap((variable) => variableLines(variable, functionName)),
    "",
  ].join("\n");
}

function accessLines({ kind, tile, parameter, indices, addresses, mask, outside }: RecordedAccess): string[] {
  const at = indices ?? addresses.map((address) => `0x${address.toString(16)}`);
  const lines = [
    `  ${kind} ${typeText(tile)} ${parameter === null ? "at" : `of ${parameter} at`} ${listText(at, tile.shape)}`,
  ];
  if (mask !== null) {
    const count = mask.filter(Boolean).length;
    const how = count === mask.length ? "all" : `${count} of ${mask.length}`;
    lines.push(`    mask: ${how} ${listText(mask.map(Number), tile.shape)}`);
  }
  lines.push(`    ${kind === "store" ? "writes" : "gives"} ${listText(tile.values, tile.shape)}`);
  if (outside.length > 0) {
    const first = outside[0] as number;
    const place = tile.shape.length === 0 ? "" : ` at [${positionOf(first, tile.shape).join(", ")}]`;
    const more = outside.length === 1 ? "" : `, and ${outside.length - 1} more`;
    lines.push(`    OUT OF BOUNDS: the element${place}, at ${at[first]}${more}`);
  }
  return lines;
}

/** @param here the function that the step is in: names of others, as of parameters at a call, say whose they are. */
export function variableLines(variable: RecordedVariable, here: string = variable.functionName): string[] {
  const { shape, values } = variable;
  const owner = variable.functionName === here ? "" : `${variable.functionName}'s `;
  const head = `  ${owner}${variable.name}: ${typeText(variable)}`;
  if (shape.length < 2) return [`${head} = ${listText(values, shape)}`];
  const columns = shape.at(-1) as number;
  const rows = values.length / columns;
  const lines = [head];
  for (let row = 0; row < Math.min(rows, SHOWN_ROWS); row++) {
    const own = values.slice(row * columns, (row + 1) * columns);
    const shown = own.slice(0, SHOWN_COLUMNS).map(valueText).join(" ");
    const at = positionOf(row * columns, shape).slice(0, -1);
    lines.push(`    [${at.join(", ")}] ${shown}${columns > SHOWN_COLUMNS ? " …" : ""}`);
  }
  if (rows > SHOWN_ROWS) lines.push(`    … ${rows - SHOWN_ROWS} more rows`);
  return lines;
}

function typeText({ dtype, shape }: RecordedTile): string {
  return shape.length === 0 ? dtype : `${dtype}[${shape.join(", ")}]`;
}

function positionOf(index: number, shape: readonly number[]): number[] {
  const position: number[] = [];
  let rest = index;
  for (const size of shape.toReversed()) {
    position.unshift(rest % size);
    rest = Math.floor(rest / size);
  }
  return position;
}

function listText(values: readonly RecordedValue[], shape: readonly number[]): string {
  if (shape.length === 0) return values.slice(0, 1).map(valueText).join("");
  const shown = values.slice(0, SHOWN_VALUES).map(valueText).join(" ");
  return values.length <= SHOWN_VALUES ? shown : `${shown} … ${valueText(values.at(-1) ?? 0)}`;
}

function valueText(value: RecordedValue): string {
  return typeof value === "number" ? shortNumber(value, 6) : String(value);
}

const KEYS = "n next · p previous · g to a line · v a variable · q quit";
const NEXT: readonly string[] = ["n", " ", "\r", "\n", "\u001B[C", "\u001B[B"];
const PREVIOUS: readonly string[] = ["p", "\u001B[D", "\u001B[A"];
const QUIT: readonly string[] = ["q", "\u0003", "\u0004"];

/** What a person does with a recording. */
export class DebugSession {
  readonly #recording: ProgramRecording;
  readonly #linesOf: LinesOf;
  #index = 0;
  /** What is asked for, and what was typed of the answer. */
  #question: { readonly key: "g" | "v"; text: string } | null = null;

  constructor(recording: ProgramRecording, linesOf: LinesOf) {
    this.#recording = recording;
    this.#linesOf = linesOf;
  }

  get start(): string {
    const steps = this.#recording.steps.length === 0 ? "" : this.#shown();
    return `${recordingTitle(this.#recording)}${KEYS}\n\n${steps}`;
  }

  /** What to print after a key, or null to end. */
  key(key: string): string | null {
    if (this.#question !== null) return this.#answer(this.#question, key);
    if (QUIT.includes(key)) return null;
    if (NEXT.includes(key)) return this.#move(1);
    if (PREVIOUS.includes(key)) return this.#move(-1);
    if (key === "g" || key === "v") {
      this.#question = { key, text: "" };
      return key === "g" ? "line: " : "variable: ";
    }
    return `${KEYS}\n`;
  }

  #shown(): string {
    return stepText(this.#recording, this.#index, this.#linesOf);
  }

  #move(by: number): string {
    const next = this.#index + by;
    if (next < 0) return "this is the first step\n";
    if (next >= this.#recording.steps.length) return "this is the last step\n";
    this.#index = next;
    return this.#shown();
  }

  #answer(question: { readonly key: "g" | "v"; text: string }, key: string): string | null {
    if (key === "\u0003") return null;
    if (key === "\u007F" || key === "\b") {
      if (question.text === "") return "";
      question.text = question.text.slice(0, -1);
      return "\b \b";
    }
    if (key !== "\r" && key !== "\n") {
      question.text += key;
      return key;
    }
    this.#question = null;
    const text = question.text.trim();
    return `\n${question.key === "g" ? this.#goTo(text) : this.#variable(text)}`;
  }

  /** The next step on that line; behind the last one, the first. */
  #goTo(text: string): string {
    const { steps } = this.#recording;
    const line = Number(text);
    const order = steps.map((_, i) => (this.#index + 1 + i) % steps.length);
    const found = order.find((i) => steps[i]?.line === line);
    if (found === undefined) return `no step is on line ${text}\n`;
    this.#index = found;
    return this.#shown();
  }

  /** As it is after the step that is shown. */
  #variable(name: string): string {
    const { steps, arguments: args } = this.#recording;
    for (let i = this.#index; i >= 0; i--) {
      const found = steps[i]?.variables.find((variable) => variable.name === name);
      if (found !== undefined) return `${variableLines(found).join("\n")}\n  since step ${i + 1}\n`;
    }
    const argument = args.find((variable) => variable.name === name);
    if (argument !== undefined) return `${variableLines(argument).join("\n")}\n`;
    return `${name} has no value here\n`;
  }
}
