// Random cases of TMA (tiles, im2col), of sparse and small products, and of the bits of wgmma of 8-bit floats: each
// program compares with plain loops and prints a line for each case, which must be the same in nvcc's program, in
// Heddle's on the GPU and on the emulated device.
import { addPrinted, judgePrinted } from "../printed.mjs";

const RESULT = "docs/lab/hopper-cases-h200.json";
const HOPPER = "-gencode=arch=compute_90a,code=sm_90a";
const PROGRAMS = [
  { name: "tiles", args: "0 3000", right: /^3000 cases, 0 wrong$/ },
  { name: "im2col", args: "0 3000", right: /^3000 cases, 0 wrong$/ },
  { name: "matrix-sparse", right: /^PASSED$/ },
  { name: "eight-bit-products", right: /^297 cases, 0 wrong$/ },
  { name: "matrix-forms", right: /^PASSED$/ },
  // A whole product, which takes the emulated device minutes, of files of a ladder.
  { name: "matmul-wgmma", right: /PASSED$/, emulated: false, native: false },
];

export default {
  row: "random descriptors, swizzles and shapes of Hopper's instructions equal the emulated device",
  minutes: 3,
  jobs: 5,
  async prepare(p) {
    await Promise.all(
      PROGRAMS.map(({ name, args, emulated, native }) =>
        addPrinted(p, name, `src/cli/test-programs/${name}.cu`, {
          arch: HOPPER,
          args,
          emulated,
          native,
          nvcc: ["-lcuda"],
          own: ["-arch=sm_90a"],
          seconds: 240,
        }),
      ),
    );
  },
  take({ steps, save }) {
    const results = {};
    const wrong = [];
    for (const { name, right } of PROGRAMS) {
      const judged = judgePrinted(steps, name, right);
      results[name] = judged.counts;
      wrong.push(...judged.wrong);
      console.log(`${name}: ${JSON.stringify(judged.counts)}`);
    }
    const { machine } = [...steps.values()][0];
    if (![...steps.keys()].some((name) => name.endsWith(".gpu"))) wrong.push("no program was run on a GPU");
    else save(RESULT, `${JSON.stringify({ machine, programs: results }, null, 1)}\n`);
    return { wrong };
  },
};
