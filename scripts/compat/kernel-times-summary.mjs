// What the runs of kernel-times.mjs amount to.

/** Kernels shorter than this on average are left out: their time is the launch's, and varies from run to run. */
export const LEAST_US = 3;

/** The lines that kernel-times.c writes: { name: [launches, nanoseconds] }. */
export function kernelsOf(text) {
  const kernels = {};
  for (const line of text.split("\n")) {
    const [, launches, total, name] = /^(\d+) (\d+) \d+ (.+)$/.exec(line) ?? [];
    if (name !== undefined) kernels[name] = [Number(launches), Number(total)];
  }
  return kernels;
}

const median = (list) => {
  const sorted = list.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};
const rounded = (value, digits = 3) => Number(value.toPrecision(digits));

/** The median over the runs of a kernel's mean time a launch, in microseconds; null if a run lacks the kernel. */
function timeOf(runs, name) {
  const times = runs.map(({ kernels }) => kernels[name]);
  return times.length === 0 || times.some((time) => time === undefined)
    ? null
    : median(times.map(([n, total]) => total / n / 1000));
}

/** One program's result: a row for each kernel that both sides launch, and the program's ratio. */
function resultOf(nvcc, heddle) {
  const failed = [...nvcc.map((run) => ["nvcc", run]), ...heddle.map((run) => ["heddle", run])].find(
    ([, run]) => run.failed !== undefined,
  );
  if (failed) return { failed: `${failed[0]}: ${failed[1].failed.replaceAll(/\s+/g, " ").slice(0, 200)}` };
  const rows = [];
  const alone = { nvcc: [], heddle: [] };
  const names = [...new Set([...nvcc, ...heddle].flatMap(({ kernels }) => Object.keys(kernels)))];
  for (const name of names) {
    const [theirs, ours] = [timeOf(nvcc, name), timeOf(heddle, name)];
    if (theirs === null || ours === null) {
      alone[theirs === null ? "heddle" : "nvcc"].push(name);
      continue;
    }
    if (Math.max(theirs, ours) < LEAST_US) continue;
    const launches = nvcc[0].kernels[name][0];
    rows.push({ name, launches, nvccUs: theirs, heddleUs: ours });
  }
  const sum = (side) => rows.reduce((total, row) => total + row.launches * row[side], 0);
  const kernels = rows.map(({ name, launches, nvccUs, heddleUs }) => ({
    name,
    launches,
    nvccUs: rounded(nvccUs, 4),
    heddleUs: rounded(heddleUs, 4),
  }));
  return {
    rounds: Math.min(nvcc.length, heddle.length),
    ...(rows.length > 0
      ? { nvccUs: rounded(sum("nvccUs"), 4), ratio: rounded(sum("heddleUs") / sum("nvccUs")) }
      : { tooShort: true }),
    kernels,
    ...(alone.nvcc.length > 0 ? { onlyNvcc: alone.nvcc.slice(0, 8) } : {}),
    ...(alone.heddle.length > 0 ? { onlyHeddle: alone.heddle.slice(0, 8) } : {}),
  };
}

/**
 * All results, by name, in the order of the programs: of the first data model, and `others` with those of the others.
 */
export function summary(runs, programs, [model, ...others]) {
  const results = {};
  for (const { name, repository } of programs) {
    const ran = runs[name];
    if (ran === undefined || ran.nvcc.length === 0) continue;
    results[name] = { repository, ...resultOf(ran.nvcc, ran[model] ?? []) };
    if (others.length > 0)
      results[name].others = Object.fromEntries(
        others.map((other) => {
          const { ratio, kernels, failed } = resultOf(ran.nvcc, ran[other] ?? []);
          return [other, failed === undefined ? { ratio, kernels } : { failed }];
        }),
      );
  }
  return results;
}
