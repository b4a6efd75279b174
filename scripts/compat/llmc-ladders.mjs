/**
 * The kernels of karpathy/llm.c's dev/cuda beside our ladders of the same operations, on one GPU in one run: each
 * program's best version and block size, built by nvcc as its first comment says and by its own printed times, and our
 * best version's median at the same shape.
 *
 *   node scripts/compat/llmc-ladders.mjs --prepare FOLDER CHECKOUT   anywhere: copies of the programs that only time
 *   node scripts/compat/llmc-ladders.mjs FOLDER                      on the GPU machine, with nvcc: the table
 *                                                                    (--json FILE: as JSON, too)
 *
 * The copies skip the references on the processor, which take minutes, and the comparison with them: what the versions
 * compute is compared by llmc-gpu.mjs, and versions that are wrong or fail on an H200 by llmc.json are left out here.
 * Otherwise their loops are as they are: they write as many bytes as the L2 cache has before each launch, from which on
 * an H200 a part of the data survives, and they repeat the same data; so their times lie between our cold and our hot
 * ones, and it is the hot ones, of fresh inputs, that are compared. Where the file's sizes need minutes of host time, B
 * is 1, in both.
 */
import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { NVCC_PLACES, printedTimes, replaced, timedProgram, uncheckedHeader } from "./llmc-copies.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    prepare: { type: "boolean", default: false },
    json: { type: "string" },
    only: { type: "string" },
    arch: { type: "string", default: "native" },
  },
});

/** Fewer launches than the files' up to 2000 tell the mean as well. */
const MAX_LAUNCHES = 100;
const ONE = [["int B = 8;", "int B = 1;"]];
const FLOAT = [["#define ENABLE_BF16", ""]];
/**
 * Program, our ladder, its shape in that program, and texts of the file that are replaced: sizes, and types where our
 * ladder's is another one.
 */
const PAIRS = [
  ["encoder_forward", "encoder-forward", "batch=8,time=1024,columns=768,vocabulary=50257"],
  ["encoder_backward", "encoder-backward", "batch=8,time=1024,columns=768,vocabulary=50257"],
  ["layernorm_forward", "layernorm-forward", "rows=8192,columns=768"],
  ["layernorm_backward", "layernorm-backward", "rows=8192,columns=1600"],
  ["gelu_forward", "gelu-forward", "n=6291456", FLOAT],
  ["gelu_backward", "gelu-backward", "n=6291456"],
  ["residual_forward", "residual-forward", "n=6291456"],
  ["fused_residual_forward", "fused-residual-layernorm", "rows=8192,columns=768"],
  ["softmax_forward", "softmax", "rows=1024,columns=50257", ONE],
  ["crossentropy_forward", "cross-entropy-forward", "rows=1024,classes=50257", ONE],
  ["crossentropy_softmax_backward", "cross-entropy-backward", "rows=1024,classes=50257", ONE],
  ["classifier_fused", "softmax-cross-entropy", "rows=1024,classes=50257", [["int64_t B = 8; ", "int64_t B = 1; "]]],
  ["matmul_backward_bias", "bias-gradient", "rows=8192,columns=3072"],
  ["adamw", "adamw", "n=1048576"],
  ["global_norm", "global-norm", "n=70778880"],
  ["permute", "permute", "d1=24,d2=42,d3=20,d4=32"],
];

const manifest = JSON.parse(readFileSync(new URL("llmc.json", import.meta.url), "utf8"));
const pairs = PAIRS.filter(([program]) => values.only === undefined || values.only.split(",").includes(program));

function prepare(folder, checkout) {
  const source = join(checkout, "dev/cuda");
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(source).filter((name) => name.endsWith(".h")))
    cpSync(join(source, file), join(folder, file));
  writeFileSync(join(folder, "common.h"), uncheckedHeader(readFileSync(join(source, "common.h"), "utf8")));
  for (const [program, , , changes = []] of pairs) {
    const file = `${program}.cu`;
    const text = changes.reduce(
      (copy, [from, to]) => replaced(copy, from, to, file),
      readFileSync(join(source, file), "utf8"),
    );
    writeFileSync(join(folder, file), timedProgram(text, file, MAX_LAUNCHES));
  }
}

function nvccOf() {
  for (const candidate of NVCC_PLACES) if (spawnSync(candidate, ["--version"]).status === 0) return candidate;
  throw new Error("there is no nvcc");
}

const entryOf = (program) => manifest.programs.find(({ file }) => file === `${program}.cu`);

/** Side by side: each takes a core for ten seconds. Resolves to what nvcc says where it fails, else null. */
function built(folder, nvcc, program) {
  return new Promise((done) => {
    execFile(
      nvcc,
      [
        "-O3",
        ...(entryOf(program).flags ?? []),
        `-arch=${values.arch}`,
        `${program}.cu`,
        "-o",
        program,
        "-lcublas",
        "-lcublasLt",
      ],
      { cwd: folder, encoding: "utf8" },
      (error, _, stderr) => done(error === null ? null : stderr),
    );
  });
}

/** The best time that a program prints, in milliseconds, with the version and the block size. */
function bestOfTheirs(folder, program) {
  const { versions, h200 = {} } = entryOf(program);
  let best = null;
  for (const version of versions.filter(
    (candidate) => h200[candidate] === undefined || /reduced sizes/.test(h200[candidate]),
  )) {
    const { stdout, stderr, status } = spawnSync(`./${program}`, version === null ? [] : [String(version)], {
      cwd: folder,
      encoding: "utf8",
      timeout: 60_000,
    });
    const times = printedTimes(stdout).map((time) => ({ version, ...time }));
    if (status !== 0 || times.length === 0)
      console.log(
        `  ${program} ${version ?? ""} ends with ${status}: ` +
          `${(stderr || stdout).trim().split("\n").at(-1)?.slice(0, 160)}`,
      );
    for (const time of times) if (best === null || time.ms < best.ms) best = time;
  }
  if (best === null) throw new Error(`${program} prints no time`);
  return best;
}

function bestOfOurs(ladder, shape) {
  const root = resolve(import.meta.dirname, "../..");
  // It ends with 72 where a version is wrong, and has told of the others.
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(root, "dist/bin/main.js"),
      "bench",
      "--device",
      "cuda",
      "--no-rivals",
      "--json",
      "--shape",
      shape,
      join(root, "kernels", ladder),
    ],
    { encoding: "utf8", maxBuffer: 1 << 28 },
  );
  if (stdout === "") throw new Error(stderr.trim().split("\n").at(-1));
  const [{ versions }] = JSON.parse(stdout);
  const wrong = versions.filter(({ verdict }) => verdict !== "ok");
  for (const { version, verdict, problem } of wrong) console.log(`  ${ladder}/${version} is ${verdict}: ${problem}`);
  const timed = versions
    .filter(({ verdict }) => verdict === "ok")
    .map(({ version, configuration, timings }) => {
      const of = (cache) => timings.find((timing) => timing.cache === cache)?.ms.median ?? NaN;
      return { version, configuration, hot: of("hot"), cold: of("cold") };
    });
  if (timed.length === 0) throw new Error(`no version of ${ladder} can be timed`);
  return timed.toSorted((a, b) => a.hot - b.hot)[0];
}

async function compare(folder) {
  const nvcc = nvccOf();
  const builds = await Promise.all(pairs.map(([program]) => built(folder, nvcc, program)));
  const rows = [];
  console.log(
    "| llm.c | best: version, block, ms | ours | cold ms | hot ms | hot / llm.c | faster |\n" +
      "| --- | --- | --- | --- | --- | --- | --- |",
  );
  for (const [i, [program, ladder, shape]] of pairs.entries()) {
    try {
      if (builds[i] !== null) throw new Error(`nvcc does not compile ${program}.cu: ${builds[i]}`);
      const theirs = bestOfTheirs(folder, program);
      const ours = bestOfOurs(ladder, shape);
      const ratio = ours.hot / theirs.ms;
      rows.push({ program, ladder, shape, theirs, ours, ratio });
      const configuration = Object.entries(ours.configuration ?? {})
        .map(([name, value]) => `${name}=${value}`)
        .join(" ");
      console.log(
        `| ${program} | ${theirs.version ?? ""}, ${theirs.block ?? ""}, ${theirs.ms} | ${ladder} ${ours.version} ` +
          `${configuration} | ${ours.cold.toPrecision(3)} | ${ours.hot.toPrecision(3)} | ${ratio.toFixed(2)} | ` +
          `${ratio <= 1 ? "ours" : "**llm.c**"} |`,
      );
    } catch (error) {
      console.log(
        `| ${program} | ${String(error.message).split("\n").slice(0, 3).join(" ").slice(0, 300)} | ${ladder} | | | | |`,
      );
      rows.push({ program, ladder, shape, problem: error.message });
    }
  }
  const compared = rows.filter(({ ratio }) => ratio !== undefined);
  console.log(
    `${compared.filter(({ ratio }) => ratio <= 1).length} of ${compared.length} are not slower than llm.c's best ` +
      `version${compared.length < pairs.length ? `; ${pairs.length - compared.length} could not be compared` : ""}`,
  );
  if (values.json !== undefined) {
    const date = new Date().toISOString().slice(0, 10);
    const results = { about: basename(import.meta.filename), date, rows };
    writeFileSync(values.json, `${JSON.stringify(results, null, 1)}\n`);
  }
  process.exitCode = compared.length < pairs.length ? 1 : 0;
}

if (positionals[0] === undefined || (values.prepare && positionals[1] === undefined)) {
  console.error(
    "usage: llmc-ladders.mjs --prepare FOLDER CHECKOUT, then llmc-ladders.mjs FOLDER on a machine with a GPU and nvcc",
  );
  process.exitCode = 64;
} else if (values.prepare) prepare(resolve(positionals[0]), positionals[1]);
else await compare(resolve(positionals[0]));
