// npm run test:gpu: what must hold on a real GPU.
//
//   contract       what every Device must do, on both kinds of program (src/device/device.contract.ts)
//   differential   the same kernels and inputs on the emulated device and on the GPU, with 32- and 64-bit pointers
//   large-memory   IR with 64-bit pointers on more than 4 GiB
//   library        what TypeScript programs have beside kernels: cuBLAS, clusters, several GPUs
//   triton         Triton kernels on the emulated device and on the GPU: memory and output
//   ladders        every version of every ladder in kernels/ at the shapes for checks
//   programs       whole programs through the command line, with --device cuda
//
//   npm run test:gpu [SUITE …] [--verbose] [--prepared FOLDER]
//
// Needs dist/ (npm run build). With --prepared, what needs the compiler is taken from a folder that
// `scripts/gpu-tests/prepare.mjs FOLDER` has filled on another machine: a GPU machine may have Node.js and nothing
// else.
//
// Exit codes: 0 all passed, 1 something failed, 77 there is no GPU here.
import { parseArgs } from "node:util";
import { openDriver } from "../../dist/device/cuda/driver.js";
import { preparedFrom } from "./prepared.mjs";

const SUITES = ["contract", "large-memory", "differential", "library", "triton", "ladders", "programs"];
const NO_GPU = 77;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { verbose: { type: "boolean", default: false }, prepared: { type: "string" } },
});
for (const name of positionals) {
  if (SUITES.includes(name)) continue;
  console.error(`there is no suite ${name}; there are ${SUITES.join(", ")}`);
  process.exit(64);
}
try {
  openDriver();
} catch (error) {
  if (error.code !== "no-device") throw error;
  console.log(`skipped: no GPU (${error.message})`);
  process.exit(NO_GPU);
}
let [passed, failed] = [0, 0];
for (const name of positionals.length > 0 ? positionals : SUITES) {
  const { run } = await import(`./${name}.mjs`);
  const result = await run({ verbose: values.verbose, prepared: await preparedFrom(values.prepared ?? null) });
  passed += result.passed;
  failed += result.failed;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
