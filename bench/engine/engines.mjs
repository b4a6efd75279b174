// Heddle as a contestant: with one Node.js or another, one build or another, one thread or two.
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { WIDE } from "./report.mjs";

const RUNNER = join(import.meta.dirname, "heddle-runner.mjs");
const DIST = resolve(import.meta.dirname, "../../dist");

/** @returns contestants that all rows have; the first, with the newest Node.js, is the one that targets are for. */
export function findEngines({ nodes, against, engine, lp64, wide }) {
  const found = [process.execPath, ...nodes]
    .map((path) => ({ path, ...versionsOf(path) }))
    .sort((a, b) => b.order - a.order);
  const alike = new Set(found.map(({ major }) => major)).size < found.length;
  const engines = found.map(({ path, node, major, v8 }) => ({
    label: `Node.js ${alike ? node : major}`,
    description: `Node.js ${node} (V8 ${v8})`,
    path,
    dist: DIST,
    workers: 1,
    engine,
  }));
  if (against !== null)
    engines.push({
      ...engines[0],
      label: "against",
      description: `${engines[0].description}, build ${against}`,
      dist: against,
    });
  if (lp64)
    engines.push({
      ...engines[0],
      label: WIDE,
      description: `${engines[0].description}, kernels of 64-bit programs`,
      model: WIDE,
    });
  if (wide)
    for (const [label, isFar] of [
      ["wide memory", false],
      ["above 4 GiB", true],
    ])
      engines.push({
        ...engines[0],
        label,
        description: `${engines[0].description}, 8 GiB of memory, arrays ${isFar ? "above" : "below"} 4 GiB`,
        model: WIDE,
        memory: { bytes: 8 * 2 ** 30, below: isFar ? 4 * 2 ** 30 : 0 },
      });
  return engines;
}

/** What Contestant.start takes; several folders for several cases. */
export function engineCommand({ path, dist, workers, engine, model = "ilp32", memory = null }, kernel, ...folders) {
  const task = {
    dist,
    source: join(import.meta.dirname, "kernels", kernel.cuda),
    plans: folders.map((folder) => join(folder, "plan.json")),
    engine,
    workers,
    model,
    memory,
  };
  return { program: path, args: [RUNNER, JSON.stringify(task)] };
}

function versionsOf(path) {
  const { status, stdout } = spawnSync(path, ["-p", "JSON.stringify(process.versions)"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${path} is not a Node.js that runs`);
  const { node, v8 } = JSON.parse(stdout);
  const [major, minor, patch] = node.split(".").map(Number);
  return { node, v8, major, order: (major * 1000 + minor) * 1000 + patch };
}
