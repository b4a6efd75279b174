/**
 * Programs of `heddle studio --on`: compiled here, run there. The connection is opened once, before the page is served;
 * one that is lost is opened again by the next program.
 */
import { HeddleError } from "../../base/diagnostics.ts";
import { buildProgram } from "../../session/build-program.ts";
import type { Emit, ProgramEnd, SessionEvent } from "../../session/events.ts";
import { nodePlatform } from "../../session/platform-node.ts";
import type { ProgramRequest } from "../../session/request.ts";
import { decodeWithBytes, encodeWithBytes, type ServerMessage } from "../../session/server-messages.ts";
import { SessionRun } from "../../session/session-run.ts";
import { Connection, connectionError, type Command } from "./connection.ts";
import { parseMachine, type Machine } from "./machine.ts";
import type { AgentMessage, SessionJobRequest, SessionOrder } from "./protocol.ts";
import { nodeCannotStart, RemoteError } from "./remote-error.ts";
import { compilerPack, heddlePack } from "./upload-bundle.ts";
import { deviceEnvironment, Uploader, type Starter } from "./uploader.ts";

interface OpenRun {
  readonly emit: Emit;
  resolve(end: ProgramEnd): void;
  reject(why: unknown): void;
}

export class ProgramsElsewhere {
  readonly machine: Machine;
  readonly #connection: Connection;
  readonly #starter: Starter;
  readonly #request: SessionJobRequest;
  readonly #programs = nodePlatform().programs;
  readonly #runs: Map<number, OpenRun> = new Map();
  #command: Command | null = null;
  /** It has said a word since the command was started. */
  #isThere = false;
  #lastId = 0;

  private constructor(machine: Machine, connection: Connection, starter: Starter, request: SessionJobRequest) {
    this.machine = machine;
    this.#connection = connection;
    this.#starter = starter;
    this.#request = request;
  }

  /**
   * Uploads what is not there yet.
   * @throws HeddleError "unreachable", "io-error", "unsupported"; Interrupted.
   */
  static async open(
    on: string,
    signal: AbortSignal,
    progress: (part: number, what: string) => void,
  ): Promise<ProgramsElsewhere> {
    const machine = parseMachine(on);
    const connection = new Connection(machine);
    try {
      progress(0, `looking at ${machine.name}`);
      const uploader = new Uploader({ machine, connection, signal, progress });
      const facts = await uploader.look();
      const [heddle, compiler] = [heddlePack(facts.system), compilerPack()];
      const starter = await uploader.upload(facts, [
        ["Heddle", heddle],
        ["its compiler", compiler],
      ]);
      const packs = { heddle: heddle.hash, compiler: compiler.hash };
      return new ProgramsElsewhere(machine, connection, starter, {
        session: true,
        packs,
        environment: deviceEnvironment(),
      });
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  start(request: ProgramRequest, listener: Emit): SessionRun<ProgramEnd> {
    return new SessionRun((emit, signal) => this.#perform(request, emit, signal), listener);
  }

  close(): void {
    this.#command?.child.stdin.end();
    this.#connection.close();
  }

  async #perform(request: ProgramRequest, emit: Emit, signal: AbortSignal): Promise<ProgramEnd> {
    const started = performance.now();
    const { compiler } = await this.#programs.openCompiler();
    const reader = this.#programs.reader(request.settings);
    const { wasm, warnings } = await buildProgram(request.program, { compiler, reader });
    if (warnings !== "") emit({ kind: "diagnostic", text: warnings });
    const compileMs = performance.now() - started;
    if (signal.aborted) {
      const end: ProgramEnd = { how: "stopped", by: "caller", activity: null };
      emit({ kind: "exit", end });
      return end;
    }
    const id = ++this.#lastId;
    const command = this.#open();
    const send = (order: SessionOrder): void => void command.child.stdin.write(`${encodeWithBytes(order)}\n`);
    signal.addEventListener("abort", () => send({ kind: "stop", id }));
    return new Promise((resolve, reject) => {
      this.#runs.set(id, {
        emit: (event) => emit(withCompileTime(event, compileMs)),
        resolve: (end) => resolve(end.how === "exited" ? { ...end, compileMs } : end),
        reject,
      });
      send({ kind: "start", id, request: { ...request, program: { wasm } } });
    });
  }

  /** The process there, started if there is none. */
  #open(): Command {
    if (this.#command !== null) return this.#command;
    const { node, agent } = this.#starter;
    this.#isThere = false;
    const command = this.#connection.start("run", [node, agent], (line) => this.#take(line));
    command.child.stdin.write(`${JSON.stringify(this.#request)}\n`);
    this.#command = command;
    command.ended.then(
      ({ code, stderr }) =>
        this.#end(
          this.#isThere || code === 255
            ? connectionError(this.machine, { code, stderr })
            : nodeCannotStart(this.machine, stderr, node === "node"),
        ),
      (error: unknown) => this.#end(error),
    );
    return command;
  }

  #end(why: unknown): void {
    this.#command = null;
    this.#connection.renew();
    for (const { reject } of this.#runs.values()) reject(why);
    this.#runs.clear();
  }

  #take(line: string): void {
    this.#isThere = true;
    const message = decodeWithBytes(line) as AgentMessage | ServerMessage;
    if (!("kind" in message)) {
      if ("failed" in message) this.#end(new HeddleError("io-error", `${this.machine.name}: ${message.failed}`));
      return;
    }
    if (message.kind === "hello") return;
    const run = this.#runs.get(message.id);
    if (run === undefined) return;
    if (message.kind === "event") return run.emit(message.event);
    this.#runs.delete(message.id);
    if (message.kind === "result") run.resolve(message.end);
    else if (message.kind === "failed") run.reject(new RemoteError(this.machine.name, message.report));
  }
}

/** It was compiled here, and not there. */
function withCompileTime(event: SessionEvent, compileMs: number): SessionEvent {
  if (event.kind === "started") return { ...event, compileMs };
  if (event.kind === "exit" && event.end.how === "exited") return { ...event, end: { ...event.end, compileMs } };
  return event;
}
