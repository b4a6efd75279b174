/**
 * `heddle bench --on`: uploads what is needed to another machine, starts the bench there, and passes on its events as
 * if it ran here.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { HeddleError } from "../../base/diagnostics.ts";
import { Interrupted } from "../../measure/sampling.ts";
import { commitOf } from "../../bench/surroundings-node.ts";
import type { Emit } from "../../session/events.ts";
import type { BenchSettings } from "../../session/request.ts";
import { compilerPack, heddlePack, ladderPack } from "./upload-bundle.ts";
import { Connection, connectionError, type Command } from "./connection.ts";
import { parseMachine, type Machine } from "./machine.ts";
import type { AgentMessage, JobRequest } from "./protocol.ts";
import { nodeCannotStart, RemoteError, workerEnded } from "./remote-error.ts";
import { deviceEnvironment, Uploader, type Facts } from "./uploader.ts";

/** How long it waits before it tries again to get a lost connection back. */
const RETRY_SECONDS = [1, 2, 4, 8, 15];

/**
 * @param signal stops what runs there, too.
 * @throws Interrupted; HeddleError "unreachable", "io-error", "unsupported", RemoteError for one that was thrown there.
 */
export async function benchElsewhere(
  on: string,
  settings: BenchSettings,
  ladders: readonly string[],
  emit: Emit,
  signal: AbortSignal,
): Promise<void> {
  const machine = parseMachine(on);
  const elsewhere = new Elsewhere(machine, settings, emit, signal);
  try {
    await elsewhere.run(ladders);
  } finally {
    elsewhere.close();
  }
}

class Elsewhere {
  readonly #machine: Machine;
  readonly #settings: BenchSettings;
  readonly #emit: Emit;
  readonly #signal: AbortSignal;
  readonly #connection: Connection;
  readonly #uploader: Uploader;
  /** Lines of results that have arrived. After a lost connection the machine sends them again. */
  readonly #received = new Set<string>();
  #hasBegun = false;

  constructor(machine: Machine, settings: BenchSettings, emit: Emit, signal: AbortSignal) {
    this.#machine = machine;
    this.#settings = settings;
    this.#emit = emit;
    this.#signal = signal;
    this.#connection = new Connection(machine);
    this.#uploader = new Uploader({
      machine,
      connection: this.#connection,
      signal,
      progress: (part, what) => this.#progress(part, what),
    });
  }

  close(): void {
    this.#connection.close();
  }

  #progress(part: number, what: string): void {
    this.#emit({ kind: "progress", part, what });
  }

  #print(text: string): void {
    this.#emit({ kind: "output", stream: "stderr", bytes: new TextEncoder().encode(text) });
  }

  async run(ladders: readonly string[]): Promise<void> {
    this.#progress(0, `looking at ${this.#machine.name}`);
    const facts = await this.#uploader.look();
    const { request, node, agent } = await this.#upload(facts, ladders);
    for (let attempt = 0; ;) {
      const before = this.#received.size;
      const lost = await this.#follow(request, node, agent);
      if (lost === null) return;
      // A connection that has brought something begins to count anew.
      if (this.#received.size > before) attempt = 0;
      const seconds = RETRY_SECONDS[attempt++];
      if (seconds === undefined) {
        throw new HeddleError(
          "unreachable",
          `the connection to ${this.#machine.name} is lost, and does not come back`,
          {
            notes: [
              ...lost.notes,
              `${this.#received.size} finished results are recorded here; the machine stores what it ` +
                "finishes from now on",
              "the same command fetches it, and measures only what is missing",
            ],
          },
        );
      }
      this.#print(`heddle: the connection to ${this.#machine.name} is lost; trying again in ${seconds} s\n`);
      this.#connection.renew();
      await this.#wait(seconds);
    }
  }

  async #wait(seconds: number): Promise<void> {
    try {
      await after(seconds * 1000, undefined, { signal: this.#signal });
    } catch (error) {
      if (this.#signal.aborted) throw new Interrupted();
      throw error;
    }
  }

  /** Everything that is not there yet. */
  async #upload(
    facts: Facts,
    ladders: readonly string[],
  ): Promise<{ request: JobRequest; node: string; agent: string }> {
    const heddle = heddlePack(facts.system);
    const compiler = this.#settings.device === "cuda" ? null : compilerPack();
    const bundle = ladderPack(ladders);
    const { node, agent } = await this.#uploader.upload(facts, [
      ["Heddle", heddle],
      ["its compiler", compiler],
      ["ladders", bundle.pack],
    ]);
    const settings: BenchSettings = pickSettings(this.#settings);
    const environment = deviceEnvironment();
    const packs = { heddle: heddle.hash, compiler: compiler?.hash ?? null, ladders: bundle.pack.hash };
    const job = {
      settings,
      ladders: bundle.paths.map((file, i) => ({ file, ...commitOf(dirname(ladders[i] as string)) })),
    };
    // Not the commit: who commits what was measured gets its results all the same.
    const run = createHash("sha256")
      .update(JSON.stringify([packs, settings, bundle.paths, environment]))
      .digest("hex")
      .slice(0, 32);
    return {
      request: { run, packs, job, environment, detached: this.#machine.kind === "ssh" },
      node,
      agent,
    };
  }

  /** Follows the run there until its end. @returns null, or how the connection was lost. */
  async #follow(request: JobRequest, node: string, agent: string): Promise<HeddleError | null> {
    let isThere = false;
    let outcome: { readonly error: Error | null } | null = null;
    const finish = (error: Error | null): void => {
      outcome ??= { error };
      // Everything has arrived: the machine may forget the run.
      command.child.stdin.end("done\n");
    };
    const handle = (line: string): void => {
      isThere = true;
      const message = JSON.parse(line) as AgentMessage;
      if ("hello" in message) return;
      if ("event" in message) this.#receive(message.event, line, finish);
      else if ("failed" in message) finish(new HeddleError("io-error", `${this.#machine.name}: ${message.failed}`));
      else {
        outcome ??= { error: workerEnded(this.#machine, message.died) };
        command.child.stdin.end();
      }
    };
    const command: Command = this.#connection.start("run", [node, agent], (line) => {
      if (outcome?.error) return;
      try {
        handle(line);
      } catch (error) {
        // What arrives cannot be used or recorded here. The machine stores it: the connection ends without "done".
        outcome = { error: error as Error };
        command.kill();
      }
    });
    command.child.stdin.write(`${JSON.stringify(request)}\n`);
    const stop = (): void => void command.child.stdin.write("stop\n");
    this.#signal.addEventListener("abort", stop);
    if (this.#signal.aborted) stop();
    try {
      const end = await command.ended;
      if (outcome !== null) {
        const { error } = outcome as { error: Error | null };
        if (error !== null) throw error;
        return null;
      }
      if (this.#signal.aborted) {
        this.#print(`heddle: ${this.#machine.name} could not be stopped: the connection is lost\n`);
        throw new Interrupted();
      }
      if (isThere || this.#received.size > 0 || end.code === 255) {
        const lost = connectionError(this.#machine, end);
        // A machine that answered before answers again later, but for keys that it refuses.
        if (
          this.#machine.kind === "slurm" ||
          (!isThere && /Permission denied|Host key verification failed/.test(end.stderr))
        )
          throw lost;
        return lost;
      }
      if (this.#machine.kind === "slurm" && !/cd:|not found|No such file/.test(end.stderr))
        throw connectionError(this.#machine, end);
      throw nodeCannotStart(this.#machine, end.stderr, node === "node");
    } finally {
      this.#signal.removeEventListener("abort", stop);
    }
  }

  #receive(
    event: Extract<AgentMessage, { event: unknown }>["event"],
    line: string,
    finish: (error: Error | null) => void,
  ): void {
    if ("begin" in event) {
      if (!this.#hasBegun) this.#emit({ kind: "device", about: event.begin });
      this.#hasBegun = true;
    } else if ("progress" in event) this.#progress(...event.progress);
    else if ("print" in event) this.#print(event.print);
    else if ("record" in event) {
      if (this.#received.has(line)) return;
      this.#received.add(line);
      // What was finished before this connection comes first.
      if (!this.#hasBegun) this.#emit({ kind: "device", about: event.record.surroundings });
      this.#hasBegun = true;
      this.#emit({ kind: "result", record: event.record });
    } else if ("error" in event) finish(new RemoteError(this.#machine.name, event.error));
    else finish(event.end === "interrupted" ? new Interrupted() : null);
  }
}

function pickSettings({
  device,
  gpu,
  workers,
  shape,
  only,
  rivals,
  sweep,
  sweepAgain,
  checkOnly,
  profile,
  seed,
}: BenchSettings): BenchSettings {
  return { device, gpu, workers, shape, only, rivals, sweep, sweepAgain, checkOnly, profile, seed };
}
