/** What a module says when it is asked for a kernel that it does not have. */
import { HeddleError } from "../../base/diagnostics.ts";
import { editDistance } from "../../base/suggestions.ts";

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
