/**
 * The Python process that runs rivals (python/rival_adapter.py): a line of JSON for each request, a line for each
 * reply. It stays for a whole bench: importing PyTorch takes seconds.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { HeddleError } from "../base/diagnostics.ts";
import { packageRoot } from "../frontend/clang/clang-loader-node.ts";
import { Interrupted } from "../measure/sampling.ts";
import { SubjectProblem } from "./subject.ts";

export type Reply = { readonly ok: unknown } | { readonly absent: string };

const TIMEOUT_MS = 600_000;
/** Lines of what the process says on standard error that a message repeats. */
const LAST_LINES = 12;

interface Waiting {
  readonly done: (reply: Reply) => void;
  readonly fail: (error: Error) => void;
}

/**
 * Starts Python when it is first asked, and anew after it has failed: an error of a GPU's lasts as long as its process.
 */
export class Python {
  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #child: ChildProcessWithoutNullStreams | null = null;
  #waiting: Waiting | null = null;
  #last: string[] = [];

  /** @param timeoutMs for any one request, importing PyTorch and compiling included. */
  constructor(signal: AbortSignal, timeoutMs: number = TIMEOUT_MS) {
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** One at a time. @throws SubjectProblem for what goes wrong there, Interrupted. */
  async request(message: { readonly do: string; readonly [field: string]: unknown }): Promise<Reply> {
    if (this.#waiting !== null) throw new Error("BUG: a request before the answer to the last one");
    if (this.#child === null) {
      // What was opened there is gone with the process.
      if (message.do !== "open") throw new SubjectProblem("failed", ["Python has ended", ...this.#last].join("\n"));
      const absent = await this.#start();
      if (absent !== null) return { absent };
    }
    const child = this.#child as unknown as ChildProcessWithoutNullStreams;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#fail(new SubjectProblem("failed", `Python has not answered for ${this.#timeoutMs / 1000} s`)),
        this.#timeoutMs,
      );
      const onAbort = (): void => this.#fail(new Interrupted());
      const settled = (): void => {
        this.#waiting = null;
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", onAbort);
      };
      this.#waiting = { done: (reply) => (settled(), resolve(reply)), fail: (error) => (settled(), reject(error)) };
      this.#signal.addEventListener("abort", onAbort);
      child.stdin.write(`${JSON.stringify(message)}\n`);
      if (this.#signal.aborted) onAbort();
    });
  }

  close(): void {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    try {
      // With what it has started itself: torch.compile has processes that compile.
      if (process.platform === "win32" || child.pid === undefined) child.kill();
      else process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      // It has ended by itself a moment ago.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }

  #fail(error: Error): void {
    this.close();
    this.#waiting?.fail(error);
  }

  /** HEDDLE_PYTHON, else python3, else python. @returns why there is none, or null. */
  async #start(): Promise<string | null> {
    const chosen = process.env["HEDDLE_PYTHON"];
    const commands = chosen === undefined || chosen === "" ? ["python3", "python"] : [chosen];
    for (const command of commands) {
      // A process group of its own: Ctrl-C in a terminal is for the bench, which ends it.
      const child = spawn(command, [join(packageRoot(), "python", "rival_adapter.py")], {
        stdio: "pipe",
        detached: process.platform !== "win32",
      });
      const isStarted = await new Promise<boolean>((done, fail) => {
        child.once("spawn", () => done(true));
        child.once("error", (error: NodeJS.ErrnoException) => {
          if (error.code === "ENOENT") done(false);
          else fail(new HeddleError("io-error", `${command} cannot be started: ${error.message}`));
        });
      });
      if (!isStarted) continue;
      this.#listen(child);
      return null;
    }
    return commands.length > 1
      ? "there is no Python (python3; HEDDLE_PYTHON names another one)"
      : `HEDDLE_PYTHON is ${chosen}, which is not there`;
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    this.#child = child;
    const last: string[] = (this.#last = []);
    createInterface({ input: child.stderr }).on("line", (line) => {
      last.push(line);
      if (last.length > LAST_LINES) last.shift();
    });
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (this.#child !== child) return;
      const reply = JSON.parse(line) as Reply | { readonly error: string; readonly trace: string };
      if ("error" in reply) this.#fail(new SubjectProblem("failed", placed(reply)));
      else this.#waiting?.done(reply);
    });
    // The end of the process reports that it can no longer be written to.
    child.stdin.on("error", () => undefined);
    child.on("close", (code, by) => {
      if (this.#child !== child) return;
      this.#child = null;
      last.unshift(`Python has ended with ${by ?? `exit code ${code}`}`);
      this.#waiting?.fail(new SubjectProblem("failed", last.join("\n")));
    });
    // A bench that ends on another way leaves no process behind: its input is closed with ours.
    child.unref();
  }
}

/** Where in the user's file it happened: the last place of the trace that is neither ours nor a library's. */
function placed({ error, trace }: { readonly error: string; readonly trace: string }): string {
  const places = [...trace.matchAll(/File "([^"<]+)", line (\d+), in /g)].filter(
    ([, path = ""]) => !/rival_adapter\.py$|(site|dist)-packages|\/lib\/python3/.test(path),
  );
  const [, path, line] = places.at(-1) ?? [];
  return path === undefined ? error : `${path}:${line}: ${error}`;
}
