// Checks that the pages of docs/ that scripts make from the code are current. Needs dist/. `npm run pages`
//
// docs/reports.md runs forty programs: src/check/page.long.test.ts.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

/** The scripts, without `.mjs`. Each takes `--check`. */
export const CHECKED = [
  "make-support",
  "make-kernels-page",
  "make-performance-plot",
  "make-cli",
  "make-api",
  "make-modules",
  "compat/table",
  "compat/triton-tests-table",
  "compat/library-table",
  "library-functions/page",
  "gpu-rounds/page",
  "gpu-rounds/captures-page",
  "../bench/libraries/page",
  "profile/compare-ncu",
  "profile/hopper-climb",
];

/** What the script says; "": its pages are current. */
export function checkPage(name) {
  const script = join(import.meta.dirname, `${name}.mjs`);
  const env = { ...process.env, HEDDLE_PTXAS: "none" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8", env });
  const said = `${stdout}${stderr}`;
  return status !== 0 && said === "" ? `scripts/${name}.mjs ended with ${status}\n` : said;
}

if (import.meta.filename === process.argv[1]) {
  const said = CHECKED.map(checkPage).join("");
  process.stderr.write(said);
  if (said !== "") process.exitCode = 1;
}
