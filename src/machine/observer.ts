/**
 * How a tool watches a device: it adds its own code to programs before they are compiled, and hears of allocations and
 * launches.
 *
 * The code it adds is ordinary IR over memory of its own, so every engine runs it, and what no tool asks for costs
 * nothing. Checkers that are on at once are parts of one observer. A variable of a tool in address space 3 is there
 * once for each block that runs, not initialised.
 */
import type { Dim3 } from "../base/dim3.ts";
import type { IrFunction, IrModule, IrValue } from "../ir/model/ir.ts";
import type { DeviceFault } from "./faults.ts";
import type { KernelParam } from "./launch.ts";

/**
 * Variables of tools begin so. What kernels do to them is none of the program's effects, and accesses of them may go
 * untested: a tool accesses what is its own, and the shadow of what a thread has accessed just before.
 */
export const TOOL_PREFIX = "__heddle_tool_";

/** Whether a pointer is into a variable of a tool: no thread waits for what lies there. */
export function isToolAddress(pointer: IrValue): boolean {
  if (pointer.kind === "global") return pointer.name.startsWith(TOOL_PREFIX);
  const i =
    pointer.kind === "const-expr" || pointer.kind === "instruction"
      ? pointer.kind === "const-expr"
        ? pointer.instruction
        : pointer
      : null;
  return i !== null && i.op === "gep" && isToolAddress(i.base);
}

/**
 * Functions of tools that must not be inlined: each thread runs them to the end before the next does, so only the
 * thread tier runs kernels that call them.
 */
export function isToolRoutine(fn: IrFunction): boolean {
  return fn.name.startsWith(TOOL_PREFIX) && fn.blocks.length > 0 && fn.attributes.has("noinline");
}

/**
 * Functions of tools that are called rarely, by few threads (attribute `cold`): they return nothing, have no loops and
 * call nothing.
 */
export function isRareToolRoutine(fn: IrFunction): boolean {
  return fn.name.startsWith(TOOL_PREFIX) && fn.blocks.length > 0 && fn.attributes.has("cold");
}

/** The device's memory, as a tool may use it. */
export interface ObservedMemory {
  /** All of it. Not to be kept over an allocation: growing replaces the view. */
  readonly bytes: Uint8Array;
  /** One past the last address that memory may ever have. */
  readonly limit: number;
  /** The windows of shared and local memory: [start, end). */
  readonly windows: { readonly start: number; readonly end: number };
  /** Memory that kernels may access and the program does not know of, zeroed. Lives as long as the device. */
  allocate(bytes: number): number;
  /**
   * What to add (modulo 2^32) to an address of the program's memory for the address of its byte in shadow plane
   * `plane`: as many planes as the observer asks for, zeroed, committed as touched. An address outside of the program's
   * memory may have none.
   */
  shadow(plane: number): number;
  /** The memory that has shadows: windows and heap. */
  readonly shadowed: { readonly start: number; readonly end: number };
}

export interface ObservedAllocation {
  readonly start: number;
  readonly bytes: number;
  /** "user": what the program allocated; "module": its variables. */
  readonly purpose: "user" | "module";
  /** The host has a copy (managed, pinned memory): not all that it writes is heard of. */
  readonly isHostCopied?: boolean;
}

export interface ObservedLaunch {
  /** Counts the device's launches from 1, also those whose result was there already and that do not run. */
  readonly ordinal: number;
  readonly kernel: string;
  /** Its code: one of the functions that `instrument` was given, or a kernel that the tool has not seen. */
  readonly function: IrFunction;
  readonly params: readonly KernelParam[];
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  /** The parameter buffer. */
  readonly arguments: Uint8Array;
}

export interface DeviceObserver {
  /** Bytes of shadow memory that it wants for each byte of the program's. */
  readonly shadowPlanes: number;
  /**
   * Its code needs the blocks of a launch to run on one thread: one after the other, where they do not wait for one
   * another.
   */
  readonly serial: boolean;
  /** It must see launches whose result is in memory already, too. */
  readonly wantsRepeats: boolean;
  /** Functions of the device library that its code calls. */
  readonly libraryFunctions: readonly string[];
  /** Once, before anything else. */
  attach(memory: ObservedMemory): void;
  /**
   * Adds code to a program that is linked and not yet placed. `own` are the functions of the user's source, as against
   * the device library's.
   */
  instrument(module: IrModule, own: ReadonlySet<IrFunction>): void;
  /** Where a variable of the tool lies; null for what is not the tool's. */
  addressOf(variable: string): number | null;
  allocated(allocation: ObservedAllocation): void;
  freed(allocation: ObservedAllocation): void;
  /** The host, or a fill, has written [start, start + bytes). */
  written(start: number, bytes: number): void;
  /** The host reads [start, start + bytes). */
  read(start: number, bytes: number): void;
  /** Bytes have been copied on the device; the two may overlap. */
  copied(destination: number, source: number, bytes: number): void;
  /**
   * @returns the kernel that runs in its place, one with the same parameters that the tool has put beside it (its name
   * begins with TOOL_PREFIX); null: itself.
   */
  launching(launch: ObservedLaunch): string | null;
  launched(launch: ObservedLaunch, fault: DeviceFault | null): void;
  /** The host has waited for all launches. */
  synchronized(): void;
}
