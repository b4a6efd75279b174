// What two runs of a program of random descriptors printed, beside one another.

/** A line: words before ":" or the first word are statuses, the rest numbers. */
function parts(line) {
  const colon = line.indexOf(":");
  if (colon >= 0) return { status: line.slice(0, colon).trim(), numbers: numbersOf(line.slice(colon + 1)) };
  const words = line.trim().split(/\s+/);
  return { status: words[0], numbers: words.slice(1).map(Number) };
}
const numbersOf = (text) => text.trim().split(/\s+/).filter(Boolean).map(Number);

/** The largest distance of two lists of numbers, over the largest of the first (or 1). */
export function distance(a, b) {
  if (a.length !== b.length) return Infinity;
  let largest = 1;
  let most = 0;
  for (const [i, value] of a.entries()) {
    if (Object.is(value, b[i]) || value === b[i]) {
      if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
      continue;
    }
    if (!Number.isFinite(value) || !Number.isFinite(b[i])) return Infinity;
    largest = Math.max(largest, Math.abs(value));
    most = Math.max(most, Math.abs(value - b[i]));
  }
  return most / largest;
}

/**
 * @returns for each operation (a descriptor's first word): cases, equal statuses, largest distances; and the cases whose
 * statuses differ or whose numbers are further apart than `bound` says of a descriptor
 */
export function distances(cases, first, second, bound = () => 1e-4) {
  const operations = {};
  const different = [];
  for (const [i, descriptor] of cases.entries()) {
    if (first[i] === undefined || second[i] === undefined) continue;
    const operation = (operations[descriptor.split(" ")[0]] ??= {
      cases: 0,
      computed: 0,
      statuses: 0,
      near: 0,
      most: 0,
    });
    operation.cases++;
    const [a, b] = [parts(first[i]), parts(second[i])];
    const isSame = a.status === b.status;
    if (isSame) operation.statuses++;
    const far = isSame ? distance(a.numbers, b.numbers) : 0;
    if (isSame && a.numbers.length > 0) {
      operation.computed++;
      if (far <= bound(descriptor)) operation.near++;
      if (Number.isFinite(far)) operation.most = Math.max(operation.most, far);
    }
    if (!isSame || far > bound(descriptor))
      different.push({
        descriptor,
        status: [a.status, b.status],
        far: String(far),
        first: first[i].slice(0, 200),
        second: second[i].slice(0, 200),
      });
  }
  return { operations, different: different.length, some: sampled(different) };
}

/** A few of each operation. */
function sampled(list) {
  const counts = new Map();
  return list.filter(({ descriptor }) => {
    const operation = descriptor.split(" ")[0];
    counts.set(operation, (counts.get(operation) ?? 0) + 1);
    return counts.get(operation) <= 12;
  });
}
