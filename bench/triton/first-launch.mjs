// What a person waits for who starts a program that launches a Triton kernel: from the start of the process to the
// result, on one line. `--help` says how.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { summary } from "../engine/statistics.mjs";

const HELP = `node bench/triton/first-launch.mjs [--samples N] [--node PATH]

Starts processes that launch the softmax of examples/triton and print a result, and prints medians of N (15):
with a cache directory that has what an earlier run left; after an edit elsewhere in the file; after an edit of
the kernel; and with an empty cache directory. Each kind first runs twice without being measured, except for the
last. The second figure is the processor time of all threads: on a machine that does other things it says more
than the first.`;

const { values: options } = parseArgs({
  options: {
    samples: { type: "string", default: "15" },
    node: { type: "string", default: process.execPath },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(HELP);
  process.exit(0);
}

const root = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "heddle-first-"));
const program = (edit) => `import { readFileSync } from "node:fs";
import { loadTriton } from ${JSON.stringify(join(root, "dist/lib/triton.js"))};
const edit = ${edit};
const filename = ${JSON.stringify(join(root, "examples/triton/softmax.py"))};
const { kernels, device } = await loadTriton(edit(readFileSync(filename, "utf8")), { filename });
const x = device.array(Float32Array.from({ length: 64 * 1000 }, (_, i) => Math.sin(i)));
const y = device.array(64 * 1000, "float32");
await kernels.softmax.launch({ grid: [64] }, y, x, 1000, 64, 1000, { BLOCK: 1024 });
const sum = (await y.read()).reduce((all, value) => all + value, 0).toFixed(1);
const { user, system } = process.cpuUsage();
console.log(sum, (user + system) / 1000);
`;

let count = 0;
function wait(file, cache) {
  const started = performance.now();
  const { status, stdout, stderr } = spawnSync(options.node, [file, `${count++}`], {
    encoding: "utf8",
    env: { ...process.env, HEDDLE_CACHE_DIR: cache },
  });
  const [sum, processor] = stdout.split(" ");
  if (status !== 0 || sum !== "64.0") throw new Error(`exit code ${status}: ${stdout}${stderr}`);
  return { elapsed: performance.now() - started, processor: Number(processor) };
}

const KINDS = [
  ["unchanged", "(text) => text"],
  ["an edit elsewhere", "(text) => `# ${process.argv[2]}${process.pid}\\n\\n${text}`"],
  ["an edit of the kernel", '(text) => text.replace("tl.exp(", `tl.exp(1e-30 * ${process.pid} + `)'],
];
try {
  const cache = join(folder, "cache");
  console.log(`load of the machine: ${loadavg()[0].toFixed(1)} processes`);
  for (const [name, edit] of KINDS) {
    const file = join(folder, "program.mjs");
    writeFileSync(file, program(edit));
    for (let i = 0; i < 2; i++) wait(file, cache);
    report(
      name,
      Array.from({ length: Number(options.samples) }, () => wait(file, cache)),
    );
  }
  const file = join(folder, "program.mjs");
  writeFileSync(file, program(KINDS[0][1]));
  report(
    "an empty cache",
    Array.from({ length: 5 }, () => wait(file, join(folder, `cache ${count}`))),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function report(name, samples) {
  const of = (which) => {
    const values = summary(samples.map((sample) => sample[which]));
    const [median, q1, q3] = ["median", "q1", "q3"].map((part) => values[part].toFixed(0));
    return `${median} ms (${q1} to ${q3})`;
  };
  console.log(`${name.padEnd(24)} ${of("elapsed").padEnd(24)} processor ${of("processor")}`);
}
