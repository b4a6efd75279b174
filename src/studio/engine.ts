/** The library for browsers, loaded when it is first needed, with one session whose worker keeps the compiler. */
import { programRequest } from "../browser/program-options.ts";
import type { Session } from "../session/session.ts";

/** The folder of the engine's files, named by the build. */
declare const STUDIO_ENGINE: string;

type BrowserLibrary = typeof import("../browser/index.ts");

let session: Promise<Session> | null = null;
let isReady = false;
let warming: Promise<void> | null = null;

export function engineIsReady(): boolean {
  return isReady;
}

export function openEngine(): Promise<Session> {
  return (session ??= load());
}

export function engineFolder(): string {
  return new URL(`${STUDIO_ENGINE}/`, document.baseURI).href;
}

async function load(): Promise<Session> {
  const heddle = engineFolder();
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

/** A program that needs the compiler is under way: there is nothing to warm up. */
export function isWarm(): void {
  warming ??= Promise.resolve();
}

/** A worker that was ended has taken its compiler along. */
export function forgetWarmUp(): void {
  warming = null;
}
