/**
 * Heddle in a browser: compiles a CUDA program, main() and all, and runs it, in a dedicated worker of the page.
 *
 *     import { runProgram } from "heddle/browser";
 *
 *     const { exitCode } = await runProgram(source, {
 *       clang: "/node_modules/@yowasp/clang/gen/",
 *       onOutput: (text) => (page.textContent += text),
 *     });
 *
 * The files of the packages are fetched as they are; no bundler is needed. On a cross-origin isolated page (headers
 * Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp) blocks run on all cores,
 * elsewhere on one.
 */
import { HeddleError, type ErrorCode } from "../base/diagnostics.ts";
import type { EngineChoice } from "../device/emulated/engines.ts";
import type { CompileOptions } from "../program/compiled-program.ts";
import type { ProgramOutcome, ProgramReply, ProgramRequest } from "./program-messages.ts";

export { HeddleError, type ErrorCode } from "../base/diagnostics.ts";
export type { ProgramOutcome } from "./program-messages.ts";

export interface BrowserProgramOptions {
  /** URL of the directory gen/ of the package @yowasp/clang, relative to the page. */
  readonly clang: string;
  /** URL of dist/ of this package; default: where this module was loaded from. */
  readonly heddle?: string;
  /** What diagnostics call the source, and, without its ending, argv[0]; default "program.cu". */
  readonly path?: string;
  /** The program's arguments, without argv[0]. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Files that the source includes and that the program opens, by path relative to its working directory. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>;
  readonly compile?: Partial<CompileOptions>;
  /** The real GPU whose limits and properties the device follows; default "a100". */
  readonly gpu?: string;
  readonly engine?: EngineChoice;
  /** Threads that run blocks; default one for each core. */
  readonly workers?: number;
  /** Whether a launch whose result is already in memory may be skipped; default true. */
  readonly reuse?: boolean;
  /** Receives what the program prints, as it prints it. */
  readonly onOutput?: (text: string, stream: "stdout" | "stderr") => void;
  /** Stops the program: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Resolves when the program has ended, whatever its exit code.
 *
 * @throws HeddleError "compile-error", "link-error" with the compiler's report in `notes`; "unsupported";
 * "file-not-found" when the packages' files are not where `clang` and `heddle` say.
 */
export function runProgram(source: string, options: BrowserProgramOptions): Promise<ProgramOutcome> {
  const { clang, heddle, path = "program.cu", signal, onOutput } = options;
  const absolute = (url: string): string => new URL(url.endsWith("/") ? url : `${url}/`, document.baseURI).href;
  const request: ProgramRequest = {
    locations: { clang: absolute(clang), ...(heddle === undefined ? {} : { heddle: absolute(heddle) }) },
    sources: [{ path, text: source }],
    compile: options.compile ?? {},
    argv: [path.replace(/\.[^./]*$/, ""), ...(options.args ?? [])],
    env: options.env ?? {},
    stdin: options.stdin ?? "",
    files: options.files ?? {},
    gpu: options.gpu,
    engine: options.engine,
    workers: options.workers ?? navigator.hardwareConcurrency,
    reuse: options.reuse ?? true,
  };
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = new Worker(new URL("./program-worker.js", import.meta.url), {
      type: "module",
      name: "heddle program",
    });
    const finish = (settle: () => void): void => {
      worker.terminate();
      signal?.removeEventListener("abort", abort);
      settle();
    };
    const abort = (): void => finish(() => reject(signal?.reason as Error));
    signal?.addEventListener("abort", abort);
    worker.addEventListener("error", (event) =>
      finish(() =>
        reject(new Error(`BUG: the program's worker failed: ${event.message || "its script could not be loaded"}`)),
      ),
    );
    worker.addEventListener("message", ({ data }: MessageEvent<ProgramReply>) => {
      if (data.kind === "output") onOutput?.(data.text, data.stream);
      else if (data.kind === "ended") finish(() => resolve(data.outcome));
      else finish(() => reject(failure(data.code, data.message, data.notes, data.stack)));
    });
    worker.postMessage(request);
  });
}

function failure(code: ErrorCode | "bug", message: string, notes: readonly string[], stack: string): Error {
  if (code !== "bug") return new HeddleError(code, message, { notes });
  return new Error(message, { cause: stack });
}
