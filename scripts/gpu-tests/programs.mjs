// Whole programs through the command line with --device cuda: what they print, how they end.
import { spawnSync } from "node:child_process";
import { listGpus } from "../../dist/device/cuda/open-device.js";
import { HEDDLE } from "./prepared.mjs";

const TESTS = "src/cli/test-programs";

const WORK_OUTPUT = new RegExp(
  "^hello 7 from 0 zero\\nhello 7 from 1 one\\nlaunched\\n1 2 3 4\\n" +
    "counter 4\\nmanaged 6\\ncopies 1\\ngraph 3\\.22123e\\+09\\nPASSED\\n$",
);

/** `runs`: arguments, and what must come of them. */
export const PROGRAMS = [
  { file: `${TESTS}/runtime-api.cu`, flags: [], runs: [{ args: [], status: 0, stdout: /PASSED\n$/ }] },
  { file: `${TESTS}/integer-intrinsics.cu`, flags: [], runs: [{ args: [], status: 0, stdout: /PASSED\n$/ }] },
  {
    file: `${TESTS}/vector-atomics.cu`,
    flags: [],
    runs: [{ args: [], status: 0, stdout: /^wrong rows: 0\nshared: 64 128 192 2016\nold values:( f{8}){4}\n/ }],
  },
  { file: `${TESTS}/mapped-memory.cu`, flags: [], runs: [{ args: [], status: 0, stdout: /^PASSED\n$/ }] },
  { file: `${TESTS}/float-functions.cu`, flags: [], runs: [{ args: ["more"], status: 0, stdout: /^PASSED\n$/ }] },
  {
    file: `${TESTS}/gpu.cu`,
    flags: [],
    runs: [
      {
        args: ["work"],
        status: 0,
        stdout: WORK_OUTPUT,
      },
      {
        args: ["fault"],
        status: 71,
        stdout: /^sync cudaErrorIllegalAddress\nmalloc cudaErrorIllegalAddress\n$/,
        stderr: /kernel wild failed: an illegal memory access/,
      },
      { args: ["unseen"], status: 71, stdout: /^$/, stderr: /exit code 71: a kernel failed/ },
      { args: ["fault"], options: "--exit-code program", status: 0, stdout: /^sync cudaErrorIllegalAddress\n/ },
      { args: ["endless"], options: "--timeout 3", status: 124, stdout: /^before\n$/, stderr: /in the kernel endless/ },
    ],
  },
  // A summary names what ran; a machine without NVIDIA's libraries says that ours stand in.
  {
    file: `${TESTS}/blas-library.cu`,
    flags: [],
    runs: [
      {
        args: [],
        options: "--summary",
        status: 0,
        stdout: /^all right$/m,
        stderr: /cublasSgemm_v2[^]*cublasLtMatmul|stand in for NVIDIA's library/,
      },
    ],
  },
  // Captured calls are NVIDIA's, too.
  {
    file: `${TESTS}/library-captures.cu`,
    flags: ["-lcublas", "-lcusparse"],
    runs: [{ args: [], status: 0, stdout: /^PASSED\n$/ }],
  },
  // 100 GB in one allocation, where a GPU has so much.
  {
    file: `${TESTS}/device-memory.cu`,
    flags: [],
    memoryBytes: 101e9,
    runs: [{ args: ["100"], status: 0, stdout: /^wrong: 0\n.*PASSED\n$/s }],
  },
  {
    file: `${TESTS}/device-memory.cu`,
    flags: [],
    memoryBytes: 8e9,
    runs: [{ args: ["6"], status: 0, stdout: /^wrong: 0\n.*PASSED\n$/s }],
  },
  // It needs a toolkit's libcudadevrt.a.
  {
    file: `${TESTS}/gpu-launches.cu`,
    flags: [],
    runs: [{ args: [], status: 0, stdout: /^(?:a child of block [01]\n){2}PASSED\n$/ }],
  },
  { file: `${TESTS}/constant-address.cu`, flags: [], runs: [{ args: [], status: 0, stdout: /^PASSED\n$/ }] },
  // From compute capability 9.0 on GPUs have clusters.
  {
    file: `${TESTS}/clusters.cu`,
    flags: ["-arch=sm_90"],
    runs: [{ args: [], status: 0, stdout: /^with(?:out)? clusters\nPASSED\n$/ }],
  },
  // wgmma, TMA and clusters in our own PTX, whatever architecture the program says it is for.
  ...[[], ["-arch=sm_90a"], "-DTILE_N=128 -DROWS=128 -DOUT_N=128 -DSTAGES=3 -DCLUSTER=1".split(" ")].map((flags) => ({
    file: `${TESTS}/matmul-wgmma.cu`,
    flags,
    capability: 9,
    runs: [{ args: [], status: 0, stdout: /PASSED\n$/ }],
  })),
  {
    file: `${TESTS}/peers.cu`,
    flags: [],
    gpus: 2,
    runs: [{ args: [], options: "--devices 2", status: 0, stdout: /^PASSED\n$/ }],
  },
  // NVIDIA's NCCL, by the calls of one thread.
  {
    file: `${TESTS}/nccl-collectives.cu`,
    flags: ["-lnccl"],
    gpus: 2,
    runs: [{ args: ["1", "100"], options: "--devices 2", status: 0, stdout: /^100 cases PASSED\n$/ }],
  },
  {
    file: "examples/softmax.cu",
    flags: [],
    runs: [{ args: [], status: 0, stdout: /all versions agree with the CPU/ }],
  },
];

export async function run({ verbose, prepared }) {
  let [passed, failed] = [0, 0];
  const { devices } = listGpus();
  for (const { file, flags, runs, gpus = 1, capability = 0, memoryBytes = 0 } of PROGRAMS) {
    if (devices.length < gpus || devices[0].computeCapability.major < capability) {
      console.log(`  ${file} needs ${gpus > 1 ? `${gpus} GPUs` : `compute capability ${capability}.0`}: not run`);
      continue;
    }
    if (devices[0].totalGlobalMem < memoryBytes) {
      console.log(`  ${file} needs ${memoryBytes / 1e9} GB of memory: not run`);
      continue;
    }
    const path = prepared.program(file, flags);
    for (const { args, options = "", status, stdout, stderr = /^/ } of runs) {
      const ended = spawnSync(process.execPath, [HEDDLE, "exec", path, ...args], {
        encoding: "utf8",
        env: { ...process.env, HEDDLE_OPTIONS: `--device cuda ${options}`, NO_COLOR: "1" },
        timeout: 300_000,
      });
      const ok = ended.status === status && stdout.test(ended.stdout) && stderr.test(ended.stderr);
      if (ok) passed++;
      else failed++;
      if (!ok || verbose)
        console.log(
          `  ${file} ${args.join(" ")}: exit code ${ended.status} (${status} is right)\n` +
            `${`${ended.stdout}${ended.stderr}`.slice(-2000)}`,
        );
    }
  }
  console.log(`programs: ${passed} of ${passed + failed} runs`);
  return { passed, failed };
}
