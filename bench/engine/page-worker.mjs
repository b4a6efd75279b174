// The worker of a page that page-runner.mjs opens: prepares a case, then runs it when told to.
import { openHeddle } from "/dist/browser/library.js";
import { prepareCases } from "./case-runner.mjs";
import { typedValues } from "./typed-values.mjs";

let prepared = null;

const COMMANDS = {
  async prepare({ case_ }) {
    const buffers = [];
    for (const { name, type, restored } of case_.buffers) {
      buffers.push({
        name,
        restored,
        values: typedValues(type, new Uint8Array(await (await fetch(`/case/${name}`)).arrayBuffer())),
      });
    }
    const { source, launches, engine, workers } = case_;
    const { tier, cases } = await prepareCases(openHeddle({ clang: "/node_modules/@yowasp/clang/gen/" }), {
      source,
      cases: [{ launches, buffers }],
      engine,
      workers,
    });
    prepared = cases[0];
    return { tier };
  },
  async run({ count }) {
    const times = [];
    for (let left = count; left > 0; left--) times.push(await prepared.run());
    return times;
  },
  async results() {
    for (const [name, values] of await prepared.results())
      await fetch(`/result/${name}`, { method: "POST", body: values });
  },
};

addEventListener("message", async ({ data }) => {
  try {
    postMessage({ result: await COMMANDS[data.command](data) });
  } catch (error) {
    postMessage({ error: String(error?.stack ?? error) });
  }
});
