/** What the CUDA runtime asks of a host program that runs: calls by pointer, memory, the device code in its module. */
import { HeddleError, bug } from "../base/diagnostics.ts";
import { unsigned } from "../base/unsigned.ts";
import type { TextProgram } from "../program/device-program.ts";
import { fatBinariesOf, functionProgramsOf } from "../program/fat-binary.ts";
import type { AddressRange, CallValue, HostProgram } from "./cuda/context.ts";
import { callWithFewer } from "./host/call-with-fewer.ts";
import type { HostMemory } from "./host/host-memory.ts";

export interface HostExports {
  readonly memory: WebAssembly.Memory;
  /** Of programs of earlier versions. */
  readonly malloc?: (bytes: number) => number;
  readonly free?: (pointer: number) => void;
  readonly __indirect_function_table?: WebAssembly.Table;
  /** Of a program with threads. */
  readonly __heddle_managed_start?: () => number;
  readonly __heddle_managed_end?: () => number;
  /** malloc and free. */
  readonly __heddle_malloc?: (bytes: number) => number;
  readonly __heddle_free?: (pointer: number) => void;
  /** malloc does not give so many bytes. */
  readonly __heddle_refuse?: (bytes: number) => void;
  /** Of a 64-bit program: malloc has left out this part (hostlib/allocations.cpp). */
  readonly __heddle_gap_start?: () => number;
  readonly __heddle_gap_end?: () => number;
  /** Of an observed program. */
  readonly __heddle_observe?: () => void;
  readonly __heddle_watch_host?: (start: number, bytes: number) => void;
  readonly __heddle_watch_device?: (start: number) => void;
}

export class RunningProgram implements HostProgram {
  readonly memory: HostMemory;
  exports: HostExports | null = null;
  readonly #devicePrograms: ReadonlyMap<string, TextProgram>;
  readonly #functionPrograms: readonly TextProgram[];
  constructor(memory: HostMemory, module: WebAssembly.Module) {
    this.memory = memory;
    this.#devicePrograms = fatBinariesOf(module);
    this.#functionPrograms = functionProgramsOf(module);
  }
  get #exports(): HostExports {
    return this.exports ?? bug("the host program is called before it is instantiated");
  }
  #function(functionPointer: number): ((...values: (number | bigint)[]) => unknown) | null {
    const table = this.#exports.__indirect_function_table;
    return table !== undefined && functionPointer < table.length
      ? (table.get(functionPointer) as ((...values: (number | bigint)[]) => unknown) | null)
      : null;
  }
  parameterCount(functionPointer: number): number {
    return this.#function(functionPointer)?.length ?? 0;
  }
  call(functionPointer: number, ...values: CallValue[]): number {
    const target = this.#function(functionPointer);
    if (target === null) throw new WebAssembly.RuntimeError(`call of the invalid function pointer ${functionPointer}`);
    const isWide = this.memory.model.pointerBytes === 8;
    const given = values.map((value) => {
      if (typeof value !== "number") return value.int;
      return isWide ? BigInt(value) : value;
    });
    return Number((target.length < given.length ? callWithFewer(target, given) : target(...given)) ?? 0);
  }
  malloc(bytes: number): number {
    const malloc = this.#exports.__heddle_malloc ?? this.#exports.malloc;
    if (malloc === undefined) throw new HeddleError("link-error", "the host module does not export malloc");
    return unsigned(malloc(bytes));
  }
  free(pointer: number): void {
    (this.#exports.__heddle_free ?? this.#exports.free)?.(pointer);
  }
  deviceProgram(id: string): TextProgram {
    return this.#devicePrograms.get(id) ?? bug("the program's device code is not in it");
  }
  functionPrograms(): readonly TextProgram[] {
    return this.#functionPrograms;
  }
  watch(start: number, bytes: number): void {
    this.#exports.__heddle_watch_host?.(start, bytes);
  }
  watchDevice(start: number): void {
    this.#exports.__heddle_watch_device?.(start);
  }
  managedRange(): AddressRange | null {
    const { __heddle_managed_start: start, __heddle_managed_end: end } = this.#exports;
    return start === undefined || end === undefined ? null : { start: unsigned(start()), end: unsigned(end()) };
  }
  gap(): AddressRange | null {
    const { __heddle_gap_start: start, __heddle_gap_end: end } = this.#exports;
    const range = start === undefined || end === undefined ? null : { start: unsigned(start()), end: unsigned(end()) };
    return range === null || range.end === 0 ? null : range;
  }
}
