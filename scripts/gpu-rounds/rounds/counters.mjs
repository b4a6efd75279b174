// Nsight Compute's counters of kernels with wgmma and TMA (the versions of matmul-bf16) and with cp.async, beside those
// of heddle profile.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTERS, defines, VERSIONS } from "../../profile/hopper-climb.mjs";
import { ROOT } from "../pack.mjs";

const RESULT = "docs/lab/profile-cp-async.json";
const COPIES = "scripts/gpu-rounds/programs/cp-async.cu";
const NCU = "ncu --clock-control none --csv --metrics";
/** Of cp.async: how an instruction is counted, and the traffic that it makes. To these come all names with ldgsts. */
const OF_COPIES = [
  "smsp__inst_executed.sum",
  "smsp__sass_inst_executed_op_st.sum",
  "smsp__inst_executed_op_shared_st.sum",
  "smsp__inst_executed_op_ldgsts.sum",
  "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
  "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
  "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
  "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
];
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
const theirs = COUNTERS.filter((name) => !name.startsWith("heddle__"));

async function launchesOf(text, name) {
  const { parseNcuCsv } = await import("../../../dist/profile/compare/ncu-csv.js");
  return parseNcuCsv(text, name);
}

/** What heddle profile counts of the same source. */
function profiled() {
  const json = join(mkdtempSync(join(tmpdir(), "heddle-copies-")), "profile.json");
  const { status, stderr } = spawnSync(
    process.execPath,
    ["dist/bin/main.js", "profile", "-w", "--gpu", "h200", `--json=${json}`, "-O3", COPIES],
    { cwd: ROOT, encoding: "utf8", env: { ...process.env, HEDDLE_PTXAS: "none" } },
  );
  if (status !== 0) throw new Error(`${COPIES}: ${stderr}`);
  return JSON.parse(readFileSync(json, "utf8")).launches;
}
const baseName = (name) => name.replace(/^(?:void|static void) /, "").replace(/[(<].*$/s, "");

export default {
  row: "counters of wgmma, TMA and cp.async beside Nsight Compute's",
  minutes: 2,
  prepare(p) {
    p.source(COPIES);
    // ncu ends at a name that it does not know, so that only names of its own list are asked for.
    p.step("names", 'ncu --query-metrics --chip gh100 >"$RESULT/metrics.txt" && wc -l "$RESULT/metrics.txt"', {
      seconds: 60,
      uses: [],
    });
    const known = 'grep -o "^[a-z][a-z0-9_]*" "$RESULT/../names/metrics.txt"';
    const wanted = OF_COPIES.map((name) => `-e ${name.replace(/\.sum$/, "")}`).join(" ");
    const list = `${known} | grep -x -F ${wanted}; ${known} | grep ldgsts;`;
    const names = `{ ${list} } | sort -u | sed "s/$/.sum/" | paste -sd,`;
    const copies = `native cp-async cp-async.cu && ${NCU} "$(${names})" "$BUILT/cp-async" >"$RESULT/ncu.csv"`;
    p.step("cp-async", copies, { seconds: 90, uses: ["sources/cp-async.cu"] });
    for (const version of Object.keys(VERSIONS)) {
      const flags = `-O3 -std=c++17 -w -gencode=arch=compute_90a,code=sm_90a ${defines(version).map(quoted).join(" ")}`;
      const build = `nvcc ${flags} -o "$BUILT/${version}" scripts/profile/hopper-climb.cu -lcuda`;
      p.step(version, `${build} && ${NCU} ${theirs.join(",")} "$BUILT/${version}" >"$RESULT/ncu.csv"`, {
        seconds: 90,
        uses: [],
      });
    }
  },

  async take({ steps, save, writes }) {
    const wrong = [];
    const folder = mkdtempSync(join(tmpdir(), "heddle-ncu-"));
    for (const version of Object.keys(VERSIONS)) {
      const csv = steps.get(version)?.file("ncu.csv") ?? null;
      if (csv === null || steps.get(version).status !== 0) wrong.push(`${version} was not counted`);
      else writeFileSync(join(folder, `${version}.ncu.csv`), csv);
    }
    if (writes && wrong.length < Object.keys(VERSIONS).length) {
      const args = ["scripts/profile/hopper-climb.mjs", "--ncu", folder];
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
      if (status !== 0) wrong.push(`hopper-climb.mjs --ncu: ${stderr.slice(0, 400)}`);
    }
    const csv = steps.get("cp-async")?.file("ncu.csv") ?? null;
    if (csv === null || steps.get("cp-async").status !== 0) return { wrong: [...wrong, "cp-async was not counted"] };
    const { countOf } = await import("../../../dist/profile/compare/compare-ncu.js");
    const ours = profiled();
    const kernels = (await launchesOf(csv.toString(), "cp-async")).map(({ kernel, metrics }) => {
      const own = ours.find(({ name }) => baseName(name) === baseName(kernel))?.metrics ?? {};
      const names = [...new Set([...OF_COPIES, ...Object.keys(metrics)])];
      const rows = names.map((name) => [name, countOf(own, name), metrics[name] ?? null]);
      return { kernel: baseName(kernel), counters: rows.filter(([, a, b]) => a !== null || b !== null) };
    });
    for (const { kernel, counters } of kernels)
      for (const [name, a, b] of counters) console.log(`${kernel} ${name}: heddle ${a}, ncu ${b}`);
    const { machine } = steps.get("cp-async");
    save(RESULT, `${JSON.stringify({ machine, kernels }, null, 1)}\n`);
    return { wrong };
  },
};
