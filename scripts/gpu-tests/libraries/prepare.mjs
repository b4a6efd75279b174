// Fills a folder with what run.mjs needs on a GPU machine: programs built by `heddle nvcc`, their sources, descriptors.
//
//   npm run build && node scripts/gpu-tests/libraries/prepare.mjs FOLDER
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { rolldown } from "rolldown";

const root = resolve(import.meta.dirname, "../../..");
const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node scripts/gpu-tests/libraries/prepare.mjs FOLDER");
  process.exit(64);
}
const COUNTS = { blas: 6000, fft: 3000, rand: 2000, sparse: 5000, solver: 2500, dnn: 3000 };
const LINKED = {
  blas: ["-lcublas"],
  fft: ["-lcufft"],
  rand: ["-lcurand"],
  sparse: ["-lcusparse"],
  solver: ["-lcusolver", "-lcublas"],
  dnn: ["-lcudnn"],
};
const tests = join(root, "src/cli/test-programs");
const programs = [
  ...Object.keys(COUNTS).map((name) => ({
    name,
    path: join(tests, `${name}-descriptors.cu`),
    flags: LINKED[name],
    cases: `${name}.txt`,
  })),
  { name: "fft-statuses", path: join(tests, "fft-statuses.cu"), flags: LINKED.fft },
  { name: "dnn-statuses", path: join(tests, "dnn-statuses.cu"), flags: LINKED.dnn },
  {
    name: "matrix-statuses",
    path: join(tests, "matrix-statuses.cu"),
    flags: ["-lcusolver", "-lcusparse", "-lcublas"],
  },
  {
    name: "handover-cost",
    path: join(import.meta.dirname, "handover-cost.cu"),
    flags: ["-lcublas", "-lcufft", "-lcusparse", "-lcudnn"],
    isTimed: true,
  },
];

mkdirSync(folder, { recursive: true });
const bundled = join(mkdtempSync(join(tmpdir(), "heddle-descriptors-")), "descriptors.mjs");
const bundle = await rolldown({ input: join(import.meta.dirname, "descriptors.ts"), platform: "node" });
await bundle.write({ file: bundled });
const { descriptors } = await import(bundled);
for (const [library, count] of Object.entries(COUNTS))
  writeFileSync(join(folder, `${library}.txt`), `${descriptors(library, count).join("\n")}\n`);
for (const { name, path, flags } of programs) {
  copyFileSync(path, join(folder, basename(path)));
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, "dist/bin/main.js"), "nvcc", "-std=c++17", "-O2", "-o", join(folder, name), path, ...flags],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`${path} does not build: ${stderr}`);
}
writeFileSync(
  join(folder, "programs.json"),
  JSON.stringify(programs.map(({ path, ...program }) => ({ ...program, source: basename(path) }))),
);
