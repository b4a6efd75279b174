/**
 * `heddle bench --on`: uploads what is needed to another machine, starts the bench there, and passes on its events as
 * if it ran here.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as after } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { HeddleError } from "../../base/diagnostics.ts";
import { Interrupted } from "../../measure/sampling.ts";
import { commitOf } from "../../bench/surroundings-node.ts";
import type { Emit } from "../../session/events.ts";
import type { BenchSettings } from "../../session/request.ts";
import { agentFile, compilerPack, heddlePack, ladderPack, nodeFile, type System } from "./upload-bundle.ts";
import { Connection, connectionError, type Command } from "./connection.ts";
import { parseMachine, type Machine } from "./machine.ts";
import type { AgentMessage, JobRequest } from "./protocol.ts";
import { nodeCannotStart, RemoteError, workerEnded } from "./remote-error.ts";

/** How long it waits before it tries again to get a lost connection back. */
const RETRY_SECONDS = [1, 2, 4, 8, 15];
const OLDEST_NODE = [20, 19] as const;
/** Of the settings of this process those that choose an emulated device. */
const ENVIRONMENT = ["HEDDLE_ENGINE", "HEDDLE_WORKERS", "HEDDLE_GPU"];

/** What a machine reports of itself. */
interface Facts {
  readonly system: System;
  readonly node: string;
  readonly gzip: boolean;
  readonly packs: readonly string[];
}

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
  /** Lines of results that have arrived. After a lost connection the machine sends them again. */
  readonly #received = new Set<string>();
  #hasBegun = false;

  constructor(machine: Machine, settings: BenchSettings, emit: Emit, signal: AbortSignal) {
    this.#machine = machine;
    this.#settings = settings;
    this.#emit = emit;
    this.#signal = signal;
    this.#connection = new Connection(machine);
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
    const facts = await this.#look();
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

  /** Runs a short script to its end. @returns the lines that it printed. */
  async #short(
    script: "look" | "store",
    lines: readonly string[],
    send: ((command: Command) => Promise<void>) | null = null,
  ): Promise<{ readonly lines: readonly string[]; readonly code: number | null; readonly stderr: string }> {
    const printed: string[] = [];
    const command = this.#connection.start(script, lines, (line) => void printed.push(line));
    const stop = (): void => command.kill();
    this.#signal.addEventListener("abort", stop);
    try {
      if (send === null) command.child.stdin.end();
      else await send(command);
      const end = await command.ended;
      if (this.#signal.aborted) throw new Interrupted();
      return { lines: printed, ...end };
    } finally {
      this.#signal.removeEventListener("abort", stop);
    }
  }

  async #look(): Promise<Facts> {
    const { lines, code, stderr } = await this.#short("look", []);
    const values = (key: string): string[] =>
      lines.flatMap((line) => (line.startsWith(`${key} `) ? [line.slice(key.length + 1).trim()] : []));
    if (!lines.includes("end")) {
      if (code === 255 || (this.#machine.kind === "slurm" && code === null))
        throw connectionError(this.#machine, { code, stderr });
      throw new HeddleError(
        "io-error",
        `${this.#machine.name} has no folder ${this.#machine.folder} for us, and it cannot be made`,
        { notes: [...stderr.split("\n"), "another one is named behind the host: ssh://host/folder"] },
      );
    }
    const [kernel = "", machine = ""] = (values("system")[0] ?? "").split(" ");
    return {
      system: { kernel, machine, libc: values("libc")[0] ?? "" },
      node: values("node")[0] ?? "",
      gzip: (values("gzip")[0] ?? "") !== "",
      packs: values("pack"),
    };
  }

  /** Everything that is not there yet. */
  async #upload(
    facts: Facts,
    ladders: readonly string[],
  ): Promise<{ request: JobRequest; node: string; agent: string }> {
    const heddle = heddlePack(facts.system);
    const compiler = this.#settings.device === "cuda" ? null : compilerPack();
    const bundle = ladderPack(ladders);
    const agent = agentFile();
    await this.#store(facts, `what starts Heddle`, agent);
    for (const [what, pack] of [
      ["Heddle", heddle],
      ["its compiler", compiler],
      ["ladders", bundle.pack],
    ] as const) {
      if (pack === null || facts.packs.includes(pack.hash)) continue;
      const file = `${pack.hash}.pack`;
      if (facts.packs.includes(file)) continue;
      const bytes = pack.bytes();
      await this.#store(facts, what, { file, bytes: bytes.length, content: bytes });
    }
    let node = "node";
    if (!isRecent(facts.node)) {
      const own = nodeFile(facts.system, this.#machine.name);
      await this.#store(facts, "Node.js", own);
      node = `packs/${own.file}`;
    }
    const settings: BenchSettings = pickSettings(this.#settings);
    const environment = Object.fromEntries(
      ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
    );
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
      agent: agent.file,
    };
  }

  async #store(
    { packs, gzip }: Facts,
    what: string,
    upload: { readonly file: string; readonly bytes: number; readonly path?: string; readonly content?: Buffer },
  ): Promise<void> {
    if (packs.includes(upload.file)) return;
    const { file, bytes, path, content } = upload;
    const isCompressed = gzip && path !== undefined;
    const { lines, code, stderr } = await this.#short(
      "store",
      [file, String(bytes), isCompressed ? "gzip" : "plain"],
      async ({ child }) => {
        let done = 0;
        const counted = async function* (
          this: void,
          source: AsyncIterable<Buffer>,
          report: (part: number) => void,
        ): AsyncIterable<Buffer> {
          for await (const chunk of source) {
            done += chunk.length;
            report(done / bytes);
            yield chunk;
          }
        };
        const report = (part: number): void =>
          this.#progress(part, `uploading ${what} to ${this.#machine.name} (${(bytes / 1e6).toFixed(1)} MB)`);
        const source = counted(
          path === undefined ? Readable.from(slices(content as Buffer)) : createReadStream(path),
          report,
        );
        try {
          if (isCompressed) await pipeline(source, createGzip({ level: 4 }), child.stdin);
          else await pipeline(source, child.stdin);
        } catch (error) {
          // The end of the command reports a connection that is gone, or a disk that is full.
          if (
            !["EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET"].includes((error as NodeJS.ErrnoException).code ?? "")
          )
            throw error;
        }
      },
    );
    if (lines.includes("stored")) return;
    if (code === 255) throw connectionError(this.#machine, { code, stderr });
    throw new HeddleError(
      "io-error",
      `${what} (${(bytes / 1e6).toFixed(1)} MB) cannot be stored on ${this.#machine.name} in ${this.#machine.folder}`,
      { notes: [...stderr.split("\n"), "is there room?"] },
    );
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

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

function* slices(bytes: Buffer): IterableIterator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1 << 18) yield bytes.subarray(at, at + (1 << 18));
}
