// `heddle bench --device cuda` of ladders at each of their shapes, beside their rivals; the winners are promoted here.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../pack.mjs";
import { formatted, putRow, rowOf } from "../kernel-rows.mjs";

const FIGURES = "docs/lab/kernels-h200.json";
/** Of each shape. Rivals in Python start once for each; torch.compile takes half a minute. */
const SECONDS = 170;
/** Those that have not reached what is asked for come first. */
const LADDERS = [
  "bias-gradient",
  "encoder-backward",
  "paged-attention",
  "scan",
  "matmul-bf16",
  "linear",
  "cross-entropy-forward",
  "attention-varlen",
  "attention-varlen-backward",
  "moe-layer",
  "attention-backward",
  "attention-forward",
];

/** The shapes that are timed on a GPU, and which of them has a winner. */
async function shapesOf(name) {
  const [{ loadLadder }, { includedFiles }] = await Promise.all([
    import("../../../dist/kernel-library/ladder-files-node.js"),
    import("../../../dist/kernel-library/included-files-node.js"),
  ]);
  const folder = join(ROOT, "kernels", name);
  const { ladder } = await loadLadder(join(folder, `${name}.ladder.ts`), (version) => includedFiles(version, []));
  const { winners } = JSON.parse(readFileSync(join(folder, "promoted.json"), "utf8"));
  const promoted = winners.filter(({ device }) => device.kind === "cuda").map(({ shape }) => JSON.stringify(shape));
  return ladder.shapes.time.cuda.map((shape) => ({ shape, isNew: !promoted.includes(JSON.stringify(shape)) }));
}

const linesOf = (step) =>
  (step.file("bench.jsonl") ?? "")
    .toString()
    .split("\n")
    .filter((line) => line !== "");

export default {
  row: "kernels beside their rivals in one run; winners promoted by the tool",
  minutes: 16,
  async prepare(p) {
    p.write("README", "the ladders are part of the tree\n");
    const all = [];
    for (const name of LADDERS) for (const { shape, isNew } of await shapesOf(name)) all.push({ name, shape, isNew });
    // What has no winner yet first.
    for (const { name, shape } of all.toSorted((a, b) => Number(b.isNew) - Number(a.isNew))) {
      const sizes = Object.entries(shape).map(([key, value]) => `${key}=${value}`);
      const to = '--results "$RESULT/bench.jsonl"';
      const step = `${name}_${sizes.map((text) => text.replace("=", "")).join("_")}`;
      if (!p.wants(step)) continue;
      p.step(step, [`heddle bench --device $DEVICE --shape ${sizes.join(",")} ${to} kernels/${name}`].join(""), {
        seconds: SECONDS,
        uses: [],
      });
    }
    // Without a GPU: one small ladder by the Heddle of the tree, which has a compiler, to try the way of its results.
    const tried =
      'node "$TREE/dist/bin/main.js" bench --device emulated --no-sweep --only 1-naive --shape m=64,n=64,k=64';
    p.step("tried", `${tried},gelu=1,residual=0 --results "$RESULT/bench.jsonl" kernels/linear`, {
      seconds: 170,
      needs: "try",
      uses: [],
    });
  },

  take({ steps, save, writes }) {
    const timed = [...steps].filter(([name]) => name !== "tried" || !writes);
    const lines = timed.flatMap(([, step]) => linesOf(step));
    const records = lines.map((line) => JSON.parse(line)).toSorted((a, b) => order(a) - order(b));
    const wrong = records.flatMap(({ ladder, shape, versions }) =>
      versions
        .filter(({ verdict }) => verdict !== "ok")
        .map(
          ({ version, verdict, problem }) => `${ladder} ${JSON.stringify(shape)} ${version} is ${verdict}: ${problem}`,
        ),
    );
    const figures = JSON.parse(readFileSync(join(ROOT, FIGURES), "utf8"));
    const run = String(1 + Math.max(...Object.keys(figures.runs).map(Number)));
    const dates = new Set();
    for (const record of records) {
      const row = rowOf(record);
      console.log(`${record.ladder} ${row.sizes}: ${row.version} ${row.speed}, ${row.note}`);
      dates.add(record.surroundings.time.slice(0, 10));
      if (row.version !== null) putRow(figures, { ...row, run: Number(run) });
    }
    figures.runs[run] = `${[...dates].join(", ")}; round promote: every version in its best configuration, with rivals`;
    if (records.length > 0) save(FIGURES, formatted(figures));
    if (writes && records.length > 0) {
      const results = join(ROOT, ".gpu-results/promote/bench.jsonl");
      writeFileSync(results, lines.map((line) => `${line}\n`).join(""));
      const ladders = [...new Set(records.map(({ ladder }) => join("kernels", ladder)))];
      const args = ["dist/bin/main.js", "bench", "--history", "--promote", "--results", results, ...ladders];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
      console.log(`${stdout}${stderr}`.trim().split("\n").slice(-40).join("\n"));
      if (status !== 0) wrong.push(`heddle bench --history --promote ended with ${status}`);
    }
    if (records.length === 0) wrong.push("no shape was measured");
    return { wrong };
  },
};

const order = ({ ladder }) => LADDERS.indexOf(ladder);
