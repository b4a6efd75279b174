// CUPTI on a GPU: the test program, whose checks are its own; beside nvcc's, with NVIDIA's library. Public programs
// that use CUPTI are in the round `programs`.
import { addPrinted, judgePrinted } from "../printed.mjs";

const RIGHT = /^PASSED$/;
const SOURCE = "src/cli/test-programs/cupti.cu";

export default {
  row: "CUPTI's callbacks and records on a GPU",
  minutes: 0.5,
  jobs: 3,
  async prepare(p) {
    await addPrinted(p, "cupti", SOURCE, { flags: ["-lcupti"], nvcc: ["-lcuda"], args: "steps", seconds: 90 });
  },
  take({ steps }) {
    for (const [name, { status, out }] of steps) if (status !== 77) console.log(`${name}:\n${out.slice(0, 1500)}`);
    if (steps.get("cupti.gpu") === undefined) return { wrong: ["cupti.gpu was not run: it needs a GPU"] };
    // NVIDIA's library reports more calls of the driver: nvcc's program is there to be read, not to pass.
    return { wrong: judgePrinted(steps, "cupti", RIGHT).wrong.filter((line) => !line.startsWith("cupti.nvcc")) };
  },
};
