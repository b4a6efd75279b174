/**
 * One program of a kernel, statement by statement: the values of its names, and what it reads and writes. The result is
 * plain data. It is made by the interpreter of block IR, so that no layout and no thread is part of it.
 */
import { HeddleError, type SourceLocation } from "../../base/diagnostics.ts";
import { interpretProgram, type Elements, type ProgramMemory, type ProgramPlace } from "./blocks/interpreter.ts";
import type { Scalar } from "./blocks/interpreter-elements.ts";
import type { BlockKernel, BlockOp, BlockValue, ElementType, Region } from "./blocks/model.ts";

/** An element: NaN and infinities are "nan", "inf" and "-inf", whole numbers above 2^53 are decimal text. */
export type RecordedValue = number | string | boolean;

/** A block of values, in row-major order. */
export interface RecordedTile {
  /** As in signatures: "fp32", "i32", "*fp16"; "i1" are conditions. */
  readonly dtype: string;
  /** [] is a scalar. */
  readonly shape: readonly number[];
  readonly values: readonly RecordedValue[];
}

/** A name of the source and its value. */
export interface RecordedVariable extends RecordedTile {
  readonly name: string;
  readonly functionName: string;
}

/** What a statement reads or writes. */
export interface RecordedAccess {
  readonly kind: "load" | "store" | "atomic";
  /** The elements that are read, or that are written. Atomics have what there was before. */
  readonly tile: RecordedTile;
  readonly addresses: readonly number[];
  /** null: all elements are accessed. */
  readonly mask: readonly boolean[] | null;
  /** The parameter whose array it is, where all accessed elements lie in one. */
  readonly parameter: string | null;
  /** Of each element in that array; null where `parameter` is. */
  readonly indices: readonly number[] | null;
  /** Accessed elements, by their position in the tile, that lie in no array. They are not read and not written. */
  readonly outside: readonly number[];
}

export interface RecordedStep {
  readonly line: number;
  readonly file: string;
  readonly functionName: string;
  /** Where the function was called from, the innermost first. */
  readonly callers: readonly { readonly file: string; readonly line: number; readonly functionName: string }[];
  /** What the statement bound, and loops bind anew at each turn. */
  readonly variables: readonly RecordedVariable[];
  readonly accesses: readonly RecordedAccess[];
  /** The condition of `if` or `while`, where the statement has one. */
  readonly condition: boolean | null;
}

export interface ProgramRecording {
  /** Of this form; it is 1. */
  readonly version: 1;
  readonly kernel: string;
  readonly file: string;
  readonly program: readonly [number, number, number];
  readonly grid: readonly [number, number, number];
  readonly arguments: readonly RecordedVariable[];
  readonly steps: readonly RecordedStep[];
  /** Why the program did not end: it has more steps, or does what the interpreter has no meaning for. */
  readonly endedEarly: string | null;
}

/** The arrays that a kernel may access. */
export interface RecordingMemory extends ProgramMemory {
  /** The array around an address, or null. */
  arrayAt(address: number): { readonly start: number; readonly bytes: number } | null;
}

export interface RecordingRequest {
  readonly kernel: BlockKernel;
  /** One for each parameter of the block kernel. */
  readonly args: readonly Scalar[];
  readonly memory: RecordingMemory;
  readonly place: ProgramPlace;
  /** After so many steps the recording ends. */
  readonly mostSteps: number;
}

/** Ends the interpreter. */
class Enough extends Error {}

export function recordProgram({ kernel, args, memory, place, mostSteps }: RecordingRequest): ProgramRecording {
  const recorder = new Recorder(kernel, args, memory, mostSteps);
  let endedEarly: string | null = null;
  const guarded: ProgramMemory = {
    getUint8: (address) => (memory.arrayAt(address) === null ? 0 : memory.getUint8(address)),
    setUint8: (address, value) => {
      if (memory.arrayAt(address) !== null) memory.setUint8(address, value);
    },
  };
  try {
    interpretProgram(kernel, args, guarded, place, recorder);
  } catch (error) {
    if (error instanceof Enough) endedEarly = `it has more than ${mostSteps} steps`;
    else if (error instanceof HeddleError) endedEarly = error.summary;
    else throw error;
  }
  recorder.close();
  return {
    version: 1,
    kernel: kernel.name,
    file: kernel.file,
    program: place.id,
    grid: place.count,
    arguments: recorder.args,
    steps: recorder.steps,
    endedEarly,
  };
}

type Get = (value: BlockValue) => Elements;

interface OpenStep {
  readonly key: string;
  readonly location: SourceLocation;
  readonly variables: Map<string, RecordedVariable>;
  readonly accesses: RecordedAccess[];
  condition: boolean | null;
}

class Recorder {
  readonly steps: RecordedStep[] = [];
  readonly args: RecordedVariable[];
  readonly #kernel: BlockKernel;
  readonly #memory: RecordingMemory;
  readonly #mostSteps: number;
  readonly #parameters: readonly { readonly name: string; readonly address: number }[];
  #open: OpenStep | null = null;

  constructor(kernel: BlockKernel, args: readonly Scalar[], memory: RecordingMemory, mostSteps: number) {
    this.#kernel = kernel;
    this.#memory = memory;
    this.#mostSteps = mostSteps;
    this.args = kernel.params.map(({ value, name, typeName }, i) => ({
      name,
      functionName: kernel.name,
      dtype: typeName,
      shape: [],
      values: [recorded(value.type.element, typeName, args[i] as Scalar)],
    }));
    this.#parameters = kernel.params.flatMap(({ name, typeName }, i) =>
      typeName.startsWith("*") ? [{ name, address: Number(args[i]) }] : [],
    );
  }

  before(op: BlockOp, get: Get): void {
    if (op.op === "if") {
      const step = this.#at(op.location);
      if (step !== null) step.condition = get(op.condition)[0] === 1n;
    }
    if (op.op === "store") this.#access(op, op.pointer, op.value, get);
  }

  after(op: BlockOp, get: Get): void {
    const [result] = op.results;
    if (op.op === "load" && result !== undefined) this.#access(op, op.pointer, result, get);
    if ((op.op === "atomic" || op.op === "compare-exchange") && result !== undefined)
      this.#access(op, op.pointer, result, get);
    for (const value of op.results) this.#bind(op.location, value, get);
  }

  entered(op: BlockOp, region: Region, get: Get): void {
    // A turn of a loop is a step of its own.
    this.finish();
    const isTest = op.op === "while" && region === op.before;
    for (const value of region.params) if (!isTest) this.#bind(op.location, value, get);
    if (op.op === "for") this.#at(op.location);
  }

  /** Closes the step that is under way, and ends the program if that was the last allowed. */
  finish(): void {
    this.close();
    if (this.steps.length >= this.#mostSteps) throw new Enough();
  }

  close(): void {
    const open = this.#open;
    this.#open = null;
    if (open === null) return;
    const { location, variables, accesses, condition } = open;
    const callers: { file: string; line: number; functionName: string }[] = [];
    for (let at = location.inlinedAt; at !== undefined; at = at.inlinedAt)
      callers.push({ file: at.file, line: at.line, functionName: at.functionName ?? "" });
    this.steps.push({
      line: location.line,
      file: location.file,
      functionName: location.functionName ?? this.#kernel.name,
      callers,
      variables: [...variables.values()],
      accesses,
      condition,
    });
  }

  /** The step of a line: that which is open, or a new one. null: the operation has no line. */
  #at(location: SourceLocation | null): OpenStep | null {
    if (location === null) return this.#open;
    const key = placeKey(location);
    if (this.#open?.key === key) return this.#open;
    this.finish();
    return (this.#open = { key, location, variables: new Map(), accesses: [], condition: null });
  }

  #bind(location: SourceLocation | null, value: BlockValue, get: Get): void {
    const names = this.#kernel.names?.get(value) ?? [];
    // Constants that are folded into a statement are no steps.
    if (names.length === 0) return;
    const step = this.#at(location);
    // Parameters of functions that the value is passed to say what it is only where it has no name of its own.
    const here = location?.functionName ?? this.#kernel.name;
    const own = names.filter(({ functionName }) => functionName === here);
    for (const { name, functionName, dtype } of own.length > 0 ? own : names) {
      const tile = tileOf(value, dtype, get(value));
      step?.variables.set(`${functionName} ${name}`, { name, functionName, ...tile });
    }
  }

  #access(
    op: Extract<BlockOp, { op: "load" | "store" | "atomic" | "compare-exchange" }>,
    pointer: BlockValue,
    value: BlockValue,
    get: Get,
  ): void {
    const step = this.#at(op.location);
    if (step === null) return;
    const addresses = get(pointer).map(Number);
    const given = op.op === "compare-exchange" ? null : op.mask;
    const mask = given === null ? null : get(given).map((bit) => bit === 1n);
    const bytes = bytesOf(value.type.element);
    const accessed = addresses.map((_, i) => i).filter((i) => mask?.[i] !== false);
    const outside = accessed.filter((i) => !this.#isInside(addresses[i] as number, bytes));
    step.accesses.push({
      kind: op.op === "load" || op.op === "store" ? op.op : "atomic",
      tile: tileOf(value, elementName(value.type.element), get(value)),
      addresses,
      mask,
      ...this.#arrayOf(addresses, accessed, bytes),
      outside,
    });
  }

  #isInside(address: number, bytes: number): boolean {
    const array = this.#memory.arrayAt(address);
    return array !== null && address + bytes <= array.start + array.bytes;
  }

  /** The parameter whose array begins nearest below the accessed elements. */
  #arrayOf(
    addresses: readonly number[],
    accessed: readonly number[],
    bytes: number,
  ): Pick<RecordedAccess, "parameter" | "indices"> {
    const inside = accessed.find((i) => this.#isInside(addresses[i] as number, bytes));
    const array = inside === undefined ? null : this.#memory.arrayAt(addresses[inside] as number);
    const owner =
      array === null
        ? undefined
        : this.#parameters.find(({ address }) => this.#memory.arrayAt(address)?.start === array.start);
    if (owner === undefined) return { parameter: null, indices: null };
    return { parameter: owner.name, indices: addresses.map((address) => (address - owner.address) / bytes) };
  }
}

function placeKey({ file, line, functionName = "", inlinedAt }: SourceLocation): string {
  return `${file}:${line}:${functionName}${inlinedAt === undefined ? "" : ` ${placeKey(inlinedAt)}`}`;
}

function tileOf({ type }: BlockValue, dtype: string, elements: Elements): RecordedTile {
  return { dtype, shape: type.shape, values: elements.map((value) => recorded(type.element, dtype, value)) };
}

function recorded(type: ElementType, dtype: string, value: Scalar): RecordedValue {
  if (type.kind === "int" && type.bits === 1) return BigInt(value) === 1n;
  if (type.kind === "int") {
    const integer = dtype.startsWith("u") ? BigInt(value) : BigInt.asIntN(type.bits, BigInt(value));
    return integer >= -(2n ** 53n) && integer <= 2n ** 53n ? Number(integer) : `${integer}`;
  }
  const number = Number(value);
  if (Number.isFinite(number)) return number;
  if (Number.isNaN(number)) return "nan";
  return number > 0 ? "inf" : "-inf";
}

function bytesOf(type: ElementType): number {
  if (type.kind === "int") return Math.max(1, type.bits / 8);
  if (type.kind === "ptr") return 8;
  return { half: 2, bfloat: 2, float: 4, double: 8 }[type.format];
}

function elementName(type: ElementType): string {
  if (type.kind === "int") return `i${type.bits}`;
  if (type.kind === "ptr") return "pointer";
  return { half: "fp16", bfloat: "bf16", float: "fp32", double: "fp64" }[type.format];
}
