// Replays recorded launches with Heddle and compares. `--help` says how.
import { spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";

const HELP = `node scripts/compat/triton-launches/replay.mjs --launches FOLDER --out FILE.jsonl [options]

Runs each recorded launch again, and compares the memory after it with the recorded one. A run that was stopped goes on.

  --modes LIST      emulated, gpu-code (the code of a GPU on the emulated device), cuda (emulated,gpu-code)
  --only REGEX      launches whose folder matches; they are run again
  --processes N     (2)
  --seconds N       for all together (600)
  --limit N         seconds for one launch (30)
  --follow FILE     goes on until this file is there: launches are still being recorded`;

const { values: options } = parseArgs({
  options: {
    launches: { type: "string" },
    out: { type: "string" },
    modes: { type: "string", default: "emulated,gpu-code" },
    only: { type: "string" },
    processes: { type: "string", default: "2" },
    seconds: { type: "string", default: "600" },
    limit: { type: "string", default: "30" },
    follow: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

const worker = join(import.meta.dirname, "replay-worker.mjs");
const end = Date.now() + Number(options.seconds) * 1000;

class Worker {
  /** The process, and who waits for its answers. */
  #own = null;

  #start() {
    const flags = ["--stack-size=50000", "--max-old-space-size=4096"];
    const process_ = spawn(process.execPath, [...flags, worker], { stdio: ["pipe", "pipe", "pipe"] });
    const own = { process: process_, answers: [] };
    process_.stdin.on("error", () => {});
    let last = "";
    process_.stderr.on("data", (data) => (last = (last + data).slice(-1500)));
    createInterface({ input: process_.stdout }).on("line", (line) => own.answers.shift()?.(JSON.parse(line)));
    process_.on("exit", (code, signal) => {
      const reason = `the process ended with ${code ?? signal}: ${last}`;
      for (const answer of own.answers.splice(0)) answer({ status: "crash", reason });
      if (this.#own === own) this.#own = null;
    });
    return own;
  }

  async run(request, seconds) {
    const own = (this.#own ??= this.#start());
    let timer;
    const result = await new Promise((resolve) => {
      own.answers.push(resolve);
      timer = setTimeout(() => {
        own.answers.length = 0;
        own.process.kill("SIGKILL");
        if (this.#own === own) this.#own = null;
        resolve({ status: "late", reason: `more than ${seconds} s` });
      }, seconds * 1000);
      own.process.stdin.write(`${JSON.stringify(request)}\n`);
    });
    clearTimeout(timer);
    return result;
  }

  stop() {
    this.#own?.process.stdin.end();
  }
}

async function main() {
  const only = options.only === undefined ? null : new RegExp(options.only);
  const done = new Set();
  if (existsSync(options.out) && only === null)
    for (const line of readFileSync(options.out, "utf8").split("\n"))
      if (line !== "") {
        const { launch, mode } = JSON.parse(line);
        done.add(`${launch} ${mode}`);
      }
  const modes = options.modes.split(",");
  const waiting = [];
  const seen = new Set();
  const turns = new Map();
  const look = () => {
    const found = [];
    for (const name of existsSync(options.launches) ? readdirSync(options.launches) : []) {
      if (seen.has(name) || /\.\d+$/.test(name) || (only !== null && !only.test(name))) continue;
      seen.add(name);
      const memory = join(options.launches, name, "memory.bin");
      const size = existsSync(memory) ? statSync(memory).size : 0;
      found.push({ name, size });
    }
    // First one launch of each kernel, then another of each; small ones first.
    found.sort((a, b) => a.size - b.size);
    for (const launch of found) {
      const kernel = launch.name.slice(0, launch.name.lastIndexOf("-"));
      launch.turn = turns.get(kernel) ?? 0;
      turns.set(kernel, launch.turn + 1);
    }
    found.sort((a, b) => a.turn - b.turn || a.size - b.size);
    for (const { name } of found)
      for (const mode of modes) if (!done.has(`${name} ${mode}`)) waiting.push({ name, mode });
  };
  look();
  const counts = {};
  const isOver = () =>
    Date.now() > end || (waiting.length === 0 && (options.follow === undefined || existsSync(options.follow)));
  const workers = Array.from({ length: Number(options.processes) }, async () => {
    const own = new Worker();
    for (;;) {
      if (waiting.length === 0) look();
      const next = waiting.shift();
      if (next === undefined) {
        if (isOver()) break;
        await new Promise((resolve) => setTimeout(resolve, 300));
        continue;
      }
      if (Date.now() > end) break;
      const { name, mode } = next;
      const result = await own.run({ folder: join(options.launches, name), mode }, Number(options.limit));
      appendFileSync(options.out, `${JSON.stringify({ launch: name, mode, ...result })}\n`);
      const key = `${mode} ${result.status}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    own.stop();
  });
  await Promise.all(workers);
  console.log(JSON.stringify(counts));
}

if (options.help || options.launches === undefined || options.out === undefined) console.log(HELP);
else await main();
