// `npm start`: a program that runs, a fault that is found, and why one of two kernels is slow on a GPU.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const FOUND_OR_WRONG = [0, 1, 72];
const root = fileURLToPath(new URL("../", import.meta.url));

/** Prints a command and runs it. */
function show(args, codes = [0]) {
  console.log(`$ npx heddle ${args.join(" ")}`);
  const { status } = spawnSync(process.execPath, ["dist/bin/main.js", ...args], { cwd: root, stdio: "inherit" });
  console.log();
  if (!codes.includes(status)) process.exit(status ?? 1);
}

show(["run", "examples/vector-add.cu"]);
show(["check", "examples/sum-race.cu"], FOUND_OR_WRONG);
show(["profile", "examples/transpose.cu"]);
console.log("Next: docs/start.md explains these commands, step by step.");
console.log("Or do all this in a page of your browser: npx heddle studio");
