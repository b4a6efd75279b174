// Measures the libraries on the emulated device beside native libraries of Debian's packages. `--help` says how.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { allRows, PACKAGES, PROGRAMS, RIVALS } from "./rows.mjs";

const HELP = `node bench/libraries/main.mjs [options]

Builds the rivals with g++ (Debian: apt-get install ${PACKAGES.join(" ")}),
checks that all results agree, and measures Heddle and its rivals in turns, with one thread each. A
round takes the fastest run of each contestant; a ratio is the median over the rounds. A run that was
interrupted goes on where it ended. Use Node.js 24, and "npm run build" first.

Options
  --only TEXT,…      rows whose names contain one of these
  --again            also rows that have results
  --rounds N         rounds (5)
  --seconds S        without a faster run, until a contestant ends (1)
  -o, --output FILE  results (docs/lab/library-speed.json)
`;
const { values } = parseArgs({
  options: {
    help: { type: "boolean", short: "h", default: false },
    only: { type: "string", default: "" },
    again: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "1" },
    output: { type: "string", short: "o" },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const here = import.meta.dirname;
const root = resolve(here, "../..");
const output = resolve(values.output ?? join(root, "docs/lab/library-speed.json"));
const results = existsSync(output) ? JSON.parse(readFileSync(output, "utf8")) : { rows: {} };
const scratch = mkdtempSync(join(tmpdir(), "heddle-bench-libraries-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));

/** One thread each, and no setting of the machine's that chooses another kernel of OpenBLAS. */
function environment(name) {
  const own = { ...process.env, OMP_NUM_THREADS: "1", OPENBLAS_NUM_THREADS: "1" };
  delete own.OPENBLAS_CORETYPE;
  delete own.OPENBLAS_L2_SIZE;
  return { ...own, ...RIVALS[name]?.env };
}

function buildRivals(names) {
  const folder = join(scratch, "rivals");
  mkdirSync(folder);
  return Object.fromEntries(
    names.map((name) => {
      const { source, link } = RIVALS[name];
      const binary = join(folder, source.replace(".cpp", ""));
      if (existsSync(binary)) return [name, binary];
      execFileSync("g++", ["-O3", "-march=native", "-std=c++17", join(here, source), "-o", binary, ...link], {
        stdio: "inherit",
      });
      return [name, binary];
    }),
  );
}

/** Runs a contestant once: the milliseconds of its fastest run. */
function run(row, name, rivals, seconds) {
  const file = resultFile(name);
  const given = [...row.args, String(seconds), file];
  const options = ["-O3", "--workers", "1", "--no-reuse", "--dir", scratch, `-l${PROGRAMS[row.program]}`];
  const heddle = [join(root, "dist/bin/main.js"), "run", ...options, join(here, row.program), "--", ...given];
  const [command, args] = name === "Heddle" ? [process.execPath, heddle] : [rivals[name], given];
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env: environment(name) });
  const ms = Number(stdout.trim());
  if (status !== 0 || !(ms > 0)) throw new Error(`${row.name}, ${name}: exit code ${status}\n${stdout}${stderr}`);
  return ms;
}

const resultFile = (name) => join(scratch, `${name.replaceAll(" ", "-")}.bin`);

function numbersOf({ bytes }, name) {
  const { buffer, byteOffset, length } = readFileSync(resultFile(name));
  const own = buffer.slice(byteOffset, byteOffset + length);
  return bytes === 4 ? new Float32Array(own) : new Float64Array(own);
}

/** Throws unless the results agree to 2e-6 of the largest number, doubles to 1e-14. */
function requireAgreement(row, names) {
  const ours = numbersOf(row, "Heddle");
  for (const name of names) {
    const theirs = numbersOf(row, name);
    if (theirs.length !== ours.length || ours.length === 0)
      throw new Error(`${row.name}: ${ours.length} results, and ${theirs.length} of ${name}`);
    let largest = 0;
    let difference = 0;
    for (let i = 0; i < ours.length; i++) {
      largest = Math.max(largest, Math.abs(theirs[i]));
      const here = Math.abs(theirs[i] - ours[i]);
      if (!(here <= difference)) difference = here;
    }
    const bound = (row.bytes === 4 ? 2e-6 : 1e-14) * largest;
    if (!(largest > 0 && difference <= bound))
      throw new Error(`${row.name}: ${name} differs by ${difference}, the largest number is ${largest}`);
  }
}

function measureRow(row, rivals) {
  const contestants = ["Heddle", ...Object.keys(row.wanted)];
  for (const name of contestants) run(row, name, rivals, 0);
  requireAgreement(row, Object.keys(row.wanted));
  const rounds = Array.from({ length: Number(values.rounds) }, () =>
    Object.fromEntries(contestants.map((name) => [name, run(row, name, rivals, Number(values.seconds))])),
  );
  requireAgreement(row, Object.keys(row.wanted));
  return { operations: row.operations, wanted: row.wanted, rounds };
}

const texts = values.only.split(",").filter((text) => text !== "");
const rows = allRows().filter(
  ({ name }) =>
    (texts.length === 0 || texts.some((text) => name.includes(text))) &&
    (values.again || results.rows[name] === undefined),
);
const rivals = buildRivals([...new Set(rows.flatMap(({ wanted }) => Object.keys(wanted)))]);
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
for (const row of rows) {
  const measured = measureRow(row, rivals);
  results.machine = `${cpus()[0].model}, Node.js ${process.versions.node}`;
  results.rows[row.name] = { ...measured, date: new Date().toISOString().slice(0, 10) };
  writeFileSync(output, `${JSON.stringify(results, null, 1)}\n`);
  const shares = Object.entries(row.wanted).map(([name, least]) => {
    const share = median(measured.rounds.map((round) => round[name] / round.Heddle));
    return `${share.toFixed(2)} of ${name}${least === null ? "" : ` (wanted ${least})`}`;
  });
  const speed = row.operations / median(measured.rounds.map((round) => round.Heddle)) / 1e6;
  console.log(`${row.name}: ${speed.toFixed(2)} GFLOP/s, ${shares.join(", ")}`);
}
