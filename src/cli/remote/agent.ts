/**
 * What runs on the other machine, before anything else of Heddle is there: one file that needs Node.js alone
 * (everything imported from here is a type). It unpacks what was uploaded, starts the process that measures or finds
 * the one that a lost connection has left, and passes on what that writes into its file of events. For the studio it
 * starts a process that runs programs, and lives as long as the connection.
 *
 *     FOLDER/packs/HASH.pack   as it came; HASH/ when it is unpacked
 *     FOLDER/runs/RUN/         job.json, events.jsonl, log, worker.json: until the asking machine has everything
 *     FOLDER/cache/            what Heddle keeps between runs
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { gunzipSync } from "node:zlib";
import type { PackHeader } from "./pack.ts";
import type { AgentMessage, JobRequest, SessionJobRequest } from "./protocol.ts";

const MARK = "heddle:";
const POLL_MS = 100;
const KEEP_MS = 30 * 24 * 3600 * 1000;
const LOG_BYTES = 4000;

const say = (message: AgentMessage): void => void process.stdout.write(`${MARK}${JSON.stringify(message)}\n`);

interface Worker {
  readonly pid: number;
  readonly host: string;
  readonly started: string | null;
}

/**
 * When a process began, in the kernel's ticks: its number alone may be another's by now. null where the system does not
 * report it.
 */
function startOf(pid: number): string | null {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[19] ?? null
    );
  } catch {
    // No such process, or no /proc.
    return null;
  }
}

function isAlive({ pid, host, started }: Worker): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Gone, or its number is another user's process now.
    if (["ESRCH", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
  // A process that has ended is still listed until its parent has asked for its exit code.
  if (/^\d+ \(.*\) [ZX] /s.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : ""))
    return false;
  return startOf(pid) === started;
}

/**
 * The folder of a pack's files. @throws Error for one that is damaged, or that another would have written outside of
 * its folder.
 */
function unpacked(folder: string, hash: string): string {
  const target = join(folder, "packs", hash);
  const source = `${target}.pack`;
  if (!existsSync(target)) {
    const whole = gunzipSync(readFileSync(source));
    if (createHash("sha256").update(whole).digest("hex") !== hash) {
      rmSync(source);
      throw new Error(`${source} is damaged; it was removed, run the command again`);
    }
    const headerBytes = whole.readUInt32LE(0);
    const { files } = JSON.parse(whole.toString("utf8", 4, 4 + headerBytes)) as PackHeader;
    const temporary = `${target}.${process.pid}`;
    let at = 4 + headerBytes;
    try {
      for (const { path, bytes, executable } of files) {
        const file = resolve(temporary, path);
        if (!file.startsWith(resolve(temporary) + sep)) throw new Error(`${source} has a file ${path}`);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, whole.subarray(at, at + bytes), { mode: executable ? 0o755 : 0o644 });
        at += bytes;
      }
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { recursive: true, force: true });
      // Another run may have unpacked it meanwhile.
      if (!existsSync(target)) throw error;
    }
  }
  rmSync(source, { force: true });
  const now = new Date();
  utimesSync(target, now, now);
  return target;
}

/** Replaces a file at once: a reader sees the old content or the new one, never a part. */
function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

/** The compiler's package, beside the others of Heddle, and what it has compiled of Heddle's own. */
function link(heddle: string, compiler: string): void {
  for (const part of ["node_modules/@yowasp", "dist/prebuilt"]) {
    const [at, target] = [join(heddle, part), join(compiler, part)];
    const there = lstatSync(at, { throwIfNoEntry: false });
    if (there?.isSymbolicLink() && readlinkSync(at) === target) continue;
    rmSync(at, { recursive: true, force: true });
    symlinkSync(target, at);
  }
}

function heddleFolder(folder: string, { heddle, compiler }: SessionJobRequest["packs"]): string {
  const found = unpacked(folder, heddle);
  if (compiler !== null) link(found, unpacked(folder, compiler));
  return found;
}

function childEnvironment(folder: string, own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, HEDDLE_CACHE_DIR: join(folder, "cache"), ...own };
}

/** Programs of `heddle studio --on`: a process that reads orders from here, and answers to our own standard output. */
function startSession(folder: string, { packs, environment }: SessionJobRequest): Writable {
  const heddle = heddleFolder(folder, packs);
  removeOld(folder);
  const child = spawn(process.execPath, [join(heddle, "dist/bin/main.js"), "session-job"], {
    cwd: folder,
    stdio: ["pipe", "inherit", "inherit"],
    env: childEnvironment(folder, environment),
  });
  child.on("exit", () => process.exit(0));
  child.on("error", (error) => say({ failed: error.message }));
  return child.stdin;
}

/** Removes what was not used for a month. */
function removeOld(folder: string): void {
  const now = new Date();
  for (const used of [process.execPath, process.argv[1] ?? ""])
    if (resolve(used).startsWith(join(folder, "packs") + sep)) utimesSync(used, now, now);
  for (const part of ["packs", "runs"]) {
    for (const name of readdirSync(join(folder, part))) {
      const path = join(folder, part, name);
      if (Date.now() - (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > KEEP_MS)
        rmSync(path, { recursive: true, force: true });
    }
  }
}

/** Whole lines of a file that grows, from its beginning. */
class Follower {
  readonly #file: number;
  #at = 0;
  #rest = Buffer.alloc(0);

  constructor(path: string) {
    this.#file = openSync(path, "r");
  }

  lines(): string[] {
    const chunks = [this.#rest];
    const chunk = Buffer.alloc(1 << 16);
    for (let count; (count = readSync(this.#file, chunk, 0, chunk.length, this.#at)) > 0; this.#at += count)
      chunks.push(Buffer.from(chunk.subarray(0, count)));
    const all = Buffer.concat(chunks);
    const end = all.lastIndexOf(10) + 1;
    this.#rest = all.subarray(end);
    return all.toString("utf8", 0, end).split("\n").slice(0, -1);
  }

  close(): void {
    closeSync(this.#file);
  }
}

class Run {
  readonly #folder: string;
  readonly #request: JobRequest;
  readonly #runFolder: string;

  constructor(folder: string, request: JobRequest) {
    if (!/^[0-9a-f]+$/.test(request.run)) throw new Error(`a run is named by a hash, not "${request.run}"`);
    this.#folder = folder;
    this.#request = request;
    this.#runFolder = join(folder, "runs", request.run);
  }

  /** The process that measures: the one of a connection before, or a new one, which leaves out what is finished. */
  worker(): Worker {
    const { packs, job, environment, detached } = this.#request;
    const path = join(this.#runFolder, "worker.json");
    mkdirSync(this.#runFolder, { recursive: true });
    if (existsSync(path)) {
      const found = JSON.parse(readFileSync(path, "utf8")) as Worker;
      if (isAlive(found) || this.#isFinished()) return found;
    }
    const heddle = heddleFolder(this.#folder, packs);
    const ladders = unpacked(this.#folder, packs.ladders);
    removeOld(this.#folder);
    replaceFile(join(this.#runFolder, "job.json"), JSON.stringify(job));
    // Of a process before, what it has finished.
    const events = join(this.#runFolder, "events.jsonl");
    const results = existsSync(events)
      ? readFileSync(events, "utf8")
          .split("\n")
          .slice(0, -1)
          .filter((line) => /^\{"record":/.test(line))
      : [];
    replaceFile(events, results.map((line) => `${line}\n`).join(""));
    const log = openSync(join(this.#runFolder, "log"), "w");
    const child = spawn(process.execPath, [join(heddle, "dist/bin/main.js"), "bench-job", this.#runFolder], {
      cwd: ladders,
      detached,
      stdio: ["ignore", log, log],
      env: childEnvironment(this.#folder, environment),
    });
    closeSync(log);
    child.unref();
    if (child.pid === undefined) throw new Error(`${process.execPath} cannot be started`);
    const worker = { pid: child.pid, host: hostname(), started: startOf(child.pid) };
    replaceFile(path, JSON.stringify(worker));
    return worker;
  }

  #isFinished(): boolean {
    const events = join(this.#runFolder, "events.jsonl");
    return existsSync(events) && /\{"end":"finished"\}\n$/.test(readFileSync(events, "utf8"));
  }

  /** Passes events on until the end, or until the connection is closed. */
  async follow(worker: Worker, isHeard: () => boolean): Promise<void> {
    const events = new Follower(join(this.#runFolder, "events.jsonl"));
    try {
      for (;;) {
        if (!isHeard()) return;
        // Asked before the lines are read: what it wrote last is among them.
        const alive = isAlive(worker);
        for (const line of events.lines()) {
          process.stdout.write(`${MARK}{"event":${line}}\n`);
          if (/^\{"(end|error)":/.test(line)) return;
        }
        if (!alive) {
          say({ died: this.#log() });
          return;
        }
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
    } finally {
      events.close();
    }
  }

  #log(): string {
    const path = join(this.#runFolder, "log");
    return existsSync(path) ? readFileSync(path, "utf8").slice(-LOG_BYTES).trim() : "";
  }

  stop(worker: Worker): void {
    if (isAlive(worker)) process.kill(worker.pid, "SIGINT");
  }

  forget(): void {
    rmSync(this.#runFolder, { recursive: true, force: true });
  }
}

async function main(folder: string): Promise<void> {
  say({ hello: hostname() });
  const input = createInterface({ input: process.stdin });
  let run: Run | null = null;
  let session: Writable | null = null;
  let worker: Worker | null = null;
  let isHeard = true;
  let isDone = false;
  // A reader that is gone: what is measured is in the file.
  process.stdout.on("error", () => process.exit(0));
  const finished = new Promise<void>((done) => {
    input.on("line", (line) => {
      if (session !== null) {
        session.write(`${line}\n`);
      } else if (run === null) {
        try {
          const request = JSON.parse(line) as JobRequest | SessionJobRequest;
          if ("session" in request) return void (session = startSession(folder, request));
          run = new Run(folder, request);
          worker = run.worker();
        } catch (error) {
          say({ failed: (error as Error).message });
          return done();
        }
        void run
          .follow(worker, () => isHeard)
          .then(() => {
            // Only who has everything says "done".
            if (!isHeard) done();
          });
      } else if (line === "stop" && worker !== null) {
        run.stop(worker);
      } else if (line === "done") {
        isDone = true;
        done();
      }
    });
    input.on("close", () => {
      isHeard = false;
      // The process ends when it reads no more, and this one with it.
      if (session !== null) return void session.end();
      done();
    });
  });
  await finished;
  if (isDone) (run as Run | null)?.forget();
  process.exit(0);
}

await main(process.cwd());
