/** The library for browsers, loaded with the page, with one session whose worker keeps the compiler. */
import { programRequest } from "../browser/program-options.ts";
import type { BrowserSession } from "../session/session-browser.ts";
import type { ProgramRequest } from "../session/request.ts";

/** The folder of the engine's files, named by the build. */
declare const STUDIO_ENGINE: string;

type BrowserLibrary = typeof import("../browser/index.ts");

let session: Promise<BrowserSession> | null = null;
let isReady = false;
let warming: Promise<void> | null = null;
/** Somebody has begun to edit, or has run something: the compiler is there, or on its way. */
let isPrepared = false;

export function engineIsReady(): boolean {
  return isReady;
}

export function openEngine(): Promise<BrowserSession> {
  return (session ??= load());
}

async function load(): Promise<BrowserSession> {
  const heddle = new URL(`${STUDIO_ENGINE}/`, document.baseURI).href;
  const library = (await import(/* @vite-ignore */ `${heddle}index.js`)) as BrowserLibrary;
  isReady = true;
  return library.openSession({ clang: new URL("clang/", document.baseURI).href, heddle, keepsWorker: true });
}

const SMALL = "#include <cstdio>\n__global__ void nothing() {}\nint main() { nothing<<<1, 1>>>(); }\n";

/**
 * Loads the compiler, so that the next program waits less. What a person starts meanwhile waits for it: it needs the
 * compiler, too.
 */
export function warmUp(): Promise<void> {
  return (warming ??= openEngine()
    .then((engine) => engine.start(programRequest(SMALL, { clang: "" }, {})).result)
    .then(
      () => undefined,
      () => undefined,
    ));
}

/** Resolves when no warm-up is under way. */
export function warmedUp(): Promise<void> {
  return warming ?? Promise.resolve();
}

/** The first letter of an edit: the compiler will be needed for this program. */
export function prepareOnce(request: () => ProgramRequest): void {
  if (isPrepared) return;
  void prepare(request);
}

/** A program has ended, and is likely to be edited and started again. */
export async function prepare(request: () => ProgramRequest): Promise<void> {
  isPrepared = true;
  try {
    (await openEngine()).prepare(request());
  } catch {
    // It fails again when the person runs the program, and is reported then.
  }
}

/** A program that needs the compiler is under way: there is nothing to warm up. */
export function isWarm(): void {
  warming ??= Promise.resolve();
}

/** A worker that was ended has taken its compiler along. */
export function forgetWarmUp(): void {
  warming = null;
  isPrepared = false;
}
