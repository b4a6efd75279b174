/** An extension that runs: its functions, how they are called, and what they call. */
import { HeddleError, bug } from "../base/diagnostics.ts";
import { unsigned } from "../base/unsigned.ts";
import type { Device } from "../device/device.ts";
import { faultError } from "../library/fault-error.ts";
import { generationOf } from "../library/generation.ts";
import { record } from "../library/recording.ts";
import type { CompiledProgram } from "../program/compiled-program.ts";
import { MemoryFiles } from "../runtime/host/host-files-memory.ts";
import { openProgram, type OpenProgram } from "../runtime/host-program.ts";
import { describeTrap } from "../runtime/host/host-trap.ts";
import type { HostMemory } from "../runtime/host/host-memory.ts";
import { scoped, Tensor } from "../tensor/tensor.ts";
import { describeArguments, isKeywords, type Callable } from "./calls.ts";
import { OperationArguments } from "./operation-arguments.ts";
import { operation, type OperationResult } from "./operations.ts";
import { TensorHandles } from "./tensor-handles.ts";
import { Double, DtypeName, DeviceName, VALUE_BYTES, ValueMemory, type Value } from "./values.ts";

/** Exported by libraries/torch. */
interface ExtensionExports {
  readonly __heddle_extension_start: () => void;
  readonly __heddle_extension_table: () => number;
  readonly __heddle_extension_done: () => void;
  readonly __heddle_extension_call: (index: number, given: number, count: number, result: number) => number;
  readonly __heddle_torch_allocate: (bytes: number) => number;
  readonly __heddle_torch_free: (pointer: number) => void;
}

/** The device that an extension's kernels run on, and how they reach tensors of the device that the caller has. */
export interface ExtensionDevice {
  /** Where the caller's tensors are. */
  readonly tensors: Device;
  /** Runs the extension's kernels: the same device, or another view of the same GPU. */
  readonly kernels: Device;
  /** The address by which kernels know an array's first element, at least until the call with this number ends. */
  address(array: Pick<Tensor, "pointer" | "length">, call: number): number;
}

export interface LoadedParts {
  readonly name: string;
  readonly program: CompiledProgram;
  readonly device: ExtensionDevice;
  /** What the extension and its kernels print. */
  readonly print: (text: string, stream: "stdout" | "stderr") => void;
}

const WORKING = 1;
const REFUSED = 2;
/** Of all extensions. */
let calls = 0;
/** Arguments of one call. */
const MOST_ARGUMENTS = 64;

export class LoadedExtension {
  readonly name: string;
  readonly callables: readonly Callable[];
  readonly #device: ExtensionDevice;
  readonly #program: OpenProgram;
  readonly #exports: ExtensionExports;
  readonly #memory: HostMemory;
  readonly #values: ValueMemory;
  readonly #handles: TensorHandles;
  /** Operations by the address of their name, which is a constant of the program. */
  readonly #operations = new Map<number, ReturnType<typeof operation>>();
  /** What a call would otherwise make anew. */
  readonly #copy = (address: number, bytes: number): Uint8Array<ArrayBuffer> =>
    this.#memory.slice(address, bytes).slice();
  readonly #tensor = (record: number): Tensor => this.#handles.get(record);
  /** Where the arguments of the outermost call are written, and its result. */
  readonly #frame: number;
  #depth = 0;
  /** Counts calls from outside; while the extension holds tensors, their addresses are in use. */
  #call = 0;
  /** What an operation threw on its way through the extension. */
  #thrown: HeddleError | null = null;
  #closed = false;
  /** The device's resets when it was loaded. */
  readonly #generation: number;

  constructor({ name, program, device, print }: LoadedParts) {
    this.name = name;
    this.#device = device;
    this.#generation = generationOf(device.tensors);
    const decoder = new TextDecoder();
    this.#program = openProgram(
      {
        program,
        devices: [device.kernels],
        argv: [name],
        env: {},
        files: new MemoryFiles(),
        streams: {
          write: (stream, bytes) => print(decoder.decode(bytes), stream),
          flush: () => {},
          readStdin: () => 0,
        },
        // A fault is thrown, with the same report.
        report: (text) => device.kernels.fault === null && print(`${text}\n`, "stderr"),
        // Both are views of one GPU.
        aroundLaunch: (kernel, config, launch) => record(device.tensors, { kernel, config }, launch),
      },
      () => this.#imports(),
    );
    this.#memory = this.#program.memory;
    this.#exports = this.#program.exports as unknown as ExtensionExports;
    const { __heddle_torch_allocate: allocate, __heddle_torch_free: free } = this.#exports;
    this.#values = new ValueMemory(this.#memory, (bytes) => unsigned(allocate(bytes)));
    this.#handles = new TensorHandles({ values: this.#values, free, address: (tensor) => this.#address(tensor) });
    this.#inside(() => this.#exports.__heddle_extension_start());
    this.#frame = this.#values.allocate(VALUE_BYTES * (MOST_ARGUMENTS + 1));
    this.callables = this.#table();
  }

  /** Closed, or its device has been reset, or a trap has left it in the middle of something. */
  get isClosed(): boolean {
    return (
      this.#closed || this.#device.kernels.fault !== null || generationOf(this.#device.tensors) !== this.#generation
    );
  }

  /** Tensors that the extension holds between calls. */
  get heldTensors(): number {
    return this.#handles.count;
  }

  #address(tensor: Tensor): number {
    const { tensors } = this.#device;
    if (tensor.place !== tensors)
      throw new HeddleError(
        "bad-arguments",
        `${this.name} was loaded for another device than the one that this tensor is on`,
        { notes: ["loadInline and loadExtension take the device: { device }"] },
      );
    return this.#device.address(tensor, this.#call);
  }

  #imports(): [string, (...values: never[]) => number | void][] {
    return [
      ["__heddle_torch_call", (...call: [number, number, number, number, number]) => this.#operation(...call)],
      ["__heddle_torch_release", (id: number) => this.#handles.release(id)],
      ["__heddle_torch_host_data", (id: number) => this.#handles.hostData(id)],
    ];
  }

  #table(): Callable[] {
    const rows = this.#read(unsigned(this.#exports.__heddle_extension_table())) as readonly (readonly Value[])[];
    this.#exports.__heddle_extension_done();
    return rows.map(([name, doc, overloads]) => ({
      name: name as string,
      doc: doc as string,
      overloads: (overloads as readonly (readonly string[])[]).map(([signature, ...parameters]) => ({
        signature: signature as string,
        parameters,
      })),
    }));
  }

  /** Calls the function of this index in `callables`. */
  call(index: number, given: readonly unknown[]): unknown {
    const callable = this.callables[index] ?? bug("an extension has no such function");
    if (this.isClosed) throw this.#gone();
    const ordered = isKeywords(given.at(-1)) ? this.#positional(callable, given) : given;
    if (ordered.length > MOST_ARGUMENTS)
      throw new HeddleError("bad-arguments", `${callable.name} takes at most ${MOST_ARGUMENTS} arguments`);
    const isOutermost = this.#depth === 0;
    if (isOutermost && this.#handles.count === 0) this.#call = ++calls;
    const frame = isOutermost ? this.#frame : this.#values.allocate(VALUE_BYTES * (MOST_ARGUMENTS + 1));
    const lists: number[] = [];
    const result = frame + VALUE_BYTES * MOST_ARGUMENTS;
    try {
      for (let i = 0; i < ordered.length; i++) this.#write(frame + VALUE_BYTES * i, ordered[i], lists);
      const status = this.#inside(() => this.#exports.__heddle_extension_call(index, frame, ordered.length, result));
      if (status === REFUSED) throw refusal(callable, given);
      const value = this.#read(result);
      if (status === WORKING) throw this.#failure(String(value));
      this.#throwFault();
      return outward(value, given);
    } finally {
      if (isOutermost) this.#exports.__heddle_extension_done();
      if (this.#depth === 0) this.#handles.endCall();
      for (const list of lists) this.#exports.__heddle_torch_free(list);
      if (!isOutermost) this.#exports.__heddle_torch_free(frame);
    }
  }

  #gone(): HeddleError {
    this.#throwFault();
    return new HeddleError("bad-arguments", `${this.name} was closed, or its device was reset: load it again`);
  }

  #positional(callable: Callable, given: readonly unknown[]): unknown[] {
    const keywords = given.at(-1) as Record<string, unknown>;
    const first = given.slice(0, -1);
    const names = Object.keys(keywords);
    for (const { parameters } of callable.overloads) {
      if (!names.every((name) => parameters.indexOf(name) >= first.length)) continue;
      const last = Math.max(...names.map((name) => parameters.indexOf(name)));
      return Array.from({ length: Math.max(first.length, last + 1) }, (_, i) =>
        i < first.length ? first[i] : keywords[parameters[i] as string],
      );
    }
    throw refusal(callable, given);
  }

  #failure(text: string): HeddleError {
    const thrown = this.#thrown;
    this.#thrown = null;
    this.#throwFault();
    return thrown !== null && thrown.message === text ? thrown : new HeddleError("bad-arguments", text);
  }

  #throwFault(): void {
    const { kernels } = this.#device;
    if (kernels.fault !== null) throw faultError(kernels.fault, kernels, []);
  }

  /** Runs code of the extension; a trap of it becomes an error. */
  #inside<T>(work: () => T): T {
    this.#depth++;
    try {
      return work();
    } catch (error) {
      const { cuda, guard, places } = this.#program;
      const trap = error instanceof HeddleError ? null : describeTrap(error, { cuda, guard, places: places() });
      if (trap === null) throw error;
      this.#closed = true;
      throw new HeddleError("host-trap", `${this.name}: ${trap}`, { cause: error });
    } finally {
      this.#depth--;
    }
  }

  /** @returns 0, or 1: the text of an error is the result. */
  #operation(name: number, length: number, given: number, count: number, result: number): number {
    this.#handles.toTensors();
    try {
      let run = this.#operations.get(name);
      if (run === undefined) this.#operations.set(name, (run = operation(this.#memory.text(name, length))));
      const values: Value[] = [];
      for (let i = 0; i < count; i++) values.push(this.#read(given + VALUE_BYTES * i));
      const own = run;
      scoped(() => {
        this.#writeResult(result, own(new OperationArguments(values, this.#device.tensors, this.#copy)));
        return null;
      });
      return 0;
    } catch (error) {
      if (!(error instanceof HeddleError)) throw error;
      this.#thrown = error;
      this.#values.setString(result, error.message);
      return 1;
    } finally {
      this.#handles.toExtension();
    }
  }

  #read(at: number): Value {
    return this.#values.read(at, this.#tensor);
  }

  #writeResult(at: number, value: OperationResult): void {
    if (value === undefined || value === null) this.#values.setNone(at);
    else if (value instanceof Tensor) this.#values.setTensor(at, this.#handles.record(value));
    else if (Array.isArray(value)) {
      const list = this.#values.setList(at, value.length);
      for (const [i, one] of (value as readonly Value[]).entries()) this.#writeResult(list + VALUE_BYTES * i, one);
    } else if (value instanceof Double) this.#values.setDouble(at, value.value);
    else if (value instanceof DtypeName) this.#values.setDtype(at, value.dtype);
    else if (typeof value === "string") this.#values.setString(at, value);
    else if (typeof value === "boolean") this.#values.setBool(at, value);
    else this.#values.setNumber(at, Number(value));
  }

  /** @param lists takes what has to be freed after the call. */
  #write(at: number, value: unknown, lists: number[]): void {
    const values = this.#values;
    if (value instanceof Tensor) values.setTensor(at, this.#handles.record(value));
    else if (value === undefined) values.setMissing(at);
    else if (value === null) values.setNone(at);
    else if (typeof value === "number") values.setNumber(at, value);
    else if (typeof value === "boolean") values.setBool(at, value);
    else if (typeof value === "bigint") values.set(at, 2, 0, BigInt.asUintN(64, value));
    else if (typeof value === "string") {
      values.setString(at, value);
      lists.push(values.pointer(at));
    } else if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const elements = Array.from(value as ArrayLike<unknown> & Iterable<unknown>);
      const list = values.setList(at, elements.length);
      lists.push(list);
      for (const [i, one] of elements.entries()) this.#write(list + VALUE_BYTES * i, one, lists);
    } else throw new HeddleError("bad-arguments", `${this.name} cannot take ${describeArguments([value])}`);
  }

  /** Releases the tensors that the extension holds, and its kernels. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#handles.clear();
    for (const { modules } of this.#program.cuda.devices) {
      if (this.#device.kernels.fault === null) for (const module of modules.values()) module.unload();
      modules.clear();
    }
  }
}

/** Results as the caller has them: tensors that the call made are the caller's to release. */
function outward(value: Value, given: readonly unknown[]): unknown {
  if (value instanceof Tensor) return given.includes(value) ? value : value.retain();
  if (Array.isArray(value)) return (value as readonly Value[]).map((one) => outward(one, given));
  if (value instanceof Double) return value.value;
  if (value instanceof DtypeName) return value.dtype;
  return value instanceof DeviceName ? value.type : value;
}

/** As pybind11 says it. */
function refusal({ name, overloads }: Callable, given: readonly unknown[]): HeddleError {
  return new HeddleError(
    "bad-arguments",
    `${name}(): incompatible function arguments. The following argument types are supported:`,
    {
      notes: [
        ...overloads.map(({ signature }, i) => `    ${i + 1}. ${signature}`),
        `Invoked with: ${describeArguments(given)}`,
      ],
    },
  );
}
