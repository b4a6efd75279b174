// Runs a case in Node.js: `node heddle-runner.mjs { dist, source, plan, engine, workers }`. See contestant.mjs for the commands.
// It may use one Node.js or another, hence a process of its own.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { prepareCase } from "./case-runner.mjs";
import { obeyCommands } from "./commands.mjs";
import { typedValues } from "./typed-values.mjs";

const { dist, source, plan, engine, workers } = JSON.parse(process.argv[2]);
const library = await import(pathToFileURL(join(dist, "index.js")).href);
const { buffers, launches } = JSON.parse(readFileSync(plan, "utf8"));
const values = buffers.map(({ name, file, type, restored }) => ({ name, restored, values: typedValues(type, readFileSync(file)) }));
const prepared = await prepareCase(library, { source, launches, buffers: values, engine, workers });
await obeyCommands(prepared.tier, {
  async run(count) {
    const times = [];
    for (let left = count; left > 0; left--) times.push(await prepared.run());
    return times;
  },
  async check(folder) {
    for (const [name, result] of await prepared.results()) writeFileSync(join(folder, name), result);
  },
});
prepared.close();
