// Builds a program as nvcc does, with Heddle's PTX instead of nvcc's: what differs from nvcc's build is device code
// alone. `--help` says how.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const HELP = `node scripts/compat/nvcc-with-ptx.mjs NVCC'S FLAGS FILE.cu… -o PROGRAM

Needs nvcc, and a built Heddle (npm run build). The kernels are those of 64-bit programs. What calls Heddle's own
functions for printf, malloc and assert does not link, and is refused.
`;
const args = process.argv.slice(2);
if (args.length === 0 || args.includes("--help")) {
  process.stdout.write(HELP);
  process.exit(args.length === 0 ? 64 : 0);
}
const heddle = resolve(import.meta.dirname, "../../dist/bin/main.js");
/** Of nvcc's host side, or of what it prints. */
const HOST_FLAGS = /^(?:-cudart|-w|--expt-relaxed-constexpr|--extended-lambda|-l.*|-Xcompiler|-o)$/;
const WITH_VALUE = new Set(["-cudart", "-Xcompiler", "-o"]);

/** The flags that the device side sees. */
function deviceFlags() {
  const flags = [];
  for (let i = 0; i < args.length; i++) {
    if (HOST_FLAGS.test(args[i])) i += WITH_VALUE.has(args[i]) ? 1 : 0;
    else if (!/\.cu$|^-l/.test(args[i])) flags.push(args[i]);
  }
  return flags;
}

const folder = mkdtempSync(join(tmpdir(), "heddle-ptx-"));
try {
  // Its own files go where ours are.
  const dry = spawnSync("nvcc", [...args, "--dryrun"], { encoding: "utf8", env: { ...process.env, TMPDIR: folder } });
  if (dry.status !== 0) throw new Error(dry.stderr);
  const commands = ["set -e"];
  const ours = new Map();
  for (const line of dry.stderr.split("\n")) {
    if (!line.startsWith("#$ ")) continue;
    const command = line.slice(3);
    const [, name, value] = /^(\w+)=(.*)$/.exec(command) ?? [];
    if (name !== undefined) {
      // Flags are written out in the commands already.
      if (!value.includes('"')) commands.push(`export ${name}="${value.trim()}"`);
      continue;
    }
    commands.push(command.startsWith("rm ") ? `${command} || true` : command);
    const [, source] = /--orig_src_path_name "([^"]+)"/.exec(command) ?? [];
    const [, output] = /cicc.* -o "([^"]+\.ptx)"/.exec(command) ?? [];
    if (output === undefined) continue;
    const file = join(folder, `${ours.size}.ptx`);
    if (!ours.has(source)) ours.set(source, file);
    commands.push(`cp ${JSON.stringify(ours.get(source))} ${JSON.stringify(output)}`);
  }
  for (const [source, file] of ours) {
    const flags = ["--emit", "ptx", "--model", "lp64", ...deviceFlags(), source];
    const made = spawnSync(process.execPath, [heddle, "compile", ...flags], { encoding: "utf8", maxBuffer: 1 << 27 });
    if (made.status !== 0) throw new Error(`Heddle does not compile ${source}: ${made.stderr}`);
    writeFileSync(file, made.stdout);
  }
  const script = join(folder, "build.sh");
  writeFileSync(script, `${commands.join("\n")}\n`);
  const built = spawnSync("bash", [script], { encoding: "utf8", maxBuffer: 1 << 27 });
  if (built.status !== 0) throw new Error(built.stderr);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
