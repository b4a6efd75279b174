// The rounds, in the order in which they are worth their time on a GPU. Each is a file of rounds/:
//
//   name, row      the row of an acceptance table that it fills
//   minutes        about how long it takes there
//   jobs           steps at a time; 1 where times are measured
//   prepare(p)     fills the pack and names the steps (preparation.mjs)
//   take(results)  judges { steps, expected, folder }, and writes by save(path, text); resolves to { wrong }: lines

export const ROUND_NAMES = [
  "smoke",
  "tests",
  "promote",
  "differential",
  "hand-over",
  "statuses",
  "tma",
  "cupti",
  "captures",
  "graphs",
  "programs",
  "cutlass",
  "rf",
  "nccl",
  "counters",
  "typescript",
];

/** @param names @throws Error for a name that is none */
export async function openRounds(names) {
  const unknown = names.find((name) => !ROUND_NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`there is no round ${unknown}; there are ${ROUND_NAMES.join(", ")}`);
  return Promise.all(names.map(async (name) => ({ name, ...(await import(`./rounds/${name}.mjs`)).default })));
}
