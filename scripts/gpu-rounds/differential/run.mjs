// Runs the random descriptors of one library twice on a GPU: as nvcc built the program, with NVIDIA's library, and as
// `heddle nvcc` built it, whose calls are handed over to the same library. A case at which a program ends is a fault,
// and the program goes on behind it.
//
//   node run.mjs NAME CASES NATIVE OURS RESULT      NATIVE: nvcc's program; "" without one
//
// RESULT/native.txt and RESULT/heddle.txt have a line for each case, RESULT/launches.json what a part of the cases
// launched. DEVICE and HEDDLE_MAIN are the round's.
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isResult } from "./compare.mjs";

const [name, casesFile, nativeProgram, ours, result] = process.argv.slice(2);
const cases = readFileSync(casesFile, "utf8").trimEnd().split("\n");
const folder = mkdtempSync(join(tmpdir(), "heddle-differential-"));
/** A library that ends the process this often tells no more. */
const MOST_FAULTS = 60;

/** @param onLine gets each line of the output as soon as it is whole */
function run(command, args, env = {}, onLine = () => {}) {
  return new Promise((done) => {
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let [err, rest] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text) => {
      const lines = `${rest}${text}`.split("\n");
      rest = lines.pop();
      for (const line of lines) onLine(line);
    });
    child.stderr.setEncoding("utf8").on("data", (text) => void (err = `${err}${text}`.slice(0, 4000)));
    child.on("error", (error) => (err += String(error)));
    child.on("close", (code, signal) => done({ end: code ?? signal, err }));
  });
}

/** Writes each line as soon as it is there: the time may end at any moment. */
async function answers(kind, start) {
  const to = join(result, `${kind}.txt`);
  writeFileSync(to, "");
  let [count, faults, more] = [0, 0, 0];
  const add = (line) => {
    if (!isResult(line)) return;
    if (count === cases.length) return void more++;
    appendFileSync(to, `${line}\n`);
    count++;
  };
  while (count < cases.length && faults < MOST_FAULTS) {
    const path = join(folder, `${kind}-${count}.txt`);
    writeFileSync(path, `${cases.slice(count).join("\n")}\n`);
    const { end, err } = await start(path, add);
    const said = `exit ${end}: ${err.trim().slice(0, 300)}`;
    if (count === cases.length) {
      if (end !== 0) console.error(`${kind}: behind the last case: ${said}`);
      break;
    }
    console.error(`${kind}: case ${count}: ${cases[count]}: ${said}`);
    appendFileSync(to, "fault\n");
    count++;
    faults++;
    // It does not run at all.
    if (faults > 2 && faults === count) break;
  }
  // Then some line is not the answer that it is taken for.
  if (more > 0) console.error(`${kind}: ${more} lines more than cases`);
  return `${kind} ${count} of ${cases.length}, ${faults} faults`;
}

const options = `--device ${process.env.DEVICE} --exit-code program`;
const heddle = (file, onLine, more = "") =>
  run(
    process.execPath,
    [process.env.HEDDLE_MAIN, "exec", ours, file],
    { HEDDLE_OPTIONS: `${options} ${more}` },
    onLine,
  );
const said = await Promise.all([
  nativeProgram === ""
    ? "no native program"
    : answers("native", (file, onLine) => run(nativeProgram, [file], {}, onLine)),
  answers("heddle", heddle),
]);
// Which functions were handed over, and which kernels were Heddle's own.
const sample = join(folder, "sample.txt");
writeFileSync(sample, `${cases.slice(0, 200).join("\n")}\n`);
await heddle(sample, undefined, `--json=${join(result, "launches.json")}`);
console.log(`${name}: ${said.join("; ")}`);
