// Runs versions of ladders in kernels/ under the checkers, each in its first configuration at the shapes for checks,
// and prints what is found. Exit code 1: something is.
//   node scripts/check-ladders.mjs [--tool=LIST] [LADDER[/VERSION]…]    default: all
import { join } from "node:path";
import { withLaunches } from "../dist/bench/version-launches.js";
import { Workspace } from "../dist/bench/workspace.js";
import { check } from "../dist/check.js";
import { load } from "../dist/index.js";
import { findLadders, ladderName, loadLadder } from "../dist/kernel-library/ladder-files-node.js";

const options = process.argv.slice(2);
const wanted = options.filter((option) => !option.startsWith("--"));
const tools = options
  .find((option) => option.startsWith("--tool="))
  ?.slice("--tool=".length)
  .split(",");
const isWanted = (ladder, version) =>
  wanted.length === 0 || wanted.includes(ladder) || wanted.includes(`${ladder}/${version}`);
let found = 0;
for (const file of findLadders([join(import.meta.dirname, "../kernels")])) {
  const name = ladderName(file);
  if (!wanted.some((word) => word.split("/")[0] === name) && wanted.length > 0) continue;
  const { ladder, versions } = await loadLadder(file, (source) => [source]);
  for (const version of versions) {
    if (!isWanted(name, version.name) || version.path.endsWith(".py")) continue;
    const { parameters = {}, allow = () => true } = version.declaration;
    const configuration = Object.fromEntries(Object.entries(parameters).map(([key, [first]]) => [key, first]));
    for (const shape of ladder.shapes.check) {
      if (!allow(configuration, shape)) continue;
      const begin = performance.now();
      const { findings, text } = await check(
        async (gpu) => {
          const workspace = new Workspace(gpu, ladder, shape, [0]);
          await withLaunches(version, configuration, { gpu, load, workspace }, async (launches) => {
            workspace.begin(0);
            for (const launch of launches) launch();
            await workspace.compare(0, true);
          });
          workspace.free();
        },
        { gpu: "h100", ...(tools === undefined ? {} : { tools }) },
      );
      const ms = Math.round(performance.now() - begin);
      console.log(`${name}/${version.name} ${JSON.stringify(shape)}: ${findings.length} in ${ms} ms`);
      if (findings.length > 0) console.log(text);
      found += findings.length;
    }
  }
}
process.exit(found > 0 ? 1 : 0);
