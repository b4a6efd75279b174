/** What a module says when it is asked for a kernel that it does not have. */
import { HeddleError } from "../../base/diagnostics.ts";

/** An error that lists the names nearest to the one asked for. */
export function unknownKernel(name: string, known: readonly string[]): HeddleError {
  const nearest = known
    .map((candidate) => ({ candidate, distance: candidate.includes(name) ? 0 : editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 5)
    .map(({ candidate }) => candidate);
  return new HeddleError("unknown-kernel", `there is no kernel "${name}"`, {
    notes: [
      nearest.length === 0
        ? "the program has no kernels"
        : `kernels there are: ${nearest.join(", ")}${known.length > nearest.length ? ", …" : ""}`,
    ],
  });
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(
        Math.min(
          (next[j - 1] as number) + 1,
          (row[j] as number) + 1,
          (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[b.length] as number;
}
