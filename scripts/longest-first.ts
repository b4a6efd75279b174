/**
 * The order of test files: those that take longest begin first, so that no worker is left alone with one at the end.
 * Vitest knows durations only where it has run before. Elsewhere it goes by the sizes of files, which say nothing of
 * tests that start programs.
 */
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds on one processor, with an empty cache. A file that is not here takes less than 30. */
export const SECONDS: Readonly<Record<string, number>> = {
  // It compiles all libraries, which later files find in the cache.
  "scripts/library-functions/library-functions.long.test.ts": 290,
  "kernels/ladders.long.test.ts": 260,
  "src/cli/solver.long.test.ts": 150,
  "src/cli/library-misuse.long.test.ts": 140,
  "src/cli/dnn.long.test.ts": 75,
  "src/cli/headers.long.test.ts": 60,
  "scripts/docs-snippets.long.test.ts": 50,
  "kernels/late-completion.long.test.ts": 40,
  "src/cli/isolated.long.test.ts": 35,
  "src/cli/checked-programs.long.test.ts": 30,
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      SECONDS[relative(this.ctx.config.root, moduleId)] ?? 0;
    const sorted = await super.sort(files);
    // The files of a project stay together.
    const places = new Map<string, number>();
    for (const { project } of sorted) if (!places.has(project.name)) places.set(project.name, places.size);
    const placeOf = ({ project }: TestSpecification): number => places.get(project.name) ?? 0;
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b) || secondsOf(b) - secondsOf(a));
  }
}
