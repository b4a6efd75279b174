/**
 * `--processes N`: the same command N times, as ranks of one world (libraries/mpi, NCCL). This process starts them,
 * passes their output on, and ends the others when one fails.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { HeddleError } from "../base/diagnostics.ts";
import { ExitCode } from "./exit-codes.ts";
import { NodeProcessRooms } from "../session/process-rooms-node.ts";
import type { RunOptions } from "./options/run-options.ts";

/** How long the other ranks may take to notice that one has failed. */
const GRACE_MS = 5000;

/** A rank and its world, as programs find them. */
function rankVariables(rank: number, size: number, world: string): Record<string, string> {
  const [r, n] = [String(rank), String(size)];
  return {
    HEDDLE_WORLD: world,
    HEDDLE_RANK: r,
    HEDDLE_SIZE: n,
    // What programs read that ask no MPI: Open MPI's names and torchrun's.
    OMPI_COMM_WORLD_RANK: r,
    OMPI_COMM_WORLD_SIZE: n,
    OMPI_COMM_WORLD_LOCAL_RANK: r,
    OMPI_COMM_WORLD_LOCAL_SIZE: n,
    RANK: r,
    WORLD_SIZE: n,
    LOCAL_RANK: r,
    LOCAL_WORLD_SIZE: n,
  };
}

/** `{rank}` and `{processes}` in an argument. */
function withRank(argument: string, rank: number, size: number): string {
  return argument.replaceAll("{rank}", String(rank)).replaceAll("{processes}", String(size));
}

/** Whether this process is to start the ranks; false: it is one of them, or the only one. */
export function startsProcesses({ processes, rank }: RunOptions): boolean {
  return processes !== null && rank === null && process.env["HEDDLE_RANK"] === undefined;
}

/**
 * Of a process that is one rank: tells its program so.
 * @returns the arguments of the program
 */
export function becomeRank(options: RunOptions, programArguments: readonly string[]): readonly string[] {
  const { processes, world } = options;
  if (processes === null) return programArguments;
  const rank = options.rank ?? Number(process.env["HEDDLE_RANK"]);
  if (!Number.isInteger(rank) || rank < 0 || rank >= processes)
    throw new HeddleError("bad-arguments", `--rank is 0 to ${processes - 1}, not ${rank}`, {
      notes: [`heddle run --processes ${processes} --rank 0 FILE.cu`],
    });
  Object.assign(process.env, rankVariables(rank, processes, world ?? process.env["HEDDLE_WORLD"] ?? "world-default"));
  return programArguments.map((argument) => withRank(argument, rank, processes));
}

/** What does not go together with several processes. */
export function checkProcesses(options: RunOptions): void {
  const { processes, rank, world, isolated, watch, json, sarif, outputs } = options;
  const refuse = (what: string, note: string): never => {
    throw new HeddleError("bad-arguments", what, { notes: [note] });
  };
  if (processes === null) {
    if (rank !== null || world !== null)
      refuse(`--${rank === null ? "world" : "rank"} needs --processes`, "heddle run --processes 2 --rank 0 FILE.cu");
    return;
  }
  if (isolated) refuse("--processes has no place in an isolated run", "an isolated program meets no other process");
  if (watch) refuse("--processes and --watch do not go together", "leave one of the two out");
  const file = [json === "-" ? null : json, sarif, ...outputs.map((output) => output.file)].find(
    (name) => typeof name === "string" && !name.includes("{rank}"),
  );
  if (startsProcesses(options) && typeof file === "string")
    refuse(`each process would write ${file}`, `name it with {rank}, such as {rank}-${file.split("/").at(-1)}`);
}

interface Rank {
  readonly rank: number;
  readonly child: ChildProcess;
  /** Resolves with the exit code. */
  readonly ended: Promise<number>;
}

/** Passes whole lines on, so that those of several ranks do not mix. @param tag what each begins with */
function passLines(tag: string, from: Readable, to: Writable): Promise<void> {
  const lines = createInterface({ input: from });
  lines.on("line", (line) => void to.write(`${tag}${line}\n`));
  return new Promise((resolve) => lines.on("close", resolve));
}

function startRank(rank: number, size: number, world: string, isTagged: boolean): Rank {
  const given = process.argv.slice(1).map((argument) => withRank(argument, rank, size));
  const child = spawn(process.execPath, given, {
    stdio: [rank === 0 ? "inherit" : "ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...rankVariables(rank, size, world) },
  });
  const tag = isTagged ? `[${rank}] ` : "";
  const texts = [
    passLines(tag, child.stdout as Readable, process.stdout),
    passLines(tag, child.stderr as Readable, process.stderr),
  ];
  const ended = new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGKILL" ? ExitCode.memory : ExitCode.terminated)));
  }).then(async (code) => {
    await Promise.all(texts);
    return code;
  });
  return { rank, child, ended };
}

/** Of a child: its parent may start the others, and its end is ours. */
export function followParent(started: Promise<void>): void {
  if (process.send === undefined) return;
  process.on("disconnect", () => process.exit(ExitCode.terminated));
  process.channel?.unref();
  void started.then(() => process.send?.("started"));
}

/** @returns the exit code of the first process that fails, or 0 */
export async function runProcesses({ processes, tag }: RunOptions): Promise<number> {
  const size = processes as number;
  const world = `run-${randomBytes(8).toString("hex")}`;
  const isTagged = tag || process.stdout.isTTY;
  const ranks = [startRank(0, size, world, isTagged)];
  const pass = (signal: NodeJS.Signals): void => ranks.forEach(({ child }) => void child.kill(signal));
  let interrupted: number | null = null;
  const interrupt = (): void => ((interrupted = ExitCode.interrupted), pass("SIGINT"));
  const terminate = (): void => ((interrupted = ExitCode.terminated), pass("SIGTERM"));
  process.on("SIGINT", interrupt).on("SIGTERM", terminate);
  try {
    const first = ranks[0] as Rank;
    // The others find in the cache what the first one compiles.
    const early = await Promise.race([
      first.ended,
      new Promise<null>((go) => first.child.on("message", () => go(null))),
    ]);
    if (early !== null && early !== 0) return interrupted ?? early;
    for (let rank = 1; rank < size; rank++) ranks.push(startRank(rank, size, world, isTagged));
    const rooms = new NodeProcessRooms();
    // MPI_Init of the others need not wait for a rank that has ended without it.
    for (const { rank, ended } of ranks)
      void ended.then(
        () => rooms.markEnded(world, rank, size),
        () => undefined,
      );
    const code = await allEnded(ranks, () => interrupted);
    rooms.remove(world);
    return code;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", terminate);
  }
}

async function allEnded(ranks: readonly Rank[], interrupted: () => number | null): Promise<number> {
  let failed: { readonly rank: number; readonly code: number } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const running = new Set(ranks);
  const codes = ranks.map(async (rank) => {
    const code = await rank.ended;
    running.delete(rank);
    if (code === 0 || failed !== null || interrupted() !== null) return;
    failed = { rank: rank.rank, code };
    timer = setTimeout(() => {
      const others = [...running].map((other) => other.rank).sort((a, b) => a - b);
      const who = others.length === 1 ? `rank ${others[0]} is` : `ranks ${others.join(", ")} are`;
      process.stderr.write(`heddle: rank ${rank.rank} ended with exit code ${code}; ${who} ended, too\n`);
      for (const { child } of running) child.kill("SIGTERM");
    }, GRACE_MS);
  });
  await Promise.all(codes);
  clearTimeout(timer);
  return interrupted() ?? (failed as { readonly code: number } | null)?.code ?? 0;
}
