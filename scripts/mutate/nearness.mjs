/** Which tests are near to which files: how many imports lie between them. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const IMPORT = /(?:from|import\(|import)\s*"(\.[^"]*)"/g;

/** How many imports lie between a test and each file that it reaches. */
function distancesFrom(root, test, importsOf) {
  const distances = new Map([[test, 0]]);
  for (const file of distances.keys()) {
    if (!importsOf.has(file)) {
      const text = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
      importsOf.set(
        file,
        Array.from(text.matchAll(IMPORT), ([, path]) => join(dirname(file), path)),
      );
    }
    for (const one of importsOf.get(file)) if (!distances.has(one)) distances.set(one, distances.get(file) + 1);
  }
  return distances;
}

/**
 * The tests, those first that are near to most of the files. A test beside a file is near although it may reach the
 * file through others alone.
 */
export function nearestFirst(root, tests, files) {
  const importsOf = new Map();
  const score = new Map(
    tests.map((test) => {
      const distances = distancesFrom(root, test, importsOf);
      const near = files.map((file) => {
        if (!distances.has(file)) return 0;
        return 1 / (dirname(file) === dirname(test) ? 1 : distances.get(file) ** 2);
      });
      return [test, near.reduce((sum, one) => sum + one, 0)];
    }),
  );
  return [...tests].sort((a, b) => score.get(b) - score.get(a));
}
