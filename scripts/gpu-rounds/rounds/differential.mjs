// Random descriptors (shapes, strides, types, modes, wrong arguments) of each library: on the emulated device, with
// NVIDIA's library in nvcc's program, and with NVIDIA's library in Heddle's program.
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { distances, isResult } from "../differential/compare.mjs";
import { HEADERS, LIBRARIES, sourceOf, STATUSES } from "../differential/libraries.mjs";
import { ROOT } from "../pack.mjs";
import { execute } from "../preparation.mjs";

const RESULT = "docs/lab/library-differential.json";

/** The lines of all libraries, by a fixed seed. */
async function allCases() {
  const bundled = join(mkdtempSync(join(tmpdir(), "heddle-descriptors-")), "descriptors.mjs");
  const input = join(import.meta.dirname, "../differential/descriptors.ts");
  const bundle = await rolldown({ input, platform: "node" });
  await bundle.write({ file: bundled });
  const { descriptors } = await import(bundled);
  return new Map(LIBRARIES.map(({ name, count }) => [name, `${descriptors(name, count).join("\n")}\n`]));
}

/** What the emulated device answers: made where the result is judged, as it takes minutes. */
async function emulated(program, cases) {
  const { status, out, err } = await execute(
    process.execPath,
    [join(ROOT, "dist/bin/main.js"), "exec", program, cases],
    {
      env: { ...process.env, HEDDLE_OPTIONS: "--device emulated --gpu h200 --exit-code program" },
    },
  );
  if (status !== 0) throw new Error(`${program} ended with ${status} on the emulated device: ${err.slice(0, 1000)}`);
  return out;
}

const linesOf = (bytes) =>
  bytes === null
    ? []
    : bytes
        .toString()
        .split("\n")
        .filter((line) => line !== "" && (line === "fault" || isResult(line)))
        .map((line) => (line === "fault" ? undefined : line));

/** Sums of all operations. */
function total({ operations }) {
  const sums = { cases: 0, computed: 0, statuses: 0, near: 0 };
  for (const counts of Object.values(operations)) for (const key in sums) sums[key] += counts[key];
  return sums;
}

/** What wrong calls return: Heddle's program on the GPU beside nvcc's, which comes first in its step. */
function differentLine(name, step) {
  if (step === undefined || step.status === 77) return [];
  const isSaid = (line) => isResult(line) && !/^(nvcc's program|absent): /.test(line);
  const lines = (text) => text.split("\n").filter(isSaid);
  const [theirs, ours] = [lines((step.file("native.txt") ?? "").toString()), lines(step.out)];
  const at = theirs.findIndex((line, i) => line !== ours[i]);
  if (at < 0 && theirs.length === ours.length) return [];
  const i = at < 0 ? theirs.length : at;
  return [`${name}, line ${i + 1}: ${theirs[i] ?? "none"}; Heddle's ${ours[i] ?? "none"}`];
}

export default {
  row: "results and error codes against NVIDIA's libraries, in random cases",
  minutes: 6,
  jobs: 4,
  async prepare(p) {
    const cases = await allCases();
    for (const header of HEADERS) p.source(header);
    for (const file of ["run.mjs", "compare.mjs"]) p.copy(`scripts/gpu-rounds/differential/${file}`, file);
    const parts = ["run.mjs", "compare.mjs", ...HEADERS.map((path) => `sources/${path.split("/").at(-1)}`)];
    const [libraries, statuses] = [LIBRARIES, STATUSES].map((list) => list.filter(({ name }) => p.wants(name)));
    await Promise.all(
      libraries.map(async ({ name, flags }) => {
        p.write(`${name}.txt`, cases.get(name));
        p.source(sourceOf(name));
        await p.program(name, sourceOf(name), flags);
      }),
    );
    for (const { name, flags } of libraries) {
      const file = `${name}-descriptors.cu`;
      const build = `native ${name} ${file} ${flags.join(" ")}`;
      const run = `node "$FILES/run.mjs" ${name} "$FILES/${name}.txt"`;
      const native = `"$([ -x "$BUILT/${name}" ] && echo "$BUILT/${name}")"`;
      p.step(name, `${build}; ${run} ${native} "$FILES/programs/${name}" "$RESULT"`, {
        seconds: 240,
        needs: "any",
        uses: [...parts, `${name}.txt`, `sources/${file}`, `programs/${name}`],
        expected: { "cases.txt": cases.get(name), program: readFileSync(join(p.stage, "programs", name)) },
      });
    }
    await Promise.all(
      statuses.map(async ({ name, flags }) => {
        p.source(`src/cli/test-programs/${name}.cu`);
        await p.program(name, `src/cli/test-programs/${name}.cu`, flags);
      }),
    );
    for (const { name, flags, traced } of statuses) {
      const native = `native ${name} ${name}.cu ${flags.join(" ")} && "$BUILT/${name}" >"$RESULT/native.txt" 2>&1`;
      const line = `$("$BUILT/${name}" trace 2>&1 | tail -n 1)`;
      const last = `[ "$code" -lt 128 ] || echo "nvcc's program: ${line} is its last"`;
      p.step(name, `${native}; code=$?; echo "nvcc's program: $code"; ${traced ? `${last}; ` : ""}program ${name}`, {
        seconds: 90,
        uses: [`sources/${name}.cu`, `programs/${name}`],
      });
    }
  },

  async take({ steps, save }) {
    const before = JSON.parse(readFileSync(join(ROOT, RESULT), "utf8"));
    for (const { name } of LIBRARIES) {
      const step = steps.get(name);
      if (step === undefined) continue;
      const [file, answers] = [step.expected("cases.txt"), step.expected("answers.txt")];
      if (!existsSync(answers)) writeFileSync(answers, await emulated(step.expected("program"), file));
      const cases = readFileSync(file, "utf8").trimEnd().split("\n");
      const ours = linesOf(readFileSync(answers));
      const [native, handed] = [linesOf(step.file("native.txt")), linesOf(step.file("heddle.txt"))];
      const judged = distances(name, cases, native, ours);
      const handOver = distances(name, cases, native.length > 0 ? native : ours, handed);
      const sums = total(judged);
      console.log(`${name}: against NVIDIA's ${JSON.stringify(sums)}; handed over ${JSON.stringify(total(handOver))}`);
      if (judged.absent > 0) console.log(`  ${judged.absent} cases of functions that NVIDIA's library does not have`);
      for (const { descriptor, status, far } of [...judged.some, ...handOver.some].slice(0, 20))
        console.log(`  ${descriptor}: ${status.join(", ")} ${far}`);
      const machine = `${step.machine.gpu}, ${step.machine.driver}`;
      const { operations, different } = judged;
      before.libraries[name] = {
        machine,
        date: step.machine.date,
        ...sums,
        operations,
        different,
        handOver: { ...total(handOver), operations: handOver.operations },
      };
    }
    save(RESULT, `${JSON.stringify(before, null, 1)}\n`);
    return { wrong: STATUSES.flatMap(({ name }) => differentLine(name, steps.get(name))) };
  },
};
