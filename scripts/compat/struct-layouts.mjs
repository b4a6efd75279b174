// Compares the layouts of structs of public headers with those that gcc gives them. `--help` says how.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { structsOf } from "./struct-list.mjs";

const HELP = `node scripts/compat/struct-layouts.mjs [options]

Compares sizeof, alignof and offsetof of the structs of public headers between gcc on x86-64 and 64-bit
programs of Heddle. Both compile the same text of the headers, which Debian's packages bring, each with its own
C library. The structs are those that gcc's debug information lists for the headers, without bit-fields.

  apt-get install zlib1g-dev libsqlite3-dev …    the packages of struct-layouts.json
  npm run build && node scripts/compat/struct-layouts.mjs

Options
  --only NAME,…       these packages
  --cuda FOLDER       NVIDIA's headers, which Heddle's own are compared with (/usr/local/cuda/include)
  --check             compare, and fail where the results differ from the results file, without writing it
  -o, --output FILE   (docs/lab/struct-layouts.json)

Exit codes: 0 what is not listed as the C library's own is equal; 1 it is not; 64 a wrong option; 77 no gcc.
`;
const root = resolve(import.meta.dirname, "../..");
const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    only: { type: "string" },
    cuda: { type: "string", default: "/usr/local/cuda/include" },
    check: { type: "boolean", default: false },
    output: { type: "string", short: "o", default: join(root, "docs/lab/struct-layouts.json") },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const INCLUDE = ["/usr/include", "/usr/include/x86_64-linux-gnu"];
const work = mkdtempSync(join(tmpdir(), "heddle-layouts-"));

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    ...options,
  });
  if (error?.code === "ENOENT") {
    console.error(`${command} is not there`);
    process.exit(77);
  }
  return { status, stdout, stderr };
}

/** The headers of a package in a folder of their own, so that no other system's C library is among them. */
function copied({ copies, folders = [] }, folder) {
  for (const name of copies) {
    const from = INCLUDE.map((place) => join(place, name)).find((path) => existsSync(path));
    if (from === undefined) return null;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(from, join(folder, name), { recursive: true, dereference: true });
  }
  return [folder, ...folders.map((name) => join(folder, name))].map((path) => `-I${path}`);
}

/** A program that prints the layouts. */
function programOf(headers, structs) {
  const lines = structs.flatMap(({ name, fields }) => [
    `  printf("%s %d %d\\n", "${name}", (int)sizeof(${name}), (int)_Alignof(${name}));`,
    ...fields.map((field) => `  printf(" %s %d\\n", "${field}", (int)offsetof(${name}, ${field}));`),
  ]);
  const includes = [...headers, "stddef.h", "stdio.h"].map((header) => `#include <${header}>`);
  // Some headers have macros of the names of their fields.
  const names = [...new Set(structs.flatMap(({ fields }) => fields))].map((name) => `#undef ${name}`);
  const main = `int main(void) {\n${lines.join("\n")}\n  return 0;\n}`;
  return `#define _GNU_SOURCE 1\n${[...includes, ...names, main].join("\n")}\n`;
}

/** "struct a" → { size, align, offsets } */
function layoutsOf(text) {
  const layouts = {};
  let current = null;
  for (const line of text.split("\n")) {
    const [, indent, name, first, second] = /^( ?)(.+?) (\d+)(?: (\d+))?$/.exec(line) ?? [];
    if (name === undefined) continue;
    if (indent === "") layouts[name] = current = { size: Number(first), align: Number(second), offsets: {} };
    else current.offsets[name] = Number(first);
  }
  return layouts;
}

/** Structs that Heddle's headers do not have, or that have other fields there, by the compiler's messages. */
function missingIn(stderr, structs) {
  const text = stderr.split("\n").filter((line) => /error/.test(line));
  const names = new Set();
  for (const line of text) {
    const quoted = [...line.matchAll(/'([^']+)'/g)].flatMap(([, name]) => name.split(/ \(aka |\)/));
    for (const { name, fields } of structs)
      if (quoted.some((word) => word === name || word === name.replace("struct ", "") || fields.includes(word)))
        names.add(name);
  }
  return names;
}

function measure(entry, index) {
  const folder = join(work, String(index));
  mkdirSync(folder, { recursive: true });
  const flags = copied(entry, folder);
  if (flags === null || (entry.folderOf === "cuda" && !existsSync(values.cuda))) return null;
  const nativeFlags = entry.folderOf === "cuda" ? [`-I${values.cuda}`] : flags;
  const { structs, error } = structsOf(entry, { run, folder, flags: nativeFlags });
  if (error !== null) throw new Error(`${entry.package}: ${error}`);
  const source = join(folder, "layouts.c");
  writeFileSync(source, programOf(entry.headers, structs));
  const binary = join(folder, "layouts");
  const built = run("gcc", ["-w", ...nativeFlags, "-o", binary, source]);
  if (built.status !== 0) throw new Error(`${entry.package}: ${built.stderr}`);
  const native = layoutsOf(run(binary, []).stdout);
  const [left, absent] = [structs, []];
  let kept = left;
  let ours = null;
  // Of the C library's own structs some are not there: they are named, and left out.
  for (let attempt = 0; ours === null && attempt < 8; attempt++) {
    writeFileSync(source, programOf(entry.headers, kept));
    const heddle = [join(root, "dist/bin/main.js"), "run", "--model", "lp64", "-w", ...flags, source];
    const { status, stdout, stderr } = run(process.execPath, heddle);
    if (status === 0) ours = layoutsOf(stdout);
    else {
      const missing = missingIn(stderr, kept);
      if (missing.size === 0 || entry.ownLibrary !== true) throw new Error(`${entry.package}: ${stderr}`);
      absent.push(...missing);
      kept = kept.filter(({ name }) => !missing.has(name));
    }
  }
  const version = run("dpkg-query", ["-W", "-f", "${Version}", entry.package]).stdout;
  const rows = kept.map(({ name }) => {
    const isEqual = JSON.stringify(native[name]) === JSON.stringify(ours[name]);
    return isEqual ? { name, ...native[name] } : { name, ...native[name], heddle: ours[name] };
  });
  return {
    package: entry.package,
    version,
    headers: entry.headers,
    ownLibrary: entry.ownLibrary === true,
    absent,
    rows,
  };
}

const ownerOf = ({ package: name }) => (name === "cuda" ? "CUDA's headers" : "the C library");
const only = values.only?.split(",");
const list = JSON.parse(readFileSync(join(import.meta.dirname, "struct-layouts.json"), "utf8"));
const results = list
  .filter((entry) => only?.includes(entry.package) ?? true)
  .map((entry, i) => [entry, measure(entry, i)]);
rmSync(work, { recursive: true });
const found = results.flatMap(([, result]) => (result === null ? [] : [result]));
for (const [{ package: name }, result] of results)
  if (result === null) console.log(`${name} is not installed`);
  else {
    const other = result.rows.filter(({ heddle }) => heddle !== undefined);
    const absent = result.absent.length > 0 ? `, not there: ${result.absent.join(", ")}` : "";
    console.log(
      `${name}${result.ownLibrary ? `, the structs of ${ownerOf(result)}` : ""}: ${result.rows.length} structs, ` +
        `${other.length} differ${other.length > 0 ? `: ${other.map((row) => row.name).join(", ")}` : ""}${absent}`,
    );
  }
const isWrong = found.some(({ ownLibrary, rows }) => !ownLibrary && rows.some(({ heddle }) => heddle !== undefined));
/** One struct a line. */
function textOf(packages) {
  const rows = (list) => list.map((row) => `   ${JSON.stringify(row)}`).join(",\n");
  const parts = packages.map(({ rows: list, ...about }) => {
    const head = JSON.stringify(about).slice(0, -1);
    return ` ${head},"rows":[\n${rows(list)}\n ]}`;
  });
  const compiler = run("gcc", ["-dumpfullversion"]).stdout.trim();
  return `{"compiler":"gcc ${compiler}","packages":[\n${parts.join(",\n")}\n]}\n`;
}
let isOther = false;
if (values.check) {
  const before = JSON.parse(readFileSync(values.output, "utf8")).packages;
  for (const now of found) {
    const was = before.find(({ package: name, version }) => name === now.package && version === now.version);
    if (was !== undefined && JSON.stringify(was) !== JSON.stringify(now)) {
      console.log(`${now.package} has other results than ${values.output}`);
      isOther = true;
    }
  }
} else if (only === undefined) writeFileSync(values.output, textOf(found));
process.exit(isWrong || isOther ? 1 : 0);
