// Runs cases of one kernel in Node.js:
// `node heddle-runner.mjs { dist, source, plans, engine, workers, model, memory }`.
// See contestant.mjs for the commands. It may use one Node.js or another, hence a process of its own.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { prepareCases } from "./case-runner.mjs";
import { obeyCommands } from "./commands.mjs";
import { typedValues } from "./typed-values.mjs";

const { dist, source, plans, engine, workers, model, memory } = JSON.parse(process.argv[2]);
const library = await import(pathToFileURL(join(dist, "index.js")).href);
const cases = plans.map((plan) => {
  const { buffers, launches } = JSON.parse(readFileSync(plan, "utf8"));
  return {
    launches,
    buffers: buffers.map(({ name, file, type, restored }) => ({
      name,
      restored,
      values: typedValues(type, readFileSync(file)),
    })),
  };
});
const prepared = await prepareCases(library, { source, cases, engine, workers, model, memory });
let current = prepared.cases[0];
await obeyCommands(prepared.tier, {
  case: (index) => void (current = prepared.cases[index]),
  async run(count) {
    const times = [];
    for (let left = count; left > 0; left--) times.push(await current.run());
    return times;
  },
  async check(folder) {
    for (const [name, result] of await current.results()) writeFileSync(join(folder, name), result);
  },
});
prepared.close();
