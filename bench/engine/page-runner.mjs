// Runs a case in headless Chromium: `node page-runner.mjs { source, plan, engine, workers, isolated }`. See
// contestant.mjs for the commands. The page's worker fetches the case from here, and sends its results back.
import { createReadStream, createWriteStream, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { startBrowser } from "../../scripts/chromium.mjs";
import { obeyCommands } from "./commands.mjs";

const { source, plan, engine, workers, isolated } = JSON.parse(process.argv[2]);
const root = resolve(import.meta.dirname, "../..");
const { buffers, launches } = JSON.parse(readFileSync(plan, "utf8"));
let resultFolder = null;

const browser = await startBrowser((path, request, response) => {
  const input = buffers.find(({ name }) => path === `/case/${name}`);
  const result = buffers.find(({ name }) => path === `/result/${name}`);
  if (input !== undefined) createReadStream(input.file).pipe(response);
  else if (result !== undefined)
    void pipeline(request, createWriteStream(join(resultFolder, result.name))).then(() => response.end());
  return input !== undefined || result !== undefined;
});
const page = await browser.openPage(isolated);
const case_ = {
  source: `/${relative(root, source)}`,
  engine,
  workers,
  launches,
  buffers: buffers.map(({ name, type, restored }) => ({ name, type, restored })),
};
const ask = (message) =>
  page.run(`
  const script = "/bench/engine/page-worker.mjs";
  const { worker } = globalThis.heddleBench ??= { worker: new Worker(script, { type: "module" }) };
  const { result, error } = await new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => resolve({ error: event.message || "the worker's script could not be loaded" });
    worker.postMessage(${JSON.stringify(message)});
  });
  if (error !== undefined) throw new Error(error);
  return result;`);

try {
  const { tier } = await ask({ command: "prepare", case_ });
  await obeyCommands(tier, {
    run: (count) => ask({ command: "run", count }),
    async check(folder) {
      resultFolder = folder;
      await ask({ command: "results" });
    },
  });
} finally {
  await browser.close();
}
