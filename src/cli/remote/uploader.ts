/** What a machine of `--on` has, and what is uploaded to it: Heddle, its compiler, and Node.js where it has none. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { HeddleError } from "../../base/diagnostics.ts";
import { Interrupted } from "../../measure/sampling.ts";
import { connectionError, type Command, type Connection } from "./connection.ts";
import type { Machine } from "./machine.ts";
import type { Pack } from "./pack.ts";
import { agentFile, nodeFile, type System } from "./upload-bundle.ts";

const OLDEST_NODE = [20, 19] as const;

/** What a machine reports of itself. */
export interface Facts {
  readonly system: System;
  readonly node: string;
  readonly gzip: boolean;
  readonly packs: readonly string[];
}

/** How the agent is started there. */
export interface Starter {
  /** Node.js. */
  readonly node: string;
  /** The agent's file. */
  readonly agent: string;
}

export interface UploadParts {
  readonly machine: Machine;
  readonly connection: Connection;
  /** Ends what goes on. */
  readonly signal: AbortSignal;
  /** @param part of 1 */
  readonly progress: (part: number, what: string) => void;
}

export class Uploader {
  readonly #machine: Machine;
  readonly #connection: Connection;
  readonly #signal: AbortSignal;
  readonly #progress: UploadParts["progress"];

  constructor({ machine, connection, signal, progress }: UploadParts) {
    this.#machine = machine;
    this.#connection = connection;
    this.#signal = signal;
    this.#progress = progress;
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

  async look(): Promise<Facts> {
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

  /** Packs that are not there yet, by what people call them, and what starts Heddle. */
  async upload(facts: Facts, packs: readonly (readonly [what: string, pack: Pack | null])[]): Promise<Starter> {
    const agent = agentFile();
    await this.#store(facts, "what starts Heddle", agent);
    for (const [what, pack] of packs) {
      if (pack === null || facts.packs.includes(pack.hash)) continue;
      const file = `${pack.hash}.pack`;
      if (facts.packs.includes(file)) continue;
      const bytes = pack.bytes();
      await this.#store(facts, what, { file, bytes: bytes.length, content: bytes });
    }
    if (isRecent(facts.node)) return { node: "node", agent: agent.file };
    const own = nodeFile(facts.system, this.#machine.name);
    await this.#store(facts, "Node.js", own);
    return { node: `packs/${own.file}`, agent: agent.file };
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
}

/** Of the settings of this process those that choose an emulated device. */
const ENVIRONMENT = ["HEDDLE_ENGINE", "HEDDLE_WORKERS", "HEDDLE_GPU"];

export function deviceEnvironment(): Record<string, string> {
  return Object.fromEntries(
    ENVIRONMENT.flatMap((name) => (process.env[name] ? [[name, process.env[name] as string]] : [])),
  );
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
}

function* slices(bytes: Buffer): IterableIterator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1 << 18) yield bytes.subarray(at, at + (1 << 18));
}
