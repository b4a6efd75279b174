/**
 * How tools watch a device.
 *
 * A tool of the first kind needs launch events only: every device takes it. A tool of the second kind needs code of its
 * own in the kernels: it changes programs before they are compiled, and hears of allocations, copies and launches. Its
 * code is ordinary IR over memory of its own, so every engine runs it; without a tool nothing costs anything.
 *
 * A device takes one observer. Several tools at once: instrument/composite-observer.ts.
 */
import { HeddleError } from "../base/diagnostics.ts";
import { dim3Volume, type Dim3 } from "../base/dim3.ts";
import type { IrFunction, IrModule, IrValue } from "../ir/model/ir.ts";
import type { DeviceFault } from "./faults.ts";
import type { KernelParam } from "./launch.ts";
import type { PlacedProgram } from "./placed-program.ts";

/**
 * Names of the functions and variables that tools add begin with it. The program's effects do not include what kernels
 * do to such variables. Engines may leave out the bounds test of such an access: a tool accesses its own memory, and
 * the shadow of what a thread has just accessed.
 */
export const TOOL_PREFIX = "__heddle_tool_";

/** An attribute of kernels that were written for tiles: their threads and barriers are the compiler's. */
export const TILES = "heddle.tiles";

/** Whether a pointer is into a variable of a tool: no thread waits for what lies there. */
export function isToolAddress(pointer: IrValue): boolean {
  if (pointer.kind === "global") return pointer.name.startsWith(TOOL_PREFIX);
  if (pointer.kind === "const-expr") return pointer.instruction.op === "gep" && isToolAddress(pointer.instruction.base);
  return pointer.kind === "instruction" && pointer.op === "gep" && isToolAddress(pointer.base);
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
  /** All of it. An allocation may grow the memory and replace this view, so do not keep it. */
  readonly bytes: Uint8Array;
  /** One past the last address that memory may ever have. */
  readonly limit: number;
  /** The windows of shared and local memory: [start, end). */
  readonly windows: { readonly start: number; readonly end: number };
  /** Zeroed memory that kernels may access and the program does not know of. Lives as long as the device. */
  allocate(bytes: number): number;
  /**
   * What to add (modulo 2^32) to an address of the program's memory for the address of its byte in shadow plane
   * `plane`. The tool has as many planes as it asks for, zeroed, committed when touched. An address outside of the
   * program's memory may have no shadow.
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
  /** The host has a copy (managed, pinned memory): tools do not hear of all that it writes. */
  readonly isHostCopied?: boolean;
}

export interface ObservedLaunch {
  /** Counts the device's launches from 1, also those whose result is in memory already and that do not run. */
  readonly ordinal: number;
  readonly kernel: string;
  /**
   * Its code: one of the functions that `instrument` was given, or a kernel that the tool has not seen. null on a GPU,
   * where tools see launch events only.
   */
  readonly function: IrFunction | null;
  /** The program that it belongs to, in the device's memory; null on a GPU. */
  readonly placed: PlacedProgram | null;
  readonly params: readonly KernelParam[];
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly sharedBytes: number;
  readonly cooperative: boolean;
  /** Blocks of a cluster; null: one. */
  readonly cluster: Dim3 | null;
  /** The parameter buffer. */
  readonly arguments: Uint8Array;
}

/** What ran a launch: a tier of the engine (device/emulated/engines.ts), or a GPU. */
export type LaunchEngine = "warp" | "thread" | "interpreter" | "gpu";

/** How a launch went. */
export interface LaunchRun {
  readonly engine: LaunchEngine;
  /**
   * From the start of the launch to its end, compilation of the kernel included. On a GPU: between an event in front of
   * the kernel and one behind it.
   */
  readonly elapsedMs: number;
  /** The work: blocks of the grid, and threads of all blocks. */
  readonly blocks: number;
  readonly threads: number;
}

export function launchRun({ grid, block }: ObservedLaunch, engine: LaunchEngine, elapsedMs: number): LaunchRun {
  const blocks = dim3Volume(grid);
  return { engine, elapsedMs, blocks, threads: blocks * dim3Volume(block) };
}

/** A program as a front end has delivered it: nothing of the device's or of a tool's is in it. */
export interface ObservedProgram {
  readonly name: string;
  readonly ir: string | IrModule;
  readonly options: { readonly fmad: boolean };
}

/** A tool that watches a device. */
export interface DeviceObserver {
  /** For people, in messages: "memcheck", "launch timer". */
  readonly name: string;
  /** "launches": it hears of launches, on every device. "code": it adds code to kernels, on emulated devices. */
  readonly needs: "launches" | "code";

  /** Before a launch runs. A tool that needs code may name a kernel that runs in its place: see `instrument`. */
  launching?(launch: ObservedLaunch): string | null | void;
  /** After it. `fault`: what ended it early. */
  launched?(launch: ObservedLaunch, fault: DeviceFault | null, run: LaunchRun): void;
  /** A thread of the launch waits for grids that it has launched: these run now, each with events of its own. */
  suspended?(launch: ObservedLaunch): void;
  /** They have ended, and the launch goes on. */
  resumed?(launch: ObservedLaunch): void;
  /** The host has waited for all launches. */
  synchronized?(): void;
  /** It must see launches whose result is in memory already, too: they run again. */
  readonly wantsRepeats?: boolean;

  // ---------------------------------------------------------------- for tools that need code

  /** What the names of the variables and functions that it adds begin with: TOOL_PREFIX and a word of its own. */
  readonly prefix?: string;
  /** Bytes of shadow memory that it wants for each byte of the program's. */
  readonly shadowPlanes?: number;
  /**
   * Its code needs the blocks of a launch to run on one thread: one after the other, where they do not wait for one
   * another.
   */
  readonly serial?: boolean;
  /** Functions of the device library that its code calls. */
  readonly libraryFunctions?: readonly string[];
  /** Once, before anything else. */
  attach?(memory: ObservedMemory): void;
  /** Before `instrument`: what the program is made of. */
  loading?(programs: readonly ObservedProgram[]): void;
  /**
   * Adds code to a program that is linked and not yet placed. `own` are the functions of the user's source, as against
   * the device library's.
   *
   * It may put copies of kernels beside them, with the same parameters, and name one in `launching` to run in the
   * original's place. A copy's name begins with the tool's prefix.
   */
  instrument?(module: IrModule, own: ReadonlySet<IrFunction>): void;
  /**
   * The program's memory is full, and `bytes` more may fit if it had some of the tool's shadow memory, too.
   * @param fits says whether they do, if the tool keeps its first so many planes
   * @returns how many it keeps from now on; null: it needs what it has. The planes that are left lie elsewhere then,
   * with what they hold, and the device instruments every program anew before a kernel of it is launched.
   */
  yieldShadow?(bytes: number, fits: (planes: number) => boolean): number | null;
  /** After that: ObservedMemory.shadow gives the new places. */
  shadowMoved?(): void;
  /** The planes that it does not yield; absent: all of them. */
  readonly leastShadowPlanes?: number;
  /** Where a variable of the tool lies; null for what is not the tool's. */
  addressOf?(variable: string): number | null;
  allocated?(allocation: ObservedAllocation): void;
  freed?(allocation: ObservedAllocation): void;
  /** The host, or a fill, has written [start, start + bytes). */
  written?(start: number, bytes: number): void;
  /** The host reads [start, start + bytes). */
  read?(start: number, bytes: number): void;
  /** Bytes have been copied on the device; the two may overlap. */
  copied?(destination: number, source: number, bytes: number): void;
}

/**
 * Refuses a tool that needs more of a device than launch events.
 * @param device what cannot run it, for the message: "a GPU".
 * @throws HeddleError "bad-arguments" that names the tool
 */
export function requireLaunchEventsOnly(observer: DeviceObserver, device: string): void {
  if (observer.needs === "launches") return;
  throw new HeddleError("bad-arguments", `${observer.name} adds code to kernels, which ${device} does not run`, {
    notes: [`${device} takes tools that need launch events only; the emulated device takes every tool`],
  });
}
