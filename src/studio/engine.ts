/** The library for browsers, loaded with the page, with one session whose worker keeps the compiler. */
import { programRequest } from "../browser/program-options.ts";
import type { BrowserSession } from "../session/session-browser.ts";
import type { ProgramRequest } from "../session/request.ts";
import type { CompiledAhead } from "../session/session-worker-browser.ts";

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

export function engineFolder(): string {
  return new URL(`${STUDIO_ENGINE}/`, document.baseURI).href;
}

async function load(): Promise<BrowserSession> {
  const heddle = engineFolder();
  const library = (await import(/* @vite-ignore */ `${heddle}index.js`)) as BrowserLibrary;
  isReady = true;
  return library.openSession({ clang: new URL("clang/", document.baseURI).href, heddle, keepsWorker: true });
}

/** @param round the compiler has not seen the text of another round. */
const smallProgram = (round: number): string =>
  `#include <cstdio>\n__global__ void nothing${round}() {}\n` +
  `int main() { nothing${round}<<<1, 1>>>(); return ${round}; }\n`;

/** Small programs that the compiler learns by: browsers optimize its code while it runs. */
const LESSONS = 3;
let lessons = 0;

/**
 * Loads the compiler, so that the next program waits less. What a person starts meanwhile waits for it: it needs the
 * compiler, too.
 */
export function warmUp(): Promise<void> {
  return (warming ??= lesson());
}

/** Goes on while the person does nothing that needs the compiler. */
export async function teach(isIdle: () => boolean): Promise<void> {
  await warmUp();
  while (lessons < LESSONS && isIdle()) await (warming = lesson());
}

function lesson(): Promise<void> {
  lessons++;
  const request = programRequest(smallProgram(lessons), { clang: "" }, {});
  return openEngine()
    .then((engine) => engine.start(request).result)
    .then(
      () => undefined,
      () => undefined,
    );
}

/** Resolves when no warm-up is under way. */
export function warmedUp(): Promise<void> {
  return warming ?? Promise.resolve();
}

/** Opens the device that the first program will run on. */
export async function prepareDevice(gpu: string): Promise<void> {
  const { settings } = programRequest("", { clang: "", gpu }, {});
  await prepareFor(() => ({
    kind: "run",
    program: { wasm: new Uint8Array(0) },
    settings,
    argv: [],
    env: null,
    timeout: null,
  }));
}

/** The first letter of an edit: the compiler will be needed for this program. */
export function prepareOnce(request: () => ProgramRequest): void {
  if (isPrepared) return;
  void prepare(request);
}

/** A program has ended, and is likely to be edited and started again. */
export function prepare(request: () => ProgramRequest): Promise<void> {
  isPrepared = true;
  return prepareFor(request);
}

/** Compiles what was typed: it is started at once, and its errors are underlined before. */
export async function compileAhead(
  request: () => ProgramRequest,
  onCompiled: (ahead: CompiledAhead) => void,
): Promise<void> {
  isPrepared = true;
  try {
    (await openEngine()).compileAhead(request(), onCompiled);
  } catch {
    // It fails again when the person runs the program, and is reported then.
  }
}

async function prepareFor(request: () => ProgramRequest): Promise<void> {
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
  lessons = 0;
  isPrepared = false;
}
