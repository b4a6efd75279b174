/**
 * What a checker is: a part of the observer of a device (checks.ts).
 *
 * It is an instrumenter: while a program is loaded, its visitors add code to the user's functions, state of their own
 * in shadow memory and *checks* with *sites* (instrument/instrumenter.ts). After a launch the checker turns what failed
 * into findings.
 */
import type { Dim3 } from "../base/dim3.ts";
import type { Example, Instrumenter, Site } from "../instrument/instrumenter.ts";
import type { AllocationTable } from "../instrument/allocation-table.ts";
import type { DeviceFault } from "../machine/faults.ts";
import type { ObservedAllocation, ObservedLaunch, ObservedMemory } from "../machine/observer.ts";
import type { CheckerName, Finding, FindingDraft } from "./finding.ts";
import type { StreamWork } from "./stream-work.ts";

/** What the host's reading of memory gives: a place and a thread, where code is to blame. */
export type ReadDraft = FindingDraft & Partial<Pick<Finding, "location" | "function" | "count" | "example" | "launch">>;

/** What all checkers of a device share. */
export interface CheckedDevice {
  readonly memory: ObservedMemory;
  readonly allocations: AllocationTable;
  /** A mangled name as a programmer reads it. */
  readonly readable: (name: string) => string;
  /**
   * Zeroed device memory that instrumented code knows by `name` (CHECK_NAMES.variable); lives as long as the device.
   * @returns its address
   */
  variable(name: string, bytes: number): number;
  /** Every site of the modules that are loaded. */
  sites(): Iterable<Site>;
}

export interface Checker extends Instrumenter {
  readonly name: CheckerName;
  /** Bytes of shadow memory that it wants for each byte of the program's (ObservedMemory.shadow). */
  readonly shadowPlanes: number;
  /** Its code needs blocks to run one after the other, on one thread. */
  readonly serial?: boolean;
  /** Launches whose result is in memory already must run all the same. */
  readonly wantsRepeats?: boolean;
  /** Functions of the device library that its code calls. */
  readonly libraryFunctions?: readonly string[];
  /** @param firstPlane the first of its shadow planes. */
  attach(device: CheckedDevice, firstPlane: number): void;
  allocated?(allocation: ObservedAllocation): void;
  freed?(allocation: ObservedAllocation): void;
  /** The host, or a fill, wrote [start, start + bytes). */
  written?(start: number, bytes: number): void;
  /** Bytes were copied on the device; the two may overlap. */
  copied?(destination: number, source: number, bytes: number): void;
  /** The host reads [start, start + bytes). @returns what is wrong with that */
  read?(start: number, bytes: number): readonly ReadDraft[];
  /** Work on a stream reads or changes memory that host and device share, by the host's side of it. */
  moved?(start: number, bytes: number, writes: boolean): void;
  launching?(launch: ObservedLaunch): void;
  /** After `launching`, of a launch that goes on after others inside of it. */
  resumed?(): void;
  /**
   * Before work on a stream is done, and after it, when the checker says what was wrong. In between come `launching`,
   * `written`, `copied`, `read`.
   */
  beginWork?(work: StreamWork): void;
  endWork?(): readonly FindingDraft[];
  /**
   * The finding of a failed site; `at` and `by`: another site and thread, if those are to blame. null: there is no
   * fault after all. `known`: the findings so far.
   */
  describe(
    site: Site,
    example: Example,
    launch: ObservedLaunch,
    known: readonly Finding[],
  ): (FindingDraft & { readonly at?: Site; readonly by?: { readonly block: Dim3; readonly thread: Dim3 } }) | null;
  /** After all failed sites of the launch: further findings. `known`: the findings so far. */
  launched?(launch: ObservedLaunch, fault: DeviceFault | null, known: readonly Finding[]): readonly Finding[];
}
