// What a call of a library costs the host more in Heddle's program than in nvcc's: small calls in a row, and calls of
// about a millisecond. Both programs take turns.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lowerQuartile } from "../numbers.mjs";
import { ROOT } from "../pack.mjs";
import { inTurns } from "../printed.mjs";

const RESULT = "docs/lab/library-differential.json";
const TURNS = 9;
const FLAGS = "-lcublas -lcublasLt -lcufft -lcusparse -lcusolver -lcudnn -lnccl";

/** By name: microseconds a call, the lower quartile of the turns: other machines on the host slow some of them down. */
export function costs(step, kind) {
  const times = new Map();
  for (let turn = 1; turn <= TURNS; turn++)
    for (const line of (step.file(`${kind}-${turn}.txt`) ?? "").toString().split("\n")) {
      const [, name, microseconds] = /^(\S+) ([\d.]+) [\d.]+$/.exec(line) ?? [];
      if (name !== undefined) times.set(name, [...(times.get(name) ?? []), Number(microseconds)]);
    }
  return new Map([...times].map(([name, all]) => [name, lowerQuartile(all)]));
}

export default {
  row: "what a handed-over call costs (goal: 2 µs, or 3 % of a call of 1 ms)",
  minutes: 1.5,
  async prepare(p) {
    const source = "scripts/gpu-rounds/programs/hand-over.cu";
    p.source(source);
    await p.program("hand-over", source, FLAGS.split(" "));
    const turns = inTurns(TURNS, '"$BUILT/hand-over"', "program hand-over");
    p.step("hand-over", `native hand-over hand-over.cu ${FLAGS} && ${turns}; tail -n 1 "$RESULT/heddle-1.txt"`, {
      seconds: 250,
    });
    // Without a GPU: that the program runs at all, at small sizes. Its times say nothing.
    p.step("small", "HEDDLE_SMALL=1 program hand-over", { seconds: 300, needs: "try" });
  },
  take({ steps, save }) {
    const step = steps.get("hand-over");
    if (step === undefined) return { wrong: ["hand-over was not run"] };
    const [native, heddle] = [costs(step, "native"), costs(step, "heddle")];
    const rows = [...native].flatMap(([name, theirs]) => {
      const ours = heddle.get(name);
      return ours === undefined ? [] : [{ name, native: theirs, heddle: ours }];
    });
    const wrong = rows.flatMap(({ name, native: theirs, heddle: ours }) => {
      const more = ours - theirs;
      if (more <= Math.max(2, 0.03 * theirs)) return [];
      return [`${name}: ${ours} µs instead of ${theirs}`];
    });
    for (const { name, native: theirs, heddle: ours } of rows)
      console.log(`${name}: ${theirs.toFixed(2)} µs by nvcc's program, ${ours.toFixed(2)} by Heddle's`);
    if (rows.length === 0) return { wrong: ["no call was measured"] };
    const before = JSON.parse(readFileSync(join(ROOT, RESULT), "utf8"));
    const { gpu, driver, date } = step.machine;
    before.costs = { machine: `${gpu}, ${driver}`, date, rows };
    save(RESULT, `${JSON.stringify(before, null, 1)}\n`);
    return { wrong };
  },
};
