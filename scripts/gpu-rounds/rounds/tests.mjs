// The test programs of `npm run test:gpu`, built here: what each prints on a GPU, and how it ends.
import { basename } from "node:path";
import { PROGRAMS } from "../../gpu-tests/programs.mjs";

/** Steps by their names: a program may be built with several flags, and run with several arguments. */
const RUNS = new Map(
  PROGRAMS.flatMap(({ file, flags, runs, gpus = 1 }, i) =>
    runs.map((run, j) => [`${basename(file, ".cu")}-${i}.${j}`, { file, flags, gpus, program: `p${i}`, ...run }]),
  ),
);

const exec = (program, options) =>
  `HEDDLE_OPTIONS="--device $DEVICE ${options}" heddle exec "$FILES/programs/${program}"`;

export default {
  row: "Heddle's test programs on a GPU: what they print and how they end",
  minutes: 2,
  jobs: 4,
  async prepare(p) {
    const chosen = [...RUNS].filter(([name]) => p.wants(name));
    const built = new Map(chosen.map(([, { program, file, flags }]) => [program, { file, flags }]));
    await Promise.all([...built].map(([program, { file, flags }]) => p.program(program, file, flags)));
    for (const [name, { program, args, options = "", status, gpus }] of chosen)
      // Not by the function `program`: here Heddle's own exit codes count.
      p.step(name, `${exec(program, options)} ${args.join(" ")}; [ $? = ${status} ]`, {
        seconds: 120,
        needs: gpus > 1 ? "gpus" : "gpu",
        uses: [`programs/${program}`],
      });
  },
  take({ steps }) {
    const wrong = [];
    for (const [name, step] of steps) {
      if (step.status === 77) continue;
      const { stdout, stderr = /^/ } = RUNS.get(name) ?? {};
      if (stdout === undefined) wrong.push(`${name} is no longer a test program`);
      else if (step.status !== 0 || !stdout.test(step.out) || !stderr.test(step.err))
        wrong.push(`${name}: exit ${step.status}, ${`${step.out}${step.err}`.trim().slice(-400)}`);
    }
    return { wrong };
  },
};
