// The structs that headers define, by gcc's debug information (DWARF 5).
import { join } from "node:path";
import { writeFileSync } from "node:fs";

/** An entry of the debug information: its tag, its depth, and attributes as text. */
function* entriesOf(dump) {
  let entry = null;
  for (const line of dump.split("\n")) {
    const head = /^ <([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: \d+(?: \(DW_TAG_(\w+)\))?/.exec(line);
    if (head !== null) {
      if (entry !== null) yield entry;
      entry = { depth: parseInt(head[1], 16), id: `0x${head[2]}`, tag: head[3] ?? null, attributes: {} };
      continue;
    }
    const attribute = /^ +<[0-9a-f]+> +DW_AT_(\w+) *: (.*)$/.exec(line);
    if (attribute === null || entry === null) continue;
    const value = attribute[2].trim().replace(/^\(\w+\) +/, "");
    entry.attributes[attribute[1]] = value
      .replace(/^\(?(?:indirect|alt indirect)[^:]*: [^:]*: /, "")
      .replace(/^<(.*)>.*$/, "$1");
  }
  if (entry !== null) yield entry;
}

/** File names by number. */
function filesOf(dump) {
  const names = new Map();
  let isTable = false;
  for (const line of dump.split("\n")) {
    if (/^ The File Name Table/.test(line)) isTable = true;
    else if (/^ The Directory Table/.test(line)) isTable = false;
    const row = isTable ? /^ +(\d+)\s+(?:(?:\(udata\)\s+)?\d+)\s+.*?([^\s:]+)$/.exec(line) : null;
    if (row !== null) names.set(Number(row[1]), row[2]);
  }
  return names;
}

/**
 * @param entry of struct-layouts.json
 * @returns { structs: [{ name, fields }], error } `name` as a program writes it
 */
export function structsOf(entry, { run, folder, flags }) {
  const source = join(folder, "list.c");
  const object = join(folder, "list.o");
  writeFileSync(source, `#define _GNU_SOURCE 1\n${entry.headers.map((header) => `#include <${header}>`).join("\n")}\n`);
  const compile = ["-w", "-gdwarf-5", "-fno-eliminate-unused-debug-types", ...flags, "-c", "-o", object, source];
  const built = run("gcc", compile);
  if (built.status !== 0) return { structs: [], error: built.stderr };
  const files = filesOf(run("readelf", ["--debug-dump=rawline", object]).stdout);
  const own = (number) => entry.ownLibrary === true || isOwn(files.get(Number(number)), entry, run, folder);
  const structs = [];
  const byId = new Map();
  let open = null;
  for (const { depth, id, tag, attributes } of entriesOf(run("readelf", ["--debug-dump=info", object]).stdout)) {
    if (open !== null && depth <= open.depth) open = null;
    if (tag === "structure_type" && depth === 1) {
      open = { depth, id, tag, name: attributes.name ?? null, fields: [], hasBits: false, ...attributes };
      byId.set(id, open);
      if (attributes.declaration === undefined && own(attributes.decl_file)) structs.push(open);
    } else if (tag === "member" && open !== null && depth === open.depth + 1) {
      if (attributes.bit_size !== undefined) open.hasBits = true;
      else if (attributes.name !== undefined) open.fields.push(attributes.name);
    } else if (tag === "typedef") {
      const target = byId.get(attributes.type);
      if (target !== undefined) target.alias ??= attributes.name;
      else byId.set(`typedef ${attributes.type}`, attributes.name);
    }
  }
  const named = structs
    .map((struct) => ({ ...struct, alias: struct.alias ?? byId.get(`typedef ${struct.id}`) }))
    .map(({ name, alias, fields }) => ({ name: name === null ? alias : `struct ${name}`, fields }))
    .filter(
      ({ name, fields }) =>
        name !== undefined && fields.length > 0 && !(entry.ownLibrary && /^struct __|^__/.test(name)),
    );
  return { structs: named, error: null };
}

const ownNames = new Map();

/** Whether a file is one of the entry's headers: they lie in the folder, and those of the C library do not. */
function isOwn(name, { copies }, run, folder) {
  if (name === undefined) return false;
  let names = ownNames.get(folder);
  if (names === undefined) {
    names = new Set(run("find", [folder, "-name", "*.h", "-printf", "%f\n"]).stdout.split("\n"));
    ownNames.set(folder, names);
  }
  const isSystem = /^(?:types|stdio|time|stat|struct_\w+)\.h$/.test(name) && !copies.includes(name);
  return !isSystem && names.has(name);
}
