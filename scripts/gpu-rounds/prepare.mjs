// Prepares rounds for a machine with a GPU. `--help` says how; README.md beside this says what a round is.
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { MOST_BYTES, ROOT, sizeOf, treeBytes, writeBase, writeNode } from "./pack.mjs";
import { Preparation } from "./preparation.mjs";
import { openRounds, ROUND_NAMES } from "./rounds.mjs";

const HELP = `node scripts/gpu-rounds/prepare.mjs NAME… [options]

Writes .gpu-base and a folder .gpu-NAME for each round: ${ROUND_NAMES.join(", ")}.
Needs dist/ (npm run build) and the library of 64-bit programs (heddle setup). Fetches nothing.

Options
  --checkouts FOLDER   public programs, OWNER+NAME each, as scripts/compat/programs.mjs has them
  --only TEXT,…        of the rounds differential, programs, graphs and promote: what has one of these in its name
  --node               brings this Node.js along, for a machine that has none (.gpu-node)
  --to FOLDER          where the folders are written (the repository)
  --level N            of xz (9)
  --list               what the rounds are, and how long they take
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h", default: false },
    list: { type: "boolean", default: false },
    checkouts: { type: "string" },
    only: { type: "string" },
    node: { type: "boolean", default: false },
    to: { type: "string", default: ROOT },
    level: { type: "string", default: "9" },
  },
});
if (values.list) {
  for (const { name, row, minutes } of await openRounds(ROUND_NAMES)) console.log(`${name}: ${row} (${minutes} min)`);
  process.exit(0);
}
if (values.help || positionals.length === 0) {
  process.stdout.write(HELP);
  process.exit(values.help ? 0 : 64);
}
const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(2)} MiB`;
const checkouts = values.checkouts === undefined ? null : resolve(values.checkouts);
const [folder, level] = [resolve(values.to), values.level];
const rounds = await openRounds(positionals).catch((error) => {
  console.error(error.message);
  process.exit(64);
});
mkdirSync(folder, { recursive: true });
await writeBase(folder, level);
if (values.node) writeNode(folder, level);
let bytes = treeBytes();
const add = (name) => {
  const size = sizeOf(join(folder, name));
  bytes += size;
  return `${name} ${megabytes(size)}`;
};
console.log(`the tree ${megabytes(bytes)}`);
const brought = [".gpu", ".gpu-node"].filter((name) => existsSync(join(folder, name)));
for (const name of [...brought, ".gpu-base"]) console.log(add(name));
if (brought.length === 0) console.log("no Node.js is brought along: --node does that");
for (const round of rounds) {
  const preparation = new Preparation({ round, folder, checkouts, level, only: values.only?.split(",") ?? null });
  await round.prepare(preparation);
  const { left, done } = preparation.finish();
  const earlier = done > 0 ? `, ${done} were right in an earlier run` : "";
  console.log(`${add(`.gpu-${round.name}`)}: ${left.length} steps${earlier}, about ${round.minutes} min`);
}
console.log(`${megabytes(bytes)} of ${megabytes(MOST_BYTES)} travel`);
if (bytes > MOST_BYTES) {
  console.error("this is too much: prepare fewer rounds, or remove folders .gpu-NAME");
  process.exitCode = 1;
}
const list = rounds.map(({ name }) => `bash .gpu-${name}/run.sh`);
console.log(`there, from the repository's root:\n  ${list.join("; ")}`);
console.log(`here, afterwards:\n  node scripts/gpu-rounds/take.mjs ${positionals.join(" ")} FOLDER`);
