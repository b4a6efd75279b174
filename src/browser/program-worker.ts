/** The dedicated worker that compiles and runs one program in a browser; see run-program.ts for the page's side. */
import { HeddleError } from "../base/diagnostics.ts";
import { normalizePath } from "../frontend/clang/virtual-files.ts";
import { type SourceReader } from "../store/source-reader.ts";
import { MemoryFiles, MemoryStreams } from "../runtime/host/host-files-memory.ts";
import { runProgram } from "../runtime/host-program.ts";
import { browserEnvironment } from "./environment.ts";
import type { ProgramOutcome, ProgramReply, ProgramRequest } from "./program-messages.ts";

const reply = (message: ProgramReply): void => postMessage(message);

/** The request's files, as the compiler asks for them. */
function sourceReader(files: ProgramRequest["files"]): SourceReader {
  const known = new Map(Object.entries(files).map(([path, content]) => [normalizePath(path), content]));
  return {
    readFile: (path) => {
      const content = path.startsWith("/") ? undefined : known.get(normalizePath(path));
      return typeof content === "string" ? new TextEncoder().encode(content) : (content ?? null);
    },
    isDirectory: (path) =>
      !path.startsWith("/") && [...known.keys()].some((name) => name.startsWith(`${normalizePath(path)}/`)),
  };
}

/** Without shared memory there is nothing to wait on: undefined leaves runProgram to spin. */
function sleeper(): ((milliseconds: number) => void) | undefined {
  if (typeof SharedArrayBuffer !== "function") return undefined;
  const word = new Int32Array(new SharedArrayBuffer(4));
  return (milliseconds) => void Atomics.wait(word, 0, 0, milliseconds);
}

async function run(request: ProgramRequest): Promise<ProgramOutcome> {
  const started = performance.now();
  const { compiler: openCompiler, openDevice } = browserEnvironment(request.locations);
  const compiler = await openCompiler();
  const program = await compiler.compileProgram(request.sources, request.compile, sourceReader(request.files));
  if (program.warnings !== "") reply({ kind: "output", stream: "stderr", text: program.warnings });
  const device = await openDevice({
    ...(request.gpu === undefined ? {} : { gpu: request.gpu }),
    ...(request.engine === undefined ? {} : { engine: request.engine }),
    workers: request.workers,
    reuse: request.reuse,
  });
  const compiled = performance.now();
  const sleepMs = sleeper();
  try {
    const { exitCode, deviceError, launches } = runProgram({
      program,
      devices: [device],
      argv: request.argv,
      env: request.env,
      files: new MemoryFiles(request.files),
      streams: new MemoryStreams({
        stdin: request.stdin,
        onText: (stream, text) => reply({ kind: "output", stream, text }),
      }),
      ...(sleepMs === undefined ? {} : { sleepMs }),
    });
    return {
      exitCode,
      deviceError,
      launches,
      compileMs: compiled - started,
      runMs: performance.now() - compiled,
      parallel: device.memory.shared,
    };
  } finally {
    device.close();
  }
}

addEventListener(
  "message",
  (event: MessageEvent<ProgramRequest>) => {
    run(event.data).then(
      (outcome) => reply({ kind: "ended", outcome }),
      (error: unknown) => {
        const failure = error instanceof Error ? error : new Error(String(error));
        const known = failure instanceof HeddleError;
        reply({
          kind: "failed",
          code: known ? failure.code : "bug",
          message: failure.message,
          notes: known ? failure.notes : [],
          stack: failure.stack ?? "",
        });
      },
    );
  },
  { once: true },
);
