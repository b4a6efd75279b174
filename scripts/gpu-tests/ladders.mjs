// Every version of every ladder in kernels/, and its rivals, at every shape for checks, through the command line. Needs
// NVRTC.
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** @param {"cuda" | "emulated"} device @returns {{ passed: number, failed: number }} */
export function checkLadders(device) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, "dist/bin/main.js"), "bench", "--check", "--json", "--device", device, "kernels"],
    { encoding: "utf8", cwd: root, env: { ...process.env, NO_COLOR: "1" }, maxBuffer: 1 << 26 },
  );
  // 72: something is wrong, and the JSON says what.
  if (status !== 0 && status !== 72) throw new Error(`heddle bench ended with ${status}:\n${stderr}`);
  const results = JSON.parse(stdout).flatMap(({ ladder, versions, rivals }) => [
    ...versions.map(({ version, ...result }) => ({ ...result, name: `${ladder}/${version}` })),
    ...rivals.map(({ rival, ...result }) => ({ ...result, name: `${ladder}/${rival}` })),
  ]);
  const wrong = results.filter(({ verdict }) => verdict !== "ok" && verdict !== "absent");
  for (const { name, verdict, problem } of wrong) console.log(`  ${name} is ${verdict}: ${problem}`);
  const absent = results.filter(({ verdict }) => verdict === "absent");
  for (const { name, problem } of absent) console.log(`  ${name} is not checked: ${problem}`);
  const passed = results.length - wrong.length - absent.length;
  console.log(`ladders: ${passed} of ${results.length} versions and rivals`);
  return { passed, failed: wrong.length + (results.length === 0 ? 1 : 0) };
}

export async function run() {
  return checkLadders("cuda");
}
