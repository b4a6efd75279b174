// What the profiler says of the kernels of a file of src/profile/suite or src/profile/pairs: before and after.
import { readFileSync } from "node:fs";
import { load } from "../../dist/index.js";
import { profile } from "../../dist/profile.js";
import { pairOptions, suiteInput, suiteLaunches } from "./suite-launches.mjs";

/**
 * @param file its path, from the folder that the process is in
 * @returns before, after: the launches of each, and what the last of them gets
 */
export async function profilePair(file) {
  const source = readFileSync(file, "utf8");
  const { n, caches } = pairOptions(source);
  const launches = suiteLaunches(source);
  const input = suiteInput(n);
  const run = async (own) => {
    const result = await profile(
      async (device) => {
        const program = await load(file, { device });
        const [to, from] = [device.array(n * n + 8, "float32"), device.array(n * n, "float32")];
        from.write(input);
        for (const { kernel, grid, block } of own)
          await (await program.kernel(kernel)).launch({ grid, block }, to, from, n);
      },
      { caches },
    );
    const microseconds = result.launches.reduce((sum, { predicted }) => sum + predicted.microseconds, 0);
    return { launches: result.launches, hints: result.launches.at(-1).hints, microseconds };
  };
  const of = (name) => launches.filter(({ kernel }) => kernel.startsWith(name));
  return { source, wanted: of("flawed").at(-1), before: await run(of("flawed")), after: await run(of("repaired")) };
}
