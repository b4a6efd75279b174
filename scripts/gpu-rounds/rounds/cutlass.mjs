// CUTLASS's examples that time themselves: built by Heddle, and there by nvcc; both programs take turns.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { filesBelow, ROOT } from "../pack.mjs";
import { percent } from "../numbers.mjs";
import { inTurns } from "../printed.mjs";

const RESULT = "docs/lab/cutlass-h200.json";
const TURNS = 2;
const [HOPPER, OTHERS] = ["-arch=sm_90a", "-arch=sm_90"];

/**
 * By the path below examples/. `arch`: for both compilers; `args`: sizes of which a launch takes some time, and so many
 * launches that the first one, which loads the kernel, does not count.
 */
const EXAMPLES = [
  { path: "cute/tutorial/sgemm_1.cu" },
  { path: "cute/tutorial/sgemm_2.cu" },
  { path: "cute/tutorial/sgemm_sm70.cu" },
  { path: "cute/tutorial/sgemm_sm80.cu", args: "5120 5120 4096 T N" },
  { path: "cute/tutorial/hopper/wgmma_sm90.cu", arch: HOPPER, args: "4096 4096 4096 T N" },
  { path: "cute/tutorial/hopper/wgmma_tma_sm90.cu", arch: HOPPER, args: "4096 4096 4096 T N" },
  { path: "14_ampere_tf32_tensorop_gemm/ampere_tf32_tensorop_gemm.cu", args: "--iterations=1000" },
  { path: "24_gemm_grouped/gemm_grouped.cu", args: "--m=1024 --n=1024 --k=1024 --groups=16 --iterations=4000" },
  {
    path: "27_ampere_3xtf32_fast_accurate_tensorop_gemm/27_ampere_3xtf32_fast_accurate_tensorop_gemm.cu",
    args: "--iterations=500",
  },
  // Without a check on the host, which would take minutes, it ends with an error.
  {
    path: "35_gemm_softmax/gemm_softmax.cu",
    args: "--m=4096 --n=4096 --k=1024 --batch_count=4 --verify=false --iterations=1000",
    status: 255,
  },
  { path: "36_gather_scatter_fusion/gather_scatter_fusion.cu", args: "--iterations=20000" },
  { path: "47_ampere_gemm_universal_streamk/ampere_gemm_universal_streamk.cu", args: "--iterations=3000" },
  { path: "48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu", arch: HOPPER },
];
const nameOf = (path) => path.split("/").at(-1).replace(".cu", "");
/** "Runtime: 1.5 ms", "Avg runtime: 1.5 ms", "(1.5)ms". */
const TIME = /(?:[Rr]untime(?:\(ms\))?:\s*([\d.e+-]+)\s*ms|\(([\d.e+-]+)\)ms)/g;

/** Milliseconds that a program printed, in their order. */
const timesOf = (text) => [...text.matchAll(TIME)].map(([, first, second]) => Number(first ?? second));

/** Of each time the least of the turns; null: a turn printed none, or another count of them. */
function leastOf(step, kind) {
  const turns = Array.from({ length: TURNS }, (_, i) => timesOf((step.file(`${kind}-${i + 1}.txt`) ?? "").toString()));
  const count = turns[0].length;
  if (count === 0 || turns.some((times) => times.length !== count)) return null;
  return turns[0].map((_, i) => Math.min(...turns.map((times) => times[i])));
}
const sum = (values) => values.reduce((all, value) => all + value, 0);

export default {
  row: "CUTLASS's examples on a GPU (goal: 0.97 of the speed of nvcc's build)",
  minutes: 4,
  jobs: 1,
  async prepare(p) {
    const checkout = resolve(p.checkouts ?? "", "NVIDIA+cutlass");
    if (p.checkouts === null || !existsSync(checkout))
      throw new Error("the round cutlass needs --checkouts FOLDER with NVIDIA+cutlass");
    const folders = ["include", "tools/util/include", "examples/common"];
    const bring = (folder) => {
      for (const path of filesBelow(join(checkout, folder))) p.copy(path, `sources/${path.slice(checkout.length + 1)}`);
    };
    for (const folder of folders) bring(folder);
    const flags = ["--expt-relaxed-constexpr", "-O3"];
    const chosen = EXAMPLES.filter(({ path }) => p.wants(nameOf(path)));
    const built = await Promise.all(
      chosen.map(async (example) => {
        const { path, arch = OTHERS } = example;
        const folder = join("examples", path, "..");
        for (const file of readdirSync(join(checkout, folder), { withFileTypes: true }))
          if (file.isFile() && /\.(?:cu|h|hpp)$/.test(file.name))
            p.copy(join(checkout, folder, file.name), `sources/${folder}/${file.name}`);
        const include = folders.map((name) => ["-I", join(checkout, name)]).flat();
        await p.program(nameOf(path), join(checkout, "examples", path), [...include, arch, ...flags], {
          standard: ["-std=c++17"],
        });
        return example;
      }),
    );
    const builds = built.map(({ path, arch = OTHERS }) => {
      const include = folders.map((name) => `-I$FILES/sources/${name}`).join(" ");
      return `NATIVE_ARCH=${arch} native ${nameOf(path)} examples/${path} ${include} ${flags.join(" ")} -lcuda & `;
    });
    p.step("build", `${builds.join("")}wait; ls "$BUILT"`, { seconds: 400, uses: [], always: true });
    for (const { path, args = "", status = 0 } of built) {
      const name = nameOf(path);
      const ended = (command) => `{ ${command} ${args}; [ $? = ${status} ]; }`;
      const turns = inTurns(TURNS, ended(`"$BUILT/${name}"`), ended(`program ${name}`));
      p.step(name, `${turns}; tail -n 3 "$RESULT/heddle-1.txt"`, {
        seconds: 90,
        uses: [`programs/${name}`],
      });
    }
  },
  take({ steps, save }) {
    const file = join(ROOT, RESULT);
    const results = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
    const wrong = [];
    for (const [name, step] of steps) {
      if (name === "build" || step.status === 77) continue;
      const [native, heddle] = [leastOf(step, "native"), leastOf(step, "heddle")];
      if (step.status !== 0 || native === null || heddle === null || native.length !== heddle.length) {
        wrong.push(`${name}: exit ${step.status}, ${step.err.slice(-300)}`);
        continue;
      }
      const share = sum(native) / sum(heddle);
      results[name] = { native: sum(native), heddle: sum(heddle), gpu: step.machine.gpu, date: step.machine.date };
      const times = `${sum(native).toFixed(4)} ms by nvcc, ${sum(heddle).toFixed(4)} by Heddle`;
      console.log(`${name}: ${times}, ${percent(share, 1)}`);
      if (share < 0.97) wrong.push(`${name}: ${percent(share, 1)} of the speed of nvcc's build`);
    }
    if (Object.keys(results).length > 0) save(RESULT, `${JSON.stringify(results, null, 1)}\n`);
    return { wrong };
  },
};
