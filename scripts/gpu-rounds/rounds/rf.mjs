// cusolverRf, mode by mode: what NVIDIA's library gives for one small system, in nvcc's program and handed over, beside
// Heddle's own.
import { distance } from "../differential/compare.mjs";

const RESULT = "docs/lab/library-rf-modes.json";
const COUNTS = [1, 2, 3];
const FLAGS = "-lcusolver -lcusparse -lcublas";

/** Parts of the output, by their first line: a list of [what, numbers]. */
export function modesOf(text) {
  const modes = new Map();
  let lines = null;
  for (const line of text.split("\n")) {
    if (/^(?:single|batch) /.test(line)) modes.set(line, (lines = []));
    const [, what, numbers] = /^([A-Za-z]\w*(?: [a-z]+)?)((?: -?[\d.e+naif-]+)+)$/.exec(line) ?? [];
    if (what !== undefined && lines !== null && !/^(?:single|batch) /.test(line))
      lines.push([what, numbers.trim().split(" ").map(Number)]);
  }
  return modes;
}

/** As the program names a mode of batches: FORMAT DIAGONAL COUNT. */
function nameOfBatch(numbers) {
  const [format, diagonal, count] = numbers.split(" ");
  return `batch format ${format} diagonal ${diagonal} count ${count}`;
}

/** What differs first; null: nothing. */
export function firstDifference(theirs, ours) {
  for (const [i, [what, numbers]] of ours.entries()) {
    const [name, found] = theirs[i] ?? ["nothing", []];
    if (name !== what || distance(numbers, found) > 1e-12)
      return `${name === what ? what : `${name}, not ${what}`}: ${found.join(" ")}; Heddle's ${numbers.join(" ")}`;
  }
  return theirs.length > ours.length ? `more: ${theirs[ours.length][0]}` : null;
}

export default {
  row: "cuSOLVER's refactorization in each of its modes and batches",
  minutes: 1,
  jobs: 4,
  async prepare(p) {
    const source = "scripts/gpu-rounds/programs/rf-modes.cu";
    p.source(source);
    await p.program("rf-modes", source, FLAGS.split(" "));
    const native = `native rf-modes rf-modes.cu ${FLAGS}`;
    const modes = [0, 1].flatMap((format) =>
      [0, 1, 2, 3].flatMap((diagonal) => COUNTS.map((count) => `"${format} ${diagonal} ${count}"`)),
    );
    // Each batch is a process of its own: NVIDIA's library ends some.
    const all = (command) =>
      `{ ${command} single; for mode in ${modes.join(" ")}; do timeout 30 ${command} batch $mode; ` +
      'echo "exit $? of $mode"; done; } >"$RESULT/modes.txt" 2>&1';
    p.step("nvidia", `${native} && ${all('"$BUILT/rf-modes"')}`, { seconds: 120 });
    p.step("handed-over", all("program rf-modes").replaceAll("timeout 30 ", ""), { seconds: 200 });
    p.step("emulated", `DEVICE=emulated; ${all("program rf-modes").replaceAll("timeout 30 ", "")}`, {
      seconds: 200,
      needs: "any",
    });
  },

  take({ steps, save }) {
    const read = (name) => steps.get(name)?.file("modes.txt")?.toString() ?? "";
    if (read("nvidia") === "") return { wrong: ["NVIDIA's library was not called: it needs a GPU"] };
    const [nvidia, handed, ours] = ["nvidia", "handed-over", "emulated"].map((name) => modesOf(read(name)));
    const crashes = [...read("nvidia").matchAll(/^exit (\d+) of (.*)$/gm)]
      .map(([, code, mode]) => ({ mode, exit: Number(code) }))
      .filter(({ exit }) => exit !== 0);
    const ended = new Set(crashes.map(({ mode }) => nameOfBatch(mode)));
    const compared = (other, mode, lines) => {
      const theirs = other.get(mode);
      if (theirs === undefined) return "not run";
      // NVIDIA's library ends the process in the analysis of a batch: what came before is compared
      const isCut = other === nvidia && ended.has(mode) && theirs.at(-1)?.[0] === "cusolverRfBatchSetupHost";
      return firstDifference(theirs, isCut ? lines.slice(0, theirs.length) : lines);
    };
    const modes = [...ours].map(([mode, lines]) => ({
      mode,
      nvidia: compared(nvidia, mode, lines),
      handedOver: compared(handed, mode, lines),
    }));
    for (const { mode, nvidia: said } of modes) if (said !== null) console.log(`${mode}: ${said.slice(0, 300)}`);
    for (const { mode, exit } of crashes) console.log(`batch ${mode}: NVIDIA's library ends the process, ${exit}`);
    const differ = modes.filter(({ nvidia: said }) => said !== null).length;
    save(RESULT, `${JSON.stringify({ machine: steps.get("nvidia").machine, modes, crashes }, null, 1)}\n`);
    return { wrong: differ === 0 ? [] : [`${differ} of ${modes.length} modes differ from NVIDIA's, or were not run`] };
  },
};
