// Writes docs/cli.md: the command line's help, as `heddle --help` and `heddle COMMAND --help` print it. `--check` only
// reports whether the page is up to date.
import { helpText } from "../dist/cli/help.js";
import { nvccFlagNames } from "../dist/cli/options/nvcc-flag-table.js";
import { codeNames, writeOrCheck } from "./docs-pages.mjs";

const COMMANDS = {
  run: "compile and run a program",
  check: "run a program and report its errors",
  profile: "say why kernels are slow",
  bench: "check and time the versions of a kernel",
  studio: "do all this in a page",
  new: "begin a ladder",
  nvcc: "build projects that call nvcc",
  compile: "show what the compiler makes of a file",
  python: "run Triton kernels from your own Python",
  devices: "show the GPU that programs see",
  setup: "build the library of 64-bit programs",
};

const help = (command) => {
  const call = command === null ? "npx heddle --help" : `npx heddle ${command} --help`;
  return `\`\`\`console\n$ ${call}\n${helpText(command).trimEnd()}\n\`\`\``;
};
const flags = nvccFlagNames();

const page = `# The command line

On this page you look up the commands of \`heddle\` and their options.

${Object.entries(COMMANDS)
  .map(([command, what]) => `- [heddle ${command}](#heddle-${command}): ${what}`)
  .join("\n")}

Exit codes are listed in [errors.md](errors.md#exit-codes). This page is made from the command's own help by
\`npm run docs\`.

## Overview

${help(null)}

${Object.keys(COMMANDS)
  .map((command) => `## heddle ${command}\n\n${help(command)}`)
  .join("\n\n")}

## Options of nvcc

\`heddle run\`, \`heddle check\`, \`heddle compile\` and \`heddle nvcc\` take nvcc's options. Heddle reads these.
Most have an effect, of some only the value is checked, and \`-cubin\` and \`-fatbin\` are refused:

${codeNames([...flags.valued, ...flags.switches])}

These are accepted and ignored, because they have no meaning here:

${codeNames(flags.silent)}
`;

writeOrCheck({ "docs/cli.md": page });
