// Runs every script that makes a page or an image of docs/, one after the other. `npm run docs` builds first.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const SCRIPTS = [
  "make-kernel-types",
  "make-support",
  "make-cli",
  "make-api",
  "make-modules",
  "make-torch-list",
  "make-tensor-operations",
  "make-tensor-speed",
  "make-reports",
  "make-kernels-page",
  "make-performance-plot",
  "make-compile-table",
  "make-lp64-figures",
  "compat/table",
  "compat/library-table",
  "compat/cudnn-frontend-table",
  "library-functions/page",
  "gpu-rounds/page",
  "gpu-rounds/captures-page",
  "../bench/libraries/page",
  "compat/triton-tests-table",
  "compat/triton-launches/table",
  "compat/kernel-times-table",
  "profile/compare-ncu",
  "profile/hopper-climb",
  "profile/ladder-table",
  "profile/make-hints",
  "docs-commands",
  "make-pictures",
  "make-clustering-picture",
];

// Profiles on the pages are the same on machines with and without a toolkit.
const env = { ...process.env, HEDDLE_PTXAS: "none" };
for (const name of SCRIPTS) {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.mjs`)], { stdio: "inherit", env });
  if (status !== 0) {
    console.error(`scripts/${name}.mjs failed with ${status}`);
    process.exit(1);
  }
}
