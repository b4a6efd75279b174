/** What a page asks of the worker that runs a Python script. Plain data. */
import type { CheckerName } from "../check/finding.ts";
import type { BrowserLocations } from "../frontend/clang/clang-loader-browser.ts";

export interface ScriptLocations extends BrowserLocations {
  /** URL of the package pyodide. Ends in "/". */
  readonly pyodide: string;
}

/** Which program of which launch is recorded. */
export interface TilesChoice {
  /** A part of the kernel's name; null: any kernel. */
  readonly kernel: string | null;
  /** Of the launches of such kernels, counted from 1. */
  readonly launch: number;
  readonly program: readonly [number, number, number];
}

export interface PageScriptRequest {
  readonly kind: "script";
  /** The script's path among `files`. */
  readonly file: string;
  readonly files: Readonly<Record<string, Uint8Array | string>>;
  readonly args: readonly string[];
  readonly stdin: string;
  /** null: the one that scripts find on the command line. */
  readonly gpu: string | null;
  /** The checkers that watch; null: none. */
  readonly check: readonly CheckerName[] | null;
  readonly profile: boolean;
  readonly record: TilesChoice | null;
  /** Seconds; null: no limit. */
  readonly timeout: number | null;
}

/** Where the script's files lie. */
export const SCRIPT_FOLDER = "/work";
