/**
 * Rivals that are functions of PyTorch: one Python process (python/rival_adapter.py), which answers a line of JSON with a line. It has tensors of its own, made of the
 * same bytes as the arrays here, and follows the same rules; what its outputs hold comes back here to be compared with the reference.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { HeddleError } from "../base/diagnostics.ts";
import { decodeValues, dtypeBytes } from "../base/dtypes.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import type { OutputDeclaration, PythonRival, Shape } from "./ladder.ts";
import { Interrupted, type MeasuredRun } from "./measure.ts";
import type { Absent, OpenRival } from "./rivals.ts";
import { SubjectProblem } from "./subject.ts";
import type { Workspace } from "./workspace.ts";

export interface PythonSurroundings {
  /** The ladder's. */
  readonly folder: string;
  /** As PyTorch names it. */
  readonly device: "cuda" | "cpu";
  /** What must be written to have nothing left in the GPU's L2 cache. */
  readonly flushBytes: number;
  readonly signal: AbortSignal;
  /** For any one request, importing PyTorch and compiling included; default ten minutes. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 600_000;
/** Lines of what the process says on standard error that a message repeats. */
const LAST_LINES = 12;

export async function openPythonRival({ python, function: name, compile = false }: PythonRival, { folder, device, flushBytes, signal, timeoutMs = TIMEOUT_MS }: PythonSurroundings): Promise<OpenRival | Absent> {
  const started = await startPython(signal, timeoutMs);
  if ("absent" in started) return started;
  let description: string;
  try {
    const opened = await started.request({ do: "open", file: join(folder, python), function: name, compile, device });
    if ("absent" in opened) {
      started.close();
      return { absent: opened.absent };
    }
    ({ description } = opened.ok as { description: string });
  } catch (error) {
    started.close();
    throw error;
  }
  return {
    description,
    note: "",
    with: async (workspace, use) => {
      await sendArrays(started, workspace, flushBytes);
      return use(runOn(started, workspace));
    },
    close: () => started.close(),
  };
}

/** The bytes go by files: hundreds of megabytes are no lines. */
async function sendArrays(python: PythonProcess, workspace: Workspace, flushBytes: number): Promise<void> {
  const { ladder, shape } = workspace;
  const folder = mkdtempSync(join(tmpdir(), "heddle-tensors-"));
  try {
    const inputs = Object.entries(ladder.inputs).map(([name, { dtype }], i) => ({
      name, dtype,
      files: Array.from({ length: workspace.sets }, (_, set) => {
        const path = join(folder, `${i}-${set}`);
        writeFileSync(path, workspace.stagedBytes(name, set));
        return path;
      }),
    }));
    const outputs = (Object.entries(ladder.outputs) as [string, OutputDeclaration<Shape>][]).map(([name, { dtype, length }]) => ({ name, dtype, length: length(shape) }));
    await answer(python, { do: "arrays", inputs, outputs, sizes: shape, flushBytes });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runOn(python: PythonProcess, workspace: Workspace): MeasuredRun {
  return {
    sets: workspace.sets,
    launch: async (set, cache) => ((await answer(python, { do: "launch", set, cache })) as { ms: number }).ms,
    compare: (set, whole) => workspace.compare(set, whole, async (output, begin, end) => {
      const { dtype } = workspace.ladder.outputs[output] as OutputDeclaration<Shape>;
      const { bytes } = (await answer(python, { do: "read", output, begin, end })) as { bytes: string };
      const buffer = new Uint8Array((end - begin) * dtypeBytes(dtype));
      if (Buffer.from(buffer.buffer).write(bytes, "base64") !== buffer.length) throw new Error(`BUG: the adapter gave another number of bytes than ${buffer.length}`);
      return decodeValues(buffer, dtype);
    }),
  };
}

async function answer(python: PythonProcess, request: object): Promise<unknown> {
  const reply = await python.request(request);
  if ("absent" in reply) throw new SubjectProblem("failed", reply.absent);
  return reply.ok;
}

type Reply = { readonly ok: unknown } | { readonly absent: string };

interface PythonProcess {
  /** One at a time. @throws SubjectProblem for what goes wrong there, Interrupted. */
  request(message: object): Promise<Reply>;
  close(): void;
}

/** HEDDLE_PYTHON, else python3, else python. */
async function startPython(signal: AbortSignal, timeoutMs: number): Promise<PythonProcess | Absent> {
  const chosen = process.env["HEDDLE_PYTHON"];
  const commands = chosen === undefined || chosen === "" ? ["python3", "python"] : [chosen];
  for (const command of commands) {
    // A process group of its own: Ctrl-C in a terminal is for the bench, which ends it with what it has started itself.
    const child = spawn(command, [join(packageRoot(), "python", "rival_adapter.py")], { stdio: "pipe", detached: process.platform !== "win32" });
    const isStarted = await new Promise<boolean>((done, fail) => {
      child.once("spawn", () => done(true));
      child.once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") done(false);
        else fail(new HeddleError("io-error", `${command} cannot be started: ${error.message}`));
      });
    });
    if (isStarted) return pythonProcess(child, signal, timeoutMs);
  }
  return { absent: chosen === undefined ? "there is no Python (python3; HEDDLE_PYTHON names another one)" : `HEDDLE_PYTHON is ${chosen}, which is not there` };
}

function pythonProcess(child: ChildProcessWithoutNullStreams, signal: AbortSignal, timeoutMs: number): PythonProcess {
  const last: string[] = [];
  let waiting: { readonly done: (reply: Reply) => void; readonly fail: (error: Error) => void } | null = null;
  let ended: string | null = null;
  const close = (): void => {
    if (ended !== null) return;
    try {
      if (process.platform === "win32" || child.pid === undefined) child.kill();
      else process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      // It has ended by itself a moment ago.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  };
  createInterface({ input: child.stderr }).on("line", (line) => {
    last.push(line);
    if (last.length > LAST_LINES) last.shift();
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const reply = JSON.parse(line) as Reply | { readonly error: string; readonly trace: string };
    if ("error" in reply) waiting?.fail(new SubjectProblem("failed", reply.error.includes("\n") ? reply.error : placed(reply)));
    else waiting?.done(reply);
  });
  // What was written to a process that has ended is told by its end.
  child.stdin.on("error", () => undefined);
  child.on("close", (code, by) => {
    ended = `Python has ended with ${by ?? `exit code ${code}`}`;
    waiting?.fail(new SubjectProblem("failed", [ended, ...last].join("\n")));
  });
  return {
    close,
    request: (message) => new Promise((resolve, reject) => {
      if (waiting !== null) throw new Error("BUG: a request before the answer to the last one");
      if (ended !== null) throw new SubjectProblem("failed", [ended, ...last].join("\n"));
      const timer = setTimeout(() => {
        waiting?.fail(new SubjectProblem("failed", `Python has not answered for ${timeoutMs / 1000} s`));
        close();
      }, timeoutMs);
      const onAbort = (): void => {
        waiting?.fail(new Interrupted());
        close();
      };
      const settled = (): void => {
        waiting = null;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      };
      waiting = {
        done: (reply) => (settled(), resolve(reply)),
        fail: (error) => (settled(), reject(error)),
      };
      signal.addEventListener("abort", onAbort);
      child.stdin.write(`${JSON.stringify(message)}\n`);
      if (signal.aborted) onAbort();
    }),
  };
}

/** Where in the user's file it happened: the last place of the trace that is not ours. */
function placed({ error, trace }: { readonly error: string; readonly trace: string }): string {
  const places = [...trace.matchAll(/File "([^"]+)", line (\d+), in /g)].filter(([, path]) => path !== undefined && !path.endsWith("rival_adapter.py") && !path.startsWith("<"));
  const [, path, line] = places.find(([, candidate]) => candidate !== undefined && !candidate.includes("site-packages") && !candidate.includes("dist-packages")) ?? [];
  return path === undefined ? error : `${error} (${path}:${line})`;
}
