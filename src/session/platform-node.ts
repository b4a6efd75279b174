/** Sessions on Node.js. */
import { nodeSourceReader } from "../frontend/clang/clang-loader-node.ts";
import type { SourceReader } from "../store/source-reader.ts";
import { isolatedSourceReader } from "./isolation-node.ts";
import { openCompiler, type NodeCompiler } from "./compiler-node.ts";
import { chosenKind } from "./devices-node.ts";
import type { BenchPlatform } from "./perform-bench.ts";
import type { ProgramPlatform } from "./perform-program.ts";
import { NodeProgramThread } from "./program-thread-node.ts";
import type { OutputMode } from "./program-worker-node.ts";
import type { RunSettings } from "./request.ts";
import { openSession, type Session, type SessionPlatform } from "./session.ts";

export interface NodeSessionOptions {
  /** Cache compilations on disk; "read": use what is there, and write nothing. Default true. */
  readonly cache?: boolean | "read";
  /** Whether a program writes to the streams of this process itself; default "events". */
  readonly output?: OutputMode;
  /** Of this version are the results of benches. */
  readonly version?: string;
  /** Of a ladder's file, where it does not lie in its repository. */
  readonly origin?: (file: string) => { readonly commit: string | null; readonly dirty: boolean };
}

export function openNodeSession(options: NodeSessionOptions = {}): Session {
  return openSession(nodePlatform(options));
}

export function nodePlatform(options: NodeSessionOptions = {}): SessionPlatform & { readonly programs: NodePrograms } {
  return { programs: new NodePrograms(options), openBench: (signal) => openNodeBench(options, signal) };
}

async function openNodeBench(
  { version = "", origin }: NodeSessionOptions,
  signal: AbortSignal,
): Promise<BenchPlatform> {
  const { NodeBench } = await import("./bench-node.ts");
  return new NodeBench({ version, signal, ...(origin === undefined ? {} : { origin }) });
}

export class NodePrograms implements ProgramPlatform {
  readonly #options: NodeSessionOptions;
  #compiler: Promise<NodeCompiler> | null = null;
  #nextThread: NodeProgramThread | null = null;
  /** Reads what sources include; watching replaces it. */
  includes: SourceReader = nodeSourceReader;
  /** When the compiler's code is cached on disk: while the first program runs, or when `cacheCode` is called. */
  cachesCodeItself = true;

  constructor(options: NodeSessionOptions = {}) {
    this.#options = options;
  }

  /** Starts the thread of the next program. @param idle see NodeProgramThread. */
  prepareThread(settings: RunSettings, { idle = false }: { readonly idle?: boolean } = {}): void {
    this.#nextThread ??= new NodeProgramThread(settings, { output: this.#options.output ?? "events", idle });
  }

  openThread(settings: RunSettings): NodeProgramThread {
    this.prepareThread(settings);
    const thread = this.#nextThread as NodeProgramThread;
    this.#nextThread = null;
    return thread;
  }

  openCompiler(): Promise<NodeCompiler> {
    return (this.#compiler ??= openCompiler(this.#options.cache ?? true));
  }

  reader(settings: RunSettings): SourceReader {
    return settings.isolation === null ? this.includes : isolatedSourceReader(settings);
  }

  mayUseGpu(settings: RunSettings): boolean {
    return chosenKind(settings) !== "emulated";
  }

  async whileRunning(): Promise<void> {
    if (this.cachesCodeItself) await this.cacheCode();
  }

  /** See NodeClangResources.keepCode. */
  async cacheCode(): Promise<void> {
    await (await this.openCompiler()).keepCode();
  }
}
