/** What a person may have meant by a name that does not exist. */

/** The candidate that is nearest to a misspelt name, or null if none is near. */
export function nearestName(name: string, candidates: readonly string[]): string | null {
  const wanted = name.toLowerCase();
  let best: { readonly candidate: string; readonly distance: number } | null = null;
  for (const candidate of candidates) {
    const distance = distanceOf(wanted, candidate.toLowerCase());
    if (distance !== null && (best === null || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate ?? null;
}

/** `; did you mean "block"?`, or nothing where no candidate is near. For the end of a sentence. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const nearest = nearestName(name, candidates);
  return nearest === null ? "" : `; did you mean "${nearest}"?`;
}

/** null: too far away to be meant. */
function distanceOf(name: string, candidate: string): number | null {
  if (name === candidate) return 0;
  const isPart = name.length >= 3 && (candidate.includes(name) || (candidate.length >= 3 && name.includes(candidate)));
  const distance = editDistance(name, candidate);
  if (isPart) return Math.min(distance, 1);
  return distance <= Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3)) ? distance : null;
}

/** Levenshtein's distance. */
export function editDistance(a: string, b: string): number {
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
