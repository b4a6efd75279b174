// Fills a folder with what `npm run test:gpu -- --prepared FOLDER` needs of the compiler, for a GPU machine that has
// none.
//
//   npm run build && node scripts/gpu-tests/prepare.mjs FOLDER
import { CONTRACT_SOURCE } from "../../dist/device/contract-bench.js";
import { GROUPS } from "./differential-cases.mjs";
import { preparedFrom } from "./prepared.mjs";
import { PROGRAMS } from "./programs.mjs";

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node scripts/gpu-tests/prepare.mjs FOLDER");
  process.exit(64);
}
const prepared = await preparedFrom(folder, true);
await prepared.library();
await prepared.device("contract", CONTRACT_SOURCE);
for (const { name, source } of GROUPS) await prepared.device(`differential-${name.replaceAll(" ", "-")}`, source);
for (const { file, flags } of PROGRAMS) prepared.program(file, flags);
