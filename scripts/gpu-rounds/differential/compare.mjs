// What two runs of a program of random descriptors printed, beside one another.

const numbersOf = (text) => text.trim().split(/\s+/).filter(Boolean).map(Number);

/** NVIDIA's libraries print words about wrong arguments between the results. */
export const isResult = (line) => line !== "" && line !== "fault" && !line.startsWith(" ** On entry");

const solver = (line) => {
  const [status, info, error, ...numbers] = line.split(" ");
  return { status: `${status} ${info ?? ""}`.trim(), numbers: numbers.map(Number), error: Number(error ?? 0) };
};
/** How a library's lines are read: what must be equal, the numbers to compare, and errors that have a bound. */
const READERS = {
  fft: (line) => {
    const [made, ran, error] = line.split(" ");
    return { status: `${made} ${ran}`, numbers: [], error: Number(error) };
  },
  rand: (line) => ({ status: line.split(":")[0].trim(), numbers: numbersOf(line.split(":")[1] ?? "") }),
  solver,
  "solver-forms": solver,
  "solver-sparse": solver,
};
const plain = (line) => {
  const words = line.trim().split(/\s+/);
  return { status: words[0], numbers: words.slice(1).map(Number) };
};

/**
 * Winograd's method for windows of 5 × 5: NVIDIA's library multiplies floats as TF32, which the default math allows.
 * They have the 10 bits of half precision. The cases' elements are exact in TF32, but the transformed ones are not.
 */
const isTf32 = ([operation, , , , , , , , r, s, , , , , , algo]) =>
  r === "5" && s === "5" && { fwd: "7", fused: "7", bwdd: "5", bwdf: "5" }[operation] === algo;

/** How far numbers may be apart, over the largest; and the largest error. Solutions lose digits by their matrices. */
const BOUNDS = {
  blas: ([operation, type]) => {
    if (type === "1" || type === "3") return { near: 1e-9 };
    return { near: /trs|tbs|tps|inv|getrf|geqrf/.test(operation) ? 1e-4 : 2e-6 };
  },
  dnn: (words) => ({ near: { 0: isTf32(words) ? 4e-3 : 2e-5, 1: 1e-8, 2: 4e-3, 3: 2e-5, 9: 3.2e-2 }[words[1]] }),
  fft: ([type]) => ({ near: 0, error: type.includes("Z") ? 2e-15 : 1e-6 }),
  rand: () => ({ near: 1e-6 }),
  // Jacobi's rotations leave more than other methods: the bound is that of LAPACK's tests of singular values
  solver: ([operation]) => ({ near: 1e-4, error: operation === "gesvdj" ? 35 : 10 }),
  "solver-forms": () => ({ near: 1e-4, error: 10 }),
  "solver-sparse": () => ({ near: 1e-4, error: 10 }),
  sparse: () => ({ near: 1e-5 }),
  blocks: () => ({ near: 1e-5 }),
};

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
 * @returns for each operation (a descriptor's first word): cases, equal statuses, how many have numbers, how many of
 * these are near, the largest distance; the cases that differ; and how many call a function that one library has not
 */
export function distances(library, cases, first, second) {
  const read = READERS[library] ?? plain;
  const operations = {};
  const different = [];
  let absent = 0;
  for (const [i, descriptor] of cases.entries()) {
    if (first[i] === undefined || second[i] === undefined) continue;
    if (first[i] === "absent" || second[i] === "absent") {
      absent++;
      continue;
    }
    const operation = (operations[descriptor.split(" ")[0]] ??= {
      cases: 0,
      computed: 0,
      statuses: 0,
      near: 0,
      most: 0,
    });
    operation.cases++;
    const [a, b] = [read(first[i]), read(second[i])];
    const bound = BOUNDS[library](descriptor.split(" "));
    const isSame = a.status === b.status;
    if (isSame) operation.statuses++;
    const far = isSame ? distance(a.numbers, b.numbers) : 0;
    const isNear = far <= bound.near && !(a.error > bound.error) && !(b.error > bound.error);
    if (isSame && (a.numbers.length > 0 || a.error !== undefined)) {
      operation.computed++;
      if (isNear) operation.near++;
      if (Number.isFinite(far)) operation.most = Math.max(operation.most, far);
    }
    if (isSame && isNear) continue;
    const shown = { first: first[i].slice(0, 160), second: second[i].slice(0, 160) };
    different.push({ descriptor, status: [a.status, b.status], far: String(far), ...shown });
  }
  return { operations, different: different.length, some: sampled(different), absent };
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
