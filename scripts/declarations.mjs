// What the scripts share that make pages from the package's types: declarations in dist, and the comments above them.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseAst } from "rolldown/parseAst";

const files = new Map();

/** A file of declarations: its text, and its statements. */
export function load(path) {
  if (!files.has(path)) {
    const text = readFileSync(path, "utf8");
    files.set(path, { path, text, body: parseAst(text, { lang: "dts" }).body });
  }
  return files.get(path);
}

export const follow = (file, specifier) => resolve(dirname(file.path), specifier.replace(/\.ts$/, ".d.ts"));

/** The comment that ends where a node begins, as lines without its stars; null where there is none. */
export function commentBefore(text, start) {
  const found = /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*$/.exec(text.slice(0, start));
  return found === null ? null : commentText(found[1]);
}

export function commentText(inner) {
  const lines = inner.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  return lines.join("\n").trim();
}

/** What a statement declares, with the names that it exports. */
function declarationsOf(file, statement) {
  const node = statement.declaration ?? statement;
  if (node.type === "VariableDeclaration")
    return node.declarations.map((one) => ({ name: one.id.name, node: one, start: statement.start, file }));
  return node.id == null ? [] : [{ name: node.id.name, node, start: statement.start, file }];
}

/** All declarations of a name in a file or in the files that it passes on; several for overloads. */
export function find(file, name) {
  const here = file.body.flatMap((statement) => declarationsOf(file, statement)).filter((one) => one.name === name);
  if (here.length > 0) return here;
  for (const statement of file.body) {
    if (passesAllOn(statement)) {
      const found = find(load(follow(file, statement.source.value)), name);
      if (found.length > 0) return found;
    }
    const isPassedOn = statement.type === "ExportNamedDeclaration" || statement.type === "ImportDeclaration";
    if (!isPassedOn || statement.source == null || !statement.source.value.startsWith(".")) continue;
    for (const specifier of statement.specifiers) {
      const local = specifier.exported ?? specifier.local;
      if (local.name !== name) continue;
      const original = statement.type === "ImportDeclaration" ? specifier.imported : specifier.local;
      return find(load(follow(file, statement.source.value)), original.name);
    }
  }
  return [];
}

/** `export * from`, without a name for all of it. */
const passesAllOn = ({ type, exported }) => type === "ExportAllDeclaration" && exported === null;

/** The names that an entry exports, in the order of its text. */
export function exportedNames(file) {
  const names = file.body.flatMap((statement) => {
    if (passesAllOn(statement)) return exportedNames(load(follow(file, statement.source.value)));
    if (statement.type !== "ExportNamedDeclaration") return [];
    return statement.declaration == null
      ? statement.specifiers.map(({ exported }) => exported.name)
      : declarationsOf(file, statement).map(({ name }) => name);
  });
  return [...new Set(names)];
}
