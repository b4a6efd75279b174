/**
 * Looks at a recording: goes to any step, forwards and backwards, and says what the threads have in their variables and
 * what they access. It runs the block again from the last snapshot in front.
 */
import { bug } from "../base/diagnostics.ts";
import type { IrInstruction } from "../ir/model/ir.ts";
import { loadProgram } from "../engine/load-program.ts";
import type { Frame, Thread } from "../engine/interpreter/thread.ts";
import { parseModule } from "../ir/text/parse.ts";
import type { DebugType, DebugVariable } from "../ir/text/debug-variables.ts";
import { AccessLog, type WatchedRequest } from "./accesses.ts";
import { openBlock, type OpenBlock } from "./open-block.ts";
import type { Page } from "./recorded-memory.ts";
import type { BlockRecording } from "./recording.ts";
import { restoreSnapshot, type Snapshot } from "./snapshots.ts";
import { LineTable, type SourceLine } from "./source-lines.ts";
import { BlockStepper, maskOf } from "./stepper.ts";
import { bytesOf, readValue, type WatchedValue } from "./values.ts";

/** Threads of a warp that are at one place. */
export interface LaneGroup {
  readonly mask: number;
  readonly state: "ready" | "barrier" | "warp-sync" | "grid-barrier" | "yielded" | "done";
  /** null: it has ended, or is in no line of the user's. */
  readonly line: SourceLine | null;
}

export interface WatchedVariable {
  readonly name: string;
  readonly type: string;
  readonly isParameter: boolean;
  /** By lane; null: the lane is elsewhere, or not there. */
  readonly values: readonly (WatchedValue | null)[];
}

/** A variable in shared memory. */
export interface SharedVariable {
  readonly name: string;
  readonly type: string;
  /** Where it begins in the block's shared memory, in bytes. */
  readonly offset: number;
  readonly elementBytes: number;
  /** Of the array, the outermost first; [] is a scalar. */
  readonly shape: readonly number[];
  readonly values: readonly (WatchedValue | null)[];
}

/** Elements of a shared variable that are shown. */
const SHOWN_SHARED = 65_536;

export class Replay {
  readonly recording: BlockRecording;
  readonly #open: OpenBlock;
  readonly #stepper: BlockStepper;
  readonly #lines: LineTable;
  readonly #variables: ReadonlyMap<string, readonly DebugVariable[]>;
  readonly #sharedOffsets: ReadonlyMap<string, number>;
  /** The step that comes next. */
  #position = 0;
  /** Of the last step that was watched. */
  #watched: { readonly step: number; readonly requests: readonly WatchedRequest[] } | null = null;

  constructor(recording: BlockRecording) {
    this.recording = recording;
    const { program: recorded, launch } = recording;
    const module = parseModule(recorded.ir, "recording");
    const addresses = new Map(recorded.globalAddresses);
    const program = loadProgram(
      module,
      {
        allocate: () => bug("a variable of the recorded program has no address"),
        memory: { buffer: new ArrayBuffer(0) } as WebAssembly.Memory,
        placed: (name) => addresses.get(name) ?? null,
        numbered: recorded.functionNames,
      },
      { fmad: recorded.fmad },
    );
    const loaded = program.kernels.get(launch.kernel) ?? bug(`the recording has no kernel ${launch.kernel}`);
    const kernel = { ...loaded, params: recorded.params };
    this.#sharedOffsets = kernel.sharedOffsets;
    this.#variables = new Map(recording.variables);
    this.#open = openBlock(program, kernel, launch, null);
    this.#lines = new LineTable(recording.lines);
    this.#stepper = new BlockStepper(this.#open.block, this.#lines);
    this.#open.clock = () => this.#stepper.ticks;
    this.#restore(0);
  }

  get stepCount(): number {
    return this.recording.stepCount;
  }

  /** The step before which everything is now. */
  get position(): number {
    return this.#position;
  }

  /** Goes in front of a step; `stepCount` is behind the last one. */
  goTo(step: number): void {
    const wanted = Math.max(0, Math.min(step, this.stepCount));
    const { snapshots } = this.recording;
    const from = lastBefore(snapshots, wanted);
    if (wanted < this.#position || (snapshots[from] as Snapshot).step > this.#position) this.#restore(from);
    while (this.#position < wanted) this.#advance();
  }

  /** What the step accesses. Everything is behind it afterwards. */
  accesses(step: number): readonly WatchedRequest[] {
    if (this.#watched?.step === step) return this.#watched.requests;
    if (step < 0 || step >= this.stepCount) return [];
    this.goTo(step);
    const { memory, block } = this.#open;
    const log = new AccessLog(block);
    memory.listener = (address, bytes, kind) => log.access(address, bytes, kind);
    this.#stepper.listener = log;
    this.#advance();
    memory.listener = null;
    this.#stepper.listener = null;
    const requests = log.requests();
    this.#watched = { step, requests };
    return requests;
  }

  #advance(): void {
    this.#stepper.step();
    this.#position++;
  }

  #restore(index: number): void {
    const { snapshots, pages } = this.recording;
    const latest = new Map<number, Page>(pages.map((page) => [page.number, page]));
    for (const snapshot of snapshots.slice(0, index + 1))
      for (const page of snapshot.pages) latest.set(page.number, page);
    this.#open.memory.restore(latest.values());
    const snapshot = snapshots[index] as Snapshot;
    this.#open.heap.next = snapshot.heap;
    restoreSnapshot(this.#stepper, snapshot, this.#open.block.grid.program.module.functions);
    this.#position = snapshot.step;
  }

  // ---------------------------------------------------------------- what there is now

  /** Where the threads of each warp are. */
  warps(): LaneGroup[][] {
    return this.#open.block.warps.map(({ threads }) => {
      const groups = new Map<string, { line: SourceLine | null; state: LaneGroup["state"]; threads: Thread[] }>();
      for (const thread of threads) {
        const state = stateOf(thread);
        const number = state === "done" ? -1 : this.#lines.lineOf(thread);
        const key = `${number} ${state}`;
        const group = groups.get(key);
        if (group === undefined) groups.set(key, { line: this.#lines.lines[number] ?? null, state, threads: [thread] });
        else group.threads.push(thread);
      }
      return [...groups.values()].map(({ line, state, threads: own }) => ({ line, state, mask: maskOf(own) }));
    });
  }

  /**
   * Variables that are in scope on a line of a function, innermost call of each lane.
   *
   * @param mask the lanes whose line counts; default: the step's
   */
  variables(warp: number, line: SourceLine): WatchedVariable[] {
    const threads = this.#open.block.warps[warp]?.threads ?? [];
    const byName = new Map<string, WatchedVariable & { values: (WatchedValue | null)[] }>();
    for (const thread of threads) {
      if (thread.state === "done") continue;
      const frame = this.#frameOf(thread, line.functionName);
      if (frame === null) continue;
      const known = this.#variables.get(frame.code.function.name) ?? [];
      // Of two with one name the inner one, which comes later, is meant.
      for (const variable of known.filter((one) => isInScope(one, line))) {
        const value = this.#valueOf(variable, frame);
        if (value === undefined) continue;
        let shown = byName.get(variable.name);
        if (shown === undefined) {
          const { name, type, isParameter } = variable;
          shown = { name, type: type.name, isParameter, values: new Array<null>(threads.length).fill(null) };
          byName.set(name, shown);
        }
        shown.values[thread.lane] = value;
      }
    }
    return [...byName.values()];
  }

  /** Shared variables of the kernel, with what they hold. */
  shared(): SharedVariable[] {
    const { block, memory } = this.#open;
    const known = new Map(this.recording.globals);
    return [...this.#sharedOffsets].flatMap(([symbol, offset]) => {
      const global = known.get(symbol);
      if (global === undefined) return [];
      const { element, shape } = flattened(global.type);
      const elementBytes = bytesOf(element);
      if (elementBytes === 0) return [];
      const end = block.sharedBytes;
      const all = shape.reduce((product, size) => product * size, 1);
      // `extern __shared__` arrays have no size of their own: they take what is left.
      const isOpen = all === 0;
      const count = Math.min(isOpen ? Math.floor((end - offset) / elementBytes) : all, SHOWN_SHARED);
      const values = Array.from({ length: count }, (_, i) =>
        readValue(element, memory.view, block.sharedBase + offset + i * elementBytes),
      );
      const { name, type } = global;
      return { name, type: type.name, offset, elementBytes, shape: isOpen ? [count] : shape, values };
    });
  }

  /** Where shared memory begins: addresses minus it are offsets. */
  get sharedBase(): number {
    return this.#open.block.sharedBase;
  }

  /** Source lines of a lane's calls, the innermost first. */
  callStack(warp: number, lane: number): SourceLine[] {
    const thread = this.#open.block.warps[warp]?.threads[lane];
    if (thread === undefined || thread.state === "done") return [];
    return this.#lines.stackOf(thread);
  }

  #frameOf(thread: Thread, functionName: string): Frame | null {
    for (let frame: Frame | null = thread.frame; frame !== null; frame = frame.caller) {
      const variables = this.#variables.get(frame.code.function.name);
      if (variables?.some((variable) => variable.functionName === functionName)) return frame;
    }
    return null;
  }

  /** undefined: it has no place yet. */
  #valueOf({ place, type, isIndirect }: DebugVariable, frame: Frame): WatchedValue | null | undefined {
    const slot = placesOf(frame).get(place);
    const address = slot === undefined ? 0 : (frame.values[slot] as number);
    if (address === 0) return undefined;
    const { view } = this.#open.memory;
    return readValue(type, view, isIndirect ? view.getUint32(address, true) : address);
  }
}

const places = new WeakMap<Frame["code"], Map<string, number>>();

/** Slots by name, of what may hold the address of a variable. */
function placesOf({ code }: Frame): Map<string, number> {
  let known = places.get(code);
  if (known === undefined) {
    known = new Map();
    for (const [value, slot] of code.slots)
      if (value.kind === "param" || (value as IrInstruction).op === "alloca")
        known.set((value as { readonly name: string }).name, slot);
    places.set(code, known);
  }
  return known;
}

function isInScope({ functionName, line, from, to, isParameter }: DebugVariable, at: SourceLine): boolean {
  if (functionName !== at.functionName) return false;
  if (isParameter) return true;
  if (at.line < from || at.line > to) return false;
  // On its own line a variable is not set yet, unless a loop comes back to it.
  return line < at.line || (line === at.line && from === line);
}

function stateOf({ state, barrier, collective }: Thread): LaneGroup["state"] {
  if (state !== "waiting") return state;
  if (barrier === "grid") return "grid-barrier";
  return collective === null ? "barrier" : "warp-sync";
}

function flattened(type: DebugType): { element: DebugType; shape: readonly number[] } {
  if (type.kind !== "array") return { element: type, shape: [] };
  const inner = flattened(type.element);
  return { element: inner.element, shape: [...type.counts, ...inner.shape] };
}

/** The index of the last snapshot in front of a step. */
function lastBefore(snapshots: readonly Snapshot[], step: number): number {
  let [low, high] = [0, snapshots.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((snapshots[middle] as Snapshot).step <= step) low = middle;
    else high = middle - 1;
  }
  return low;
}
