// NCCL on two GPUs: random collectives of one process and of two, and the bandwidth of an all-reduce beside nvcc's
// program and nccl-tests in the same run. Leave NCCL_NVLS_ENABLE as the machine sets it.
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { median } from "../numbers.mjs";

const RESULT = "docs/lab/nccl-h200.json";
const COLLECTIVES = "src/cli/test-programs/nccl-collectives.cu";
const SEEDS = [1, 2, 3];
const CASES = 300;
const TURNS = 3;

/** Rows of bandwidth.cu and of nccl-tests: bytes, microseconds, GB/s on the bus, wrong elements. */
export function bandwidths(text) {
  const rows = [];
  for (const line of text.split("\n")) {
    const ours = /^\s*(\d+) bytes\s+([\d.]+) us\s+([\d.]+) GB\/s bus, (\d+) wrong/.exec(line);
    // size count type redop root time algbw busbw wrong, out of place
    const tests = /^\s*(\d+)\s+\d+\s+float\s+sum\s+-1\s+([\d.]+)\s+[\d.]+\s+([\d.]+)\s+(\d+)/.exec(line);
    const found = ours ?? tests;
    if (found !== null) rows.push(found.slice(1).map(Number));
  }
  return rows.map(([bytes, microseconds, bus, wrong]) => ({ bytes, microseconds, bus, wrong }));
}

export default {
  row: "NCCL: two ranks, right sums, bandwidth beside nccl-tests in the same run; over two processes",
  minutes: 3,
  async prepare(p) {
    p.source(COLLECTIVES);
    p.source("bench/nccl/bandwidth.cu");
    await Promise.all([
      p.program("collectives", COLLECTIVES, ["-lnccl"]),
      p.program("processes", COLLECTIVES, ["-lnccl", "-DPROCESSES", "-lmpi"]),
      p.program("bandwidth", "bench/nccl/bandwidth.cu", ["-lnccl"]),
    ]);
    const two = 'PROGRAM_OPTIONS="--devices 2" program';
    p.step("emulated", `${two} collectives 1 40`, { seconds: 120, needs: "try" });
    p.step("emulated-processes", 'DEVICE=emulated PROGRAM_OPTIONS="--processes 2" program processes 1 40 2', {
      seconds: 120,
      needs: "try",
    });
    const native = "native collectives nccl-collectives.cu -lnccl";
    for (const seed of SEEDS) {
      p.step(`collectives-${seed}`, `${two} collectives ${seed} ${CASES}`, { seconds: 90, needs: "gpus" });
      p.step(`nvcc-${seed}`, `${native} && "$BUILT/collectives" ${seed} ${CASES}`, { seconds: 90, needs: "gpus" });
    }
    p.step("processes", `PROGRAM_OPTIONS="--processes 2" program processes 1 ${CASES} 2`, {
      seconds: 120,
      needs: "gpus",
    });
    const checkout = p.checkouts === null ? null : join(p.checkouts, "NVIDIA+nccl-tests");
    const hasTests = checkout !== null && existsSync(checkout);
    if (hasTests) cpSync(checkout, join(p.stage, "nccl-tests"), { recursive: true });
    else console.log("nccl-tests are not beside ours: --checkouts has no NVIDIA+nccl-tests");
    // The library may be in Python's package, without a libnccl.so.
    const tests = [
      'if [ ! -x "$BUILT/tests/all_reduce_perf" ]; then mkdir -p "$BUILT/nccl/lib";',
      'cp -r "$FILES/nccl-tests" "$BUILT/";',
      '[ -e "$WORK/links/libnccl.so" ] && ln -sf "$WORK/links/libnccl.so" "$BUILT/nccl/lib/";',
      'CPATH="$NATIVE_INCLUDE" make -s -j16 -C "$BUILT/nccl-tests" MPI=0 CUDA_HOME=/usr/local/cuda',
      'NCCL_HOME="$BUILT/nccl" NVCC_GENCODE=-arch=sm_90 BUILDDIR="$BUILT/tests" >"$RESULT/make.txt" 2>&1; fi;',
      'LD_LIBRARY_PATH="$NATIVE_LIBRARIES" "$BUILT/tests/all_reduce_perf" -b 1K -e 64M -f 4 -g 2',
      '>"$RESULT/tests-$i.txt" 2>&1;',
    ].join(" ");
    const turn = [
      `${two} bandwidth 64 2 >"$RESULT/heddle-$i.txt"; "$BUILT/bandwidth" 64 2 >"$RESULT/nvcc-$i.txt";`,
      hasTests ? tests : "",
    ].join(" ");
    const turns = Array.from({ length: TURNS }, (_, i) => i + 1).join(" ");
    p.step("bandwidth", `native bandwidth bandwidth.cu -lnccl && for i in ${turns}; do ${turn} done`, {
      seconds: 240,
      needs: "gpus",
    });
  },

  take({ steps, save }) {
    const wrong = [];
    for (const name of ["emulated", "emulated-processes", "processes", ...SEEDS.map((seed) => `collectives-${seed}`)]) {
      const step = steps.get(name);
      if (step === undefined || step.status === 77) continue;
      if (step.status !== 0 || !/cases PASSED/.test(step.out)) wrong.push(`${name}: ${step.out.trim().slice(-300)}`);
    }
    const step = steps.get("bandwidth");
    if (step === undefined) return { wrong: [...wrong, "the bandwidth was not measured: it needs two GPUs"] };
    const rows = {};
    for (const kind of ["heddle", "nvcc", "tests"])
      for (let turn = 1; turn <= TURNS; turn++)
        for (const row of bandwidths((step.file(`${kind}-${turn}.txt`) ?? "").toString())) {
          if (row.wrong > 0) wrong.push(`${kind}, ${row.bytes} bytes: ${row.wrong} wrong`);
          ((rows[row.bytes] ??= {})[kind] ??= []).push(row);
        }
    const table = Object.entries(rows).map(([bytes, kinds]) => ({
      bytes: Number(bytes),
      ...Object.fromEntries(
        Object.entries(kinds).map(([kind, list]) => [
          kind,
          { microseconds: median(list.map((one) => one.microseconds)), bus: median(list.map((one) => one.bus)) },
        ]),
      ),
    }));
    for (const row of table) console.log(JSON.stringify(row));
    save(RESULT, `${JSON.stringify({ machine: step.machine, allReduce: table }, null, 1)}\n`);
    return { wrong };
  },
};
