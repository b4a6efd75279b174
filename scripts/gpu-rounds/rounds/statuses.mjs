// What NVIDIA's libraries return when their functions are called with zeros and null pointers
// (scripts/library-functions has the same of Heddle's).
const RESULT = "docs/lab/library-functions-nvidia.json";

/** The result that most functions have, and the others by name. */
function summary(results) {
  const counts = new Map();
  for (const result of Object.values(results)) counts.set(result, (counts.get(result) ?? 0) + 1);
  const usual = [...counts].toSorted((a, b) => b[1] - a[1])[0][0];
  return { usual, others: Object.fromEntries(Object.entries(results).filter(([, result]) => result !== usual)) };
}

export default {
  row: "documented errors: the statuses of NVIDIA's own libraries",
  minutes: 1.5,
  prepare(p) {
    p.write("README", "scripts/library-functions/nvidia.py is part of the tree\n");
    const command = 'python3 scripts/library-functions/nvidia.py "$RESULT/statuses.json"';
    p.step("statuses", `${command} 150`, { seconds: 200, uses: [] });
    p.step("tried", `${command} 5`, { seconds: 60, needs: "try", uses: [] });
  },
  take({ steps, save }) {
    const text = steps.get("statuses")?.file("statuses.json") ?? null;
    if (text === null) return { wrong: ["statuses was not run"] };
    const results = Object.entries(JSON.parse(text)).filter(([, names]) => Object.keys(names).length > 0);
    const wrong = results
      .filter(([, names]) => Object.values(names).every((result) => result === "absent"))
      .map(([library]) => `${library} was not found`);
    const { machine } = steps.get("statuses");
    for (const [library, names] of results) console.log(`${library}: ${Object.keys(names).length} functions`);
    const libraries = Object.fromEntries(results.map(([library, names]) => [library, summary(names)]));
    const where = { machine: `${machine.gpu}, ${machine.driver}`, date: machine.date };
    if (wrong.length === 0) save(RESULT, `${JSON.stringify({ ...where, libraries }, null, 1)}\n`);
    return { wrong };
  },
};
