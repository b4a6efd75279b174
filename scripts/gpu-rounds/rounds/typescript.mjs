// fft, dnn and communicator from TypeScript on a GPU, with either data model of the libraries' host code: the numbers
// of the emulated device.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { distance } from "../differential/compare.mjs";
import { ROOT } from "../pack.mjs";

const UNITS = ["fft", "dnn"];
const MODELS = ["lp64", "ilp32"];
/** As host-library-node.ts asks for them: on a GPU of either model, and on the emulated device. */
const FORMS = [...MODELS.map((model) => ({ nvccForm: true, model })), { nvccForm: false, model: "lp64" }];
/** Sums of floats, over the largest of the result. */
const NEAR = 4e-6;

async function compileUnits({ compiler }) {
  for (const unit of UNITS)
    for (const form of FORMS) {
      const path = `libraries/typescript/${unit}.cpp`;
      const text = readFileSync(join(ROOT, path), "utf8");
      const unitOf = { path: `/heddle/${path}`, text };
      const object = await compiler.compileObject(unitOf, { ...form, language: "cuda" }, null);
      await compiler.linkObjects([object], form);
    }
}

export default {
  row: "libraries from TypeScript, on a GPU",
  minutes: 1,
  async prepare(p) {
    await p.cache(compileUnits);
    const call = (model, device) =>
      `export HEDDLE_MODEL=${model}; cp -rn "$FILES/cache/." "$HEDDLE_CACHE_DIR/"; ` +
      `node scripts/gpu-rounds/call-libraries.mjs ${device} "$RESULT/values.json"`;
    p.step("emulated", call("lp64", "emulated"), { seconds: 150, needs: "any" });
    for (const model of MODELS) p.step(model, call(model, "cuda"), { seconds: 150 });
  },
  take({ steps }) {
    const values = (name) => JSON.parse(steps.get(name)?.file("values.json") ?? "null");
    const expected = values("emulated");
    if (expected === null) return { wrong: ["emulated was not run"] };
    const wrong = Object.entries(expected).flatMap(([name, list]) =>
      typeof list === "string" ? [`emulated, ${name}: ${list}`] : [],
    );
    for (const model of MODELS) {
      const found = values(model);
      if (found === null) wrong.push(`${model} was not run`);
      for (const [name, list] of Object.entries(found ?? {})) {
        const far = typeof list === "string" ? Infinity : distance(expected[name], list);
        console.log(`${model}, ${name}: ${far}`);
        if (!(far <= NEAR))
          wrong.push(`${model}, ${name}: ${typeof list === "string" ? list : `${far} from the emulated`}`);
      }
    }
    return { wrong };
  },
};
