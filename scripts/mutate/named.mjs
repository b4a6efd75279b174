/** Changes that the tests once missed: they are made in every run. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** [why, file, the text with the expression that changes in «», what takes its place] */
const NAMED = [
  [
    "a correct kernel that polls for long is called a deadlock",
    "src/engine/deadlock-proof/one-thread.ts",
    "if («a[i] !== b[i]») return false",
    "false",
  ],
  [
    "the same in the interpreter",
    "src/engine/interpreter/deadlock-proof.ts",
    "(value, i) => «Object.is(value, frame.values[i]) || sameAggregate(value, frame.values[i])»",
    "true",
  ],
  [
    "a counted barrier with a partial warp",
    "src/engine/schedule/barriers.ts",
    "«count + 32 - bitCount((block.warps[warp] as Warp).live)»",
    "count",
  ],
  [
    "the same in the interpreter",
    "src/engine/interpreter/barriers.ts",
    'Math.min(32, «count + 32 - warp.threads.filter((thread) => thread.state !== "done").length»)',
    "count",
  ],
  [
    "a lost lane mask, by which a kernel never ends",
    "src/engine/warp-tier/control-flow/edges.ts",
    `«code
        .localGet(mask)
        .localGet(bits)
        .i32Const(-1)
        .i32Xor()
        .i32And()»`,
    "code.localGet(mask).localGet(bits).i32And()",
  ],
  [
    "cudaGetLastError after a fault that another call has returned",
    "src/runtime/cuda/api-functions/api-table.ts",
    "«cuda.lastError = sticky»",
    "undefined",
  ],
  [
    "the sign of cudaEventElapsedTime",
    "src/runtime/cuda/api-functions/streams.ts",
    "«end.recordedMs - start.recordedMs»",
    "start.recordedMs - end.recordedMs",
  ],
  ["unordered comparisons in PTX", "src/ptx/emit/arithmetic.ts", 'ult: «"ltu"»', '"lt"'],
  ["ordered comparisons in PTX", "src/ptx/emit/arithmetic.ts", 'one: «"ne"»', '"neu"'],
  [
    "the rounding of f64 in PTX",
    "src/ptx/emit/arithmetic.ts",
    "«`${operator}.rn.f64 ${d}, ${a}, ${b}`»",
    "`${operator}.rz.f64 ${d}, ${a}, ${b}`",
  ],
  [
    "the rounding of a conversion in PTX",
    "src/ptx/emit/casts.ts",
    "«`cvt.rn${f.ftz}.f32.f64 ${f.define(i)}, ${a}`»",
    "`cvt.rz${f.ftz}.f32.f64 ${f.define(i)}, ${a}`",
  ],
  [
    "carries of integers above 128 bits",
    "src/ir/passes/legalize-ints.ts",
    '«e.or(over, subtract ? e.icmp("ult", first, extended) : e.icmp("ult", sum, first))»',
    "over",
  ],
  [
    "no carry beyond the second piece",
    "src/ir/passes/legalize-ints.ts",
    "«carry = over»",
    "(carry = i === 0 ? over : null)",
  ],
  [
    "atomic scopes that differ",
    "src/check/racecheck/word-transition.ts",
    '«scope === "block"» ? constI32(ENTRY.blocks) : e.select(',
    "false",
  ],
  [
    "atomic scopes that differ, the second one's",
    "src/check/racecheck/word-transition.ts",
    '«scope === "block"» ? ALWAYS',
    "false",
  ],
  [
    "the scope of an atomic operation in PTX",
    "src/ptx/emit/memory.ts",
    '«scope === "singlethread" || scope === "block"»',
    'scope === "singlethread"',
  ],
];

export function namedMutants(root) {
  return NAMED.map(([why, file, marked, text]) => {
    const source = readFileSync(join(root, file), "utf8");
    const plain = marked.replace(/[«»]/g, "");
    const at = source.indexOf(plain);
    if (at < 0 || source.indexOf(plain, at + 1) >= 0)
      throw new Error(`scripts/mutate/named.mjs: ${file} has not exactly one ${plain}`);
    const start = at + marked.indexOf("«");
    const end = at + marked.indexOf("»") - 1;
    const line = source.slice(0, start).split("\n").length;
    return {
      id: createHash("sha256").update(`${file}\n${marked}\n${text}`).digest("hex").slice(0, 12),
      why,
      file,
      line,
      lineText: source.split("\n")[line - 1].trim(),
      operator: "named",
      original: source.slice(start, end),
      start,
      end,
      text,
      within: { start, end, isKey: false },
    };
  });
}
