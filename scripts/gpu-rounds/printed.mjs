// Programs whose output is the result: the same lines in nvcc's program, in Heddle's on the GPU, and on the emulated
// device.

/**
 * Steps of a program, one for each way to run it: NAME.nvcc, NAME.gpu and NAME.emulated.
 * @param options `flags` for both compilers, `arch` for nvcc, `args`, `seconds`, `program` (HEDDLE_OPTIONS);
 *   `native` or `emulated` false: not in this way
 */
export async function addPrinted(p, name, path, options) {
  const {
    flags = [],
    arch = "-arch=sm_90",
    args = "",
    seconds,
    needs = "gpu",
    program = "",
    emulated = true,
  } = options;
  const file = p.source(path);
  await p.program(name, path, [...flags, ...(options.own ?? [])]);
  const uses = [`sources/${file}`, `programs/${name}`];
  const native = `NATIVE_ARCH=${arch} native ${name} ${file} ${[...flags, ...(options.nvcc ?? [])].join(" ")}`;
  if (options.native ?? true) p.step(`${name}.nvcc`, `${native} && "$BUILT/${name}" ${args}`, { seconds, needs, uses });
  p.step(`${name}.gpu`, `PROGRAM_OPTIONS="${program}" program ${name} ${args}`, { seconds, needs, uses });
  if (!emulated) return;
  const there = `--gpu h200 ${program}`.trim();
  p.step(`${name}.emulated`, `DEVICE=emulated PROGRAM_OPTIONS="${there}" program ${name} ${args}`, {
    seconds,
    needs: "any",
    uses,
  });
}

/**
 * The shell's loop in which nvcc's program and Heddle's take turns. They write native-N.txt and heddle-N.txt.
 * @param native, heddle commands
 */
export function inTurns(turns, native, heddle) {
  const list = Array.from({ length: turns }, (_, i) => i + 1).join(" ");
  const turn = `${native} >"$RESULT/native-$i.txt" && ${heddle} >"$RESULT/heddle-$i.txt"`;
  return `for i in ${list}; do ${turn} || exit 1; done`;
}

const linesOf = (text) => text.split("\n").filter((line) => line !== "");

/**
 * What the steps of one program printed.
 * @param right what the last line of each must be
 * @returns how many lines are equal, by way; and what is wrong
 */
export function judgePrinted(steps, name, right) {
  const [nvcc, gpu, emulated] = ["nvcc", "gpu", "emulated"].map((way) => steps.get(`${name}.${way}`));
  const wrong = [];
  const counts = {};
  for (const [way, step] of Object.entries({ nvcc, gpu, emulated })) {
    if (step === undefined || step.status === 77) continue;
    const lines = linesOf(step.out);
    if (step.status !== 0 || !right.test(lines.at(-1) ?? ""))
      wrong.push(`${name}.${way}: exit ${step.status}, ${lines.at(-1) ?? step.err.slice(0, 200)}`);
    if (way === "emulated" || emulated === undefined) continue;
    const ours = linesOf(emulated.out);
    const different = ours.findIndex((line, i) => line !== lines[i]);
    counts[way] = { lines: ours.length, same: ours.filter((line, i) => line === lines[i]).length };
    if (different >= 0)
      wrong.push(`${name}.${way}, line ${different + 1}: ${lines[different] ?? "none"}; emulated: ${ours[different]}`);
  }
  return { counts, wrong };
}
