// Processes as a person sees them: started, and watched for what they print.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const MAIN = resolve(import.meta.dirname, "../../dist/bin/main.js");

function start({ node, args, folder, cache }) {
  mkdirSync(cache, { recursive: true });
  const child = spawn(node, [MAIN, ...args], {
    cwd: folder,
    env: { ...process.env, HEDDLE_CACHE_DIR: cache, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { text: "", listeners: new Set() };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes) => {
      said.text += bytes;
      for (const listener of said.listeners) listener();
    });
  }
  return { child, said };
}

/** Resolves when the pattern is in what was printed, with the time of that. */
function heard(said, pattern) {
  return new Promise((resolve_) => {
    const listener = () => {
      if (!pattern.test(said.text)) return;
      said.listeners.delete(listener);
      resolve_(performance.now());
    };
    said.listeners.add(listener);
    listener();
  });
}

/** Milliseconds from starting a process to its words; waits for its end, which must be a success. */
export async function waitUntilSaid(command, pattern) {
  const started = performance.now();
  const { child, said } = start(command);
  const ended = once(child, "close");
  const at = await Promise.race([heard(said, pattern), ended.then(() => null)]);
  const [code] = await ended;
  if (at === null || code !== 0) throw new Error(`exit code ${code}: ${said.text}`);
  return at - started;
}

/** The most memory that a process had, in MB (Linux: VmHWM). */
export async function peakMemory(command) {
  const { child, said } = start(command);
  const ended = once(child, "close");
  let peak = 0;
  const looking = setInterval(() => (peak = Math.max(peak, highWater(child.pid))), 5);
  const [code] = await ended;
  clearInterval(looking);
  if (code !== 0) throw new Error(`exit code ${code}: ${said.text}`);
  return peak;
}

/** MB; 0 when the process has gone. */
export function highWater(pid) {
  try {
    return (Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024) / 1e6;
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "ESRCH") throw error;
    return 0;
  }
}

/**
 * `heddle run --watch`, when its first run is over; `save` resolves with the milliseconds until the new program says
 * its word.
 */
export async function startWatch(command) {
  const { child, said } = start(command);
  await heard(said, /watching/);
  return {
    async save(path, text, word) {
      said.text = "";
      writeFileSync(`${path}.new`, text);
      const saved = performance.now();
      renameSync(`${path}.new`, path);
      const at = await heard(said, new RegExp(`^${word}`, "m"));
      await heard(said, /watching/);
      if (!said.text.includes("PASSED")) throw new Error(said.text);
      return at - saved;
    },
    end: () => child.kill(),
  };
}

/** Starts library-runner.mjs with an order, and resolves with its answer. */
export async function askRunner({ node, cache, order }) {
  const child = spawn(node, [join(import.meta.dirname, "library-runner.mjs"), JSON.stringify(order)], {
    env: { ...process.env, HEDDLE_CACHE_DIR: cache },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (bytes) => (text += bytes));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`library-runner.mjs ended with ${code}`);
  return JSON.parse(text);
}
