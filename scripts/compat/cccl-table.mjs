// The part of docs/compatibility.md about NVIDIA's own libraries of headers, from the results of their programs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readManifest } from "./manifest.mjs";

/**
 * @param lab the folder of the results; `table` makes Markdown of a head and rows, `share` a text of two numbers
 * @returns Markdown
 */
export function ccclSection({ lab, table, share }) {
  const read = (name) => JSON.parse(readFileSync(join(lab, name), "utf8"));
  const here = read("compat-cccl.json");
  const h200 = read("compat-cccl-h200.json");
  const listed = readManifest(join(import.meta.dirname, "cccl.json"));
  const groupOf = (name) => /^(?:cub|thrust)\/\w+|^libcudacxx\/test|^examples/.exec(name)[0];
  const groups = [...new Set(listed.map(({ name }) => groupOf(name)))];
  const of = (results, group) => listed.flatMap(({ name }) => (groupOf(name) === group ? (results[name] ?? []) : []));
  const counted = (results) =>
    results.length === 0 ? "–" : share(results.filter(({ status }) => status === "pass").length, results.length);
  const failing = listed.filter(({ name }) => here[name] !== undefined && here[name].status !== "pass");
  return `## NVIDIA's own headers

CUB, Thrust and libcudacxx as NVIDIA publishes them compile unmodified
([how](run.md#nvidias-cub-thrust-and-libcudacxx)). These are the programs of NVIDIA/cccl v3.4.2 that were run with the
headers beside them: on the emulated device, and on an H200.

${table(
  ["folder", "listed", "run correctly, emulated", "run correctly, H200"],
  groups.map((group) => [
    group,
    listed.filter(({ name }) => groupOf(name) === group).length,
    counted(of(here, group)),
    counted(of(h200, group)),
  ]),
)}

The programs that were not run yet are listed, too. Five fail on the H200. \`repeated_range.cu\`,
\`scan_matrix_by_rows.cu\` and \`transform_input_output_iterator.cu\` were run before a fault was mended that stopped
programs like them, and not again: CUB chose a kernel's configuration by the GPU, and not by what the code was compiled
for. \`mr_basic.cu\` has constants that need a \`size_t\` of 64 bits. \`example_device_select_unique.cu\` asks for
\`std::iterator_traits<void*>\`, which libc++ refuses before C++20.
${
  failing.length === 0
    ? ""
    : `\n${table(
        ["program that fails, emulated", "result", "what stops it"],
        failing.map(({ name }) => [name, here[name].status, here[name].reason ?? here[name].said]),
      )}\n`
}`;
}
